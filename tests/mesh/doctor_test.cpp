#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include <Eigen/Geometry>

#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/repair.hpp>

using namespace pliant;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

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

Mesh<Tet4> one_tet(const Eigen::Matrix<double, 3, 4>& nodes) {
  Mesh<Tet4> mesh;
  mesh.nodes = nodes;
  add_tet(mesh, 0, 1, 2, 3);
  return mesh;
}

Eigen::Matrix<double, 3, 4> corner() {
  Eigen::Matrix<double, 3, 4> nodes;
  nodes << 0, 1, 0, 0,  //
      0, 0, 1, 0,       //
      0, 0, 0, 1;
  return nodes;
}

bool mentions(const Diagnosis& diagnosis, const std::string& words) {
  return diagnosis.message().find(words) != std::string::npos;
}

// "1(0) 4(2)": duplicates with their originals.
std::string text(const std::vector<Duplicate>& duplicates) {
  std::ostringstream stream;
  for (const auto& d : duplicates) stream << d.number << "(" << d.original << ") ";
  return stream.str();
}

}  // namespace

TEST_CASE("the doctor finds nothing in a sound mesh of any element") {
  for (const Split split : {Split::alternating, Split::kuhn}) {
    const Diagnosis diagnosis = diagnose(make_box<Tet4>({.cells = {3, 2, 2}, .split = split}));
    CHECK(diagnosis.usable());
    CHECK(diagnosis.findings().empty());
    CHECK(diagnosis.component_sizes == std::vector<std::ptrdiff_t>{split == Split::kuhn ? 72 : 60});
    CHECK(diagnosis.worst_quality > 0.3);
  }
  CHECK(diagnose(make_box<Tet4, float>({.cells = {3, 2, 2}, .origin = {100, 0, 0}})).findings().empty());
  CHECK(diagnose(sample::hexahedra(2)).findings().empty());
  CHECK(diagnose(sample::triangles()).findings().empty());
  CHECK(diagnose(make_box<Tet4>()).message() ==
        "mesh of 5 Tet4 elements and 8 nodes: usable (numbers count from 0)");
  CHECK_NOTHROW(require_usable(make_box<Tet4>()));
}

TEST_CASE("flipped elements are found, of any element") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  std::swap(mesh.elements(0, 7), mesh.elements(1, 7));
  std::swap(mesh.elements(2, 31), mesh.elements(0, 31));
  const Diagnosis diagnosis = diagnose(mesh);
  CHECK(diagnosis.flipped_elements == std::vector<int>{7, 31});
  CHECK(diagnosis.folded_faces.empty());
  CHECK(diagnosis.findings().size() == 1);
  CHECK_FALSE(diagnosis.usable());
  CHECK(diagnosis.message() ==
        "mesh of 40 Tet4 elements and 27 nodes: not usable (numbers count from 0)\n"
        "  error: 2 elements are flipped (negative volume): 7, 31\n"
        "         -> reorient(mesh)");
  try {
    require_usable(mesh);
    FAIL("accepted");
  } catch (const MeshError& error) {
    CHECK(error.reason() == diagnosis.message());
  }

  auto hexahedra = sample::hexahedra(2);
  for (int a = 0; a < 4; ++a) std::swap(hexahedra.elements(a, 3), hexahedra.elements(a + 4, 3));
  CHECK(diagnose(hexahedra).flipped_elements == std::vector<int>{3});
  auto triangles = sample::triangles();
  std::swap(triangles.elements(0, 2), triangles.elements(1, 2));
  CHECK(diagnose(triangles).flipped_elements == std::vector<int>{2});
}

TEST_CASE("an element without volume is found by its own size, whatever the unit, the place and the scalar") {
  const auto flat_by = [](double height) {
    Eigen::Matrix<double, 3, 4> nodes = corner();
    nodes(2, 3) = height;
    nodes(0, 3) = nodes(1, 3) = 0.3;
    return nodes;
  };
  for (const double unit : {1e-9, 1.0, 1e9}) {
    CHECK(diagnose(one_tet(unit * flat_by(0))).degenerate_elements == std::vector<int>{0});
    CHECK(diagnose(one_tet(unit * flat_by(1e-12))).degenerate_elements == std::vector<int>{0});
    CHECK(diagnose(one_tet(unit * flat_by(-1e-12))).degenerate_elements == std::vector<int>{0});
    CHECK(diagnose(one_tet(unit * flat_by(1e-10))).usable());
    CHECK(diagnose(one_tet(unit * flat_by(1e-10))).slivers == std::vector<int>{0});
    CHECK(diagnose(one_tet(unit * flat_by(-1e-10))).flipped_elements == std::vector<int>{0});
  }

  // A small sound element in a large mesh is sound.
  auto mesh = one_tet(corner());
  const Eigen::Matrix<double, 3, 4> small = 1e-5 * corner();
  for (int a = 0; a < 4; ++a) add_node(mesh, small(0, a) + 2, small(1, a), small(2, a));
  add_tet(mesh, 4, 5, 6, 7);
  CHECK(diagnose(mesh).usable());

  // A flat element stays flat where the coordinates are rounded: turned about, and far from the origin.
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  for (const double distance : {0.0, 1e3, 1e6, 1e9}) {
    for (int i = 0; i < 50; ++i) {
      const Eigen::Vector3d place =
          distance * Eigen::Vector3d(std::cos(i), std::sin(3 * i), std::cos(5 * i + 1));
      const Eigen::Matrix<double, 3, 4> nodes = (turn * flat_by(0)).colwise() + place;
      CHECK(diagnose(one_tet(nodes)).degenerate_elements == std::vector<int>{0});
      Mesh<Tet4, float> single;
      single.nodes = ((turn * flat_by(0)).colwise() + place / 1e6).cast<float>();
      add_tet(single, 0, 1, 2, 3);
      CHECK(diagnose(single).degenerate_elements == std::vector<int>{0});
    }
  }

  // Sound elements that only the scalar type cannot represent.
  CHECK(diagnose(one_tet(1e-110 * corner())).degenerate_elements == std::vector<int>{0});
  CHECK(diagnose(one_tet(1e110 * corner())).degenerate_elements == std::vector<int>{0});
  CHECK(diagnose(one_tet(1e308 * (corner().array() * 3 - 1.5).matrix())).degenerate_elements ==
        std::vector<int>{0});
  CHECK(diagnose(one_tet(1e-90 * corner())).usable());
  Mesh<Tet4, float> single;
  single.nodes = (1e-14 * corner()).cast<float>();
  add_tet(single, 0, 1, 2, 3);
  CHECK(diagnose(single).degenerate_elements == std::vector<int>{0});

  auto hexahedra = sample::hexahedra(1);
  hexahedra.nodes.row(2).setZero();
  CHECK(diagnose(hexahedra).degenerate_elements == std::vector<int>{0});
}

TEST_CASE("a hexahedron that is folded in itself is neither flipped nor sound") {
  auto mesh = sample::hexahedra(1);
  mesh.nodes.col(0) << 1.2, 1.2, 1.2;  // a corner pushed through the opposite one
  CHECK(diagnose(mesh).tangled_elements == std::vector<int>{0});
  CHECK(diagnose(mesh).flipped_elements.empty());
  CHECK_FALSE(diagnose(mesh).usable());
}

// One corner of the unit cube moves along the diagonal, to (t, t, t). The edges from there to its neighbours
// (0, 1, 1), (1, 0, 1), (1, 1, 0) span the volume 3 t - 2: none where it lies in the plane of the three.
TEST_CASE(
    "a hexahedron with a corner that is flat or points inward, though its volume is positive, is noted") {
  const auto with_corner_at = [](double t) {
    auto mesh = sample::hexahedra(1);
    mesh.nodes.col(7).setConstant(t);
    return diagnose(mesh);
  };
  CHECK(with_corner_at(1).findings().empty());
  CHECK(with_corner_at(0.7).distorted_elements.empty());
  for (const double t : {2.0 / 3, 0.66, 0.6}) {
    const Diagnosis diagnosis = with_corner_at(t);
    CHECK(diagnosis.distorted_elements == std::vector<int>{0});
    CHECK(diagnosis.usable());
    CHECK(mentions(diagnosis, "note:  1 element has a corner without positive volume: 0"));
  }
  CHECK(with_corner_at(0.68).distorted_elements.empty());
  CHECK(with_corner_at(-0.5).tangled_elements == std::vector<int>{0});
  CHECK(with_corner_at(-0.5).distorted_elements.empty());
}

TEST_CASE("nodes: not finite, of no element, at one place") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  add_node(mesh, 0.5, 0.5, 0.5);
  add_node(mesh, 1, 1, 1 + 1e-10);
  add_node(mesh, 5, 5, 5);
  Diagnosis diagnosis = diagnose(mesh);
  CHECK(diagnosis.unreferenced_nodes == std::vector<int>{27, 28, 29});
  CHECK(text(diagnosis.duplicate_nodes) == "27(13) ");
  CHECK(text(diagnose(mesh, {.duplicate_tolerance = 1e-9}).duplicate_nodes) == "27(13) 28(26) ");
  CHECK(
      mentions(diagnosis,
               "error: 3 nodes belong to no element: 27, 28, 29\n         -> drop_unreferenced_nodes(mesh)"));
  CHECK(mentions(diagnosis, "note:  1 node coincides with another one: 27 (= 13)"));
  CHECK_THROWS_AS(diagnose(mesh, {.duplicate_tolerance = -1}), ParameterError);

  mesh.nodes(1, 0) = not_a_number;  // corners of the box: of one tet and of three
  mesh.nodes(2, 29) = -infinity;
  diagnosis = diagnose(mesh);
  CHECK(diagnosis.non_finite_nodes == std::vector<int>{0, 29});
  CHECK(diagnosis.elements_of_non_finite_nodes.size() == 4);
  CHECK(diagnosis.degenerate_elements.empty());
  CHECK(diagnosis.flipped_elements.empty());
  CHECK_FALSE(diagnosis.usable());
}

TEST_CASE("elements: missing nodes, one node twice, copies, and no noise from them in the later checks") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  add_tet(mesh, 0, 1, 2, 27);
  add_tet(mesh, 0, -1, 2, 3);
  add_tet(mesh, std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), 2, 3);
  add_tet(mesh, 5, 6, 5, 7);
  add_tet(mesh, mesh.elements(1, 4), mesh.elements(3, 4), mesh.elements(2, 4), mesh.elements(0, 4));
  add_tet(mesh, mesh.elements(0, 4), mesh.elements(1, 4), mesh.elements(2, 4), mesh.elements(3, 4));
  const Diagnosis diagnosis = diagnose(mesh);
  CHECK(diagnosis.elements_missing_nodes == std::vector<int>{40, 41, 42});
  CHECK(diagnosis.elements_repeating_a_node == std::vector<int>{43});
  CHECK(text(diagnosis.duplicate_elements) == "44(4) 45(4) ");
  CHECK(diagnosis.degenerate_elements.empty());
  CHECK(diagnosis.flipped_elements.size() <= 1);
  CHECK(diagnosis.non_manifold_faces.empty());
  CHECK(diagnosis.folded_faces.empty());
  CHECK(diagnosis.component_sizes.size() == 1);
  CHECK(mentions(diagnosis, "drop_elements(mesh, diagnosis.elements_missing_nodes)"));
  CHECK(mentions(diagnosis, "drop_duplicate_elements(mesh)"));
  CHECK(mentions(diagnosis, "drop_degenerate_elements(mesh)"));
}

TEST_CASE("overlapping elements show at their faces: three on one face, or two on the same side of it") {
  auto mesh = one_tet(corner());
  add_node(mesh, 0.1, 0.1, -1);
  add_tet(mesh, 0, 2, 1, 4);
  CHECK(diagnose(mesh).findings().empty());
  add_node(mesh, 0.2, 0.2, 2);
  add_tet(mesh, 0, 1, 2, 5);
  Diagnosis diagnosis = diagnose(mesh);
  REQUIRE(diagnosis.non_manifold_faces.size() == 1);
  CHECK(diagnosis.non_manifold_faces[0].nodes == std::vector<int>{0, 1, 2});
  CHECK(diagnosis.non_manifold_faces[0].elements == std::vector<int>{0, 1, 2});
  CHECK(mentions(diagnosis, "1 face belongs to more than two elements: nodes 0 1 2 of elements 0, 1, 2"));
  CHECK_FALSE(diagnosis.usable());

  diagnosis = diagnose(drop_elements(mesh, {1}).mesh);
  CHECK(diagnosis.non_manifold_faces.empty());
  REQUIRE(diagnosis.folded_faces.size() == 1);
  CHECK(diagnosis.folded_faces[0].elements == std::vector<int>{0, 1});
  CHECK_FALSE(diagnosis.usable());

  auto triangles = sample::triangles();
  triangles.nodes.conservativeResize(2, 6);
  triangles.nodes.col(5) << 0.5, 0.6;
  triangles.elements.conservativeResize(3, 5);
  triangles.elements.col(4) << 0, 1, 5;
  CHECK(diagnose(triangles).folded_faces.size() == 1);
  triangles.nodes.col(5) << 0.5, -0.6;
  triangles.elements.col(4) << 1, 0, 5;
  CHECK(diagnose(triangles).findings().empty());

  auto hexahedra = sample::hexahedra(2);
  hexahedra.nodes.conservativeResize(3, 31);
  hexahedra.nodes.rightCols(4) << 0, 1, 1, 0,  //
      0, 0, 1, 1,                              //
      0.5, 0.5, 0.5, 0.5;
  hexahedra.elements.conservativeResize(8, 9);
  hexahedra.elements.col(8) << 0, 1, 4, 3, 27, 28, 29, 30;  // inside the first one, on its bottom
  CHECK(diagnose(hexahedra).folded_faces.size() == 1);
}

TEST_CASE("notes do not make a mesh unusable: slivers, separate parts, duplicate nodes") {
  auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  const int first = static_cast<int>(mesh.node_count());
  const Eigen::Matrix<double, 3, 4> X = corner();
  for (int a = 0; a < 4; ++a) add_node(mesh, X(0, a) + 1, X(1, a), X(2, a) * 0.001);
  add_tet(mesh, first, first + 1, first + 2, first + 3);
  const Diagnosis diagnosis = diagnose(mesh);
  CHECK(diagnosis.usable());
  CHECK(diagnosis.slivers == std::vector<int>{5});
  CHECK(diagnosis.worst_element == 5);
  CHECK(diagnosis.worst_quality == Approx(element_quality(mesh, 5)));
  CHECK(diagnosis.component_sizes == std::vector<std::ptrdiff_t>{5, 1});
  CHECK(text(diagnosis.duplicate_nodes) == "8(1) 10(3) ");
  CHECK(mentions(diagnosis, "usable"));
  CHECK(mentions(diagnosis, "2 connected components, of 5, 1 elements"));
  CHECK(diagnose(mesh, {.sliver_quality = 0.001}).slivers.empty());
}

TEST_CASE("empty meshes and regions that do not match") {
  CHECK_FALSE(diagnose(Mesh<Tet4>{}).usable());
  CHECK(mentions(diagnose(Mesh<Tet4>{}), "the mesh has no elements"));
  auto mesh = make_box<Tet4>();
  mesh.regions = {1, 1, 1, 1};
  CHECK_FALSE(diagnose(mesh).usable());
  CHECK(mentions(diagnose(mesh), "4 region numbers for 5 elements"));
  mesh.regions = {1, 1, 1, 1, 2};
  CHECK(diagnose(mesh).findings().empty());
}

TEST_CASE("the printed report shows the first numbers and counts the others; the typed one has all") {
  auto mesh = make_box<Tet4>({.cells = {3, 3, 3}});
  mesh.nodes.row(0) *= -1;
  const Diagnosis diagnosis = diagnose(mesh);
  CHECK(diagnosis.flipped_elements.size() == 135);
  CHECK(mentions(diagnosis,
                 "135 elements are flipped (negative volume): 0, 1, 2, 3, 4, 5, 6, 7, ... (127 more)"));
  std::ostringstream stream;
  stream << diagnosis;
  CHECK(stream.str() == diagnosis.message() + "\n");
}

namespace {

// A mesh in which everything may be wrong at once.
template <Element E, class Scalar>
Mesh<E, Scalar> garbage(std::mt19937& generator) {
  const auto pick = [&generator](int n) { return static_cast<int>(generator() % static_cast<unsigned>(n)); };
  const auto coordinate = [&]() -> double {
    switch (pick(12)) {
      case 0:
        return not_a_number;
      case 1:
        return pick(2) ? infinity : -infinity;
      case 2:
        return std::ldexp(1.0, pick(2000) - 1000);
      case 3:
        return std::numeric_limits<double>::max();
      case 4:
        return -0.0;
      case 5:
        return std::numeric_limits<double>::denorm_min();
      default:
        return pick(4);
    }
  };
  Mesh<E, Scalar> mesh;
  const int nodes = pick(12);
  mesh.nodes.resize(E::dim, nodes);
  for (Scalar& x : mesh.nodes.reshaped()) x = static_cast<Scalar>(coordinate());
  mesh.elements.resize(E::nodes, pick(25));
  for (int& node : mesh.elements.reshaped()) {
    switch (pick(40)) {
      case 0:
        node = -1 - pick(3);
        break;
      case 1:
        node = std::numeric_limits<int>::min();
        break;
      case 2:
        node = std::numeric_limits<int>::max();
        break;
      case 3:
        node = nodes;
        break;
      default:
        node = nodes > 0 ? pick(nodes) : 0;
    }
  }
  if (pick(3) == 0) mesh.regions.resize(static_cast<std::size_t>(pick(30)), 1);
  return mesh;
}

template <Element E, class Scalar>
void examine_garbage(unsigned seed) {
  std::mt19937 generator(seed);
  for (int trial = 0; trial < 400; ++trial) {
    auto mesh = garbage<E, Scalar>(generator);
    const Diagnosis diagnosis = diagnose(mesh, {.duplicate_tolerance = trial % 3 == 0 ? 0.5 : 0.0});
    CHECK(diagnosis.message().size() > 20);
    for (const auto* list : {&diagnosis.elements_missing_nodes, &diagnosis.degenerate_elements,
                             &diagnosis.flipped_elements, &diagnosis.slivers}) {
      CHECK(std::is_sorted(list->begin(), list->end()));
      CHECK((list->empty() || (list->front() >= 0 && list->back() < mesh.element_count())));
    }

    // Every repair takes it, and after all of them only faces and parts can be left to report.
    mesh.regions.clear();
    mesh = drop_elements(mesh, diagnosis.elements_missing_nodes).mesh;
    mesh = drop_elements(mesh, diagnose(mesh).elements_of_non_finite_nodes).mesh;
    mesh = merge_duplicate_nodes(mesh, trial % 2 == 0 ? 0.5 : 0.0).mesh;
    mesh = drop_degenerate_elements(mesh).mesh;
    mesh = drop_elements(mesh, diagnose(mesh).tangled_elements).mesh;
    mesh = reorient(mesh).mesh;
    mesh = drop_duplicate_elements(mesh).mesh;
    mesh = drop_unreferenced_nodes(mesh).mesh;
    const Diagnosis after = diagnose(mesh);
    CHECK(after.element_count == mesh.element_count());
    CHECK((after.usable() || mesh.element_count() == 0 || !after.non_manifold_faces.empty() ||
           !after.folded_faces.empty()));
    CHECK(after.non_finite_nodes.empty());
    CHECK(after.duplicate_nodes.empty());
    CHECK(after.unreferenced_nodes.empty());
  }
}

}  // namespace

TEST_CASE("no garbage makes the doctor or a repair crash, and the repairs together cure what each is for") {
  examine_garbage<Tet4, double>(1);
  examine_garbage<Tet4, float>(2);
  examine_garbage<Hex8, double>(3);
  examine_garbage<Tri3, float>(4);
}
