#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/repair.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;

namespace {

template <class MeshType>
void add_node(MeshType& mesh, double x, double y, double z) {
  mesh.nodes.conservativeResize(3, mesh.node_count() + 1);
  mesh.nodes.col(mesh.node_count() - 1) << x, y, z;
}

template <class MeshType>
void add_tet(MeshType& mesh, int a, int b, int c, int d) {
  mesh.elements.conservativeResize(4, mesh.element_count() + 1);
  mesh.elements.col(mesh.element_count() - 1) << a, b, c, d;
}

// Every element has its own four nodes, in random order; each node is moved by up to `shift`.
Mesh<Tet4> shattered(const Mesh<Tet4>& mesh, double shift, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> move(-shift, shift);
  std::vector<int> order(static_cast<std::size_t>(4 * mesh.element_count()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), generator);

  Mesh<Tet4> pieces;
  pieces.nodes.resize(3, 4 * mesh.element_count());
  pieces.elements.resize(4, mesh.element_count());
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) {
      const int node = order[static_cast<std::size_t>(4 * e + a)];
      pieces.elements(a, e) = node;
      pieces.nodes.col(node) = mesh.nodes.col(mesh.elements(a, e));
      for (int axis = 0; axis < 3; ++axis) pieces.nodes(axis, node) += move(generator);
    }
  }
  return pieces;
}

}  // namespace

TEST_CASE("reorient turns flipped elements of every kind, and them only") {
  const auto sound = make_box<Tet4>({.cells = {2, 2, 2}});
  auto mesh = sound;
  std::swap(mesh.elements(0, 7), mesh.elements(3, 7));
  mesh.elements.col(12).reverseInPlace();  // an even permutation: not flipped
  std::swap(mesh.elements(1, 30), mesh.elements(2, 30));
  const auto repair = reorient(mesh);
  CHECK(diagnose(repair.mesh).findings().empty());
  CHECK(repair.changes == 2);
  CHECK(repair.message == "reorient: 2 elements turned: 7, 30");
  CHECK(repair.mesh.elements.col(12) == mesh.elements.col(12));
  CHECK(repair.mesh.nodes == mesh.nodes);
  CHECK(repair.node_map.size() == 27);
  CHECK(repair.element_map[39] == 39);
  CHECK(detail::mesh::sorted_nodes<Tet4>(repair.mesh.elements, 7) ==
        detail::mesh::sorted_nodes<Tet4>(sound.elements, 7));
  CHECK(reorient(sound).message == "reorient: nothing to do");
  CHECK(reorient(sound).changes == 0);

  auto hexahedra = sample::hexahedra(2);
  hexahedra.nodes.row(1) *= -1;
  CHECK(diagnose(hexahedra).flipped_elements.size() == 8);
  CHECK(diagnose(reorient(hexahedra).mesh).findings().empty());
  auto triangles = sample::triangles();
  triangles.nodes.row(0) *= -1;
  CHECK(diagnose(reorient(triangles).mesh).findings().empty());
}

TEST_CASE("drop_unreferenced_nodes closes the gaps and says where the nodes went") {
  auto mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  add_node(mesh, 5, 5, 5);
  mesh.node_sets = {{"end", {2, 5, 8, 11}}, {"gone", {0, 3, 12}}};
  mesh = drop_elements(mesh, {0, 1, 2, 3, 4}).mesh;  // leaves the second cell
  const auto repair = drop_unreferenced_nodes(mesh);
  CHECK(repair.node_map == std::vector<int>{-1, 0, 1, -1, 2, 3, -1, 4, 5, -1, 6, 7, -1});
  CHECK(repair.mesh.node_sets ==
        std::map<std::string, std::vector<int>>{{"end", {1, 3, 5, 7}}, {"gone", {}}});
  CHECK(repair.changes == 5);
  CHECK(repair.message == "drop_unreferenced_nodes: 5 nodes dropped: 0, 3, 6, 9, 12");
  CHECK(repair.mesh.node_count() == 8);
  CHECK(diagnose(repair.mesh).findings().empty());
  for (std::size_t node = 0; node < repair.node_map.size(); ++node) {
    if (repair.node_map[node] < 0) continue;
    CHECK(repair.mesh.nodes.col(repair.node_map[node]) == mesh.nodes.col(static_cast<Eigen::Index>(node)));
  }
  CHECK(repair.new_nodes({12, 8, 4, 4, 0}) == std::vector<int>{2, 5});
  CHECK_THROWS_AS(repair.new_nodes({13}), IndexError);

  // Numbers that were outside stay outside.
  mesh.elements(0, 0) = -4;
  mesh.elements(1, 0) = 13;
  CHECK(diagnose(drop_unreferenced_nodes(mesh).mesh).elements_missing_nodes == std::vector<int>{0});
}

TEST_CASE("merge_duplicate_nodes puts a shattered mesh together again, whatever the order of its nodes") {
  const auto box = make_box<Tet4>({.lengths = {1, 2, 1}, .cells = {4, 3, 2}});
  for (unsigned seed = 0; seed < 3; ++seed) {
    const auto exact = merge_duplicate_nodes(shattered(box, 0, seed));
    CHECK(exact.mesh.node_count() == box.node_count());
    CHECK(exact.changes == 4 * box.element_count() - box.node_count());
    CHECK(diagnose(exact.mesh).findings().empty());
    CHECK(total_volume(exact.mesh) == Approx(2).epsilon(1e-13));

    const auto pieces = shattered(box, 1e-7, seed);
    CHECK(merge_duplicate_nodes(pieces).mesh.node_count() == pieces.node_count());
    const auto close = merge_duplicate_nodes(pieces, 4e-7);
    CHECK(close.mesh.node_count() == box.node_count());
    CHECK(diagnose(close.mesh).findings().empty());
    CHECK(total_volume(close.mesh) == Approx(2).epsilon(1e-5));
    for (std::size_t node = 0; node < close.node_map.size(); ++node) {
      CHECK((close.mesh.nodes.col(close.node_map[node]) - pieces.nodes.col(static_cast<Eigen::Index>(node)))
                .norm() < 4e-7);
    }
  }

  // The same positions in another order give the same positions, to the last bit.
  auto pieces = shattered(box, 1e-7, 5);
  const auto positions = [](const Mesh<Tet4>& mesh) {
    std::set<std::array<double, 3>> set;
    for (const auto& X : mesh.nodes.colwise()) set.insert({X.x(), X.y(), X.z()});
    return set;
  };
  const auto forwards = positions(merge_duplicate_nodes(pieces, 4e-7).mesh);
  pieces.nodes.rowwise().reverseInPlace();
  for (int& node : pieces.elements.reshaped()) node = static_cast<int>(pieces.node_count()) - 1 - node;
  CHECK(positions(merge_duplicate_nodes(pieces, 4e-7).mesh) == forwards);
}

TEST_CASE("merge_duplicate_nodes tells when the tolerance is too large, and refuses one that is none") {
  const auto mesh = make_box<Tet4>({.lengths = {4, 1, 1}, .cells = {4, 10, 10}});
  const auto repair = merge_duplicate_nodes(mesh, 0.11);
  CHECK(repair.mesh.node_count() == 5);
  CHECK(repair.message.find("2000 elements have one node twice now") != std::string::npos);
  CHECK(diagnose(repair.mesh).elements_repeating_a_node.size() == 2000);
  CHECK_THROWS_AS(merge_duplicate_nodes(mesh, -0.1), ParameterError);
  CHECK_THROWS_AS(merge_duplicate_nodes(mesh, std::numeric_limits<double>::quiet_NaN()), ParameterError);
  CHECK(merge_duplicate_nodes(mesh).message == "merge_duplicate_nodes: nothing to do");
}

TEST_CASE("dropping elements keeps their regions and maps, and refuses region numbers that do not match") {
  auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  mesh.regions = {10, 11, 12, 13, 14};
  mesh.region_names[12] = "core";
  const auto repair = drop_elements(mesh, {3, 0, 3});
  CHECK(repair.element_map == std::vector<int>{-1, 0, 1, -1, 2});
  CHECK(repair.mesh.regions == std::vector<int>{11, 12, 14});
  CHECK(repair.mesh.region_names.at(12) == "core");
  CHECK(repair.mesh.elements.col(2) == mesh.elements.col(4));
  CHECK(repair.changes == 2);
  CHECK(repair.message == "drop_elements: 2 elements dropped: 0, 3");
  CHECK_THROWS_AS(drop_elements(mesh, {5}), IndexError);
  CHECK_THROWS_AS(drop_elements(mesh, {-1}), IndexError);
  mesh.regions.pop_back();
  CHECK_THROWS_AS(drop_elements(mesh, {1}), SizeError);
  CHECK_THROWS_AS(drop_duplicate_elements(mesh), SizeError);
}

TEST_CASE(
    "drop_degenerate_elements and drop_duplicate_elements drop what the doctor names, and nothing else") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  add_tet(mesh, 0, 1, 3, 4);    // flat
  add_tet(mesh, 13, 13, 0, 1);  // repeats a node
  add_tet(mesh, 0, 1, 2, 99);   // not to be judged
  add_tet(mesh, mesh.elements(3, 8), mesh.elements(0, 8), mesh.elements(1, 8), mesh.elements(2, 8));
  const auto degenerate = drop_degenerate_elements(mesh);
  CHECK(degenerate.message == "drop_degenerate_elements: 2 elements dropped: 40, 41");
  CHECK(degenerate.element_map[42] == 40);
  const auto duplicate = drop_duplicate_elements(mesh);
  CHECK(duplicate.message == "drop_duplicate_elements: 1 element dropped: 43");
  CHECK(duplicate.mesh.element_count() == 43);
}

TEST_CASE("repairs in sequence cure a mesh that has every fault, and the maps lead through all of them") {
  const auto box = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {4, 2, 2}});
  auto mesh = shattered(box, 1e-9, 3);
  const Eigen::Index pieces = mesh.node_count();
  for (Eigen::Index e = 0; e < mesh.element_count(); e += 3)
    std::swap(mesh.elements(0, e), mesh.elements(1, e));
  add_node(mesh, 7, 7, 7);
  add_node(mesh, std::numeric_limits<double>::quiet_NaN(), 0, 0);
  const int last = static_cast<int>(mesh.node_count()) - 1;
  add_tet(mesh, 0, 1, 2, last);
  add_tet(mesh, 0, 1, 2, -7);
  add_tet(mesh, mesh.elements(0, 5), mesh.elements(1, 5), mesh.elements(2, 5), mesh.elements(2, 5));
  add_tet(mesh, mesh.elements(3, 4), mesh.elements(1, 4), mesh.elements(0, 4), mesh.elements(2, 4));
  mesh.regions.resize(static_cast<std::size_t>(mesh.element_count()));
  for (std::size_t e = 0; e < mesh.regions.size(); ++e) mesh.regions[e] = static_cast<int>(e);
  CHECK_FALSE(diagnose(mesh).usable());

  auto fixed = drop_elements(mesh, diagnose(mesh).elements_missing_nodes);
  fixed = fixed.followed_by(drop_elements(fixed.mesh, diagnose(fixed.mesh).elements_of_non_finite_nodes));
  fixed = fixed.followed_by(merge_duplicate_nodes(fixed.mesh, 1e-8));
  fixed = fixed.followed_by(drop_degenerate_elements(fixed.mesh));
  fixed = fixed.followed_by(drop_duplicate_elements(fixed.mesh));
  fixed = fixed.followed_by(reorient(fixed.mesh));
  fixed = fixed.followed_by(drop_unreferenced_nodes(fixed.mesh));

  CHECK(diagnose(fixed.mesh).findings().empty());
  CHECK(fixed.mesh.node_count() == box.node_count());
  CHECK(fixed.mesh.element_count() == box.element_count());
  CHECK(total_volume(fixed.mesh) == Approx(2).epsilon(1e-7));
  CHECK(std::count(fixed.message.begin(), fixed.message.end(), '\n') == 6);

  REQUIRE(fixed.node_map.size() == static_cast<std::size_t>(mesh.node_count()));
  REQUIRE(fixed.element_map.size() == static_cast<std::size_t>(mesh.element_count()));
  for (Eigen::Index node = 0; node < pieces; ++node) {
    const int now = fixed.node_map[static_cast<std::size_t>(node)];
    REQUIRE(now >= 0);
    CHECK((fixed.mesh.nodes.col(now) - mesh.nodes.col(node)).norm() < 1e-8);
  }
  CHECK(fixed.node_map[static_cast<std::size_t>(last)] == -1);
  CHECK(fixed.node_map[static_cast<std::size_t>(last) - 1] == -1);
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    const int now = fixed.element_map[static_cast<std::size_t>(e)];
    CHECK((now >= 0) == (e < box.element_count()));
    if (now < 0) continue;
    CHECK(fixed.mesh.regions[static_cast<std::size_t>(now)] == e);
    std::set<int> expected;
    for (const int node : mesh.elements.col(e))
      expected.insert(fixed.node_map[static_cast<std::size_t>(node)]);
    const auto nodes = detail::mesh::sorted_nodes<Tet4>(fixed.mesh.elements, now);
    CHECK(expected == std::set<int>(nodes.begin(), nodes.end()));
  }

  CHECK_THROWS_AS(fixed.followed_by(reorient(mesh)), SizeError);
}
