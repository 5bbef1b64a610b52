// Block matrices and node vectors as plain Eigen objects, and random ones to start from.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <pliant/assembly/block_matrix.hpp>

namespace eigen_view {

using pliant::Adjacency;
using pliant::BlockMatrix;
using pliant::BlockPattern;
using pliant::NodeVector;

// The node number that row i of a matrix or vector has in the Eigen object.
inline std::vector<int> same_numbers(std::ptrdiff_t count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  return numbers;
}

// All of the matrix, both halves.
template <class Matrix>
Eigen::SparseMatrix<double> sparse(const Matrix& A, const std::vector<int>& numbers) {
  constexpr int dim = Matrix::dim;
  const BlockPattern& pattern = A.pattern();
  std::vector<Eigen::Triplet<double>> triplets;
  for (int i = 0; i < static_cast<int>(A.rows()); ++i) {
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      const int j = pattern.columns[static_cast<std::size_t>(k)];
      const int row = dim * numbers[static_cast<std::size_t>(i)],
                column = dim * numbers[static_cast<std::size_t>(j)];
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) {
          const auto value = static_cast<double>(A.block(k)(r, c));
          triplets.emplace_back(row + r, column + c, value);
          if (i != j) triplets.emplace_back(column + c, row + r, value);
        }
      }
    }
  }
  Eigen::SparseMatrix<double> result(dim * A.rows(), dim * A.rows());
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

template <class Matrix>
Eigen::SparseMatrix<double> sparse(const Matrix& A) {
  return sparse(A, same_numbers(A.rows()));
}

template <class Matrix>
Eigen::MatrixXd dense(const Matrix& A) {
  return Eigen::MatrixXd(sparse(A));
}

template <int Dim, class Scalar>
Eigen::VectorXd stacked(const NodeVector<Dim, Scalar>& x) {
  Eigen::VectorXd result(Dim * x.nodes());
  for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
    result.segment(Dim * i, Dim) = x.node(i).template cast<double>();
  }
  return result;
}

template <int Dim, class Scalar>
NodeVector<Dim, Scalar> node_vector(const Eigen::VectorXd& x) {
  NodeVector<Dim, Scalar> result(x.size() / Dim);
  for (std::ptrdiff_t i = 0; i < result.nodes(); ++i) {
    result.node(i) = x.segment(Dim * i, Dim).template cast<Scalar>();
  }
  return result;
}

template <int Dim, class Scalar>
NodeVector<Dim, Scalar> random_vector(std::ptrdiff_t nodes, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  Eigen::VectorXd x(Dim * nodes);
  for (double& entry : x) entry = number(random);
  return node_vector<Dim, Scalar>(x);
}

// Numbers stored beside the entries of the nodes: the fourth of each node in 3D, and those after the last
// node.
template <int Dim, class Scalar>
bool padding_is_zero(const NodeVector<Dim, Scalar>& x) {
  constexpr int stride = pliant::node_stride<Dim>;
  const std::ptrdiff_t stored = (x.nodes() * stride + 7) / 8 * 8;
  for (std::ptrdiff_t k = 0; k < stored; ++k) {
    const bool padding = k >= x.nodes() * stride || k % stride >= Dim;
    if (padding && x.data()[k] != Scalar(0)) return false;
  }
  return true;
}

template <int Dim, class Scalar>
bool same_bits(const NodeVector<Dim, Scalar>& x, const NodeVector<Dim, Scalar>& y) {
  return x.nodes() == y.nodes() &&
         std::memcmp(x.data(), y.data(),
                     static_cast<std::size_t>(x.nodes() * pliant::node_stride<Dim>) * sizeof(Scalar)) == 0;
}

template <class T>
bool same_bits(const T& x, const T& y) requires std::is_floating_point_v<T> {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

template <int Dim, class Scalar>
bool same_bits(const BlockMatrix<Dim, Scalar>& A, const BlockMatrix<Dim, Scalar>& B) {
  return A.pattern().blocks() == B.pattern().blocks() &&
         std::memcmp(A.values(), B.values(),
                     static_cast<std::size_t>(A.pattern().blocks()) * Dim * Dim * sizeof(Scalar)) == 0;
}

// The graph with these rows of neighbours, in any order and with repetitions.
inline Adjacency graph_of_rows(std::vector<std::vector<int>> rows) {
  Adjacency graph;
  graph.begin.push_back(0);
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.list.insert(graph.list.end(), row.begin(), row.end());
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  return graph;
}

// Every node has a few neighbours close by in the numbering and now and then one anywhere.
inline std::shared_ptr<const BlockPattern> random_pattern(int nodes, std::mt19937& random) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
  std::uniform_int_distribution<int> close(1, 60), anywhere(0, nodes - 1), chance(0, 49);
  for (int i = 0; i < nodes; ++i) {
    for (int k = 0; k < 5; ++k) {
      const int j = chance(random) == 0 ? anywhere(random) : i + close(random);
      if (j == i || j >= nodes) continue;
      rows[static_cast<std::size_t>(i)].push_back(j);
      rows[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  return std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph_of_rows(std::move(rows))));
}

// Symmetric and, with `dominance` above one, positive definite by diagonal dominance.
template <int Dim, class Scalar>
BlockMatrix<Dim, Scalar> random_symmetric(const std::shared_ptr<const BlockPattern>& pattern,
                                          std::mt19937& random, double dominance = 0) {
  std::uniform_real_distribution<double> number(-1, 1);
  BlockMatrix<Dim, Scalar> A(pattern);
  for (std::ptrdiff_t k = 0; k < pattern->blocks() * Dim * Dim; ++k) {
    A.values()[k] = static_cast<Scalar>(number(random));
  }
  for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
    const typename BlockMatrix<Dim, Scalar>::Block block = A.diagonal(i);
    A.diagonal(i) = (block + block.transpose()) / 2;
  }
  if (dominance > 0) {
    const Eigen::SparseMatrix<double> full = sparse(A);
    const Eigen::VectorXd sums = full.cwiseAbs() * Eigen::VectorXd::Ones(full.cols());
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      for (int r = 0; r < Dim; ++r) A.diagonal(i)(r, r) += static_cast<Scalar>(dominance * sums(Dim * i + r));
    }
  }
  return A;
}

}  // namespace eigen_view
