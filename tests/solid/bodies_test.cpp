#include "support/catch.hpp"

#include <string>

#include <Eigen/Geometry>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/solid/bodies.hpp>
#include <pliant/solid/copies.hpp>

using namespace pliant;

namespace {

const Lame lame = Lame::from_young_poisson(1e6, 0.3);

auto brick() { return Solid(make_box<Hex8>({.cells = {2, 2, 2}}), LinearElastic(lame), Density{1000}); }

// Beside the brick, or `gap` away from it.
auto tets(double gap = 0) {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}, .origin = {1 + gap, 0, 0}});
  mesh.regions.assign(static_cast<std::size_t>(mesh.element_count()), 5);
  return Solid(mesh, StVenantKirchhoff(lame), Density{500});
}

template <class Make>
std::string refused(Make&& make) {
  try {
    make();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Bodies: the nodes of the solids one after the other") {
  const Bodies bodies(brick(), tets());
  static_assert(std::is_same_v<decltype(bodies), const Bodies<Solid<Hex8, LinearElastic, double>,
                                                              Solid<Tet4, StVenantKirchhoff, double>>>);
  REQUIRE(bodies.node_count() == 54);
  CHECK(bodies.nodes().leftCols(27) == brick().nodes());
  CHECK(bodies.nodes().rightCols(27) == tets().nodes());
  CHECK(bodies.node<0>(3) == 3);
  CHECK(bodies.node<1>(3) == 30);
  CHECK(bodies.nodes<1>({0, 26}) == std::vector{27, 53});
  CHECK_THROWS_AS(bodies.node<1>(27), IndexError);
  CHECK_THROWS_AS(bodies.nodes<0>({0, -1}), IndexError);
  const auto& [hexahedra, tetrahedra] = bodies.mesh().parts;
  CHECK(hexahedra.elements == brick().mesh().elements);
  CHECK(tetrahedra.elements == (tets().mesh().elements.array() + 27).matrix());
  CHECK(hexahedra.region(0) == 0);
  CHECK(tetrahedra.region(0) == 5);
  CHECK(bodies.mesh().element_count() == hexahedra.element_count() + tetrahedra.element_count());
  CHECK(bodies.solid<1>().density(0) == 500);
  CHECK(nodes_where(bodies.mesh(), [](const auto& X) { return X.x() == 1; }).size() == 18);
}

TEST_CASE("Bodies: a crack within a solid stays one, and cannot be welded at its mouth") {
  // Two boxes side by side whose nodes at x = 1 coincide and are not joined.
  const auto left = make_box<Tet4>({.cells = {2, 2, 2}});
  const auto right = make_box<Tet4>({.cells = {2, 2, 2}, .origin = {1, 0, 0}});
  Mesh<Tet4> cracked;
  cracked.nodes.resize(3, 54);
  cracked.nodes << left.nodes, right.nodes;
  cracked.elements.resize(4, left.element_count() + right.element_count());
  cracked.elements << left.elements, (right.elements.array() + 27).matrix();
  const Solid split(cracked, LinearElastic(lame), Density{1000});
  const auto at = [](double x, double y) {
    return Solid(make_box<Hex8>({.cells = {2, 2, 2}, .origin = {x, y, 0}}), LinearElastic(lame),
                 Density{1000});
  };
  CHECK(Bodies(Weld{}, split, at(2, 0)).node_count() == 54 + 27 - 9);
  const std::string mouth = refused([&] { Bodies(Weld{}, split, at(0, 1)); });
  CHECK(mouth.find("merge_duplicate_nodes") != std::string::npos);
}

TEST_CASE("Bodies: one solid alone, and two of the same type") {
  CHECK(Bodies(brick()).node_count() == 27);
  CHECK(Bodies(brick(), brick()).node_count() == 54);
  CHECK(Bodies(Weld{}, brick(), brick()).node_count() == 27);  // the whole of it lies at the same place
}

TEST_CASE("Bodies: welded nodes are one, where the first solid has them") {
  const double gap = 1e-7;
  const Bodies body(Weld{1e-6}, brick(), tets(gap));
  REQUIRE(body.node_count() == 54 - 9);
  const auto face = nodes_where(brick().mesh(), [](const auto& X) { return X.x() == 1; });
  const auto other = nodes_where(tets(gap).mesh(), [](const auto& X) { return X.x() < 1.1; });
  REQUIRE(face.size() == 9);
  auto expected = body.nodes<0>(face), found = body.nodes<1>(other);
  std::sort(expected.begin(), expected.end());
  std::sort(found.begin(), found.end());
  CHECK(found == expected);
  for (const int node : found) CHECK(body.nodes()(0, node) == 1);
  for (std::size_t k = 0; k < 27; ++k) {
    const double distance =
        (body.nodes().col(body.nodes<1>()[k]) - tets(gap).nodes().col(static_cast<std::ptrdiff_t>(k))).norm();
    CHECK(distance <= 1.01 * gap);
  }
}

TEST_CASE("Bodies: a weld that does not do what was meant is refused") {
  CHECK(refused([] { Bodies(Weld{-1}, brick(), tets()); }).find("tolerance = -1") != std::string::npos);
  const std::string apart = refused([] { Bodies(Weld{1e-6}, brick(), tets(1e-3)); });
  CHECK(apart.find("no node of solid 0") != std::string::npos);
  CHECK(apart.find("must be larger") != std::string::npos);
  const std::string third = refused([] { Bodies(Weld{}, brick(), tets(), tets(7)); });
  CHECK(third.find("no node of solid 2") != std::string::npos);
  const std::string crushed = refused([] { Bodies(Weld{0.51}, brick(), tets()); });
  CHECK(crushed.find("of solid 0 would be merged") != std::string::npos);
  CHECK(crushed.find("must be smaller") != std::string::npos);
}

TEST_CASE("Bodies: an element that a weld would turn inside out is refused") {
  const auto tet_with = [](double height) {  // of its fourth node over the middle of the others
    Mesh<Tet4> mesh;
    mesh.nodes.resize(3, 4);
    mesh.nodes << -1, 1, 0, 0, -1, -1, 1, 0, 0, 0, 0, height;
    mesh.elements = Eigen::Vector4i(0, 1, 2, 3);
    return mesh;
  };
  auto above = tet_with(0.02), below = tet_with(1);
  below.nodes.row(2).array() -= 1.01;  // its fourth node is 0.01 below the base of the other
  const auto solid = [](const Mesh<Tet4>& mesh) { return Solid(mesh, LinearElastic(lame), Density{1000}); };
  CHECK(Bodies(Weld{0.04}, solid(above), solid(below)).node_count() == 7);
  CHECK_THROWS_AS(Bodies(Weld{0.04}, solid(below), solid(above)), MeshError);
}

TEST_CASE("Copies: the nodes, elements and regions of one copy after the other, each at its pose") {
  auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  mesh.regions = {0, 1, 0, 1, 0};
  mesh.regions.resize(static_cast<std::size_t>(mesh.element_count()), 3);
  mesh.node_sets["some"] = {1, 2};
  const PerRegion<Density> densities{{0, Density{1}}, {1, Density{2}}, {3, Density{4}}};
  const Solid original(mesh, StVenantKirchhoff(lame), densities, Rayleigh{.alpha = 2});
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const Eigen::Vector3d away(1000, 2, 3);
  const Copies crowd(original, std::vector<Pose<3>>{Pose<3>(), Pose<3>(turn, away)});
  const auto nodes = mesh.node_count(), elements = mesh.element_count();
  CHECK(crowd.count() == 2);
  REQUIRE(crowd.node_count() == 2 * nodes);
  CHECK(crowd.nodes().leftCols(nodes) == mesh.nodes);
  CHECK(crowd.nodes().rightCols(nodes).isApprox((turn * mesh.nodes).colwise() + away, 1e-15));
  CHECK(crowd.nodes_at_origin().rightCols(nodes).isApprox(turn * mesh.nodes, 1e-14));
  CHECK(crowd.mesh().elements.leftCols(elements) == mesh.elements);
  CHECK((crowd.mesh().elements.rightCols(elements).array() - mesh.elements.array() == static_cast<int>(nodes))
            .all());
  for (std::ptrdiff_t e = 0; e < 2 * elements; ++e) {
    CHECK(crowd.mesh().region(e) == mesh.region(e % elements));
    CHECK(crowd.density(e) == original.density(e % elements));
  }
  const int first = static_cast<int>(nodes);
  CHECK(crowd.nodes(1, {0, 3}) == std::vector{first, first + 3});
  CHECK(crowd.nodes({0, 3}) == std::vector{0, 3, first, first + 3});
  CHECK(crowd.mesh().node_sets.at("some") == std::vector{1, 2, first + 1, first + 2});
  CHECK_THROWS_AS(crowd.nodes(2, {0}), IndexError);
  CHECK_THROWS_AS(crowd.nodes(-1, {0}), IndexError);
  CHECK_THROWS_AS(crowd.nodes({first}), IndexError);
  CHECK_THROWS_AS(crowd.nodes(0, {-1}), IndexError);
  CHECK_THAT(refused([&] { Copies(original, std::vector<Pose<3>>{}); }),
             Catch::Contains("number of poses") && Catch::Contains("must be positive"));
}
