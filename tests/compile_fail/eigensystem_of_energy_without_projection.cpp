// must say: pliant: this energy has no `hessian(F, projection)`, so there is no eigensystem to check
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/testing/eigensystem.hpp>

using Matrix = pliant::SmallMatrix<double, 2, 2>;

struct Model {
  pliant::StableNeoHookean right;

  auto psi(const Matrix& F) const { return right.psi(F); }
  auto pk1(const Matrix& F) const { return right.pk1(F); }
  auto hessian(const Matrix& F) const { return right.hessian(F); }
#ifndef SHOULD_FAIL
  auto hessian(const Matrix& F, pliant::Projection projection) const { return right.hessian(F, projection); }
#endif
};

bool right(const Model& model) { return static_cast<bool>(pliant::check_eigensystem<2>(model)); }
