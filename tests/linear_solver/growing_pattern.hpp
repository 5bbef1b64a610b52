// Two bodies and springs between pairs of their nodes that come and go.
#pragma once

#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <pliant/assembly/growing_pattern.hpp>

namespace pliant::test {

template <int Dim, class Scalar>
class CoupledBodies {
 public:
  using Matrix = BlockMatrix<Dim, Scalar>;
  using Vector = NodeVector<Dim, Scalar>;
  using Block = typename Matrix::Block;

  // Another body of the same mesh stands beside the first, which is held.
  template <class Mesh>
  CoupledBodies(const Mesh& mesh, unsigned seed)
      : CoupledBodies(elastic_problem(mesh, {.nu = 0.4}),
                      elastic_problem(mesh, {.nu = 0.4, .state = Deformed::twisted, .held = false}), seed) {}

  // Springs leave, and others come: often none, at times all.
  void next_round() {
    std::uniform_real_distribution<double> chance(0, 1);
    const bool all_leave = chance(random_) < 0.1;
    std::erase_if(springs_, [&](const Spring&) { return all_leave || chance(random_) < 0.2; });
    const int more = all_leave || chance(random_) < 0.6 ? 0 : 6;
    for (int k = 0; k < more; ++k) springs_.push_back(random_spring());
    ask_for_pairs();
  }

  // One of them, and no other comes. Allocates nothing.
  void lose_a_spring() {
    springs_.pop_back();
    ask_for_pairs();
  }

  // The sum of the bodies and the springs, without a pattern.
  Eigen::MatrixXd dense_sum() const {
    Eigen::MatrixXd sum = eigen_view::dense(bodies_);
    for (const Spring& spring : springs_) {
      const Block K = spring.stiffness * spring.along;
      const Eigen::MatrixXd wide = K.template cast<double>();
      const int a = Dim * spring.nodes.a, b = Dim * spring.nodes.b;
      sum.block(a, a, Dim, Dim) += wide;
      sum.block(b, b, Dim, Dim) += wide;
      sum.block(a, b, Dim, Dim) -= wide;
      sum.block(b, a, Dim, Dim) -= wide.transpose();
    }
    return sum;
  }

  const Matrix& matrix() const { return A_; }
  const Vector& right_side() const { return b_; }
  const Vector& positions() const { return positions_; }
  int grown() const { return grown_; }  // how often the pattern has
  std::size_t springs() const { return springs_.size(); }

 private:
  struct Spring {
    NodePair nodes;
    Block along;       // n n^T, and a little of the identity
    Scalar stiffness;  // [N/m]
  };

  CoupledBodies(const ElasticProblem<Dim, Scalar>& first, const ElasticProblem<Dim, Scalar>& second,
                unsigned seed)
      : bodies_(side_by_side<Dim, Scalar>({&first.A, &second.A})),
        growing_(bodies_.shared_pattern()),
        A_(bodies_.shared_pattern()),
        b_(bodies_.rows()),
        positions_(bodies_.rows()),
        random_(seed) {
    const std::ptrdiff_t half = first.A.rows();
    for (std::ptrdiff_t i = 0; i < bodies_.rows(); ++i) {
      const ElasticProblem<Dim, Scalar>& body = i < half ? first : second;
      const std::ptrdiff_t node = i < half ? i : i - half;
      b_.node(i) = body.b.node(node);
      positions_.node(i) = body.positions.node(node);
      if (i >= half) positions_.node(i)(0) += Scalar(0.1f);
      stiffness_ = std::max(stiffness_, bodies_.diagonal(i).trace());
    }
    assemble();
  }

  void ask_for_pairs() {
    pairs_.clear();
    for (const Spring& spring : springs_) pairs_.push_back(spring.nodes);
    grown_ += growing_.require(pairs_);
    if (A_.shared_pattern() != growing_.pattern()) A_ = Matrix(growing_.pattern());
    assemble();
  }

  // All springs become a little stiffer.
  void assemble() {
    const BlockPattern& elements = bodies_.pattern();
    A_.set_zero();
    for (int i = 0; i < static_cast<int>(elements.rows()); ++i) {
      for (int k = elements.row_begin[static_cast<std::size_t>(i)];
           k < elements.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        A_.block(A_.pattern().slot(i, elements.columns[static_cast<std::size_t>(k)])) = bodies_.block(k);
      }
    }
    for (Spring& spring : springs_) {
      spring.stiffness *= Scalar(1.01f);
      const Block K = spring.stiffness * spring.along;
      A_.add(spring.nodes.a, spring.nodes.a, K);
      A_.add(spring.nodes.b, spring.nodes.b, K);
      A_.add(spring.nodes.a, spring.nodes.b, -K);
    }
  }

  Spring random_spring() {
    std::uniform_int_distribution<int> node(0, static_cast<int>(bodies_.rows()) - 1);
    std::uniform_real_distribution<double> number(-1, 1);
    Spring spring;
    do spring.nodes = {node(random_), node(random_)};
    while (spring.nodes.a == spring.nodes.b);
    SmallVector<Scalar, Dim> normal;
    for (int axis = 0; axis < Dim; ++axis) normal(axis) = static_cast<Scalar>(number(random_));
    spring.along = normal * normal.transpose() / normal.squaredNorm() + Scalar(0.1f) * Block::Identity();
    spring.stiffness = stiffness_ * static_cast<Scalar>(std::pow(10, number(random_)));
    return spring;
  }

  Matrix bodies_;
  GrowingPattern growing_;
  Matrix A_;
  Vector b_, positions_;
  std::vector<Spring> springs_;
  std::vector<NodePair> pairs_;  // theirs
  Scalar stiffness_ = 0;
  int grown_ = 0;
  std::mt19937 random_;
};

}  // namespace pliant::test
