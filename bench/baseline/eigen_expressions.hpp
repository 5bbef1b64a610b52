// A step of the Eigen program as it stands in the formulas: sparse matrices added and multiplied as
// expressions, with what they allocate, for the change of velocity dv (Baraff and Witkin 1998), held nodes
// filtered by sparse products (Tamstorf et al. 2015). Beside each expression the same in place: fixed
// pattern, loops over the values, which is as far as a scalar sparse matrix goes.
#pragma once

#include "baseline/eigen_body.hpp"

#include <utility>
#include <vector>

namespace baseline {

// (M + dt C + dt^2 K) dv = dt (f - C v) - dt^2 K v, C = alpha M + beta K, f the force without damping.
class VelocitySystem {
 public:
  VelocitySystem(const Body& body, double dt, double alpha, double beta)
      : dt_(dt), alpha_(alpha), beta_(beta), mass_(body.mass), M_(mass_.size(), mass_.size()) {
    M_.reserve(Eigen::VectorXi::Ones(mass_.size()));
    for (Eigen::Index i = 0; i < mass_.size(); ++i) M_.insert(i, i) = mass_(i);
    M_.makeCompressed();
    A = body.matrix;
    for (Eigen::Index i = 0; i < mass_.size(); ++i) {
      diagonal_.push_back(static_cast<int>(&A.coeffRef(i, i) - A.valuePtr()));
    }
    b.resize(mass_.size());
    product_.resize(mass_.size());
  }

  void build_by_expressions(const Sparse& K, const Eigen::VectorXd& force, const Eigen::VectorXd& v) {
    if (alpha_ == 0 && beta_ == 0) {
      A = M_ + dt_ * dt_ * K;
      b = dt_ * force - dt_ * dt_ * (K * v);
      return;
    }
    const Sparse C = alpha_ * M_ + beta_ * K;
    A = M_ + dt_ * C + dt_ * dt_ * K;
    b = dt_ * (force - C * v) - dt_ * dt_ * (K * v);
  }

  void build_in_place(const Sparse& K, const Eigen::VectorXd& force, const Eigen::VectorXd& v) {
    const double stiffness = dt_ * beta_ + dt_ * dt_;
    Eigen::Map<Eigen::VectorXd> values(A.valuePtr(), A.nonZeros());
    values = stiffness * Eigen::Map<const Eigen::VectorXd>(K.valuePtr(), K.nonZeros());
    for (Eigen::Index i = 0; i < mass_.size(); ++i) {
      values(diagonal_[static_cast<std::size_t>(i)]) += (1 + dt_ * alpha_) * mass_(i);
    }
    product_.noalias() = K * v;
    b = dt_ * force - dt_ * alpha_ * mass_.cwiseProduct(v) - stiffness * product_;
  }

  Sparse A;
  Eigen::VectorXd b;

 private:
  double dt_, alpha_, beta_;  // [s], [1/s], [s]
  Eigen::VectorXd mass_;
  Sparse M_;
  std::vector<int> diagonal_;
  Eigen::VectorXd product_;
};

// A becomes S A S + I - S, S the projection onto what is free, node by node.
class SparseFilter {
 public:
  using Projections = std::vector<std::pair<int, Eigen::Matrix3d>>;  // of the nodes that are not free

  SparseFilter(Projections projections, Eigen::Index nodes)
      : projections_(std::move(projections)),
        place_(static_cast<std::size_t>(nodes), -1),
        identity_(3 * nodes, 3 * nodes) {
    identity_.setIdentity();
    for (std::size_t k = 0; k < projections_.size(); ++k) {
      place_[static_cast<std::size_t>(projections_[k].first)] = static_cast<int>(k);
    }
  }

  // S from triplets, as it is built in every step where the held nodes change.
  Sparse projection() const {
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(9 * place_.size());
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const int node = static_cast<int>(i);
      for (int r = 0; r < 3; ++r) {
        if (place_[i] < 0) triplets.emplace_back(3 * node + r, 3 * node + r, 1.0);
        for (int c = 0; c < 3 && place_[i] >= 0; ++c) {
          const double entry = projections_[static_cast<std::size_t>(place_[i])].second(r, c);
          if (entry != 0) triplets.emplace_back(3 * node + r, 3 * node + c, entry);
        }
      }
    }
    Sparse S(identity_.rows(), identity_.cols());
    S.setFromTriplets(triplets.begin(), triplets.end());
    return S;
  }

  Sparse filtered(const Sparse& A, const Sparse& S) const {
    Sparse result = S * A * S;
    result += identity_ - S;
    return result;
  }

  // The same in A itself, on a pattern of whole 3x3 blocks: a pass over all of them that asks of each whether
  // its nodes are free.
  void filter_in_place(Sparse& A) const {
    double* const values = A.valuePtr();
    const int* const columns = A.innerIndexPtr();
    const int* const begin = A.outerIndexPtr();
    for (Eigen::Index i = 0; i < A.rows() / 3; ++i) {
      const int of_row = place_[static_cast<std::size_t>(i)];
      const int entries = begin[3 * i + 1] - begin[3 * i];
      for (int k = 0; k < entries; k += 3) {
        const int j = columns[begin[3 * i] + k] / 3;
        const int of_column = place_[static_cast<std::size_t>(j)];
        if (of_row < 0 && of_column < 0) continue;
        Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>, 0, Eigen::OuterStride<>> block(
            values + begin[3 * i] + k, Eigen::OuterStride<>(entries));
        Eigen::Matrix3d kept = block;
        if (of_row >= 0) kept = projections_[static_cast<std::size_t>(of_row)].second * kept;
        if (of_column >= 0) kept = kept * projections_[static_cast<std::size_t>(of_column)].second;
        if (j == i) {
          kept += Eigen::Matrix3d::Identity() - projections_[static_cast<std::size_t>(of_row)].second;
        }
        block = kept;
      }
    }
  }

 private:
  Projections projections_;
  std::vector<int> place_;  // of each node among the projections, or -1
  Sparse identity_;
};

// One linearised step, all by expressions: entries of the stiffness searched, the system and S made anew,
// conjugate gradients from zero. The solve ends at the same residual in newtons as that of Body::step.
// Returns the iterations.
class ExpressionStep {
 public:
  ExpressionStep(const Body& body, const std::vector<int>& pinned, double dt, double alpha = 0,
                 double beta = 0)
      : system_(body, dt, alpha, beta), filter_(fixed(pinned), body.x.size() / 3), dt_(dt) {}

  template <class Project>
  long step(Body& body, const Eigen::Vector3d& gravity, double tolerance, Project&& project) {
    body.assemble_tangent_by_search(project);
    Eigen::VectorXd force = -body.gradient;
    for (Eigen::Index i = 0; i < force.size(); ++i) force(i) += body.mass(i) * gravity(i % 3);
    system_.build_by_expressions(body.matrix, force, body.v);
    const Sparse S = filter_.projection();
    const Sparse A = filter_.filtered(system_.A, S);
    const Eigen::VectorXd b = S * system_.b;
    const double goal = tolerance * (S * (body.mass.cwiseProduct(body.v) / dt_ + force)).norm() * dt_;
    solver_.setTolerance(goal / b.norm());
    solver_.compute(A);
    body.v += solver_.solve(b);
    body.x += dt_ * body.v;
    return solver_.iterations();
  }

 private:
  static SparseFilter::Projections fixed(const std::vector<int>& nodes) {
    SparseFilter::Projections result;
    for (const int node : nodes) result.emplace_back(node, Eigen::Matrix3d::Zero());
    return result;
  }

  VelocitySystem system_;
  SparseFilter filter_;
  double dt_;
  Body::Solver solver_;
};

}  // namespace baseline
