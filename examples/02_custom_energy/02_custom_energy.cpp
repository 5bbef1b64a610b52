// 02_custom_energy: a custom energy, checked by the library and used in a simulation.
//
// The problem: rubber stiffens when it is pulled far, and a neo-Hookean material does not. Yeoh's energy adds
// the cube of the stretch measure Q = |F|^2 - dim to a neo-Hookean one,
//
//     psi(F) = mu/2 (Q + k Q^3) - mu (J - 1) + lambda/2 (J - 1)^2,   J = det F,
//
// so that at rest nothing changes and far from rest the shear modulus grows to mu (1 + 3 k Q^2).
//
//      neo-Hookean    stiffening
//        |#####|       |#####|     held at the top,
//        | ### |       | ### |     hanging under their own weight
//        |  #  |       |  #  |
//        |  #  |          #
//           #
//
// Run:  02_custom_energy     returns 0 if the derivatives are right and the stiffening bar is the shorter one
//
// Read before: 01_hello, and the page docs/energies.md.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <pliant/pliant.hpp>
#include <pliant/testing/derivatives.hpp>

using namespace pliant;

namespace {

// Step 1: the energy. Because psi depends on F through I2 = |F|^2 and J only, IsotropicEnergy computes P, the
// Hessian and its projections from the derivatives with respect to these two. All functions are templates
// over a type T, which is a double or a lane of several elements; `constant<T>` is a number in every lane.
class StiffeningRubber : public LameMaterial<StiffeningRubber>, public IsotropicEnergy<StiffeningRubber> {
 public:
  StiffeningRubber(const Lame& lame, double stiffening) : LameMaterial(lame), stiffening_(stiffening) {}

  // The mu and lambda of the formula for which it is Hooke's law with the given Lame parameters at rest: the
  // stress there is (mu - mu) I = 0, and the term -mu (J - 1) reduces lambda by mu.
  template <int Dim>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda + mu};
  }

  template <int Dim, class T>
  T density(const T& I2, const T& J) const {
    const T mu = constant<T>(coefficients<Dim>().mu), lambda = constant<T>(coefficients<Dim>().lambda);
    const T k = constant<T>(stiffening_), Q = I2 - constant<T>(Dim), excess = J - constant<T>(1);
    return constant<T>(0.5) * (mu * (Q + k * Q * Q * Q) + lambda * excess * excess) - mu * excess;
  }

  template <int Dim, class T>
  InvariantDerivatives<T> derivatives(const T& I2, const T& J) const {
    const T mu = constant<T>(coefficients<Dim>().mu), lambda = constant<T>(coefficients<Dim>().lambda);
    const T k = constant<T>(stiffening_), Q = I2 - constant<T>(Dim);
    return {.d2 = constant<T>(0.5) * mu * (constant<T>(1) + constant<T>(3) * k * Q * Q),  // dpsi/dI2
            .d3 = lambda * (J - constant<T>(1)) - mu,                                     // dpsi/dJ
            .d33 = lambda,                                                                // d2psi/dJ2
            .d22 = constant<T>(3) * mu * k * Q};                                          // d2psi/dI2^2
  }

 private:
  double stiffening_;  // k [-]
};

static_assert(require_energy<StiffeningRubber, 3>());

// Step 2: are the derivatives right? P is compared with differences of psi and the Hessian with differences
// of P; lanes, projections and rotations are tested too and, because `lame` is given, Hooke's law at rest.
bool derivatives_are_right(const StiffeningRubber& rubber, const Lame& lame) {
  const DerivativeReport report = check_derivatives<3>(rubber, {.inverted = true, .lame = lame});
  std::printf("StiffeningRubber:\n%s\n", report.message().c_str());
  return static_cast<bool>(report);
}

// Step 3: a bar of 1 m, held at its upper end. Returns its largest elongation while it falls and swings.
template <class EnergyModel>
double largest_elongation(const EnergyModel& energy) {
  auto mesh = make_box<Tet4>({.lengths = {0.2, 0.2, 1}, .cells = {3, 3, 15}});
  auto held = Pinned(nodes_where(mesh, [](const auto& X) { return X.z() > 0.99; }));
  auto sim = Simulation(Solid(mesh, energy, Density{1000}), BackwardEuler{.dt = 0.01},
                        Pcg<BlockJacobi>{.tolerance = 1e-6}, held);
  sim.set_gravity({0, 0, -9.81});
  double elongation = 0;
  for (int frame = 0; frame < 100; ++frame) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    elongation = std::max(elongation, -sim.positions().row(2).minCoeff());
  }
  return elongation;
}

int run() {
  const auto lame = Lame::from_young_poisson(1.5e4, 0.45);  // Pa, -
  const StiffeningRubber rubber(lame, 2);

  if (!derivatives_are_right(rubber, lame)) return 1;

  const double neo_hookean = largest_elongation(StableNeoHookean(lame)),
               stiffening = largest_elongation(rubber);
  std::printf("largest elongation of a hanging bar of 1 m: neo-Hookean %.3f m, stiffening %.3f m\n",
              neo_hookean, stiffening);
  return stiffening < neo_hookean ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "02_custom_energy: %s\n", error.what());
    return 1;
  }
}
