// Systems that are no meshes, for the tests of whatever takes a System.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include <pliant/assembly/dense_system.hpp>

// Masses on a line, each joined to the one before it by a spring, the first one to a wall at 0:
//   E = k/2 sum_i (x_i - x_(i-1) - length)^2.
class Chain : public pliant::DenseSystem<1> {
 public:
  Chain(int masses, double mass, double stiffness, double length)
      : DenseSystem(Vector(Eigen::VectorXd::LinSpaced(masses, length, length * masses).eval()),
                    Vector(Eigen::VectorXd::Constant(masses, mass).eval())),
        stiffness_(stiffness),
        length_(length),
        K_(Eigen::MatrixXd::Zero(masses, masses)) {
    for (int i = 0; i < masses; ++i) {
      K_(i, i) += stiffness;
      if (i == 0) continue;
      K_(i - 1, i - 1) += stiffness;
      K_(i, i - 1) = K_(i - 1, i) = -stiffness;
    }
  }

  double energy(const Vector& x) const {
    double sum = 0;
    for (Eigen::Index i = 0; i < x.values().size(); ++i) {
      const double strain = x.values()[i] - (i > 0 ? x.values()[i - 1] : 0) - length_;
      sum += stiffness_ / 2 * strain * strain;
    }
    return sum;
  }
  double gradient(const Vector& x, Vector& g) const {
    g.values().noalias() = K_ * (x.values() - rest().values());
    return energy(x);
  }
  double tangent(const Vector& x, pliant::Projection, double scale, Vector& g, Matrix& A) const {
    A.values() = scale * K_;
    return gradient(x, g);
  }

  const Eigen::MatrixXd& stiffness() const { return K_; }

 private:
  double stiffness_, length_;
  Eigen::MatrixXd K_;
};

static_assert(pliant::ViewedSystem<Chain>);

// Its vibration about rest from displacements u, without velocities, as the sum of its modes: each is a
// number z = q + i q' / omega, which a step multiplies by step(omega).
template <class Step>
Eigen::VectorXd modal_displacement(const Chain& chain, const Eigen::VectorXd& u, int steps, Step&& step) {
  const double mass = chain.mass().values()[0];
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(chain.stiffness() / mass);
  Eigen::VectorXd q = modes.eigenvectors().transpose() * u;
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    q[k] *= std::real(std::pow(std::complex<double>(step(std::sqrt(modes.eigenvalues()[k]))), steps));
  }
  return modes.eigenvectors() * q;
}

// One node with two numbers of different masses, each on a spring of its own: E = (k_0 x^2 + k_1 y^2) / 2.
class TwoSprings : public pliant::DenseSystem<2> {
 public:
  TwoSprings(Eigen::Vector2d mass, Eigen::Vector2d stiffness)
      : DenseSystem(Vector(1), Vector(Eigen::VectorXd(mass))), k_(std::move(stiffness)) {}

  double energy(const Vector& x) const { return k_.dot(x.node(0).cwiseAbs2()) / 2; }
  double gradient(const Vector& x, Vector& g) const {
    g.node(0) = k_.cwiseProduct(x.node(0));
    return energy(x);
  }
  double tangent(const Vector& x, pliant::Projection, double scale, Vector& g, Matrix& A) const {
    A.values() = scale * k_.asDiagonal().toDenseMatrix();
    return gradient(x, g);
  }

 private:
  Eigen::Vector2d k_;
};

// A pendulum: one angle [rad] whose mass is m L^2 [kg m^2] and whose energy is m g L (1 - cos angle). The
// user sees where its bob is in the plane. The angle stays within [-pi, pi], outside of which it has no
// energy: displacements are not added.
class Pendulum : public pliant::DenseSystem<1> {
 public:
  static constexpr int space = 2;
  using Positions = pliant::NodeMatrix<double, 2>;
  static constexpr pliant::SystemAbilities abilities{.adds_displacements = false};

  Pendulum(double mass, double length, double gravity)
      : DenseSystem(Vector(1), Vector(Eigen::VectorXd::Constant(1, mass * length * length).eval())),
        length_(length),
        moment_(mass * length * gravity) {}

  double energy(const Vector& x) const {
    if (std::abs(angle(x)) > std::acos(-1.0)) return std::numeric_limits<double>::quiet_NaN();
    return moment_ * (1 - std::cos(angle(x)));
  }
  double gradient(const Vector& x, Vector& g) const {
    g.values()[0] = moment_ * std::sin(angle(x));
    return energy(x);
  }
  double tangent(const Vector& x, pliant::Projection projection, double scale, Vector& g, Matrix& A) const {
    const double stiffness = moment_ * std::cos(angle(x));
    A.values()(0, 0) =
        scale * (projection == pliant::Projection::none ? stiffness : std::max(stiffness, 0.0));
    return gradient(x, g);
  }

  void move(const Vector& x, const Vector& u, Vector& result) const {
    result.values()[0] = std::remainder(angle(x) + angle(u), 2 * std::acos(-1.0));
  }

  void show_positions(const Vector& x, Positions& p) const {
    p.col(0) = length_ * Eigen::Vector2d(std::sin(angle(x)), -std::cos(angle(x)));
  }
  void take_positions(const Positions& p, Vector& x) const { x.values()[0] = std::atan2(p(0, 0), -p(1, 0)); }
  void show_velocities(const Vector& x, const Vector& v, Positions& V) const {
    V.col(0) = angle(v) * along(x);
  }
  void take_velocities(const Vector& x, const Positions& V, Vector& v) const {
    v.values()[0] = V.col(0).dot(along(x)) / (length_ * length_);
  }
  void show_forces(const Vector& x, const Vector& f, Positions& F) const {
    F.col(0) = angle(f) / (length_ * length_) * along(x);
  }
  void take_forces(const Vector& x, const Positions& F, Vector& f) const {
    f.values()[0] = F.col(0).dot(along(x));
  }
  void add_gravity(const pliant::SmallVector<double, 2>&, Vector&) const {}  // it is in the energy

 private:
  static double angle(const Vector& x) { return x.values()[0]; }

  // Of the bob, by the angle [m].
  Eigen::Vector2d along(const Vector& x) const {
    return length_ * Eigen::Vector2d(std::cos(angle(x)), std::sin(angle(x)));
  }

  double length_, moment_;
};

static_assert(pliant::ViewedSystem<Pendulum>);
