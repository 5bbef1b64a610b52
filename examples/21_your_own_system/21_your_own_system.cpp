// 21_your_own_system: a System without a mesh.
//
// The problem: a bar of length L, cross-section A and density rho hangs from a ceiling and is released from
// its rest shape. In a model of its motion along the axis, each slice of length h = L / n is a spring of
// stiffness E A / h between two masses:
//
//     M a = -dE/dx + M g,   E = (E A / h) / 2 sum_i (x_i - x_(i-1) - h)^2
//
//     ==========      ==========      The chain is a System that this program defines: one number for each
//         \              |##|         mass, a dense matrix. The bar is a Solid of hexahedra. With Poisson's
//         o              |##|         ratio 0 its slices do not get thinner, and its lumped masses and its
//         \              |##|         stiffness along the axis are those of the chain: the ends of both move
//         o              |##|         in the same way, step by step.
//
// Integrators use only the System concept (pliant/assembly/concept.hpp): energy, gradient, tangent, masses.
// Every model with these can take steps: rods, shells, rigid bodies, reduced models.
//
// Run:  21_your_own_system     returns 0 if the ends agree to a millionth of the sag in every step and come
//                              to rest at the closed form, rho g L^2 / (2 E) below the rest position
//
// Read before: 01_hello.
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double length = 1, side = 0.1, density = 1000;  // of the bar [m], [m], [kg/m^3]
constexpr double young = 1e5, gravity = 9.81;             // [Pa], [m/s^2]
constexpr int slices = 20;

// Step 1: a custom System. The base class stores the masses and the initial unknowns, and shows the unknowns
// to the user as they are; the physics is added here. The Hessian has no negative eigenvalues for `tangent`
// to remove.
class Chain : public DenseSystem<1> {
 public:
  Chain() : DenseSystem(Vector(places()), Vector(masses())) {}

  double energy(const Vector& x) const {
    double sum = 0;
    for (int i = 0; i < slices; ++i) sum += stiffness / 2 * strain(x, i) * strain(x, i);
    return sum;
  }

  double gradient(const Vector& x, Vector& g) const {
    g.set_zero();
    for (int i = 0; i < slices; ++i) {
      const double force = stiffness * strain(x, i);
      g.node(i)(0) += force;
      if (i > 0) g.node(i - 1)(0) -= force;
    }
    return energy(x);
  }

  double tangent(const Vector& x, Projection, double scale, Vector& g, Matrix& A) const {
    A.set_zero();
    for (int i = 0; i < slices; ++i) {
      const double k = scale * stiffness;
      A.block(i, i)(0, 0) += k;
      if (i == 0) continue;
      A.block(i - 1, i - 1)(0, 0) += k;
      A.block(i, i - 1)(0, 0) -= k;
      A.block(i - 1, i)(0, 0) -= k;
    }
    return gradient(x, g);
  }

 private:
  static constexpr double slice = length / slices;                  // [m]
  static constexpr double stiffness = young * side * side / slice;  // [N/m]

  // The elongation of the spring above mass i [m].
  static double strain(const Vector& x, int i) {
    return x.node(i)(0) - (i > 0 ? x.node(i - 1)(0) : 0) - slice;
  }

  static Eigen::VectorXd places() { return Eigen::VectorXd::LinSpaced(slices, slice, length); }

  // Half of the mass of each slice at each of its ends; the ceiling holds the first half.
  static Eigen::VectorXd masses() {
    Eigen::VectorXd result = Eigen::VectorXd::Constant(slices, density * side * side * slice);
    result(slices - 1) /= 2;
    return result;
  }
};

// Misspelt functions or abilities are compile errors here.
static_assert(ViewedSystem<Chain>);

int run() {
  // Step 2: the chain and the bar, both along x, which points down.
  const auto rule = BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-10}};
  auto chain = Simulation(Chain(), rule, DenseCholesky{});
  chain.set_gravity(SmallVector<double, 1>(gravity));

  const auto mesh = make_box<Hex8>({.lengths = {length, side, side}, .cells = {slices, 1, 1}});
  const auto solid = Solid(mesh, LinearElastic(Lame::from_young_poisson(young, 0)), Density{density});
  const auto ceiling = Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  auto bar = Simulation(solid, rule, Cholesky{.tolerance = 1e-12}, ceiling);
  bar.set_gravity({gravity, 0, 0});
  const int tip = nodes_where(mesh, [](const auto& X) { return X.x() > length - 1e-9; }).front();

  // Step 3: release both, and compare their ends. Backward Euler dissipates, so that they come to rest.
  const double sag = density * gravity * length * length / (2 * young);
  std::printf("%8s %14s %14s %14s\n", "time/s", "chain/m", "bar/m", "difference/m");
  double largest = 0;
  constexpr int steps = 2000;
  for (int step = 1; step <= steps; ++step) {
    for (const StepReport& report : {chain.step(), bar.step()}) {
      if (!report) throw std::runtime_error(report.message());
    }
    const double difference = std::abs(chain.positions()(0, slices - 1) - bar.positions()(0, tip));
    largest = std::fmax(largest, difference);
    if (step <= 10 || step == steps) {
      std::printf("%8.2f %14.9f %14.9f %14.2e\n", chain.time(), chain.positions()(0, slices - 1),
                  bar.positions()(0, tip), difference);
    }
  }
  const double off = std::abs(chain.positions()(0, slices - 1) - length - sag);
  std::printf(
      "\nThe ends are never more than %.1e m apart. The closed form of the sag is %.6f m, %.1e m off.\n",
      largest, sag, off);
  return largest < 1e-6 * sag && off < 1e-6 * sag ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "21_your_own_system: %s\n", error.what());
    return 1;
  }
}
