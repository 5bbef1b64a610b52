// Surfaces of triangles to test with, and slow answers about them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include <pliant/contact/shape/triangle_mesh.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/make_ball.hpp>

namespace pliant::test {

using Point = SmallVector<double, 3>;

struct Surface {
  NodeMatrix<double, 3> nodes;
  TriangleMesh::Triangles triangles;

  Point corner(Eigen::Index triangle, int i) const { return nodes.col(triangles(i % 3, triangle)); }
  TriangleMesh collider() const { return TriangleMesh(nodes, triangles); }
};

// The skin of a ball, dented where `depth` is not 0: no longer convex.
inline Surface ball(int shells, double depth = 0) {
  const auto mesh = make_ball<Tet4>({.shells = shells});
  Surface surface{mesh.nodes, boundary_faces(mesh).faces};
  for (Eigen::Index i = 0; i < surface.nodes.cols(); ++i) {
    const Point x = surface.nodes.col(i);
    surface.nodes.col(i) = x * (1 + depth * std::sin(5 * x[0]) * std::cos(4 * x[1] + x[2]));
  }
  return surface;
}

// The block from 0 to `edges`; diagonals as they come.
inline Surface block(const Point& edges) {
  Surface surface;
  surface.nodes.resize(3, 8);
  for (int i = 0; i < 8; ++i) {
    surface.nodes.col(i) = Point((i & 1) * edges[0], (i >> 1 & 1) * edges[1], (i >> 2) * edges[2]);
  }
  surface.triangles.resize(3, 12);
  surface.triangles << 0, 0, 4, 4, 0, 0, 2, 2, 0, 0, 1, 1,  //
      2, 3, 5, 7, 1, 5, 6, 7, 4, 6, 3, 7,                   //
      3, 1, 7, 6, 5, 4, 7, 3, 6, 2, 7, 5;
  return surface;
}

// A ring of `around` x `across` quads.
inline Surface torus(int around, int across, double radius, double thickness) {
  Surface surface;
  surface.nodes.resize(3, around * across);
  surface.triangles.resize(3, 2 * around * across);
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < across; ++j) {
      const double u = 2 * M_PI * i / around, v = 2 * M_PI * j / across, r = radius + thickness * std::cos(v);
      const int a = i * across + j, b = (i + 1) % around * across + j, c = i * across + (j + 1) % across,
                d = (i + 1) % around * across + (j + 1) % across;
      surface.nodes.col(a) = Point(r * std::cos(u), r * std::sin(u), thickness * std::sin(v));
      surface.triangles.col(2 * a) = Eigen::Vector3i(a, b, d);
      surface.triangles.col(2 * a + 1) = Eigen::Vector3i(a, d, c);
    }
  }
  return surface;
}

// The solid angle of the surface seen from x, by 4 pi: 1 inside, 0 outside (van Oosterom and Strackee 1983).
inline double winding(const Surface& surface, const Point& x) {
  double sum = 0;
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t) {
    const Point a = surface.corner(t, 0) - x, b = surface.corner(t, 1) - x, c = surface.corner(t, 2) - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * M_PI);
}

// The nearest point of a triangle: the best of its corners, of the feet on its edges and of the foot on its
// plane, where those are within it.
inline Point nearest_by_candidates(const Surface& surface, Eigen::Index t, const Point& x) {
  std::vector<Point> candidates;
  for (int i = 0; i < 3; ++i) {
    const Point a = surface.corner(t, i), b = surface.corner(t, i + 1);
    const double s = (x - a).dot(b - a) / (b - a).squaredNorm();
    candidates.push_back(a + std::clamp(s, 0.0, 1.0) * (b - a));
  }
  const Point a = surface.corner(t, 0), normal = (surface.corner(t, 1) - a).cross(surface.corner(t, 2) - a);
  const Point foot = x - (x - a).dot(normal) / normal.squaredNorm() * normal;
  bool within = true;
  for (int i = 0; i < 3; ++i) {
    const Point p = surface.corner(t, i), q = surface.corner(t, i + 1);
    within = within && (q - p).cross(foot - p).dot(normal) >= 0;
  }
  if (within) candidates.push_back(foot);
  return *std::min_element(candidates.begin(), candidates.end(), [&x](const Point& p, const Point& q) {
    return (p - x).squaredNorm() < (q - x).squaredNorm();
  });
}

inline Point nearest_of_all(const Surface& surface, const Point& x) {
  Point best = Point::Constant(std::numeric_limits<double>::infinity());
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t) {
    const Point p = nearest_by_candidates(surface, t, x);
    if ((p - x).squaredNorm() < (best - x).squaredNorm()) best = p;
  }
  return best;
}

struct Crossing {
  double fraction;
  Eigen::Index triangle;
  bool entering;
};

// All crossings of a segment in general position, in their order, in extended precision (Moeller and Trumbore
// 1997).
inline std::vector<Crossing> crossings(const Surface& surface, const Point& from, const Point& to) {
  using Long = Eigen::Matrix<long double, 3, 1>;
  std::vector<Crossing> result;
  const Long d = to.cast<long double>() - from.cast<long double>();
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t) {
    const Long a = surface.corner(t, 0).cast<long double>(),
               ab = surface.corner(t, 1).cast<long double>() - a,
               ac = surface.corner(t, 2).cast<long double>() - a;
    const Long p = d.cross(ac), s = from.cast<long double>() - a, q = s.cross(ab);
    const long double det = ab.dot(p), u = s.dot(p) / det, v = d.dot(q) / det, f = ac.dot(q) / det;
    if (u < 0 || v < 0 || u + v > 1 || f < 0 || f > 1) continue;
    result.push_back({static_cast<double>(f), t, det > 0});
  }
  std::sort(result.begin(), result.end(),
            [](const Crossing& a, const Crossing& b) { return a.fraction < b.fraction; });
  return result;
}

inline Eigen::Matrix3d random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond q(normal(random), normal(random), normal(random), normal(random));
  return q.normalized().toRotationMatrix();
}

inline Surface rotated(Surface surface, const Eigen::Matrix3d& rotation,
                       const Point& translation = Point::Zero()) {
  surface.nodes = ((rotation * surface.nodes).colwise() + translation).eval();
  return surface;
}

}  // namespace pliant::test
