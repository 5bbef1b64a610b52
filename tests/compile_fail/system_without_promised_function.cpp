// A System that says that it has state of its own, and does not say how a step changes it.
// must say: a System has a History, save, restore and end_step if, and only if
#include <pliant/assembly/dense_system.hpp>
#include <pliant/linear_solver/direct/dense_cholesky.hpp>
#include <pliant/simulation/simulation.hpp>

class Spring : public pliant::DenseSystem<1> {
 public:
  static constexpr pliant::SystemAbilities abilities{.own_state = true};

  Spring() : DenseSystem(Vector(1), Vector(1)) {}
  double energy(const Vector& x) const { return x.values().squaredNorm() / 2; }
  double gradient(const Vector& x, Vector& g) const {
    g = x;
    return energy(x);
  }
  double tangent(const Vector& x, pliant::Projection, double scale, Vector& g, Matrix& A) const {
    A.values()(0, 0) = scale;
    return gradient(x, g);
  }

  struct History {};
  void save(History&) const {}
  void restore(History&&) {}
#ifdef SHOULD_FAIL
  bool end_stp(const Vector&, const Vector&, double, double) { return false; }
#else
  bool end_step(const Vector&, const Vector&, double, double) { return false; }
#endif
};

pliant::Simulation simulation(Spring(), pliant::BackwardEuler{}, pliant::DenseCholesky{});
