// Plastic strains in the System of a solid.
#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "assembly/patch_test.hpp"
#include "assembly/system_facts.hpp"
#include "support/catch.hpp"
#include "support/decompositions.hpp"
#include "support/threads.hpp"

#include <pliant/element/hex8.hpp>
#include <pliant/energy/plastic.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;

namespace {

const Lame material = Lame::from_young_poisson(3.0, 0.3);

// Symmetric tensors in the layout of System::plastic_strains.
template <class Strains>
Strains random_strains(const Strains& like, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-size, size);
  Strains result = like;
  const int dim = result.rows() == 4 ? 2 : 3;
  for (std::ptrdiff_t column = 0; column < result.cols(); ++column) {
    for (int j = 0; j < dim; ++j) {
      for (int i = 0; i <= j; ++i) {
        result(i + dim * j, column) = result(j + dim * i, column) =
            static_cast<typename Strains::Scalar>(number(random));
      }
    }
  }
  return result;
}

// Gradient and tangent are differences of energy and gradient.
template <class Body>
void derivatives_agree(const Body& body) {
  ElasticSystem system{body};
  std::mt19937 random(5);
  const auto given = random_strains(system.plastic_strains(), 0.3, random);
  system.set_plastic_strains(given);
  CHECK((system.plastic_strains() == given));
  const Eigen::MatrixXd x = brute_force::perturbed(body.nodes(), 0.1, random);
  const brute_force::Body state = system_facts::evaluate(system, x, Projection::none);
  CHECK(state.energy > 0);
  constexpr double h = 1e-5;
  Eigen::VectorXd gradient = state.gradient;
  Eigen::MatrixXd stiffness = state.stiffness;
  for (std::ptrdiff_t k = 0; k < x.size(); ++k) {
    Eigen::MatrixXd more = x, less = x;
    more.data()[k] += h;
    less.data()[k] -= h;
    const brute_force::Body a = system_facts::evaluate(system, more, Projection::none),
                            b = system_facts::evaluate(system, less, Projection::none);
    gradient(k) = (a.energy - b.energy) / (2 * h);
    stiffness.col(k) = (a.gradient - b.gradient) / (2 * h);
  }
  CHECK((state.gradient - gradient).norm() <= 1e-8 * gradient.norm());
  CHECK((state.stiffness - stiffness).norm() <= 1e-7 * stiffness.norm());
  const Eigen::MatrixXd clamped = system_facts::evaluate(system, x, Projection::clamp).stiffness;
  CHECK(test::DenseEigenSolver(clamped).eigenvalues()(0) >= -1e-10 * clamped.norm());
}

template <class E>
auto plastic(const E& energy) {
  return Plastic(energy, {.yield = 0.05, .creep = 10});
}

// A mesh of distorted elements with the same plastic strain everywhere carries a homogeneous deformation
// exactly: E = V psi, sum_i g_i X_i^T = V P, no force on inner nodes.
template <class Body>
void passes_patch_test(const Body& body, double volume) {
  constexpr int dim = Body::dim;
  ElasticSystem system{body};
  std::mt19937 random(9);
  auto strains = random_strains(system.plastic_strains(), 0.2, random);
  strains.colwise() = strains.col(0).eval();
  system.set_plastic_strains(strains);
  Eigen::MatrixXd F = Eigen::MatrixXd::Identity(dim, dim);
  F(0, 0) = 1.2;
  F(0, 1) = 0.3;
  F(1, 0) = -0.4;
  const Eigen::MatrixXd x = F * body.nodes();
  const brute_force::Body state = system_facts::evaluate(system, x, Projection::none);
  SmallMatrix<double, dim, dim> p;
  for (int k = 0; k < dim * dim; ++k) p.data()[k] = strains(k, 0);
  const auto point = detail::energy::energy_at(body.energy(), SmallMatrix<double, dim, dim>(F), p);
  CHECK(state.energy == Approx(volume * point.psi()).epsilon(1e-12));
  const Eigen::Map<const Eigen::MatrixXd> g(state.gradient.data(), dim, body.node_count());
  CHECK((g * body.nodes().transpose() - volume * point.pk1()).norm() <= 1e-12);
  const std::vector<int> boundary = boundary_nodes(body.mesh());
  int inner = 0;
  for (int i = 0; i < static_cast<int>(body.node_count()); ++i) {
    if (std::binary_search(boundary.begin(), boundary.end(), i)) continue;
    ++inner;
    CHECK(g.col(i).norm() <= 1e-13);
  }
  CHECK(inner > 0);
}

}  // namespace

TEST_CASE("plastic strains: forces and stiffness are derivatives, of tets") {
  const auto mesh = make_box<Tet4>({.cells = {2, 1, 2}});
  derivatives_agree(Solid(mesh, plastic(CorotatedLinear(material)), Density{1000}));
  derivatives_agree(Solid(mesh, plastic(LinearElastic(material)), Density{1000}));
}
TEST_CASE("plastic strains: forces and stiffness are derivatives, of hexahedra and triangles") {
  derivatives_agree(
      Solid(make_box<Hex8>({.cells = {2, 1, 1}}), plastic(CorotatedLinear(material)), Density{1000}));
  derivatives_agree(Solid(make_rectangle<Tri3>({.cells = {3, 2}}), plastic(CorotatedLinear(material)),
                          Density{1000}, Thickness{0.2}));
}
TEST_CASE("plastic strains: forces and stiffness are derivatives, with materials by region") {
  auto mesh = make_box<Tet4>({.cells = {2, 1, 2}});
  mesh.regions.clear();
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) mesh.regions.push_back(1 + e % 3 / 2);
  const CorotatedLinear soft(Lame::from_young_poisson(1, 0.1));
  derivatives_agree(Solid(
      mesh, PerRegion<Plastic<CorotatedLinear>>{{1, plastic(CorotatedLinear(material))}, {2, plastic(soft)}},
      Density{1000}));
}

TEST_CASE("plastic strains: a patch of distorted elements is exact") {
  std::mt19937 random(2);
  const auto tets =
      patch_test::distorted(make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {3, 2, 2}}), 0.1, random);
  passes_patch_test(Solid(tets, plastic(CorotatedLinear(material)), Density{1}), 2);
  passes_patch_test(Solid(tets, plastic(LinearElastic(material)), Density{1}), 2);
  const auto hexes =
      patch_test::distorted(make_box<Hex8>({.lengths = {2, 1, 1}, .cells = {3, 2, 2}}), 0.1, random);
  passes_patch_test(Solid(hexes, plastic(CorotatedLinear(material)), Density{1}), 2);
}

TEST_CASE("plastic strains: the same bits on any number of threads, in either precision, flow included") {
  const auto check = [](auto scalar) {
    using Scalar = decltype(scalar);
    const Solid body(make_box<Tet4, Scalar>({.cells = {12, 12, 12}}), plastic(CorotatedLinear(material)),
                     Density{1});
    using System = ElasticSystem<std::remove_const_t<decltype(body)>>;
    REQUIRE(body.mesh().element_count() >= 7 * 64 * detail::assembly::ElementBatches<Tet4, Scalar>::width);
    std::mt19937 random(1);
    const Eigen::MatrixXd shape =
        brute_force::perturbed(body.mesh().nodes.template cast<double>(), 0.01, random);
    System first{body};
    auto x = first.make_vector(), first_gradient = first.make_vector(), gradient = first.make_vector();
    auto first_matrix = first.make_matrix(), matrix = first.make_matrix();
    first.to_internal(shape, x);
    double first_energy = 0;
    {
      const WithThreads one(1);
      CHECK(first.end_step(x, x, 0, 0.02));
      first_energy = first.tangent(x, Projection::clamp, 1, first_gradient, first_matrix);
    }
    const auto strains = first.plastic_strains();
    const std::ptrdiff_t flowing = (strains.colwise().squaredNorm().array() > 0).count();
    CHECK(flowing > strains.cols() / 10);
    CHECK(flowing < strains.cols());
    for (const int threads : thread_counts) {
      INFO(threads << " threads");
      const WithThreads set(threads);
      System system{body};
      CHECK(system.end_step(x, x, 0, 0.02));
      CHECK((system.plastic_strains() == strains));
      CHECK(eigen_view::same_bits(system.tangent(x, Projection::clamp, 1, gradient, matrix), first_energy));
      CHECK(eigen_view::same_bits(system.energy(x), first_energy));
      CHECK(eigen_view::same_bits(gradient, first_gradient));
      CHECK(eigen_view::same_bits(matrix, first_matrix));
    }
  };
  check(double());
  check(float());
}

TEST_CASE("plastic strains: a history of another size is refused") {
  ElasticSystem system{Solid(make_box<Tet4>(), plastic(CorotatedLinear(material)), Density{1})};
  decltype(system)::History history;
  CHECK_THROWS_AS(system.check(history), StateError);
  system.save(history);
  system.check(history);
  history.strains[0].push_back(0);
  CHECK_THROWS_AS(system.check(history), StateError);
}

TEST_CASE("plastic strains: a solid without plasticity has none") {
  using Body = Solid<Tet4, CorotatedLinear, double>;
  CHECK(!ElasticSystem<Body>::is_plastic);
  CHECK(std::is_same_v<ElasticSystem<Body>::History, GrowingPattern::History>);
  CHECK(ElasticSystem<Solid<Tet4, Plastic<CorotatedLinear>, double>>::is_plastic);
}
