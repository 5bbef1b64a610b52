// A body of several materials: the sum of its parts, each a body of one material on the same nodes.
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <random>

#include <pliant/assembly/system.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

Mesh<Tet4> body(unsigned seed, int regions) {
  auto mesh = make_box<Tet4>({.lengths = {1, 0.8, 0.6}, .cells = {5, 4, 3}});
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> region(1, regions);
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) mesh.regions.push_back(10 * region(random));
  return mesh;
}

template <class Energy>
Energy material(int region) {
  return Energy(Lame::from_young_poisson(1e4 * region, 0.1 + 0.01 * region));
}

template <class Energy>
PerRegion<Energy> materials() {
  return {{10, material<Energy>(10)}, {20, material<Energy>(20)}, {30, material<Energy>(30)}};
}

NodeMatrix<double, 3> deformed(const Mesh<Tet4>& mesh, double size) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(-size, size);
  NodeMatrix<double, 3> x = mesh.nodes;
  for (std::ptrdiff_t k = 0; k < x.size(); ++k) x.data()[k] += noise(random);
  return x;
}

}  // namespace

TEST_CASE("regions: energy, gradient and stiffness are the sums over the materials") {
  for (const unsigned seed : {1u, 2u}) {
    const auto mesh = body(seed, 3);
    const auto x_user = deformed(mesh, 0.03);
    ElasticSystem mixed(Solid(mesh, materials<StableNeoHookean>(), Density{1000}));
    auto x = mixed.make_vector(), g = mixed.make_vector(), g_one = g;
    auto A = mixed.make_matrix(), A_one = A;
    mixed.to_internal(x_user, x);
    for (const Projection projection : {Projection::none, Projection::clamp}) {
      const double energy = mixed.tangent(x, projection, 2, g, A);
      CHECK(mixed.energy(x) == Approx(energy).epsilon(1e-14));

      // One region after the other, with the other elements so soft that they count for nothing.
      double expected_energy = 0;
      Eigen::VectorXd expected_gradient = Eigen::VectorXd::Zero(stacked(g).size());
      Eigen::MatrixXd expected_matrix =
          Eigen::MatrixXd::Zero(expected_gradient.size(), expected_gradient.size());
      for (const int region : {10, 20, 30}) {
        const auto only = [&](int other) {
          return other == region ? material<StableNeoHookean>(region)
                                 : StableNeoHookean(RawCoefficients{1e-30, 0});
        };
        const PerRegion<StableNeoHookean> one{{10, only(10)}, {20, only(20)}, {30, only(30)}};
        ElasticSystem alone(Solid(mesh, one, Density{1000}));
        expected_energy += alone.tangent(x, projection, 2, g_one, A_one);
        expected_gradient += stacked(g_one);
        expected_matrix += dense(A_one);
      }
      CHECK(energy == Approx(expected_energy).epsilon(1e-13));
      CHECK((stacked(g) - expected_gradient).norm() < 1e-12 * expected_gradient.norm());
      CHECK((dense(A) - expected_matrix).norm() < 1e-12 * expected_matrix.norm());
    }
  }
}

TEST_CASE("regions: the gradient is the derivative of the energy, the stiffness that of the gradient") {
  const auto mesh = body(8, 3);
  ElasticSystem system(Solid(mesh, materials<StableNeoHookean>(), Density{1000}));
  auto x = system.make_vector(), d = x, g = x, moved = x, forward = x, backward = x, product = x;
  auto A = system.make_matrix();
  system.to_internal(deformed(mesh, 0.03), x);
  system.to_internal(deformed(mesh, 1) - mesh.nodes, d);
  system.tangent(x, Projection::none, 1, g, A);
  A.multiply(d, product);
  const double h = 1e-6;
  moved.set_sum(x, h, d);
  const double above = system.gradient(moved, forward);
  moved.set_sum(x, -h, d);
  const double below = system.gradient(moved, backward);
  CHECK(g.dot(d) == Approx((above - below) / (2 * h)).epsilon(1e-7));
  forward.add(-1, backward);
  forward.add(-2 * h, product);
  CHECK(forward.norm() < 1e-7 * 2 * h * product.norm());
}

TEST_CASE("regions: each element has the material of its region, in any order of the elements") {
  const auto mesh = body(4, 3);
  const auto x_user = deformed(mesh, 0.03);
  double expected = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d rest, now;
    for (int a = 1; a < 4; ++a) {
      rest.col(a - 1) = mesh.nodes.col(mesh.elements(a, e)) - mesh.nodes.col(mesh.elements(0, e));
      now.col(a - 1) = x_user.col(mesh.elements(a, e)) - x_user.col(mesh.elements(0, e));
    }
    const Eigen::Matrix3d F = now * rest.inverse();
    expected += rest.determinant() / 6 * material<StableNeoHookean>(mesh.region(e)).psi(F);
  }
  ElasticSystem system(Solid(mesh, materials<StableNeoHookean>(), Density{1000}));
  auto x = system.make_vector();
  system.to_internal(x_user, x);
  CHECK(system.energy(x) == Approx(expected).epsilon(1e-12));
}

TEST_CASE("regions: an element outside the domain of its energy is named") {
  const auto mesh = body(5, 3);
  auto x_user = mesh.nodes;
  const int victim = 77;
  const int corner = mesh.elements(0, victim);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int a = 1; a < 4; ++a) centre += mesh.nodes.col(mesh.elements(a, victim)) / 3;
  x_user.col(corner) += 1.5 * (centre - mesh.nodes.col(corner));
  ElasticSystem system(Solid(mesh, materials<BonetWoodNeoHookean>(), Density{1000}));
  auto x = system.make_vector();
  system.to_internal(x_user, x);
  CHECK(std::isinf(system.energy(x)));
  const int blamed = system.undefined_element(x);
  REQUIRE(blamed >= 0);
  Eigen::Matrix3d now;
  for (int a = 1; a < 4; ++a)
    now.col(a - 1) = x_user.col(mesh.elements(a, blamed)) - x_user.col(mesh.elements(0, blamed));
  CHECK(now.determinant() <= 0);
}

TEST_CASE("regions: densities per region") {
  const auto mesh = body(6, 2);
  const PerRegion<Density> densities{{10, {500}}, {20, {3000}}};
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), densities);
  ElasticSystem system(solid);
  double expected = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d rest;
    for (int a = 1; a < 4; ++a)
      rest.col(a - 1) = mesh.nodes.col(mesh.elements(a, e)) - mesh.nodes.col(mesh.elements(0, e));
    CHECK(solid.density(e) == (mesh.region(e) == 10 ? 500 : 3000));
    expected += solid.density(e) * rest.determinant() / 6;
  }
  double mass = 0;
  for (std::ptrdiff_t i = 0; i < system.node_count(); ++i) mass += system.mass().node(i)(0);
  CHECK(mass == Approx(expected).epsilon(1e-13));
}

TEST_CASE("regions: what is missing or named twice is refused by its number") {
  using Catch::Contains;
  const auto mesh = body(7, 3);
  const PerRegion<StableNeoHookean> two{{10, material<StableNeoHookean>(10)},
                                        {20, material<StableNeoHookean>(20)}};
  CHECK_THROWS_WITH(Solid(mesh, two, Density{1000}), Contains("region") && Contains("30"));
  const PerRegion<Density> densities{{10, {500}}, {30, {3000}}};
  CHECK_THROWS_WITH(Solid(mesh, materials<StableNeoHookean>(), densities),
                    Contains("region") && Contains("20"));
  const PerRegion<Density> heavy{{10, {500}}, {20, {-1}}, {30, {3000}}};
  CHECK_THROWS_WITH(Solid(mesh, materials<StableNeoHookean>(), heavy), Contains("density") && Contains("-1"));
  CHECK_THROWS_WITH((PerRegion<Density>{{3, {1}}, {3, {2}}}), Contains("region") && Contains("3"));
}
