// A second implementation of the elastic body, dense and plain, that shares no code with the library: linear
// tetrahedra, lumped mass, stable neo-Hookean or linear elastic material.
#pragma once

#include "integrator/bodies.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include <pliant/element/tet4.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant::test {

enum class Law { linear, stable_neo_hookean };

class DenseBody {
 public:
  DenseBody(const Mesh<Tet4>& mesh, Law law, const Lame& lame, double density)
      : law_(law), mu_(lame.mu()), lambda_(lame.lambda()), mass_(node_masses(mesh, density)) {
    for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
      Tet tet;
      for (int a = 0; a < 4; ++a) tet.node[a] = mesh.elements(a, e);
      Eigen::Matrix3d rest;
      for (int a = 0; a < 3; ++a) rest.col(a) = mesh.nodes.col(tet.node[a + 1]) - mesh.nodes.col(tet.node[0]);
      tet.volume = rest.determinant() / 6;
      tet.gradients.rightCols<3>() = rest.inverse().transpose();
      tet.gradients.col(0) = -tet.gradients.rightCols<3>().rowwise().sum();
      tets_.push_back(tet);
    }
  }

  const Eigen::VectorXd& mass() const { return mass_; }  // per node [kg]

  // Per unknown [kg].
  Eigen::VectorXd masses() const {
    Eigen::VectorXd result(3 * mass_.size());
    for (Eigen::Index i = 0; i < result.size(); ++i) result(i) = mass_(i / 3);
    return result;
  }

  double energy(const Points& x) const {
    double total = 0;
    for (const Tet& tet : tets_) {
      const Eigen::Matrix3d F = deformation(tet, x);
      const Eigen::Matrix3d strain = (F + F.transpose()) / 2 - Eigen::Matrix3d::Identity();
      const double J = F.determinant(), trace = strain.trace();
      total += tet.volume * (law_ == Law::linear ? mu_ * strain.squaredNorm() + lambda_ / 2 * trace * trace
                                                 : mu_ / 2 * (F.squaredNorm() - 3) - mu_ * (J - 1) +
                                                       (lambda_ + mu_) / 2 * (J - 1) * (J - 1));
    }
    return total;
  }

  // dE/dx, 3 x nodes [N].
  Points gradient(const Points& x) const {
    Points g = Points::Zero(3, x.cols());
    for (const Tet& tet : tets_) {
      const Eigen::Matrix3d F = deformation(tet, x);
      Eigen::Matrix3d P;
      if (law_ == Law::linear) {
        const Eigen::Matrix3d strain = (F + F.transpose()) / 2 - Eigen::Matrix3d::Identity();
        P = 2 * mu_ * strain + lambda_ * strain.trace() * Eigen::Matrix3d::Identity();
      } else {
        P = mu_ * F + pressure(F) * cofactor(F);
      }
      for (int a = 0; a < 4; ++a) g.col(tet.node[a]) += tet.volume * P * tet.gradients.col(a);
    }
    return g;
  }

  // d2E/dx2 [N/m]; where `clamp` is true, each element's material Hessian is projected by a numerical
  // eigensolver.
  Eigen::MatrixXd stiffness(const Points& x, bool clamp = false) const {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(3 * x.cols(), 3 * x.cols());
    for (const Tet& tet : tets_) {
      Eigen::Matrix<double, 9, 9> H = hessian(deformation(tet, x));
      if (clamp) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>> eigen(H);
        H = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
            eigen.eigenvectors().transpose();
      }
      // vec(dF) = G dx, G(i + 3 j, 3 a + i) = grad N_a(j).
      Eigen::Matrix<double, 9, 12> G = Eigen::Matrix<double, 9, 12>::Zero();
      for (int a = 0; a < 4; ++a) {
        for (int j = 0; j < 3; ++j) {
          for (int i = 0; i < 3; ++i) G(i + 3 * j, 3 * a + i) = tet.gradients(j, a);
        }
      }
      const Eigen::Matrix<double, 12, 12> K_e = tet.volume * G.transpose() * H * G;
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          K.block<3, 3>(3 * tet.node[a], 3 * tet.node[b]) += K_e.block<3, 3>(3 * a, 3 * b);
        }
      }
    }
    return K;
  }

  // The damping matrix at x for beta = 1 s [N s/m]: the second derivative of v.D v / 2, the power that
  // Hooke's law at rest makes of the rate of strain, sym(F^T dv/dX), or sym(dv/dX) where the law is linear.
  Eigen::MatrixXd damping(const Points& x) const {
    using Strain = Eigen::Matrix<double, 6, 12>;  // xx, yy, zz, and sqrt(2) times yz, zx, xy
    Eigen::Matrix<double, 6, 6> hooke = 2 * mu_ * Eigen::Matrix<double, 6, 6>::Identity();
    hooke.topLeftCorner<3, 3>().array() += lambda_;
    Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * x.cols(), 3 * x.cols());
    for (const Tet& tet : tets_) {
      const Eigen::Matrix3d F = law_ == Law::linear ? Eigen::Matrix3d::Identity() : deformation(tet, x);
      Strain B;
      for (int k = 0; k < 12; ++k) {
        const Eigen::Matrix3d dF = Eigen::Vector3d::Unit(k % 3) * tet.gradients.col(k / 3).transpose();
        const Eigen::Matrix3d rate = (F.transpose() * dF + dF.transpose() * F) / 2;
        B.col(k) << rate.diagonal(), std::sqrt(2) * Eigen::Vector3d(rate(1, 2), rate(2, 0), rate(0, 1));
      }
      const Eigen::Matrix<double, 12, 12> D_e = tet.volume * B.transpose() * hooke * B;
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          D.block<3, 3>(3 * tet.node[a], 3 * tet.node[b]) += D_e.block<3, 3>(3 * a, 3 * b);
        }
      }
    }
    return D;
  }

 private:
  struct Tet {
    int node[4];
    double volume;
    Eigen::Matrix<double, 3, 4> gradients;  // of the shape functions, one column per node
  };

  static Eigen::Matrix3d deformation(const Tet& tet, const Points& x) {
    Eigen::Matrix3d F = Eigen::Matrix3d::Zero();
    for (int a = 0; a < 4; ++a) F += x.col(tet.node[a]) * tet.gradients.col(a).transpose();
    return F;
  }

  static Eigen::Matrix3d cofactor(const Eigen::Matrix3d& F) {
    const Eigen::Vector3d f0 = F.col(0), f1 = F.col(1), f2 = F.col(2);
    Eigen::Matrix3d result;
    result << f1.cross(f2), f2.cross(f0), f0.cross(f1);
    return result;
  }

  double pressure(const Eigen::Matrix3d& F) const { return (lambda_ + mu_) * (F.determinant() - 1) - mu_; }

  static Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
    Eigen::Matrix3d result;
    result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return result;
  }

  Eigen::Matrix<double, 9, 9> hessian(const Eigen::Matrix3d& F) const {
    using Matrix9 = Eigen::Matrix<double, 9, 9>;
    if (law_ == Law::linear) {
      Matrix9 H = mu_ * Matrix9::Identity();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          H(i + 3 * j, j + 3 * i) += mu_;
          H(4 * i, 4 * j) += lambda_;
        }
      }
      return H;
    }
    const Eigen::Matrix3d cof = cofactor(F);
    const Eigen::Map<const Eigen::Matrix<double, 9, 1>> g(cof.data());
    Matrix9 d2J = Matrix9::Zero();
    const Eigen::Matrix3d a0 = cross_matrix(F.col(0)), a1 = cross_matrix(F.col(1)),
                          a2 = cross_matrix(F.col(2));
    d2J.block<3, 3>(0, 3) = -a2;
    d2J.block<3, 3>(0, 6) = a1;
    d2J.block<3, 3>(3, 0) = a2;
    d2J.block<3, 3>(3, 6) = -a0;
    d2J.block<3, 3>(6, 0) = -a1;
    d2J.block<3, 3>(6, 3) = a0;
    return mu_ * Matrix9::Identity() + (lambda_ + mu_) * g * g.transpose() + pressure(F) * d2J;
  }

  Law law_;
  double mu_, lambda_;
  Eigen::VectorXd mass_;
  std::vector<Tet> tets_;
};

// 3 x nodes as one vector, and back.
inline Eigen::VectorXd stacked(const Points& x) { return x.reshaped(); }
inline Points unstacked(const Eigen::VectorXd& x) { return x.reshaped(3, x.size() / 3); }

}  // namespace pliant::test
