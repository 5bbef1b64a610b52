// Exceptions of a user's energy, collider, path or callback, anywhere in a step, on one thread and on
// several.
#include "broken_off.hpp"
#include "support/threads.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;

namespace {

// A user's energy and collider, which may throw.
class Faulty {
 public:
  template <class F>
  auto psi(const F& f) const {
    test::count_users_call();
    return rubber_.psi(f);
  }
  template <class F>
  auto pk1(const F& f) const {
    test::count_users_call();
    return rubber_.pk1(f);
  }
  template <class F>
  auto hessian(const F& f) const {
    test::count_users_call();
    return rubber_.hessian(f);
  }

 private:
  StableNeoHookean rubber_{Lame::from_young_poisson(1e5, 0.4)};
};

class FaultyGround : public HalfSpace<3> {
 public:
  FaultyGround() : HalfSpace<3>(test::ground()) {}
  std::optional<SurfacePoint<3>> nearest(const Point& x, double reach) const {
    test::count_users_call();
    return HalfSpace<3>::nearest(x, reach);
  }
  std::optional<SurfaceHit<3>> first_hit(const Point& from, const Point& to) const {
    test::count_users_call();
    return HalfSpace<3>::first_hit(from, to);
  }
};

template <class E>
void goes_on(const E& energy, const detail::contact::AnyCollider<3>& ground, long tries) {
  const auto mesh =
      make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {8, 5, 5}});  // enough for several threads
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; });
  const Solid solid(mesh, energy, Density{1000});
  const BackwardEuler integrator{.dt = 0.05, .newton = Newton::linearised()};
  using Sim = decltype(Simulation(solid, integrator, Pcg<BlockJacobi>{}, Pinned(held)));
  for (const int threads : {1, 2}) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    test::goes_on_after_trouble(
        [&] {
          auto sim = std::make_unique<Sim>(solid, integrator, Pcg<BlockJacobi>{}, Pinned(held));
          sim->on_progress([](const Progress&) { test::count_users_call(); });
          return sim;
        },
        ground, test::users_calls, test::failing_call, tries);
  }
}

}  // namespace

TEST_CASE("What a user's energy throws reaches the caller, on any number of threads, and leaves no trace") {
  goes_on(Faulty(), test::ground(), 6);
}

TEST_CASE("What a user's collider, path or callback throws reaches the caller and leaves no trace") {
  goes_on(StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), FaultyGround(), 10);
}
