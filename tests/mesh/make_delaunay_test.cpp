#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <pliant/mesh/make_delaunay.hpp>
#include <pliant/mesh/measure.hpp>

using namespace pliant;

namespace {

__extension__ typedef __int128 Integer;

// Points with integer coordinates, about which everything can be computed exactly: a second way, which shares
// nothing with that of the library.
template <int dim>
using Points = Eigen::Matrix<std::int64_t, dim, Eigen::Dynamic>;

template <std::size_t size>
using Square = std::array<std::array<Integer, size>, size>;

Integer determinant(const Square<2>& m) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
template <std::size_t size>
Integer determinant(const Square<size>& m) {
  Integer sum = 0;
  for (std::size_t k = 0; k < size; ++k) {
    Square<size - 1> minor;
    for (std::size_t i = 1; i < size; ++i) {
      for (std::size_t j = 0, next = 0; j < size; ++j) {
        if (j != k) minor[i - 1][next++] = m[i][j];
      }
    }
    sum += (k % 2 == 0 ? 1 : -1) * m[0][k] * determinant(minor);
  }
  return sum;
}

template <int dim, class Corners>
Integer signed_volume(const Points<dim>& p, const Corners& corner) {
  Square<dim> m;
  for (std::size_t i = 0; i < dim; ++i) {
    for (std::size_t j = 0; j < dim; ++j) {
      m[i][j] = Integer{p(j, corner[i + 1])} - p(j, corner[0]);
    }
  }
  return determinant(m);
}

// Positive if e is inside the sphere of an element of positive orientation.
template <int dim, class Corners>
Integer inside(const Points<dim>& p, const Corners& corner, int e) {
  Square<dim + 1> m;
  for (std::size_t i = 0; i <= dim; ++i) {
    m[i][dim] = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      m[i][j] = Integer{p(j, corner[i])} - p(j, e);
      m[i][dim] += m[i][j] * m[i][j];
    }
  }
  return dim == 2 ? determinant(m) : -determinant(m);
}

// The elements cover a hull of the exact volume (times dim!), face to face; spheres of neighbours do not
// contain each other's nodes, which suffices for all spheres to be empty (Delaunay 1934).
template <int dim, class Mesh>
void check_delaunay(const Points<dim>& p, const Mesh& mesh, Integer volume) {
  using Corners = std::array<int, dim + 1>;
  std::map<std::array<int, dim>, std::pair<int, int>> open;  // faces: element, corner on the other side
  std::set<int> used;
  Integer sum = 0;
  int flat = 0, full = 0;
  const auto corners_of = [&](int e) {
    Corners corner;
    for (std::size_t k = 0; k <= dim; ++k) corner[k] = mesh.elements(k, e);
    return corner;
  };
  for (int e = 0; e < mesh.element_count(); ++e) {
    const Corners corner = corners_of(e);
    used.insert(corner.begin(), corner.end());
    const Integer own = signed_volume<dim>(p, corner);
    flat += own <= 0;
    sum += own;
    for (std::size_t k = 0; k <= dim; ++k) {
      std::array<int, dim> face;
      for (std::size_t m = 0, next = 0; m <= dim; ++m) {
        if (m != k) face[next++] = corner[m];
      }
      std::sort(face.begin(), face.end());
      const auto [other, is_new] = open.insert({face, {e, corner[k]}});
      if (is_new) continue;
      full += inside<dim>(p, corners_of(other->second.first), corner[k]) > 0;
      full += inside<dim>(p, corner, other->second.second) > 0;
      open.erase(other);
    }
  }
  CHECK(flat == 0);
  CHECK(full == 0);
  CHECK((sum == volume));
  CHECK(std::ssize(used) == p.cols());
}

// Random points of a cube of `edge`, with its corners.
template <int dim>
Points<dim> random_points(int count, std::int64_t edge) {
  std::mt19937_64 random(5);
  Points<dim> points(dim, count);
  std::set<std::vector<std::int64_t>> known;
  for (int i = 0; i < count;) {
    for (int axis = 0; axis < dim; ++axis) {
      points(axis, i) = i < 1 << dim ? (i >> axis & 1) * edge
                                     : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(edge));
    }
    i += known.insert({points.col(i).begin(), points.col(i).end()}).second;
  }
  return points;
}

template <int dim>
Points<dim> lattice(int side) {
  int count = 1;
  for (int axis = 0; axis < dim; ++axis) count *= side;
  Points<dim> points(dim, count);
  for (int i = 0; i < count; ++i) {
    for (int axis = 0, rest = i; axis < dim; ++axis, rest /= side) points(axis, i) = rest % side;
  }
  return points;
}

template <int dim>
NodeMatrix<double, dim> doubles(const Points<dim>& points) {
  return points.template cast<double>();
}

Integer power(Integer base, int exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }

// The elements as sets of nodes.
template <class Mesh>
std::set<std::vector<int>> sets_of(const Mesh& mesh, const std::vector<int>& numbers) {
  std::set<std::vector<int>> sets;
  for (const auto& element : mesh.elements.colwise()) {
    std::vector<int> nodes;
    for (const int node : element) nodes.push_back(numbers[static_cast<std::size_t>(node)]);
    std::sort(nodes.begin(), nodes.end());
    sets.insert(nodes);
  }
  return sets;
}

template <int dim>
void check_order(const NodeMatrix<double, dim>& points) {
  std::vector<int> order(static_cast<std::size_t>(points.cols()));
  std::iota(order.begin(), order.end(), 0);
  const auto reference = sets_of(make_delaunay(points), order);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  NodeMatrix<double, dim> shuffled = points;
  for (int i = 0; i < points.cols(); ++i) shuffled.col(i) = points.col(order[static_cast<std::size_t>(i)]);
  CHECK(sets_of(make_delaunay(shuffled), order) == reference);
}

template <int dim>
std::string message_of(const NodeMatrix<double, dim>& points) {
  try {
    (void)make_delaunay(points);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

int sign(Integer number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

// The predicates of the library for points with integer coordinates against the exact ones.
template <int dim>
int count_errors(const Points<dim>& p) {
  const NodeMatrix<double, dim> x = doubles(p);
  std::array<int, dim + 1> corner;
  std::iota(corner.begin(), corner.end(), 0);
  if (signed_volume<dim>(p, corner) < 0) std::swap(corner[0], corner[1]);
  std::array<const double*, dim + 1> places;
  for (std::size_t k = 0; k <= dim; ++k) places[k] = x.col(corner[k]).data();
  int errors = detail::mesh::orientation(places) != sign(signed_volume<dim>(p, corner));
  if (p.cols() > dim + 1) {
    errors +=
        detail::mesh::side_of_sphere(places, x.col(dim + 1).data()) != sign(inside<dim>(p, corner, dim + 1));
  }
  return errors;
}

}  // namespace

TEST_CASE("predicates: exact for points that are almost or exactly on a line, a plane, a circle, a sphere") {
  std::mt19937_64 random(1);
  const auto number = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most;
  };
  int errors = 0;
  for (int k = 0; k < 2000; ++k) {
    // On a line or a plane, and beside it by a few units of 2^-50 or 2^-39 of the coordinates.
    Points<2> line(2, 3);
    const std::int64_t a = number(1 << 24), b = number(1 << 24);
    for (int i = 0; i < 3; ++i) {
      const std::int64_t t = number(1 << 24);
      line.col(i) << t * a + number(k % 3), t * b + number(k % 2);
    }
    errors += count_errors<2>(line);
    Points<3> plane(3, 4);
    const std::int64_t c = number(1 << 18), d = number(1 << 18);
    for (int i = 0; i < 4; ++i) {
      const std::int64_t s = number(1 << 19), t = number(1 << 19);
      plane.col(i) << s, t, s * c + t * d + number(k % 2);
    }
    errors += count_errors<3>(plane);
    // Mirror images of a point are on a common circle and sphere.
    const std::int64_t x = number(1 << 20), y = number(1 << 20), z = number(1 << 20);
    Points<2> circle(2, 4);
    circle << x, -x, y, -x + number(k % 2), y, y, x, -y;
    errors += count_errors<2>(circle);
    Points<3> sphere(3, 5);
    sphere << x, -x, y, z, y, y, y, -z, x, -x, z, -z, x, -y, z + number(k % 2);
    errors += count_errors<3>(sphere);
    // Small numbers: all cases.
    Points<3> small(3, 5);
    for (std::int64_t& entry : small.reshaped()) entry = number(2);
    errors += count_errors<3>(small) + count_errors<2>(small.topLeftCorner<2, 4>());
  }
  CHECK(errors == 0);
}

TEST_CASE("expansions: sums and products are exact") {
  using detail::mesh::Expansion;
  Expansion<2> tiny = Expansion<2>::difference(1, -0x1p-80), one = Expansion<2>::difference(1, 0);
  CHECK(tiny.size() == 2);
  CHECK((tiny - one).sign() == 1);
  CHECK((one * one - tiny * tiny).sign() == -1);
  // (1 + e)^2 = 1 + 2 e + e^2.
  auto rest = tiny * tiny - one - one * Expansion<2>::difference(0x1p-79, 0);
  CHECK(rest.sign() == 1);
  rest.add(-0x1p-160);
  CHECK(rest.sign() == 0);
  CHECK(rest.size() == 0);
}

TEST_CASE("make_delaunay: empty spheres of random points and of lattices, exactly") {
  constexpr std::int64_t edge = 1 << 20;
  const auto plane = random_points<2>(10000, edge);
  check_delaunay<2>(plane, make_delaunay(doubles(plane)), 2 * power(edge, 2));
  const auto space = random_points<3>(10000, edge);
  check_delaunay<3>(space, make_delaunay(doubles(space)), 6 * power(edge, 3));
  // Many points on common lines, planes and spheres, of a lattice with gaps.
  const auto crowded = random_points<3>(3000, 15);
  check_delaunay<3>(crowded, make_delaunay(doubles(crowded)), 6 * power(15, 3));
  const auto square = lattice<2>(40);
  check_delaunay<2>(square, make_delaunay(doubles(square)), 2 * power(39, 2));
  const auto cube = lattice<3>(11);
  check_delaunay<3>(cube, make_delaunay(doubles(cube)), 6 * power(10, 3));
}

TEST_CASE("make_delaunay: a lattice of decimal fractions has no slivers") {
  NodeMatrix<double, 3> points = 0.1 * doubles(lattice<3>(9));
  const auto mesh = make_delaunay(points);
  CHECK(mesh.nodes == points);
  CHECK(total_volume(mesh) == Approx(0.512).epsilon(1e-13));
  CHECK(element_volumes(mesh).minCoeff() > 0.99e-3 / 6);
}

TEST_CASE("make_delaunay: the hull of points on a sphere") {
  // Antipodal points of integer coordinates are all on one sphere: 3^2 + 4^2 = 5^2, 0.
  Points<3> points(3, 30);
  int next = 0;
  for (const auto& [a, b, c] : {std::array{5, 0, 0}, {3, 4, 0}, {4, 3, 0}}) {
    std::set<std::array<int, 3>> images;
    std::array<int, 3> turned{a, b, c};
    std::sort(turned.begin(), turned.end());
    do {
      for (int signs = 0; signs < 8; ++signs) {
        std::array<int, 3> image = turned;
        for (std::size_t k = 0; k < 3; ++k) image[k] *= signs >> k & 1 ? -1 : 1;
        images.insert(image);
      }
    } while (std::next_permutation(turned.begin(), turned.end()));
    if (a == 4) continue;  // the permutations of 3, 4 have them
    for (const auto& image : images) points.col(next++) << image[0], image[1], image[2];
  }
  REQUIRE(next == 30);
  const auto mesh = make_delaunay(doubles(points));
  Integer volume = 0;
  for (const auto& element : mesh.elements.colwise()) volume += signed_volume<3>(points, element);
  check_delaunay<3>(points, mesh, volume);
  // The hull of the twelve points of a plane through the centre and of the rest: a polyhedron between the
  // ball of radius 5 and the octahedron.
  CHECK(total_volume(mesh) > 4. / 3 * 125);
  CHECK(total_volume(mesh) < 4. / 3 * 3.15 * 125);
  check_order(doubles(points));
}

TEST_CASE("make_delaunay: any scale, floats, and any order of the points") {
  const NodeMatrix<double, 3> points = 1e-3 * doubles(random_points<3>(300, 1000));
  const auto reference = make_delaunay(points);
  for (const double scale : {0x1p-800, 0x1p800}) {
    CHECK(make_delaunay(scale * points).elements == reference.elements);
  }
  for (const double scale : {1e-9, 1e9}) {
    const auto mesh = make_delaunay(scale * points);
    CHECK(total_volume(mesh) == Approx(scale * scale * scale).epsilon(1e-12));
    CHECK(element_volumes(mesh).minCoeff() > 0);
  }
  // Far from the origin rounding makes points of common faces of the hull almost coplanar.
  const NodeMatrix<double, 3> far = (1e-3 * points).colwise() + Eigen::Vector3d(1.1e3, -2.3e3, 0.7e3);
  CHECK(total_volume(make_delaunay(far)) == Approx(1e-9).epsilon(1e-6));
  const Mesh<Tri3, float> plane =
      make_delaunay((1e-3 * doubles(random_points<2>(300, 1000))).cast<float>().eval());
  CHECK(total_volume(plane) == Approx(1).epsilon(1e-6));

  check_order(points);
  check_order(doubles(lattice<3>(5)));
  check_order(doubles(lattice<2>(8)));
}

TEST_CASE("make_delaunay: one element") {
  const auto triangle = make_delaunay((NodeMatrix<double, 2>(2, 3) << 0, 0, 1, 0, 1, 0).finished());
  CHECK(triangle.element_count() == 1);
  CHECK(total_volume(triangle) == 0.5);
  const auto tet =
      make_delaunay((NodeMatrix<double, 3>(3, 4) << 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0).finished());
  CHECK(tet.element_count() == 1);
  CHECK(total_volume(tet) == Approx(1. / 6));
}

TEST_CASE("make_delaunay refuses points that no element has, by their numbers") {
  NodeMatrix<double, 2> plane = doubles(lattice<2>(3));
  plane.col(7) = plane.col(2);
  CHECK(message_of(plane).find("points 2 and 7 coincide") != std::string::npos);
  plane.row(1) = 3 * plane.row(0);
  plane.row(0).setLinSpaced(9, 0, 8);
  plane.row(1) = 3 * plane.row(0);
  CHECK(message_of(plane).find("all points lie on the line through points ") != std::string::npos);
  CHECK_THROWS_AS(make_delaunay(plane), MeshError);
  CHECK_THROWS_AS(make_delaunay(plane.leftCols<2>().eval()), SizeError);
  plane(1, 4) = std::numeric_limits<double>::quiet_NaN();
  CHECK(message_of(plane) == "make_delaunay: coordinate 1 of point 4 = not a number: must be finite");
  plane(1, 4) = 0x1p-200;
  CHECK(message_of(plane).find("coordinate 1 of point 4 = 6.2") != std::string::npos);

  NodeMatrix<double, 3> space = doubles(lattice<3>(3));
  space.row(2) = space.row(0) + 2 * space.row(1);
  for (int i = 0; i < 27; ++i) space(1, i) += 3 * (i / 9);
  space.row(2) = space.row(0) + 2 * space.row(1);
  CHECK(message_of(space).find("all points lie in the plane through points ") != std::string::npos);
  space.row(0).setLinSpaced(27, 0, 26);
  space.row(1) = 2 * space.row(0);
  space.row(2) = -space.row(0);
  CHECK(message_of(space).find("all points lie on the line through points ") != std::string::npos);
}
