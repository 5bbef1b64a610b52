// A System with functions of a state of its own that its abilities do not name.
// must say: a System has a History, save, restore and end_step if, and only if
#include <pliant/assembly/dense_system.hpp>
#include <pliant/linear_solver/direct/dense_cholesky.hpp>
#include <pliant/simulation/simulation.hpp>

class Spring : public pliant::DenseSystem<1> {
 public:
#ifndef SHOULD_FAIL
  static constexpr pliant::SystemAbilities abilities{.own_state = true};
#endif

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
  bool end_step(const Vector&, const Vector&, double, double) { return false; }
};

pliant::Simulation simulation(Spring(), pliant::BackwardEuler{}, pliant::DenseCholesky{});
