// A rigid surface of triangles: the surface of a solid, or a sheet.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <pliant/contact/shape/bounding_volume_hierarchy.hpp>
#include <pliant/contact/shape/concept.hpp>
#include <pliant/contact/shape/triangle.hpp>
#include <pliant/core/error.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

//   TriangleMesh(nodes, triangles)              a solid; its triangles are counter-clockwise seen from
//   outside TriangleMesh::two_sided(nodes, triangles)   a sheet, open or closed, of any orientation
// with the positions of the nodes [m] (3 x #nodes) and node numbers (3 x #triangles); nodes without a
// triangle are ignored. Sheets have no inside: the distance is never negative, and the normal points to the
// side of the given point or of the start of the segment. A start on a sheet has no side, and the segment
// does not hit the sheet there.
//
// Throws SizeError for matrices without 3 rows, IndexError for a node that does not exist, ParameterError for
// a coordinate that is not finite, MeshError for a triangle without area; for a solid also for an edge that
// does not lie between two triangles of the same orientation, and if the triangles face inwards.
//
// Inside and outside are distinguished by angle-weighted normals of nodes and edges (Baerentzen and Aanaes
// 2005); if several parts of the surface touch in one node, each has its own normal. No segment slips through
// between triangles: see LineThroughTriangles. Whether a segment starts inside follows from its first
// crossing; gaps thinner than 1e-8 of the size of the coordinates are not resolved from inside.
class TriangleMesh {
 public:
  static constexpr int dim = 3;
  using Point = SmallVector<double, 3>;
  using Triangles = Eigen::Matrix<int, 3, Eigen::Dynamic, Eigen::DontAlign>;

  template <class Nodes, class Indices>
  TriangleMesh(const Eigen::MatrixBase<Nodes>& nodes, const Eigen::MatrixBase<Indices>& triangles)
      : TriangleMesh(nodes, triangles, false) {}

  template <class Nodes, class Indices>
  static TriangleMesh two_sided(const Eigen::MatrixBase<Nodes>& nodes,
                                const Eigen::MatrixBase<Indices>& triangles) {
    return TriangleMesh(nodes, triangles, true);
  }

  std::ptrdiff_t triangle_count() const { return static_cast<std::ptrdiff_t>(normals_.size()); }
  bool is_two_sided() const { return two_sided_; }

  // The corners of all triangles [m], in an order of its own.
  const std::vector<detail::contact::TriangleCorners>& corners() const { return corners_; }

  void check() const {}  // nothing to check: the constructor has refused invalid surfaces

  AxisAlignedBox<3> bounds() const { return bounds_; }

  std::optional<SurfacePoint<3>> nearest(const Point& x, double reach) const {
    if (!detail::contact::finite<3>(x) || reach != reach) return std::nullopt;
    const double within = std::max(reach, 0.0);
    const Nearest near = nearest_triangle(x, within * within);
    if (near.triangle != none) {
      const SurfacePoint<3> result = surface_point(x, near);
      if (reach >= 0 || result.distance <= 0) return result;
      return std::nullopt;
    }
    // Inside there is a result for any reach.
    if (two_sided_ || !is_inside(x)) return std::nullopt;
    const SurfacePoint<3> result =
        surface_point(x, nearest_triangle(x, std::numeric_limits<double>::infinity()));
    if (result.distance > 0) return std::nullopt;
    return result;
  }

  std::optional<SurfaceHit<3>> first_hit(const Point& from, const Point& to) const {
    if (!detail::contact::finite<3>(from) || !detail::contact::finite<3>(to)) return std::nullopt;
    if (!(detail::contact::largest_entry<3>(detail::contact::difference<3>(to, from)) > 0))
      return std::nullopt;
    bool ambiguous = false;
    const auto hit = first_entry(from, to, false, ambiguous);
    if (!hit || !ambiguous) return hit;
    // The line meets an edge or a corner exactly. If it enters there, the lines moved to either side do so as
    // well; if it only touches, one of them misses.
    const auto other = first_entry(from, to, true, ambiguous);
    return !other || other->fraction > hit->fraction ? other : hit;
  }

 private:
  static constexpr int none = std::numeric_limits<int>::max();
  // The distance along a segment, relative to the coordinates, up to which crossings count as one.
  static constexpr double same_place = 1e-8;

  // A generous bound of the rounding errors of coordinates if the largest is `size` [m].
  static constexpr double rounding(double size) { return 64 * std::numeric_limits<double>::epsilon() * size; }

  struct Nearest {
    double squared_distance;
    int triangle;
    detail::contact::NearestOfTriangle place;
  };

  // The neighbours and normals of a triangle.
  struct Surroundings {
    std::array<int, 3> neighbours;  // across edge i
    std::array<int, 3> normals;     // of the corners, in corner_normals_
  };

  template <class Nodes, class Indices>
  TriangleMesh(const Eigen::MatrixBase<Nodes>& nodes, const Eigen::MatrixBase<Indices>& triangles,
               bool two_sided)
      : two_sided_(two_sided) {
    detail::core::require_size("TriangleMesh: rows of the nodes", nodes.rows(), 3);
    detail::core::require_size("TriangleMesh: rows of the triangles", triangles.rows(), 3);
    build(NodeMatrix<double, 3>(nodes.template cast<double>()), Triangles(triangles));
  }

  void build(const NodeMatrix<double, 3>& nodes, const Triangles& triangles) {
    if (triangles.cols() == 0) throw MeshError("TriangleMesh: there are no triangles");
    if (triangles.cols() > none / 3) throw MeshError("TriangleMesh: too many triangles for 32-bit numbers");
    require_nodes(nodes, triangles);
    const auto corners_of = [&](Eigen::Index triangle) {
      detail::contact::TriangleCorners corners;
      for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
          corners[static_cast<std::size_t>(i)][k] = nodes(k, triangles(i, triangle));
      }
      return corners;
    };

    std::vector<AxisAlignedBox<3>> boxes;
    bounds_ = {corners_of(0)[0], corners_of(0)[0]};
    for (Eigen::Index triangle = 0; triangle < triangles.cols(); ++triangle) {
      const auto corners = corners_of(triangle);
      boxes.push_back({corners[0], corners[0]});
      for (const Point& corner : corners) {
        boxes.back().include(corner);
        bounds_.include(corner);
      }
      normals_.push_back(normal_of(corners, triangle));
    }
    size_ = std::max(detail::contact::largest_entry<3>(bounds_.lower),
                     detail::contact::largest_entry<3>(bounds_.upper));
    // The boxes include the rounding of points of the triangles.
    for (AxisAlignedBox<3>& box : boxes) {
      for (int k = 0; k < 3; ++k) {
        box.lower[k] -= rounding(size_);
        box.upper[k] += rounding(size_);
      }
    }
    hierarchy_ = detail::contact::BoundingVolumeHierarchy<3>(std::span<const AxisAlignedBox<3>>(boxes));
    for (const int triangle : hierarchy_.order()) corners_.push_back(corners_of(triangle));
    if (two_sided_) return;
    const std::vector<int> corner_sets = find_neighbours(nodes.cols(), triangles);
    find_corner_normals(corner_sets, corners_of);
    require_outward(corners_of);
  }

  static void require_nodes(const NodeMatrix<double, 3>& nodes, const Triangles& triangles) {
    for (Eigen::Index triangle = 0; triangle < triangles.cols(); ++triangle) {
      for (int i = 0; i < 3; ++i) {
        const int node = triangles(i, triangle);
        if (node < 0 || node >= nodes.cols()) {
          throw IndexError("TriangleMesh: triangle " + std::to_string(triangle) + ": node", node,
                           nodes.cols());
        }
        for (int k = 0; k < 3; ++k) {
          if (detail::core::is_finite(nodes(k, node))) continue;
          throw ParameterError("TriangleMesh: coordinate of node " + std::to_string(node), nodes(k, node),
                               "must be finite");
        }
      }
    }
  }

  // Of unit length. Throws if the height is below 1e-12 of the longest edge, when the normal would have no
  // correct digits.
  static Point normal_of(const detail::contact::TriangleCorners& corners, Eigen::Index triangle) {
    double longest = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      longest = std::max(longest, detail::contact::length<3>(
                                      detail::contact::difference<3>(corners[(i + 1) % 3], corners[i])));
    }
    const Point normal =
        detail::algebra::cross<double>(detail::contact::difference<3>(corners[1], corners[0]),
                                       detail::contact::difference<3>(corners[2], corners[0]));
    const double twice_area = detail::contact::length<3>(normal);
    constexpr double thinnest = 1e-12;
    if (!(twice_area > thinnest * longest * longest)) {
      throw MeshError("TriangleMesh: triangle " + std::to_string(triangle) + " has no area");
    }
    return detail::contact::scaled<3>(1 / twice_area, normal);
  }

  // Sets the neighbours. Returns, for each corner of each triangle, the number of the set of corners that
  // meet in one node and are connected across edges.
  std::vector<int> find_neighbours(std::ptrdiff_t node_count, const Triangles& triangles) {
    surroundings_.resize(normals_.size());
    detail::mesh::DisjointSets sets(3 * triangles.cols());
    detail::mesh::group_by_nodes<2>(
        node_count,
        [&triangles](auto&& take) {
          for (Eigen::Index triangle = 0; triangle < triangles.cols(); ++triangle) {
            for (int edge = 0; edge < 3; ++edge) {
              const int a = triangles(edge, triangle), b = triangles((edge + 1) % 3, triangle);
              take(detail::mesh::NodeTuple<2>{
                  {std::min(a, b), std::max(a, b)}, static_cast<int>(triangle), edge});
            }
          }
        },
        [&](auto uses) {
          const auto first_node = [&triangles](const auto& use) { return triangles(use.face, use.element); };
          const std::string edge = "TriangleMesh: the edge between nodes " +
                                   std::to_string(uses[0].nodes[0]) + " and " +
                                   std::to_string(uses[0].nodes[1]);
          const std::string who = " triangle " + std::to_string(uses[0].element);
          if (uses.size() == 1) {
            throw MeshError(
                edge + " belongs to" + who +
                " only: the surface of a solid must be closed; TriangleMesh::two_sided takes open sheets");
          }
          if (uses.size() > 2) {
            throw MeshError(edge + " belongs to " + std::to_string(uses.size()) + " triangles, one of them" +
                            who + ": two are needed");
          }
          if (first_node(uses[0]) == first_node(uses[1])) {
            throw MeshError(edge + ": one of" + who + " and triangle " + std::to_string(uses[1].element) +
                            " faces inwards");
          }
          for (const auto& [here, there] : {std::pair(uses[0], uses[1]), std::pair(uses[1], uses[0])}) {
            surroundings_[static_cast<std::size_t>(here.element)]
                .neighbours[static_cast<std::size_t>(here.face)] = there.element;
            sets.join(3 * here.element + here.face, 3 * there.element + (there.face + 1) % 3);
          }
        });
    std::vector<int> result;
    for (int corner = 0; corner < 3 * triangles.cols(); ++corner)
      result.push_back(sets.representative(corner));
    return result;
  }

  template <class CornersOf>
  void find_corner_normals(const std::vector<int>& corner_sets, CornersOf&& corners_of) {
    std::vector<int> number(corner_sets.size(), none);  // of a set, by its representative
    for (std::size_t triangle = 0; triangle < normals_.size(); ++triangle) {
      const detail::contact::TriangleCorners corners = corners_of(static_cast<Eigen::Index>(triangle));
      for (std::size_t i = 0; i < 3; ++i) {
        int& set = number[static_cast<std::size_t>(corner_sets[3 * triangle + i])];
        if (set == none) {
          set = static_cast<int>(corner_normals_.size());
          corner_normals_.push_back(Point(0, 0, 0));
        }
        surroundings_[triangle].normals[i] = set;
        const Point a = detail::contact::difference<3>(corners[(i + 1) % 3], corners[i]),
                    b = detail::contact::difference<3>(corners[(i + 2) % 3], corners[i]);
        const double angle = std::atan2(detail::contact::length<3>(detail::algebra::cross<double>(a, b)),
                                        detail::algebra::dot<double, 3>(a, b));
        Point& sum = corner_normals_[static_cast<std::size_t>(set)];
        sum = detail::contact::moved_along<3>(sum, angle, normals_[triangle]);
      }
    }
  }

  // By the volume that the surface encloses.
  template <class CornersOf>
  void require_outward(CornersOf&& corners_of) const {
    double volume = 0;
    for (std::size_t triangle = 0; triangle < normals_.size(); ++triangle) {
      detail::contact::TriangleCorners corners = corners_of(static_cast<Eigen::Index>(triangle));
      for (Point& corner : corners) corner = detail::contact::difference<3>(corner, bounds_.lower);
      volume += detail::algebra::dot<double, 3>(corners[0],
                                                detail::algebra::cross<double>(corners[1], corners[2])) /
                6;
    }
    if (!(volume > 0)) {
      std::ostringstream text;
      text.precision(17);
      text << "TriangleMesh: the triangles enclose " << volume
           << " m^3: they face inwards; reverse their winding";
      throw MeshError(text.str());
    }
  }

  int triangle_at(int place) const { return hierarchy_.order()[static_cast<std::size_t>(place)]; }
  const Point& normal(int triangle) const { return normals_[static_cast<std::size_t>(triangle)]; }

  // The nearest triangle within a squared distance, the one with the lowest number if several are equally
  // near.
  Nearest nearest_triangle(const Point& x, double limit) const {
    Nearest best{limit, none, {x, detail::contact::TrianglePart::face}};
    hierarchy_.near_point(x, limit, [&](int begin, int end) {
      for (int place = begin; place < end; ++place) {
        const auto here = detail::contact::nearest_of_triangle(x, corners_[static_cast<std::size_t>(place)]);
        const Point away = detail::contact::difference<3>(x, here.point);
        const double squared = detail::algebra::dot<double, 3>(away, away);
        if (squared > best.squared_distance) continue;
        if (squared == best.squared_distance && triangle_at(place) > best.triangle) continue;
        best = {squared, triangle_at(place), here};
      }
      return best.squared_distance;
    });
    return best;
  }

  // Whether a segment to a point outside the bounds leaves the solid more often than it enters it; cheaper
  // than the search for the nearest triangle if that is far.
  bool is_inside(const Point& x) const {
    if (!bounds_.contains(x)) return false;
    Point outside = x;
    double shortest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const double margin = bounds_.upper[k] - bounds_.lower[k];
      for (const double end : {bounds_.lower[k] - margin, bounds_.upper[k] + margin}) {
        if (std::abs(end - x[k]) >= shortest) continue;
        shortest = std::abs(end - x[k]);
        outside = x;
        outside[k] = end;
      }
    }
    detail::contact::LineThroughTriangles line(x, outside, false);
    int times_left = 0;
    hierarchy_.along_segment(x, outside, rounding(size_), 0, 1, [&](int begin, int end) {
      for (int place = begin; place < end; ++place) {
        const auto crossing = line.crossing(corners_[static_cast<std::size_t>(place)]);
        if (crossing && crossing->fraction >= 0) times_left += crossing->entering ? -1 : 1;
      }
      return 1.0;
    });
    return times_left > 0;
  }

  // The sum of the unit normals around a part of a triangle, those around a node weighted by their angles.
  Point normal_around(int triangle, detail::contact::TrianglePart part) const {
    const auto number = static_cast<std::size_t>(part);
    if (two_sided_ || part == detail::contact::TrianglePart::face) return normal(triangle);
    const Surroundings& around = surroundings_[static_cast<std::size_t>(triangle)];
    if (number <= 3)
      return detail::contact::moved_along<3>(normal(triangle), 1, normal(around.neighbours[number - 1]));
    return corner_normals_[static_cast<std::size_t>(around.normals[number - 4])];
  }

  SurfacePoint<3> surface_point(const Point& x, const Nearest& near) const {
    const Point away = detail::contact::difference<3>(x, near.place.point);
    const Point around = normal_around(near.triangle, near.place.part);
    const bool behind = detail::algebra::dot<double, 3>(away, around) < 0;
    const bool inside = behind && !two_sided_;
    const double distance = std::sqrt(near.squared_distance);
    SurfacePoint<3> result{near.place.point, normal(near.triangle), inside ? -distance : distance};
    if (near.place.part == detail::contact::TrianglePart::face) {
      if (two_sided_ && behind) result.normal = detail::contact::scaled<3>(-1, result.normal);
    } else if (distance > detail::contact::on_surface * size_) {
      result.normal = detail::contact::scaled<3>(1 / result.distance, away);
    } else if (const double sum = detail::contact::length<3>(around); sum > 0) {
      result.normal = detail::contact::scaled<3>(1 / sum, around);
    }
    return result;
  }

  // The first point at which the segment enters, unless it starts inside. Corners and edges that it meets
  // exactly are passed on one side or the other.
  std::optional<SurfaceHit<3>> first_entry(const Point& from, const Point& to, bool other_way,
                                           bool& ambiguous) const {
    const double size = std::max(size_, detail::contact::largest_entry<3>(from));
    const double window =
        same_place * size / detail::contact::length<3>(detail::contact::difference<3>(to, from));
    const double margin = rounding(std::max(size, detail::contact::largest_entry<3>(to)));
    detail::contact::LineThroughTriangles line(from, to, other_way);
    SurfaceHit<3> entry{from, from, std::numeric_limits<double>::infinity()};
    int entered = none;
    double leaving = std::numeric_limits<double>::infinity();  // the first crossing from inside

    const auto take = [&](int place) {
      const detail::contact::TriangleCorners& corners = corners_[static_cast<std::size_t>(place)];
      const auto crossing = line.crossing(corners);
      if (!crossing) return;
      const int triangle = triangle_at(place);
      double fraction = crossing->fraction;
      if (two_sided_) {
        if (!(fraction > 0)) return;
      } else {
        const double height = detail::algebra::dot<double, 3>(
            detail::contact::difference<3>(from, corners[0]), normal(triangle));
        if (std::abs(height) <= detail::contact::on_surface * size && std::abs(fraction) <= window) {
          if (!crossing->entering) return;  // it starts on the surface and leaves it
          fraction = std::max(fraction, 0.0);
        }
        if (!(fraction >= 0)) return;
      }
      if (!(fraction <= 1)) return;
      if (!two_sided_ && !crossing->entering) {
        leaving = std::min(leaving, fraction);
      } else if (fraction < entry.fraction || (fraction == entry.fraction && triangle < entered)) {
        const double side = crossing->entering ? 1 : -1;
        entry = {crossing->point, detail::contact::scaled<3>(side, normal(triangle)), fraction};
        entered = triangle;
      }
    };
    hierarchy_.along_segment(from, to, margin, two_sided_ ? 0 : -window, 1, [&](int begin, int end) {
      for (int place = begin; place < end; ++place) take(place);
      return std::min({1.0, entry.fraction, leaving + window});
    });
    ambiguous = ambiguous || line.ambiguous();
    if (entered == none || leaving + window < entry.fraction) return std::nullopt;
    return entry;
  }

  bool two_sided_;
  double size_ = 0;  // largest absolute coordinate [m]
  AxisAlignedBox<3> bounds_;
  detail::contact::BoundingVolumeHierarchy<3> hierarchy_;
  std::vector<detail::contact::TriangleCorners>
      corners_;                             // in the order of the hierarchy; all below by triangle
  std::vector<Point> normals_;              // of unit length
  std::vector<Surroundings> surroundings_;  // of a solid
  std::vector<Point> corner_normals_;       // of a solid, not of unit length
};

static_assert(Collider<TriangleMesh, 3>);

}  // namespace pliant
