// A deformation gradient whose size the compiler does not know stops at one message of ours.
// must say: a deformation gradient is a 2x2 or 3x3 matrix of float, double or Lane
#include <pliant/energy/stable_neo_hookean.hpp>

double density(const Eigen::MatrixXd& F) {
  const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
#ifdef SHOULD_FAIL
  return energy.psi(F);
#else
  return energy.psi(F.topLeftCorner<3, 3>());
#endif
}
