// Frames set the length of a step in a field dt of the integrator.
// must say: frames need an integrator with a field dt, which they set
#include <pliant/simulation/frame_rate.hpp>

struct Rule {
#ifdef SHOULD_FAIL
  double step_length = 0.01;
#else
  double dt = 0.01;
#endif
};

// What frames see of a simulation.
struct Body {
  const Rule& integrator() const { return rule; }
  void set_integrator(const Rule& other) { rule = other; }
  double time() const { return 0; }
  void set_time(double) {}
  pliant::StepReport step() { return {}; }

  Rule rule = {};
};

pliant::FrameReport advance(pliant::Frames<>& frames, Body& body) { return frames.advance(body); }
