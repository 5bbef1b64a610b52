// The baseline for hexahedra: gradient and tangent of a Hex8 mesh in scalar Eigen, one element after the
// other, into a matrix whose sparsity is built once. The Hessian of a quadrature point is contracted with the
// shape gradients node by node, for the upper half only: a product with the 9x24 matrix of vec F = B x has
// five times the operations, most of them with zeros. Stable neo-Hookean, double.
#pragma once

#include "baseline/eigen_body.hpp"

#include <pliant/element/hex8.hpp>

namespace baseline {

class Hexahedra {
 public:
  Hexahedra(const pliant::Mesh<pliant::Hex8>& mesh, const pliant::Lame& lame)
      : energy_{lame.mu(), lame.lambda() + lame.mu()},
        x(Eigen::Map<const Eigen::VectorXd>(mesh.nodes.data(), mesh.nodes.size())),
        gradient(Eigen::VectorXd::Zero(x.size())) {
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(static_cast<std::size_t>(mesh.element_count()) * 576);
    for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
      Hex hex;
      Eigen::Matrix<double, 3, 8> X;
      for (int a = 0; a < 8; ++a) {
        hex.nodes[static_cast<std::size_t>(a)] = mesh.elements(a, e);
        X.col(a) = mesh.nodes.col(mesh.elements(a, e));
      }
      for (int q = 0; q < 8; ++q) {
        const Eigen::Matrix<double, 8, 3> reference = pliant::Hex8::shape_gradient(q);
        const Eigen::Matrix3d jacobian = X * reference;
        hex.gradients[static_cast<std::size_t>(q)] = reference * jacobian.inverse();
        hex.weights[static_cast<std::size_t>(q)] =
            pliant::Hex8::quadrature_weight(q) * jacobian.determinant();
      }
      hexes_.push_back(hex);
      for (int k = 0; k < 576; ++k) triplets.emplace_back(row(hex, k / 24), row(hex, k % 24), 1.0);
    }
    matrix.resize(x.size(), x.size());
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    matrix.makeCompressed();
    for (Hex& hex : hexes_) {
      for (int k = 0; k < 576; ++k) {
        hex.slots[static_cast<std::size_t>(k)] =
            static_cast<int>(&matrix.coeffRef(row(hex, k / 24), row(hex, k % 24)) - matrix.valuePtr());
      }
    }
  }

  double assemble_tangent() {
    gradient.setZero();
    Eigen::Map<Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros()).setZero();
    double total = 0;
    for (const Hex& hex : hexes_) {
      Eigen::Matrix<double, 3, 8> now;
      for (int a = 0; a < 8; ++a) now.col(a) = x.segment<3>(3 * hex.nodes[static_cast<std::size_t>(a)]);
      Eigen::Matrix<double, 3, 8> forces = Eigen::Matrix<double, 3, 8>::Zero();
      Eigen::Matrix<double, 24, 24> K = Eigen::Matrix<double, 24, 24>::Zero();
      for (std::size_t q = 0; q < 8; ++q) {
        const Eigen::Matrix<double, 8, 3>& G = hex.gradients[q];
        const double weight = hex.weights[q];
        const Eigen::Matrix3d F = now * G;
        total += weight * energy_.psi(F);
        forces.noalias() += weight * energy_.pk1(F) * G.transpose();
        const Matrix9d H = weight * energy_.hessian(F);
        for (int b = 0; b < 8; ++b) {
          Eigen::Matrix<double, 9, 3> HG = H.leftCols<3>() * G(b, 0);
          HG += H.middleCols<3>(3) * G(b, 1);
          HG += H.rightCols<3>() * G(b, 2);
          for (int a = 0; a <= b; ++a) {
            K.block<3, 3>(3 * a, 3 * b) +=
                G(a, 0) * HG.topRows<3>() + G(a, 1) * HG.middleRows<3>(3) + G(a, 2) * HG.bottomRows<3>();
          }
        }
      }
      for (int a = 0; a < 8; ++a) {
        gradient.segment<3>(3 * hex.nodes[static_cast<std::size_t>(a)]) += forces.col(a);
      }
      double* const values = matrix.valuePtr();
      for (int r = 0; r < 24; ++r) {
        for (int c = 0; c < 24; ++c) {
          values[hex.slots[static_cast<std::size_t>(24 * r + c)]] += r / 3 <= c / 3 ? K(r, c) : K(c, r);
        }
      }
    }
    return total;
  }

 private:
  struct Hex {
    std::array<int, 8> nodes;
    std::array<int, 576> slots;
    std::array<Eigen::Matrix<double, 8, 3>, 8> gradients;  // of the shape functions, at each point [1/m]
    std::array<double, 8> weights;                         // [m^3]
  };

  static int row(const Hex& hex, int k) { return 3 * hex.nodes[static_cast<std::size_t>(k / 3)] + k % 3; }

  StableNeoHookean energy_;
  std::vector<Hex> hexes_;

 public:
  Eigen::VectorXd x, gradient;  // [m], [N]
  Sparse matrix;                // both halves
};

}  // namespace baseline
