#include "contact/collider_facts.hpp"

#include <algorithm>
#include <set>

#include <pliant/contact/shape/bounding_volume_hierarchy.hpp>

using namespace pliant;

namespace {

template <int Dim>
using Boxes = std::vector<AxisAlignedBox<Dim>>;

template <int Dim>
Boxes<Dim> random_boxes(int count, double edge) {
  std::mt19937_64 random(1);
  Boxes<Dim> boxes;
  for (int i = 0; i < count; ++i) {
    const auto middle = test::random_vector<Dim>(random, 1);
    const test::Vector<Dim> half = test::random_vector<Dim>(random, edge).cwiseAbs();
    boxes.push_back({middle - half, middle + half});
  }
  return boxes;
}

template <int Dim>
double squared_distance(const AxisAlignedBox<Dim>& box, const test::Vector<Dim>& x) {
  return (x - x.cwiseMax(box.lower).cwiseMin(box.upper)).squaredNorm();
}

// Where a segment enters a box; infinite where it does not.
template <int Dim>
double entry(const AxisAlignedBox<Dim>& box, const test::Vector<Dim>& from, const test::Vector<Dim>& to) {
  double enter = 0, leave = 1;
  for (int k = 0; k < Dim; ++k) {
    const double a = (box.lower[k] - from[k]) / (to[k] - from[k]),
                 b = (box.upper[k] - from[k]) / (to[k] - from[k]);
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave ? enter : INFINITY;
}

template <int Dim>
void check_queries(const Boxes<Dim>& boxes, double size) {
  const detail::contact::BoundingVolumeHierarchy<Dim> tree{std::span<const AxisAlignedBox<Dim>>(boxes)};
  std::vector<int> sorted = tree.order();
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == boxes.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) REQUIRE(sorted[i] == static_cast<int>(i));
  const auto box_at = [&](int place) {
    return boxes[static_cast<std::size_t>(tree.order()[static_cast<std::size_t>(place)])];
  };

  std::mt19937_64 random(2);
  for (int i = 0; i < 300; ++i) {
    const auto x = test::random_vector<Dim>(random, size), to = test::random_vector<Dim>(random, size);
    const double limit = 0.1 * size * size;
    std::set<int> visited;
    tree.near_point(x, limit, [&](int begin, int end) {
      for (int place = begin; place < end; ++place)
        visited.insert(tree.order()[static_cast<std::size_t>(place)]);
      return limit;
    });
    double nearest = INFINITY;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const double squared = squared_distance<Dim>(boxes[b], x);
      if (squared <= limit) CHECK(visited.count(static_cast<int>(b)) == 1);
      nearest = std::min(nearest, squared);
    }
    double best = INFINITY;
    std::size_t seen = 0;
    tree.near_point(x, best, [&](int begin, int end) {
      for (int place = begin; place < end; ++place)
        best = std::min(best, squared_distance<Dim>(box_at(place), x));
      seen += static_cast<std::size_t>(end - begin);
      return best;
    });
    CHECK(best == nearest);
    CHECK(seen <= boxes.size());

    double first = INFINITY;
    for (const auto& box : boxes) first = std::min(first, entry<Dim>(box, x, to));
    double found = INFINITY;
    tree.along_segment(x, to, 1e-12 * size, 0, 1, [&](int begin, int end) {
      for (int place = begin; place < end; ++place) found = std::min(found, entry<Dim>(box_at(place), x, to));
      return std::min(found, 1.0);
    });
    CHECK(found == first);
  }
}

}  // namespace

TEST_CASE("BoundingVolumeHierarchy: finds what a search through all finds") {
  for (const int count : {1, 2, 4, 5, 9, 100, 3000}) {
    check_queries<2>(random_boxes<2>(count, 0.05), 1.5);
    check_queries<3>(random_boxes<3>(count, 0.1), 1.5);
  }
}

TEST_CASE("BoundingVolumeHierarchy: boxes in one place, without extent, and each half as big as the last") {
  check_queries<3>(Boxes<3>(1000, random_boxes<3>(1, 0.1)[0]), 1.5);
  check_queries<2>(random_boxes<2>(1000, 0), 1.5);
  Boxes<3> shrinking;
  for (int i = 0; i < 1000; ++i) {
    const double edge = std::pow(0.5, i);
    shrinking.push_back({{edge, 0, 0}, {2 * edge, edge, edge}});
  }
  check_queries<3>(shrinking, 1.5);
}

TEST_CASE("BoundingVolumeHierarchy: with nothing in it nothing is visited") {
  const detail::contact::BoundingVolumeHierarchy<3> empty;
  int visits = 0;
  const auto visit = [&](int, int) { return ++visits, 1.0; };
  empty.near_point({0, 0, 0}, 1, visit);
  empty.along_segment({0, 0, 0}, {1, 1, 1}, 0, 0, 1, visit);
  CHECK(visits == 0);
}

TEST_CASE("BoundingVolumeHierarchy: a search for the nearest looks at few") {
  const auto boxes = random_boxes<3>(10000, 0.01);
  const detail::contact::BoundingVolumeHierarchy<3> tree{std::span<const AxisAlignedBox<3>>(boxes)};
  std::mt19937_64 random(3);
  std::ptrdiff_t seen = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto x = test::random_vector<3>(random, 1);
    double best = INFINITY;
    tree.near_point(x, best, [&](int begin, int end) {
      for (int place = begin; place < end; ++place) {
        best = std::min(
            best, squared_distance<3>(
                      boxes[static_cast<std::size_t>(tree.order()[static_cast<std::size_t>(place)])], x));
      }
      seen += end - begin;
      return best;
    });
  }
  CHECK(seen < 30 * 1000);
}
