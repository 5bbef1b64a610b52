// For a type that does not model Energy, one sentence names the missing member.
// must say: missing `hessian(F) const`
#include <pliant/energy/stable_neo_hookean.hpp>

struct Incomplete {
  pliant::StableNeoHookean other{pliant::Lame::from_young_poisson(1e6, 0.3)};

  template <class Derived>
  auto psi(const Eigen::MatrixBase<Derived>& F) const {
    return other.psi(F);
  }
  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    return other.pk1(F);
  }
#ifndef SHOULD_FAIL
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    return other.hessian(F);
  }
#endif
};

static_assert(pliant::require_energy<Incomplete, 3>());
