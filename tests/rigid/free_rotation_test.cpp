// Free rotation against closed forms, elliptic integrals and a fine Runge-Kutta method.
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/rigid/free_rotation.hpp>

using namespace pliant;

namespace {

using Vector3 = SmallVector<double, 3>;
using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

// A free body, whose angular momentum is stored in its own axes.
struct Spinning {
  Vector3 moments;
  Vector3 p;  // [kg m^2/s]
  UnitQuaternion<double> q = UnitQuaternion<double>::identity();

  Spinning(const Vector3& inertia, const Vector3& omega) : moments(inertia), p(inertia.cwiseProduct(omega)) {}

  void step(double dt) {
    const auto turn = free_rotation(moments, dt * p.cwiseQuotient(moments));
    p = detail::algebra::transposed_times<double, 3, 3, 1>(rotation_matrix(turn), p);
    q = detail::algebra::normalized(q * turn);
  }
  Vector3 omega() const { return p.cwiseQuotient(moments); }
  Matrix3d orientation() const { return rotation_matrix(q); }
  Vector3d momentum() const { return orientation() * p; }  // in the world
  double energy() const { return p.dot(omega()) / 2; }
};

// The orientation after a time by Euler's equations and R' = R [omega]x, with the classical method of
// order 4.
Matrix3d by_runge_kutta(const Vector3d& moments, Vector3d omega, double time, int steps) {
  Matrix3d R = Matrix3d::Identity();
  const auto rates = [&](const Matrix3d& at, const Vector3d& w) {
    Matrix3d skew;
    skew << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    return std::pair<Matrix3d, Vector3d>(at * skew, moments.cwiseProduct(w).cross(w).cwiseQuotient(moments));
  };
  const double h = time / steps;
  for (int k = 0; k < steps; ++k) {
    const auto [R1, w1] = rates(R, omega);
    const auto [R2, w2] = rates(R + h / 2 * R1, omega + h / 2 * w1);
    const auto [R3, w3] = rates(R + h / 2 * R2, omega + h / 2 * w2);
    const auto [R4, w4] = rates(R + h * R3, omega + h * w3);
    R += h / 6 * (R1 + 2 * R2 + 2 * R3 + R4);
    omega += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  }
  return R;
}

const Vector3 racket(3, 2, 1);  // kg m^2

}  // namespace

TEST_CASE("free_rotation: a million steps keep the angular momentum, and the energy within a band") {
  Spinning body(racket, {-0.8, 1.5, 0.4});
  const Vector3d start = body.momentum();
  const double energy = body.energy();
  double lost = 0;
  const auto largest_error_of_energy = [&](int steps) {
    double largest = 0;
    for (int k = 0; k < steps; ++k) {
      body.step(0.01);
      largest = std::max(largest, std::abs(body.energy() / energy - 1));
      if (k % 1000 == 0) lost = std::max(lost, (body.momentum() - start).norm() / start.norm());
    }
    return largest;
  };
  const double first = largest_error_of_energy(100000);
  largest_error_of_energy(800000);
  const double last = largest_error_of_energy(100000);
  CHECK(lost < 1e-12);
  CHECK(first < 1e-4);
  CHECK(last == Approx(first).epsilon(0.02));  // no trend
}

TEST_CASE("free_rotation: second order, against a Runge-Kutta method") {
  const Vector3 omega(-0.8, 1.5, 0.4);
  const Matrix3d exact = by_runge_kutta(racket, omega, 4, 20000);
  const auto error = [&](int steps) {
    Spinning body(racket, omega);
    for (int k = 0; k < steps; ++k) body.step(4. / steps);
    return (body.orientation() - exact).norm();
  };
  const double coarse = error(200), fine = error(400);
  CHECK(fine < 1e-3);
  CHECK(coarse / fine == Approx(4).epsilon(0.02));
}

TEST_CASE("free_rotation: steps go back to where they came from") {
  Spinning body(racket, {-0.8, 1.5, 0.4});
  for (int k = 0; k < 100; ++k) body.step(0.1);
  CHECK((body.orientation() - Matrix3d::Identity()).norm() > 0.5);
  for (int k = 0; k < 100; ++k) body.step(-0.1);
  CHECK((body.orientation() - Matrix3d::Identity()).norm() < 1e-13);
}

// Rotation about the middle axis is unstable: the body tumbles with the period of an elliptic integral.
TEST_CASE("free_rotation: a tennis racket flips at the times of the elliptic integral") {
  const Vector3 omega(0, 5, 1e-3);
  const double twice_energy = racket.cwiseProduct(omega).dot(omega);
  const double square = racket.cwiseProduct(omega).squaredNorm();
  const double a = racket[2], b = racket[1], c = racket[0];
  // Landau and Lifshitz, Mechanics, section 37; L^2 < 2 E I_2, which exchanges the first and third axes.
  REQUIRE(square < twice_energy * b);
  const double rate = std::sqrt((b - a) * (twice_energy * c - square) / (a * b * c));
  const double modulus =
      std::sqrt((c - b) * (square - twice_energy * a) / ((b - a) * (twice_energy * c - square)));
  const double half_period = 2 * std::comp_ellint_1(modulus) / rate;
  CHECK(half_period == Approx(6.861337).epsilon(1e-6));

  for (const auto& [dt, band] : {std::pair{1. / 60, 6.1e-5}, std::pair{1. / 240, 3.8e-6}}) {
    Spinning body(racket, omega);
    const double energy = body.energy();
    std::vector<double> flips;
    double worst = 0;
    for (int k = 1; k * dt <= 60; ++k) {
      const double before = body.omega()[1];
      body.step(dt);
      const double after = body.omega()[1];
      if (before * after < 0) flips.push_back(dt * (k - 1 + before / (before - after)));
      worst = std::max(worst, std::abs(body.energy() / energy - 1));
    }
    INFO("dt " << dt);
    REQUIRE(flips.size() == 9);
    CHECK(flips.front() == Approx(half_period / 2).margin(dt));
    CHECK(flips.front() == Approx(3.430669).margin(dt));
    CHECK(worst < band);
    CHECK((body.momentum() - Vector3d(racket.cwiseProduct(omega))).norm() < 1e-13 * std::sqrt(square));
  }
}

// The axis of a symmetric body turns about L at |L| / I, and the body about its axis at (1 - I_3 / I)
// omega_3, with the moment I_3 about its axis and I across it.
TEST_CASE("free_rotation: a symmetric body precesses exactly as in the closed form") {
  const auto check = [](const Vector3& moments, const Vector3& omega, int axis) {
    const double across = moments[(axis + 1) % 3], time = 2;
    const Vector3d L = moments.cwiseProduct(omega);
    const Matrix3d exact = AngleAxisd(L.norm() / across * time, L.normalized()).toRotationMatrix() *
                           AngleAxisd((1 - moments[axis] / across) * omega[axis] * time, Vector3d::Unit(axis))
                               .toRotationMatrix();
    CHECK((by_runge_kutta(moments, omega, time, 20000) - exact).norm() < 1e-10);
    for (const int steps : {1, 7, 480}) {
      Spinning body(moments, omega);
      for (int k = 0; k < steps; ++k) body.step(time / steps);
      CHECK((body.orientation() - exact).norm() < 1e-12);
    }
  };
  check({2, 1, 1}, {5, 1, 0}, 0);    // a disc, which precesses in space at 10.05 rad/s
  check({3, 3, 1}, {0.3, 2, 4}, 2);  // a rod
  check({2, 2, 2}, {0.3, 2, 4}, 2);  // a ball
}

TEST_CASE("free_rotation: a thin rod does not spin about itself") {
  Spinning rod({1, 1, 1e-8}, {1, 2, 0});
  for (int k = 0; k < 1000; ++k) rod.step(0.1);
  CHECK(std::abs(rod.omega()[2]) < 1e-6);
  CHECK((rod.omega() - Vector3(1, 2, 0)).norm() < 1e-6);
}

TEST_CASE("free_rotation: about a principal axis it is exact, whatever the step") {
  for (int axis = 0; axis < 3; ++axis) {
    Spinning body(racket, 2 * Vector3::Unit(axis));
    body.step(1.25);
    CHECK((body.orientation() - AngleAxisd(2.5, Vector3d::Unit(axis)).toRotationMatrix()).norm() < 2e-15);
    CHECK(body.omega().isApprox(2 * Vector3::Unit(axis)));
  }
  CHECK(free_rotation(racket, Vector3::Zero()).w == 1);
}
