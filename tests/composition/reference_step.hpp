// A second implementation of one step, for bodies of any element: dense and plain. Of the library it takes
// the mesh and the stress P of the energy, which have their own proofs.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <pliant/element/hex8.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant::test {

// Makes residual(x) vanish at the unknowns by changing x there: Newton's method with a Jacobian of central
// differences. Throws std::runtime_error where it does not get there.
void solve_for(const std::vector<Eigen::Index>& unknowns, Eigen::VectorXd& x,
               const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& residual);

// dN_a/dxi_j at xi, by [a][j], and the points and weights of the quadrature, written down once more.
template <class E>
struct PlainElement;

template <int Dim>
struct PlainSimplex {
  static constexpr double weight = Dim == 2 ? 1.0 / 2 : 1.0 / 6;

  static std::vector<std::array<double, Dim>> points() { return {std::array<double, Dim>{}}; }
  static double shape(int, const std::array<double, Dim>&) { return 1.0 / (Dim + 1); }
  static double slope(int a, int j, const std::array<double, Dim>&) {
    if (a == 0) return -1;
    return a == j + 1 ? 1 : 0;
  }
};

template <>
struct PlainElement<Tri3> : PlainSimplex<2> {};

template <>
struct PlainElement<Tet4> : PlainSimplex<3> {};

template <>
struct PlainElement<Hex8> {
  static constexpr double weight = 1;
  static constexpr int corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

  static std::vector<std::array<double, 3>> points() {
    std::vector<std::array<double, 3>> result;
    for (const auto& corner : corners) {
      result.push_back({0.57735026918962576 * corner[0], 0.57735026918962576 * corner[1],
                        0.57735026918962576 * corner[2]});
    }
    return result;
  }
  static double shape(int a, const std::array<double, 3>& xi) {
    return (1 + corners[a][0] * xi[0]) * (1 + corners[a][1] * xi[1]) * (1 + corners[a][2] * xi[2]) / 8;
  }
  static double slope(int a, int j, const std::array<double, 3>& xi) {
    double product = corners[a][j] / 8.0;
    for (int k = 0; k < 3; ++k) {
      if (k != j) product *= 1 + corners[a][k] * xi[static_cast<std::size_t>(k)];
    }
    return product;
  }
};

// Elastic forces and lumped masses. Positions are dim numbers per node, one node after the other.
template <class E, class Energy>
class PlainBody {
 public:
  PlainBody(const Mesh<E, double>& mesh, Energy energy, double density)
      : mesh_(mesh), energy_(std::move(energy)), mass_(Eigen::VectorXd::Zero(dim * mesh.node_count())) {
    using Plain = PlainElement<E>;
    for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
      for (const auto& xi : Plain::points()) {
        Point point{.element = e};
        Matrix J = Matrix::Zero();
        for (int a = 0; a < E::nodes; ++a) {
          for (int i = 0; i < dim; ++i) {
            for (int j = 0; j < dim; ++j) J(i, j) += mesh.nodes(i, node(e, a)) * Plain::slope(a, j, xi);
          }
        }
        const Matrix adjugate = adjugate_of(J);
        double det = 0;
        for (int k = 0; k < dim; ++k) det += J(0, k) * adjugate(k, 0);
        point.volume = det * Plain::weight;
        for (int a = 0; a < E::nodes; ++a) {
          for (int i = 0; i < dim; ++i) {
            point.gradients(i, a) = 0;
            for (int j = 0; j < dim; ++j) {
              point.gradients(i, a) += Plain::slope(a, j, xi) * adjugate(j, i) / det;
            }
            mass_(dim * node(e, a) + i) += density * point.volume * Plain::shape(a, xi);
          }
        }
        points_.push_back(point);
      }
    }
  }

  const Eigen::VectorXd& mass() const { return mass_; }  // per unknown [kg]

  // dE/dx [N].
  Eigen::VectorXd gradient(const Eigen::VectorXd& x) const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(x.size());
    for (const Point& point : points_) {
      Matrix F = Matrix::Zero();
      for (int a = 0; a < E::nodes; ++a) {
        for (int i = 0; i < dim; ++i) {
          for (int j = 0; j < dim; ++j)
            F(i, j) += x(dim * node(point.element, a) + i) * point.gradients(j, a);
        }
      }
      const Matrix P = energy_.pk1(F);
      for (int a = 0; a < E::nodes; ++a) {
        for (int i = 0; i < dim; ++i) {
          for (int j = 0; j < dim; ++j) {
            result(dim * node(point.element, a) + i) += point.volume * P(i, j) * point.gradients(j, a);
          }
        }
      }
    }
    return result;
  }

 private:
  static constexpr int dim = E::dim;
  using Matrix = Eigen::Matrix<double, dim, dim>;

  struct Point {
    std::ptrdiff_t element;
    double volume = 0;
    Eigen::Matrix<double, dim, E::nodes> gradients{};  // of the shape functions, one column per node
  };

  int node(std::ptrdiff_t element, int a) const { return mesh_.elements(a, element); }

  static Matrix adjugate_of(const Matrix& J) {
    Matrix result;
    if constexpr (dim == 2) {
      result(0, 0) = J(1, 1);
      result(1, 1) = J(0, 0);
      result(0, 1) = -J(0, 1);
      result(1, 0) = -J(1, 0);
    } else {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
          result(i, j) = J(p, r) * J(q, s) - J(p, s) * J(q, r);
        }
      }
    }
    return result;
  }

  const Mesh<E, double>& mesh_;
  Energy energy_;
  Eigen::VectorXd mass_;
  std::vector<Point> points_;
};

}  // namespace pliant::test
