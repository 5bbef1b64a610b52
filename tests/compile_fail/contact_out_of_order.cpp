// Only put_back knows the nodes that touch colliders: their velocities are not corrected before it.
// must say: no member named
// must say: stop_entering
#include <pliant/pliant.hpp>

using Vector = pliant::NodeVector<3, double>;

void respond(pliant::Contacts<Vector>& contacts, Vector& x, Vector& u, Vector& v) {
  const auto mass = [](int) { return 1.0; };
  auto step = contacts.begin_step(0, 0.01, x);
  auto contact = step.begin_explicit();
  const pliant::detail::contact::StepPart whole{.dt = 0.01, .weight = 1};
#ifdef SHOULD_FAIL
  contact.stop_entering(x, u, whole, mass, v, [](int, const auto&) {});
#else
  const auto bounded = contact.put_back(x, u, whole, mass, u, [](int) {});
  if (bounded) bounded->stop_entering(x, u, whole, mass, v, [](int, const auto&) {});
#endif
  step.accept();
}
