// The baseline: a straightforward finite-element program in Eigen, written with care for speed where it costs
// no effort. Everything is allocated once; the sparsity is built once from triplets and the values are
// refreshed in place through precomputed positions; the element loop is scalar with fixed-size matrices.
// Stable neo-Hookean, Tet4, double.
#pragma once

#include <array>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>

#include <pliant/element/tet4.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/mesh/mesh.hpp>

namespace baseline {

using Matrix9d = Eigen::Matrix<double, 9, 9>;
using Matrix12d = Eigen::Matrix<double, 12, 12>;
using Vector9d = Eigen::Matrix<double, 9, 1>;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

struct StableNeoHookean {
  double mu, lambda;

  static Eigen::Matrix3d cofactor(const Eigen::Matrix3d& F) {
    Eigen::Matrix3d C;
    C.col(0) = F.col(1).cross(F.col(2));
    C.col(1) = F.col(2).cross(F.col(0));
    C.col(2) = F.col(0).cross(F.col(1));
    return C;
  }

  double psi(const Eigen::Matrix3d& F) const {
    const double J = F.determinant();
    return 0.5 * mu * (F.squaredNorm() - 3) - mu * (J - 1) + 0.5 * lambda * (J - 1) * (J - 1);
  }

  Eigen::Matrix3d pk1(const Eigen::Matrix3d& F) const {
    return mu * F + (lambda * (F.determinant() - 1) - mu) * cofactor(F);
  }

  Matrix9d hessian(const Eigen::Matrix3d& F) const {
    const Eigen::Matrix3d C = cofactor(F);
    const Eigen::Map<const Vector9d> g(C.data());
    const double slope = lambda * (F.determinant() - 1) - mu;
    Matrix9d H = lambda * g * g.transpose();
    H.diagonal().array() += mu;
    const auto cross = [&](int column) {
      Eigen::Matrix3d hat;
      hat << 0, -F(2, column), F(1, column), F(2, column), 0, -F(0, column), -F(1, column), F(0, column), 0;
      return Eigen::Matrix3d(slope * hat);
    };
    const Eigen::Matrix3d f0 = cross(0), f1 = cross(1), f2 = cross(2);
    H.block<3, 3>(0, 3) -= f2;
    H.block<3, 3>(3, 0) += f2;
    H.block<3, 3>(0, 6) += f1;
    H.block<3, 3>(6, 0) -= f1;
    H.block<3, 3>(3, 6) -= f0;
    H.block<3, 3>(6, 3) += f0;
    return H;
  }
};

class Body {
 public:
  using Solver = Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper>;  // diagonal preconditioner

  Body(const pliant::Mesh<pliant::Tet4>& mesh, const pliant::Lame& lame, double density,
       const std::vector<int>& pinned)
      : energy_{lame.mu(), lame.lambda() + lame.mu()},
        x(Eigen::Map<const Eigen::VectorXd>(mesh.nodes.data(), mesh.nodes.size())),
        v(Eigen::VectorXd::Zero(x.size())),
        mass(Eigen::VectorXd::Zero(x.size())),
        free_(Eigen::VectorXd::Ones(x.size())) {
    Eigen::setNbThreads(1);  // where OpenMP is on, Eigen shares its row-major product out
    for (const int node : pinned) free_.segment<3>(3 * node).setZero();
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(static_cast<std::size_t>(mesh.element_count()) * 144);
    for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
      Tet tet;
      Eigen::Matrix3d edges;
      for (int a = 0; a < 4; ++a) tet.nodes[static_cast<std::size_t>(a)] = mesh.elements(a, e);
      for (int a = 0; a < 3; ++a)
        edges.col(a) =
            mesh.nodes.col(tet.nodes[static_cast<std::size_t>(a) + 1]) - mesh.nodes.col(tet.nodes[0]);
      tet.inverse = edges.inverse();
      tet.volume = edges.determinant() / 6;
      Eigen::Matrix<double, 4, 3> shape;
      shape.bottomRows<3>() = tet.inverse;
      shape.row(0) = -tet.inverse.colwise().sum();
      tet.map.setZero();
      for (int a = 0; a < 4; ++a) {
        for (int j = 0; j < 3; ++j) tet.map.block<3, 3>(3 * j, 3 * a).diagonal().setConstant(shape(a, j));
        mass.segment<3>(3 * tet.nodes[static_cast<std::size_t>(a)]).array() += density * tet.volume / 4;
      }
      tets_.push_back(tet);
      for (int k = 0; k < 144; ++k) triplets.emplace_back(row(tet, k / 12), row(tet, k % 12), 1.0);
    }
    matrix.resize(x.size(), x.size());
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    matrix.makeCompressed();
    for (Tet& tet : tets_) {
      for (int k = 0; k < 144; ++k) {
        tet.slots[static_cast<std::size_t>(k)] =
            static_cast<int>(&matrix.coeffRef(row(tet, k / 12), row(tet, k % 12)) - matrix.valuePtr());
      }
    }
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      diagonal_.push_back(static_cast<int>(&matrix.coeffRef(i, i) - matrix.valuePtr()));
    }
    gradient.resize(x.size());
    right_side.resize(x.size());
    step_.resize(x.size());
  }

  double assemble_gradient() {
    gradient.setZero();
    double total = 0;
    for (const Tet& tet : tets_) {
      const Eigen::Matrix3d F = deformation_gradient(tet);
      total += tet.volume * energy_.psi(F);
      const Eigen::Matrix3d P = energy_.pk1(F);
      add_gradient(tet, P);
    }
    return total;
  }

  // `project` maps the 9x9 Hessian, e.g. to its positive semidefinite part.
  template <class Project>
  double assemble_tangent(Project&& project) {
    clear_matrix();
    return visit(project, [this](const Tet& tet, const Matrix12d& K) {
      double* const values = matrix.valuePtr();
      for (int r = 0; r < 12; ++r) {
        for (int c = 0; c < 12; ++c) values[tet.slots[static_cast<std::size_t>(12 * r + c)]] += K(r, c);
      }
    });
  }

  // The same without positions known before: each entry is searched in its row, whose pattern is kept.
  template <class Project>
  double assemble_tangent_by_search(Project&& project) {
    clear_matrix();
    return visit(project, [this](const Tet& tet, const Matrix12d& K) {
      for (int r = 0; r < 12; ++r) {
        for (int c = 0; c < 12; ++c) matrix.coeffRef(row(tet, r), row(tet, c)) += K(r, c);
      }
    });
  }

  // The same from triplets, whose memory is kept.
  template <class Project>
  double assemble_tangent_from_triplets(Project&& project) {
    triplets_.clear();
    const double total = visit(project, [this](const Tet& tet, const Matrix12d& K) {
      for (int r = 0; r < 12; ++r) {
        for (int c = 0; c < 12; ++c) triplets_.emplace_back(row(tet, r), row(tet, c), K(r, c));
      }
    });
    matrix.setFromTriplets(triplets_.begin(), triplets_.end());
    return total;
  }

  // What these have in common: the element matrices, which go nowhere.
  template <class Project>
  double element_matrices(Project&& project) {
    return visit(project, [this](const Tet&, const Matrix12d& K) { sum_ += K; });
  }

  // One linearly implicit backward Euler step: (M / dt^2 + K) d = M v / dt + M g - dE/dx. Returns CG
  // iterations.
  template <class Project>
  long step(double dt, const Eigen::Vector3d& gravity, double tolerance, Project&& project) {
    build_system(dt, gravity, project);
    solver_.setTolerance(tolerance);
    solver_.compute(matrix);
    // The last step is the best guess of those that cost nothing; held nodes have no velocity.
    step_ = dt * v;
    step_ = solver_.solveWithGuess(right_side, step_);
    x += step_;
    v = step_ / dt;
    return solver_.iterations();
  }

  // The matrix and right-hand side of that step.
  template <class Project>
  void build_system(double dt, const Eigen::Vector3d& gravity, Project&& project) {
    assemble_tangent(project);
    right_side = mass.cwiseProduct(v) / dt - gradient;
    for (Eigen::Index i = 0; i < x.size(); ++i) right_side(i) += mass(i) * gravity(i % 3);
    double* const values = matrix.valuePtr();
    for (Eigen::Index i = 0; i < x.size(); ++i)
      values[diagonal_[static_cast<std::size_t>(i)]] += mass(i) / (dt * dt);
    hold();
  }

 private:
  struct Tet {
    std::array<int, 4> nodes;
    std::array<int, 144> slots;
    Eigen::Matrix3d inverse;
    double volume;
    Eigen::Matrix<double, 9, 12> map;  // vec(F) = map * x_e
  };

  static int row(const Tet& tet, int k) { return 3 * tet.nodes[static_cast<std::size_t>(k / 3)] + k % 3; }

  void clear_matrix() { Eigen::Map<Eigen::VectorXd>(matrix.valuePtr(), matrix.nonZeros()).setZero(); }

  // Energy and gradient; calls use(tet, K) with the stiffness of each element.
  template <class Project, class Use>
  double visit(Project&& project, Use&& use) {
    gradient.setZero();
    double total = 0;
    for (const Tet& tet : tets_) {
      const Eigen::Matrix3d F = deformation_gradient(tet);
      total += tet.volume * energy_.psi(F);
      add_gradient(tet, energy_.pk1(F));
      const Matrix9d H = project(energy_.hessian(F));
      const Matrix12d K = tet.volume * (tet.map.transpose() * (H * tet.map));
      use(tet, K);
    }
    return total;
  }

  Eigen::Matrix3d deformation_gradient(const Tet& tet) const {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) {
      edges.col(a) =
          x.segment<3>(3 * tet.nodes[static_cast<std::size_t>(a) + 1]) - x.segment<3>(3 * tet.nodes[0]);
    }
    return edges * tet.inverse;
  }

  void add_gradient(const Tet& tet, const Eigen::Matrix3d& P) {
    const Eigen::Matrix3d forces = tet.volume * P * tet.inverse.transpose();
    for (int a = 0; a < 3; ++a)
      gradient.segment<3>(3 * tet.nodes[static_cast<std::size_t>(a) + 1]) += forces.col(a);
    gradient.segment<3>(3 * tet.nodes[0]) -= forces.rowwise().sum();
  }

  // Pinned rows and columns become those of a diagonal matrix.
  void hold() {
    for (int r = 0; r < matrix.outerSize(); ++r) {
      for (Sparse::InnerIterator entry(matrix, r); entry; ++entry) {
        if (entry.col() != r && (free_(r) == 0 || free_(entry.col()) == 0)) entry.valueRef() = 0;
      }
    }
    right_side = right_side.cwiseProduct(free_);
  }

  StableNeoHookean energy_;

 public:
  Eigen::VectorXd x, v;      // positions [m], velocities [m/s], stacked
  Eigen::VectorXd mass;      // lumped [kg]
  Eigen::VectorXd gradient;  // dE/dx [N]
  Sparse matrix;             // stiffness, or the system matrix after a step
  Eigen::VectorXd right_side;

 private:
  std::vector<Tet> tets_;
  std::vector<int> diagonal_;
  std::vector<Eigen::Triplet<double>> triplets_;
  Matrix12d sum_ = Matrix12d::Zero();
  Eigen::VectorXd free_, step_;
  Solver solver_;
};

// What a program without an analytic eigensystem does.
inline Matrix9d clamp_numerically(const Matrix9d& H) {
  const Eigen::SelfAdjointEigenSolver<Matrix9d> eigen(H);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

inline const Matrix9d& as_it_is(const Matrix9d& H) { return H; }

}  // namespace baseline
