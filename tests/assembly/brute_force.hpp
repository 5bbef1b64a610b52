// Assembly of a body the slow and obvious way: one element at a time, with the matrix G of
// vec(F) = G x_e, in double, projecting with an eigensolver. Everything in the mesh's own numbering.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include <pliant/element/tet4.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/mesh.hpp>

namespace brute_force {

using pliant::Mesh;
using pliant::Projection;
using pliant::Tet4;

struct Body {
  double energy = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd stiffness;
};

inline Eigen::MatrixXd projected(const Eigen::MatrixXd& H, Projection projection) {
  if (projection == Projection::none) return H;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  Eigen::VectorXd values = eigen.eigenvalues();
  for (double& value : values)
    value = projection == Projection::clamp ? std::max(value, 0.0) : std::abs(value);
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

// Energy, gradient and stiffness at the positions x (dim x #nodes).
template <class E, class Scalar, class Energy>
Body assemble(const Mesh<E, Scalar>& mesh, const Energy& energy, const Eigen::MatrixXd& x,
              Projection projection) {
  constexpr int d = E::dim, n = E::nodes;
  Body body;
  body.gradient.setZero(d * mesh.node_count());
  body.stiffness.setZero(d * mesh.node_count(), d * mesh.node_count());
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix<double, d, n> X, y;
    for (int a = 0; a < n; ++a) {
      X.col(a) = mesh.nodes.col(mesh.elements(a, e)).template cast<double>();
      y.col(a) = x.col(mesh.elements(a, e));
    }
    for (int q = 0; q < E::quadrature_points; ++q) {
      const Eigen::Matrix<double, d, d> J = X * E::shape_gradient(q);
      const Eigen::Matrix<double, n, d> grad_N = E::shape_gradient(q) * J.inverse();
      const double volume = E::quadrature_weight(q) * J.determinant();
      Eigen::Matrix<double, d * d, d* n> G = Eigen::Matrix<double, d * d, d * n>::Zero();
      for (int a = 0; a < n; ++a) {
        for (int j = 0; j < d; ++j) {
          for (int i = 0; i < d; ++i) G(i + d * j, d * a + i) = grad_N(a, j);
        }
      }
      const Eigen::Matrix<double, d * d, 1> f =
          G * Eigen::Map<const Eigen::Matrix<double, d * n, 1>>(y.data());
      const Eigen::Matrix<double, d, d> F = Eigen::Map<const Eigen::Matrix<double, d, d>>(f.data());
      const Eigen::Matrix<double, d, d> P = energy.pk1(F);
      const Eigen::VectorXd g =
          volume * G.transpose() * Eigen::Map<const Eigen::Matrix<double, d * d, 1>>(P.data());
      const Eigen::MatrixXd K = volume * G.transpose() * projected(energy.hessian(F), projection) * G;
      body.energy += volume * energy.psi(F);
      for (int a = 0; a < n; ++a) {
        const int row = d * mesh.elements(a, e);
        body.gradient.segment(row, d) += g.segment(d * a, d);
        for (int b = 0; b < n; ++b) {
          body.stiffness.block(row, d * mesh.elements(b, e), d, d) += K.block(d * a, d * b, d, d);
        }
      }
    }
  }
  return body;
}

// ---- bodies and positions to assemble

template <class Scalar, class E>
Mesh<E, Scalar> with_scalar(const Mesh<E>& mesh) {
  Mesh<E, Scalar> result;
  result.nodes = mesh.nodes.template cast<Scalar>();
  result.elements = mesh.elements;
  return result;
}

// Every node at random within `size` of where it was.
template <class Derived>
Eigen::MatrixXd perturbed(const Eigen::MatrixBase<Derived>& x, double size, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-size, size);
  Eigen::MatrixXd result = x.template cast<double>();
  for (std::ptrdiff_t k = 0; k < result.size(); ++k) result.data()[k] += number(random);
  return result;
}

// A box whose shells of cells have been bent to a ball of radius one.
inline Mesh<Tet4> ball(int cells) {
  Mesh<Tet4> mesh =
      pliant::make_box<Tet4>({.lengths = {2, 2, 2}, .cells = {cells, cells, cells}, .origin = {-1, -1, -1}});
  for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
    auto X = mesh.nodes.col(i);
    if (X.norm() > 0) X *= X.cwiseAbs().maxCoeff() / X.norm();
  }
  return mesh;
}

// The first `count` elements of a box, and the nodes they use.
inline Mesh<Tet4> first_elements(int count) {
  const Mesh<Tet4> box = pliant::make_box<Tet4>({.cells = {3, 2, 1}, .split = pliant::Split::kuhn});
  std::vector<int> number(static_cast<std::size_t>(box.node_count()), -1);
  Mesh<Tet4> mesh;
  mesh.elements = box.elements.leftCols(count);
  mesh.nodes.resize(3, box.node_count());
  int next = 0;
  for (std::ptrdiff_t k = 0; k < mesh.elements.size(); ++k) {
    int& node = mesh.elements.data()[k];
    int& mine = number[static_cast<std::size_t>(node)];
    if (mine < 0) {
      mine = next++;
      mesh.nodes.col(mine) = box.nodes.col(node);
    }
    node = mine;
  }
  mesh.nodes.conservativeResize(3, next);
  return mesh;
}

template <class T>
std::vector<T> shuffled(std::vector<T> list, std::mt19937& random) {
  std::shuffle(list.begin(), list.end(), random);
  return list;
}

inline std::vector<int> random_permutation(std::ptrdiff_t count, std::mt19937& random) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return shuffled(std::move(numbers), random);
}

}  // namespace brute_force
