// The charts of the example.
#pragma once

#include "../support/drawing.hpp"
#include "bouncing_ball.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

// A curve with its name, of what `value` takes from each frame.
struct Curve {
  std::string name;
  const char* colour;
  const char* dashes;
  const std::vector<Frame>* frames;
};
using FrameValue = std::function<double(const Frame& frame)>;

// Axes with a grid, into which curves and stacked areas are drawn.
class Panel {
 public:
  Panel(Drawing& drawing, double left, double top, double width, double height, double last_time, double low,
        double high, const std::string& title)
      : drawing_(drawing),
        left_(left),
        top_(top),
        width_(width),
        height_(height),
        last_time_(last_time),
        low_(low),
        high_(high) {
    drawing.text(left + width / 2, top - 8, "middle", title);
    const double time_step = last_time > 2.5 ? 1 : 0.5;
    for (double t = 0; t <= last_time * (1 + 1e-9); t += time_step) {
      drawing.line(x(t), top, x(t), top + height, "#dddddd");
      drawing.text(x(t), top + height + 16, "middle", Drawing::format("%.3g s", t));
    }
    const double step = tick((high - low) / 4);
    for (double value = std::ceil(low / step - 1e-9) * step; value <= high + 1e-9 * step; value += step) {
      drawing.line(left, y(value), left + width, y(value), "#dddddd");
      drawing.text(left - 6, y(value) + 4, "end",
                   Drawing::format("%.5g", std::abs(value) < 1e-9 ? 0 : value));
    }
  }

  void line(const Curve& curve, const FrameValue& value) {
    std::vector<Drawing::Point> points;
    for (const Frame& frame : *curve.frames) points.push_back({x(frame.time), y(value(frame))});
    drawing_.polyline(points, curve.colour, curve.dashes);
  }

  // Between two values of each frame.
  void area(const std::vector<Frame>& frames, const FrameValue& from, const FrameValue& to,
            const char* colour) {
    std::vector<Drawing::Point> points;
    for (const Frame& frame : frames) points.push_back({x(frame.time), y(to(frame))});
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      points.push_back({x(frame->time), y(from(*frame))});
    }
    drawing_.area(points, colour);
  }

 private:
  // 1, 2 or 5 times a power of ten, not below `least`.
  static double tick(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= least * (1 - 1e-9)) return factor * power;
    }
    return 10 * power;
  }

  double x(double time) const { return left_ + width_ * time / last_time_; }
  double y(double value) const {
    return top_ + height_ * (high_ - std::clamp(value, low_, high_)) / (high_ - low_);
  }

  Drawing& drawing_;
  double left_, top_, width_, height_, last_time_, low_, high_;
};

// All curves in one panel with a legend below it.
inline void draw_curves(Drawing& drawing, double top, const std::vector<Curve>& curves,
                        const FrameValue& value, const std::string& title) {
  double low = HUGE_VAL, high = -HUGE_VAL, last = 0;
  for (const Curve& curve : curves) {
    for (const Frame& frame : *curve.frames) {
      low = std::min(low, value(frame));
      high = std::max(high, value(frame));
      last = std::max(last, frame.time);
    }
  }
  const double margin = 0.05 * (high - low) + 1e-12;
  Panel panel(drawing, 70, top, 960, 220, last, low - margin, high + margin, title);
  double left = 70;
  for (const Curve& curve : curves) {
    panel.line(curve, value);
    drawing.polyline({{left, top + 256}, {left + 26, top + 256}}, curve.colour, curve.dashes);
    drawing.text(left + 32, top + 260, "start", curve.name);
    left += 60 + 7 * static_cast<double>(curve.name.size());
  }
}

// What each frame took, a panel for each curve.
inline void draw_phases(Drawing& drawing, double top, const std::vector<Curve>& curves) {
  struct Phase {
    const char* name;
    const char* colour;
    double Frame::*time;
  };
  constexpr std::array<Phase, 4> phases{{{"blocks", "#4e79a7", &Frame::blocks},
                                         {"system and contact", "#f28e2b", &Frame::system},
                                         {"constraints", "#e15759", &Frame::constraints},
                                         {"solve", "#76b7b2", &Frame::solve}}};
  const auto whole = [](const Frame& frame) {
    return frame.blocks + frame.system + frame.constraints + frame.solve;
  };
  std::vector<double> times;
  double last = 0;
  for (const Curve& curve : curves) {
    for (const Frame& frame : *curve.frames) times.push_back(whole(frame));
    if (!curve.frames->empty()) last = std::max(last, curve.frames->back().time);
  }
  std::sort(times.begin(), times.end());
  const double high = times.empty() ? 1 : 1.2 * times[times.size() - 1 - times.size() / 100];
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const double left = 70 + 330 * static_cast<double>(k % 3);
    const double panel_top = top + 210 * static_cast<double>(k / 3);
    Panel panel(drawing, left, panel_top, 290, 150, last, 0, high, curves[k].name + ", ms per frame");
    FrameValue from = [](const Frame&) { return 0.0; };
    for (const Phase& phase : phases) {
      const FrameValue to = [from, phase](const Frame& frame) { return from(frame) + frame.*phase.time; };
      panel.area(*curves[k].frames, from, to, phase.colour);
      from = to;
    }
  }
  double left = 70;
  for (const Phase& phase : phases) {
    drawing.area({{left, top + 394}, {left + 14, top + 394}, {left + 14, top + 406}, {left, top + 406}},
                 phase.colour);
    drawing.text(left + 20, top + 404, "start", phase.name);
    left += 190;
  }
}
