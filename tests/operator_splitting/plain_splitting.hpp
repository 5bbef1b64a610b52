// A step of operator splitting, written down plainly: one number at a time.
#pragma once

#include "integrator/bodies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>

#include <pliant/element/tet4.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/operator_splitting/panels.hpp>

namespace pliant::test {

// Of all bodies here.
struct PlainScene {
  static constexpr double dt = 0.02, density = 1000;
  static inline const Eigen::Vector3d gravity{0, -9.81, 0};
  static inline const Lame lame = Lame::from_young_poisson(2e4, 0.35);
};

// One element.
inline Mesh<Tet4> tetrahedron() {
  Mesh<Tet4> mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.12;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  return mesh;
}

inline Eigen::Matrix3d rotation_by_svd(const Eigen::Matrix3d& F) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d signs = Eigen::Matrix3d::Identity();
  signs(2, 2) = svd.matrixU().determinant() * svd.matrixV().determinant();
  return svd.matrixU() * signs * svd.matrixV().transpose();
}

// A body and its step, written down plainly. Columns are nodes.
class PlainBody : PlainScene {
  using Matrix3d = Eigen::Matrix3d;
  using MatrixXd = Eigen::MatrixXd;
  using Vector3d = Eigen::Vector3d;
  using VectorXd = Eigen::VectorXd;

 public:
  PlainBody(const Mesh<Tet4>& mesh, double lambda, std::vector<int> fixed, bool incremental = true)
      : mesh_(mesh),
        lambda_(lambda),
        fixed_(std::move(fixed)),
        incremental_(incremental),
        mass_(VectorXd::Zero(mesh.node_count())) {
    std::vector<Eigen::Triplet<double>> entries;  // of fixed nodes, those of the identity
    for (int e = 0; e < mesh.element_count(); ++e) {
      const double V = volume(mesh.nodes, e) / 6;
      const Eigen::Matrix<double, 4, 3> G = gradients(e);
      for (int a = 0; a < 4; ++a) {
        mass_(node(e, a)) += density * V / 4;
        if (is_fixed(node(e, a))) continue;
        for (int b = 0; b < 4; ++b) {
          if (!is_fixed(node(e, b)))
            entries.emplace_back(node(e, a), node(e, b), weight(e) * G.row(a).dot(G.row(b)));
        }
      }
    }
    for (int n = 0; n < mesh.node_count(); ++n) entries.emplace_back(n, n, is_fixed(n) ? 1 : mass_(n));
    Eigen::SparseMatrix<double> matrix(mesh.node_count(), mesh.node_count());
    matrix.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(matrix);
  }

  // Those with which a state that is set starts: of volume constraints that are met at x, but for great ones.
  VectorXd multipliers(const MatrixXd& x) const {
    VectorXd result(mesh_.element_count());
    for (int e = 0; e < mesh_.element_count(); ++e) {
      result(e) = (1 - deformation(x, e).determinant()) * lambda_ * dt * dt * volume(mesh_.nodes, e) / 6;
      if (std::abs(result(e)) > weight(e)) result(e) = 0;
    }
    return result;
  }

  // One step from x and v; `order`: in which the volume constraints are relaxed.
  void step(MatrixXd& x, MatrixXd& v, int volume_iterations, const std::vector<int>& order) const {
    VectorXd multiplier = multipliers(x);
    step(x, v, volume_iterations, order, multiplier);
  }
  // The same from the multipliers of the step before.
  void step(MatrixXd& x, MatrixXd& v, int volume_iterations, const std::vector<int>& order,
            VectorXd& multiplier) const {
    const MatrixXd start = x;
    x += dt * v;
    MatrixXd pull = MatrixXd::Zero(3, x.cols());
    if (incremental_) pull = dt * dt * gravity * mass_.transpose();
    else x.colwise() += dt * dt * gravity;
    for (const int n : fixed_) x.col(n) = start.col(n);
    if (!incremental_ || volume_iterations == 0) multiplier.setZero();
    for (int e = 0; e < mesh_.element_count(); ++e) {
      const Matrix3d F = deformation(x, e);
      if (std::abs(F.determinant() - 1) > 1 || std::abs(multiplier(e)) > 10 * weight(e)) multiplier(e) = 0;
      const Matrix3d P = weight(e) * (rotation_by_svd(F) - F) + multiplier(e) * cofactor_of(F);
      for (int a = 0; a < 4; ++a) pull.col(node(e, a)) += P * gradients(e).row(a).transpose();
    }
    for (const int n : fixed_) pull.col(n).setZero();
    x += factor_.solve(MatrixXd(pull.transpose())).transpose();
    for (int k = 0; k < volume_iterations; ++k) {
      for (const int e : order) relax(e, multiplier(e), x);
    }
    v = (x - start) / dt;
  }

  // Where the nodes are at x.
  int inverted_elements(const MatrixXd& x) const {
    int count = 0;
    for (int e = 0; e < mesh_.element_count(); ++e) count += volume(x, e) < 0;
    return count;
  }

 private:
  int node(int e, int a) const { return mesh_.elements(a, e); }

  double volume(const MatrixXd& x, int e) const {
    const Vector3d u = x.col(node(e, 1)) - x.col(node(e, 0)), v = x.col(node(e, 2)) - x.col(node(e, 0)),
                   w = x.col(node(e, 3)) - x.col(node(e, 0));
    return u.cross(v).dot(w);
  }

  Eigen::Matrix<double, 4, 3> gradients(int e) const {
    Matrix3d edges;
    for (int a = 1; a < 4; ++a) edges.col(a - 1) = mesh_.nodes.col(node(e, a)) - mesh_.nodes.col(node(e, 0));
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = edges.inverse();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    return G;
  }

  Matrix3d deformation(const MatrixXd& x, int e) const {
    Matrix3d F = Matrix3d::Zero();
    for (int a = 0; a < 4; ++a) F += x.col(node(e, a)) * gradients(e).row(a);
    return F;
  }

  double weight(int e) const { return 2 * lame.mu() * volume(mesh_.nodes, e) / 6 * dt * dt; }

  void relax(int e, double& multiplier, MatrixXd& x) const {
    const double V = volume(mesh_.nodes, e) / 6, compliance = 1 / (lambda_ * V * dt * dt);
    const Matrix3d F = deformation(x, e);
    const Matrix3d cofactor = cofactor_of(F);
    // What of a multiplier's change is felt at once, where the rest is felt in the next step.
    const double share = incremental_ ? 1 / (2 + std::min(2.0, 45 * lame.mu() / lambda_)) : 1;
    double mobility = compliance;
    Eigen::Matrix<double, 3, 4> gradient;
    for (int a = 0; a < 4; ++a) {
      gradient.col(a) = cofactor * gradients(e).row(a).transpose();
      mobility += share * inverse_mass(node(e, a)) * gradient.col(a).squaredNorm();
    }
    const double change = (1 - F.determinant() - compliance * multiplier) / mobility;
    multiplier += change;
    for (int a = 0; a < 4; ++a)
      x.col(node(e, a)) += share * inverse_mass(node(e, a)) * change * gradient.col(a);
  }

  static Matrix3d cofactor_of(const Matrix3d& F) {
    Matrix3d result;
    for (int j = 0; j < 3; ++j) result.col(j) = F.col((j + 1) % 3).cross(F.col((j + 2) % 3));
    return result;
  }

  bool is_fixed(int n) const { return std::find(fixed_.begin(), fixed_.end(), n) != fixed_.end(); }
  double inverse_mass(int n) const { return is_fixed(n) ? 0 : 1 / mass_(n); }

  Mesh<Tet4> mesh_;
  double lambda_;
  std::vector<int> fixed_;
  bool incremental_;
  VectorXd mass_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
};

// How near `x` is to what a step from `start` makes of it, its constraints relaxed in that order in which it
// comes nearest [m].
inline double distance_in_best_order(const PlainBody& body, int elements, int volume_iterations,
                                     const Eigen::MatrixXd& start, const Eigen::MatrixXd& x) {
  std::vector<int> order(static_cast<std::size_t>(elements));
  std::iota(order.begin(), order.end(), 0);
  double closest = 1;
  do {
    Eigen::MatrixXd end = start, v = Eigen::MatrixXd::Zero(3, start.cols());
    body.step(end, v, volume_iterations, order);
    closest = std::min(closest, (x - end).cwiseAbs().maxCoeff());
  } while (std::next_permutation(order.begin(), order.end()));
  return closest;
}

// Into how many parts the factor of a body cuts it, whose subtrees are threads' work; 1: it is not cut.
inline int parts_of(const Mesh<Tet4>& mesh, const std::vector<int>& fixed) {
  Numbering free{std::vector<int>(static_cast<std::size_t>(mesh.node_count()), -1), {}};
  for (int n = 0; n < mesh.node_count(); ++n) {
    if (std::find(fixed.begin(), fixed.end(), n) != fixed.end()) continue;
    free.to_internal[static_cast<std::size_t>(n)] = static_cast<int>(free.to_user.size());
    free.to_user.push_back(n);
  }
  const BlockPattern pattern = BlockPattern::from_graph(
      detail::assembly::renumbered(neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count()), free));
  std::vector<double> values(static_cast<std::size_t>(pattern.blocks()), 0);
  for (int i = 0; i < pattern.rows(); ++i) values[static_cast<std::size_t>(pattern.slot(i, i))] = 1;
  detail::operator_splitting::Panels<double> panels;
  panels.factorise(pattern, values);
  return panels.parts();
}

template <class Scalar>
Mesh<Tet4, Scalar> in(const Mesh<Tet4>& mesh) {
  Mesh<Tet4, Scalar> result;
  result.nodes = mesh.nodes.cast<Scalar>();
  result.elements = mesh.elements;
  return result;
}

}  // namespace pliant::test
