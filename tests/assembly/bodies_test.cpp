// Bodies as a system: the sum of their solids, and a cut body that is welded again is the whole one.
#include "assembly/eigen_view.hpp"
#include "assembly/same_on_any_threads.hpp"
#include "support/catch.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

// Energy, gradient, stiffness, mass and damping of a system in the user's numbering.
struct Assembled {
  double energy;
  Eigen::VectorXd gradient, mass;
  Eigen::MatrixXd stiffness, damping;
};

template <class Body>
Assembled assembled(const Body& body, const Eigen::MatrixXd& positions, Projection projection) {
  ElasticSystem system(body);
  auto x = system.make_vector(), g = x;
  auto A = system.make_matrix(), C = A;
  system.to_internal(positions, x);
  const double energy = system.tangent(x, projection, 2, g, A);
  CHECK(system.energy(x) == Approx(energy).epsilon(1e-14));
  auto unstrained = system.make_vector();
  system.add_damping({.start = &x}, projection, unstrained, &C);
  const std::vector<int>& numbers = system.numbering().to_user;
  Assembled result{energy, Eigen::VectorXd(positions.size()), Eigen::VectorXd(positions.size()),
                   Eigen::MatrixXd(sparse(A, numbers)), Eigen::MatrixXd(sparse(C, numbers))};
  const bool damped = system.mass_damping().nodes() > 0;
  for (std::ptrdiff_t i = 0; i < positions.cols(); ++i) {
    const int user = numbers[static_cast<std::size_t>(i)];
    result.gradient.segment<3>(3 * user) = g.node(i);
    result.mass.segment<3>(3 * user) = system.mass().node(i);
    if (!damped) continue;
    result.damping.diagonal().segment<3>(3 * user) += system.mass_damping().node(i);
  }
  return result;
}

Eigen::MatrixXd disturbed(const Eigen::MatrixXd& rest) {
  std::mt19937 random(5);
  return brute_force::perturbed(rest, 0.05, random);
}

const StableNeoHookean soft(Lame::from_young_poisson(2, 0.3));
const LinearElastic stiff(Lame::from_young_poisson(50, 0.1));

}  // namespace

TEST_CASE("Bodies: energy, gradient, stiffness, mass and damping are the sums over the solids") {
  const Solid tets(make_box<Tet4>({.cells = {3, 2, 2}}), soft, Density{3}, Rayleigh{.alpha = 2, .beta = 0.1});
  const Solid bricks(make_box<Hex8>({.cells = {2, 2, 2}, .origin = {1, 0, 0}}), stiff, Density{5},
                     Rayleigh{.alpha = 0.5, .beta = 0.7});
  const auto check = [&](const auto& bodies) {
    const Eigen::MatrixXd x = disturbed(bodies.nodes());
    for (const Projection projection : {Projection::none, Projection::clamp}) {
      const Assembled all = assembled(bodies, x, projection);
      Assembled sum{0, Eigen::VectorXd::Zero(x.size()), Eigen::VectorXd::Zero(x.size()),
                    Eigen::MatrixXd::Zero(x.size(), x.size()), Eigen::MatrixXd::Zero(x.size(), x.size())};
      const auto add = [&](const auto& solid, const std::vector<int>& nodes) {
        Eigen::MatrixXd own(3, solid.node_count());
        std::vector<Eigen::Index> place;  // of the solid's numbers in those of all
        for (std::ptrdiff_t k = 0; k < own.cols(); ++k) {
          const int node = nodes[static_cast<std::size_t>(k)];
          own.col(k) = x.col(node);
          for (int axis = 0; axis < 3; ++axis) place.push_back(3 * node + axis);
        }
        const Assembled alone = assembled(solid, own, projection);
        sum.energy += alone.energy;
        sum.gradient(place) += alone.gradient;
        sum.mass(place) += alone.mass;
        sum.stiffness(place, place) += alone.stiffness;
        sum.damping(place, place) += alone.damping;
      };
      add(tets, bodies.template nodes<0>());
      add(bricks, bodies.template nodes<1>());
      CHECK(all.energy == Approx(sum.energy).epsilon(1e-13));
      CHECK((all.gradient - sum.gradient).norm() < 1e-13 * sum.gradient.norm());
      CHECK((all.mass - sum.mass).norm() < 1e-14 * sum.mass.norm());
      CHECK((all.stiffness - sum.stiffness).norm() < 1e-13 * sum.stiffness.norm());
      CHECK((all.damping - sum.damping).norm() < 1e-13 * sum.damping.norm());
    }
  };
  check(Bodies(tets, bricks));
  // Two cells of tets and of hexahedra share the nodes of a face.
  const Solid neighbour(make_box<Hex8>({.cells = {2, 2, 2}, .origin = {1, 0, 0}}), stiff, Density{5},
                        Rayleigh{.alpha = 0.5, .beta = 0.7});
  const Bodies welded(Weld{1e-12}, tets, neighbour);
  CHECK(welded.node_count() == tets.node_count() + neighbour.node_count() - 9);
  check(welded);
}

TEST_CASE("Bodies: a body that is cut in two and welded again is the whole body") {
  const auto whole = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {4, 3, 2}});
  const auto piece = [&](bool left) {
    Mesh<Tet4> mesh;
    std::vector<int> number(static_cast<std::size_t>(whole.node_count()), -1);
    std::vector<int> elements;
    for (std::ptrdiff_t e = 0; e < whole.element_count(); ++e) {
      double middle = 0;
      for (const int node : whole.elements.col(e)) middle += whole.nodes(0, node) / 4;
      if ((middle < 1) == left) elements.push_back(static_cast<int>(e));
    }
    mesh.elements.resize(4, std::ssize(elements));
    mesh.nodes.resize(3, whole.node_count());
    int used = 0;
    for (std::ptrdiff_t k = 0; k < mesh.elements.cols(); ++k) {
      for (int a = 0; a < 4; ++a) {
        int& n = number[static_cast<std::size_t>(whole.elements(a, elements[static_cast<std::size_t>(k)]))];
        if (n < 0) {
          mesh.nodes.col(used) = whole.nodes.col(whole.elements(a, elements[static_cast<std::size_t>(k)]));
          n = used++;
        }
        mesh.elements(a, k) = n;
      }
    }
    mesh.nodes.conservativeResize(3, used);
    return mesh;
  };
  const Bodies welded(Weld{}, Solid(piece(true), soft, Density{3}), Solid(piece(false), soft, Density{3}));
  REQUIRE(welded.node_count() == whole.node_count());
  std::vector<Eigen::Index> place;  // in the whole, of the axes of each node of the welded body
  Eigen::MatrixXd x(3, whole.node_count()), x_welded = x;
  x = disturbed(whole.nodes);
  for (std::ptrdiff_t k = 0; k < welded.node_count(); ++k) {
    Eigen::Index node = 0;
    const double distance = (whole.nodes.colwise() - welded.nodes().col(k)).colwise().norm().minCoeff(&node);
    REQUIRE(distance == 0);
    x_welded.col(k) = x.col(node);
    for (int axis = 0; axis < 3; ++axis) place.push_back(3 * node + axis);
  }
  const Assembled one = assembled(Solid(whole, soft, Density{3}), x, Projection::clamp);
  const Assembled two = assembled(welded, x_welded, Projection::clamp);
  CHECK(two.energy == Approx(one.energy).epsilon(1e-13));
  CHECK((two.gradient - one.gradient(place)).norm() < 1e-13 * one.gradient.norm());
  CHECK((two.mass - one.mass(place)).norm() < 1e-14 * one.mass.norm());
  CHECK((two.stiffness - one.stiffness(place, place)).norm() < 1e-13 * one.stiffness.norm());
}

TEST_CASE("Bodies: the same bits on any number of threads") {
  const Solid tets(make_box<Tet4>({.cells = {8, 9, 9}, .split = Split::kuhn}), soft, Density{3});
  const Solid bricks(make_box<Hex8>({.cells = {4, 9, 9}, .origin = {1, 0, 0}}), stiff, Density{5});
  same_on_any_threads(Bodies(Weld{1e-12}, tets, bricks));
}

TEST_CASE("Bodies: elements are numbered solid after solid") {
  const Solid first(make_box<Tet4>({.cells = {2, 2, 2}}), soft, Density{3});
  const Solid second(make_box<Tet4>({.cells = {2, 2, 2}, .origin = {2, 0, 0}}), soft, Density{3});
  const Bodies bodies(first, second);
  ElasticSystem system(bodies);
  auto x = system.make_vector();
  Eigen::MatrixXd positions = bodies.nodes();
  system.to_internal(positions, x);
  CHECK(system.undefined_element(x) == -1);
  const int node = bodies.node<1>(0);
  positions(0, node) = std::numeric_limits<double>::infinity();
  system.to_internal(positions, x);
  const int element = system.undefined_element(x) - static_cast<int>(first.mesh().element_count());
  REQUIRE(element >= 0);
  CHECK((second.mesh().elements.col(element).array() == 0).any());
}
