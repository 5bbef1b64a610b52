// A drawing in SVG: lines, areas and words.
#pragma once

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

class Drawing {
 public:
  // To the right and downwards, as SVG counts.
  struct Point {
    double x, y;
  };

  Drawing(double width, double height) {
    text_ = format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
        width, height);
  }

  // `anchor`: what of the words is at the point: start, middle or end.
  void text(double x, double y, const char* anchor, const std::string& words) {
    text_ +=
        format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words.c_str());
  }

  void line(double x0, double y0, double x1, double y1, const char* colour) {
    text_ += format("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\"/>\n", x0, y0, x1, y1, colour);
  }

  // `dashes`: lengths of strokes and gaps, or nothing.
  void polyline(const std::vector<Point>& points, const char* colour, const char* dashes = "") {
    text_ += format("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"", path(points).c_str(),
                    colour);
    if (*dashes != '\0') text_ += format(" stroke-dasharray=\"%s\"", dashes);
    text_ += "/>\n";
  }

  void area(const std::vector<Point>& points, const char* colour) {
    text_ += format("<path d=\"%sZ\" fill=\"%s\"/>\n", path(points).c_str(), colour);
  }

  void write(const std::string& file) const {
    std::ofstream out(file);
    if (!(out << text_ << "</svg>\n" << std::flush)) throw std::runtime_error("cannot write " + file);
  }

  // As printf.
  template <class... Arguments>
  static std::string format(const char* pattern, Arguments... arguments) {
    std::string result(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, arguments...)), ' ');
    std::snprintf(result.data(), result.size() + 1, pattern, arguments...);
    return result;
  }

 private:
  static std::string path(const std::vector<Point>& points) {
    std::string result;
    for (const Point& point : points) {
      result += format("%s%.1f %.1f", result.empty() ? "M" : "L", point.x, point.y);
    }
    return result;
  }

  std::string text_;
};
