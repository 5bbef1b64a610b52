// The steps of OperatorSplitting against plain ones: dense matrices, one number at a time.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <pliant/constraint/pinned.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/operator_splitting.hpp>
#include <pliant/mesh/generators.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double dt = 0.02, density = 1000;
const Vector3d gravity(0, -9.81, 0);
const Lame lame = Lame::from_young_poisson(2e4, 0.35);

Matrix3d rotation_of(const Matrix3d& F) {
  const Eigen::JacobiSVD<Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3d signs = Matrix3d::Identity();
  signs(2, 2) = svd.matrixU().determinant() * svd.matrixV().determinant();
  return svd.matrixU() * signs * svd.matrixV().transpose();
}

// A body and its step, written down plainly. Columns are nodes.
class PlainBody {
 public:
  PlainBody(const Mesh<Tet4>& mesh, double lambda, std::vector<int> fixed)
      : mesh_(mesh), lambda_(lambda), fixed_(std::move(fixed)), mass_(VectorXd::Zero(mesh.node_count())) {
    matrix_ = MatrixXd::Zero(mesh.node_count(), mesh.node_count());
    for (int e = 0; e < mesh.element_count(); ++e) {
      const double V = volume(mesh.nodes, e) / 6;
      const Eigen::Matrix<double, 4, 3> G = gradients(e);
      for (int a = 0; a < 4; ++a) {
        mass_(node(e, a)) += density * V / 4;
        for (int b = 0; b < 4; ++b) matrix_(node(e, a), node(e, b)) += weight(e) * G.row(a).dot(G.row(b));
      }
    }
    matrix_.diagonal() += mass_;
  }

  double total_mass() const { return mass_.sum(); }
  const VectorXd& mass() const { return mass_; }

  // One step from x and v; `order`: in which the volume constraints are relaxed.
  void step(MatrixXd& x, MatrixXd& v, int volume_iterations, const std::vector<int>& order) const {
    const MatrixXd start = x;
    x += dt * v;
    x.colwise() += dt * dt * gravity;
    for (const int n : fixed_) x.col(n) = start.col(n);
    MatrixXd pull = MatrixXd::Zero(3, x.cols());
    for (int e = 0; e < mesh_.element_count(); ++e) {
      const Matrix3d F = deformation(x, e);
      const Matrix3d P = weight(e) * (rotation_of(F) - F);
      for (int a = 0; a < 4; ++a) pull.col(node(e, a)) += P * gradients(e).row(a).transpose();
    }
    MatrixXd A = matrix_;
    for (const int n : fixed_) {
      A.row(n).setZero();
      A.col(n).setZero();
      A(n, n) = 1;
      pull.col(n).setZero();
    }
    x += A.partialPivLu().solve(pull.transpose()).transpose();
    VectorXd multiplier = VectorXd::Zero(mesh_.element_count());
    for (int k = 0; k < volume_iterations; ++k) {
      for (const int e : order) relax(e, multiplier(e), x);
    }
    v = (x - start) / dt;
  }

 private:
  int node(int e, int a) const { return mesh_.elements(a, e); }

  double volume(const MatrixXd& x, int e) const {
    const Vector3d u = x.col(node(e, 1)) - x.col(node(e, 0)), v = x.col(node(e, 2)) - x.col(node(e, 0)),
                   w = x.col(node(e, 3)) - x.col(node(e, 0));
    return u.cross(v).dot(w);
  }

  Eigen::Matrix<double, 4, 3> gradients(int e) const {
    Matrix3d edges;
    for (int a = 1; a < 4; ++a) edges.col(a - 1) = mesh_.nodes.col(node(e, a)) - mesh_.nodes.col(node(e, 0));
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = edges.inverse();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    return G;
  }

  Matrix3d deformation(const MatrixXd& x, int e) const {
    Matrix3d F = Matrix3d::Zero();
    for (int a = 0; a < 4; ++a) F += x.col(node(e, a)) * gradients(e).row(a);
    return F;
  }

  double weight(int e) const { return 2 * lame.mu() * volume(mesh_.nodes, e) / 6 * dt * dt; }

  void relax(int e, double& multiplier, MatrixXd& x) const {
    const double V = volume(mesh_.nodes, e) / 6, compliance = 1 / (lambda_ * V * dt * dt);
    const Matrix3d F = deformation(x, e);
    Matrix3d cofactor;
    for (int j = 0; j < 3; ++j) cofactor.col(j) = F.col((j + 1) % 3).cross(F.col((j + 2) % 3));
    double mobility = compliance;
    Eigen::Matrix<double, 3, 4> gradient;
    for (int a = 0; a < 4; ++a) {
      gradient.col(a) = cofactor * gradients(e).row(a).transpose();
      mobility += inverse_mass(node(e, a)) * gradient.col(a).squaredNorm();
    }
    const double change = (1 - F.determinant() - compliance * multiplier) / mobility;
    multiplier += change;
    for (int a = 0; a < 4; ++a) x.col(node(e, a)) += inverse_mass(node(e, a)) * change * gradient.col(a);
  }

  double inverse_mass(int n) const {
    return std::find(fixed_.begin(), fixed_.end(), n) == fixed_.end() ? 1 / mass_(n) : 0;
  }

  Mesh<Tet4> mesh_;
  double lambda_;
  std::vector<int> fixed_;
  VectorXd mass_;
  MatrixXd matrix_;
};

template <class Scalar>
Mesh<Tet4, Scalar> in(const Mesh<Tet4>& mesh) {
  Mesh<Tet4, Scalar> result;
  result.nodes = mesh.nodes.cast<Scalar>();
  result.elements = mesh.elements;
  return result;
}

template <class Scalar>
void steps_like_the_plain_one(double tolerance) {
  const Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {6, 2, 2}});
  const auto held = lower_end(mesh);
  Simulation sim(Solid(in<Scalar>(mesh), Arap(lame), Density{density}),
                 OperatorSplitting{.dt = dt, .rotation_iterations = 3}, Pinned(held));
  sim.set_gravity(gravity);
  MatrixXd x = mesh.nodes + 0.004 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, x.cols());
  for (const int n : held) x.col(n) = mesh.nodes.col(n);
  sim.set_positions(x);
  const PlainBody body(mesh, 0, held);
  for (int n = 0; n < 5; ++n) {
    REQUIRE(sim.step());
    body.step(x, v, 0, {});
    CHECK((sim.positions().template cast<double>() - x).cwiseAbs().maxCoeff() < tolerance);
    CHECK((sim.velocities().template cast<double>() - v).cwiseAbs().maxCoeff() < 10 * tolerance / dt);
  }
}

}  // namespace

TEST_CASE("operator splitting: the stretch of a step is that of a plain one") {
  steps_like_the_plain_one<double>(1e-13);
  steps_like_the_plain_one<float>(2e-7);
}

TEST_CASE("operator splitting: volume constraints are relaxed as plain ones are") {
  const double lambda = lame.lambda();
  SECTION("one element") {
    Mesh<Tet4> mesh;
    mesh.nodes.resize(3, 4);
    mesh.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.12;
    mesh.elements.resize(4, 1);
    mesh.elements << 0, 1, 2, 3;
    for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}}) {
      Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                     OperatorSplitting{.dt = dt, .volume_iterations = 3, .rotation_iterations = 3},
                     Pinned(held));
      sim.set_gravity(gravity);
      MatrixXd x = mesh.nodes + 0.02 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, 4);
      sim.set_positions(x);
      const PlainBody body(mesh, lambda, held);
      for (int n = 0; n < 5; ++n) {
        REQUIRE(sim.step());
        body.step(x, v, 3, {0});
        CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-13);
      }
    }
  }
  SECTION("six elements about one edge, in some order") {
    const Mesh<Tet4> mesh =
        make_box<Tet4>({.lengths = {0.1, 0.12, 0.15}, .cells = {1, 1, 1}, .split = Split::kuhn});
    const auto held = lower_end(mesh);
    Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                   OperatorSplitting{.dt = dt, .volume_iterations = 2, .rotation_iterations = 3},
                   Pinned(held));
    sim.set_gravity(gravity);
    MatrixXd start = mesh.nodes + 0.02 * noise(mesh.node_count(), 1);
    for (const int n : held) start.col(n) = mesh.nodes.col(n);
    sim.set_positions(start);
    REQUIRE(sim.step());
    const PlainBody body(mesh, lambda, held);
    std::vector<int> order(6);
    std::iota(order.begin(), order.end(), 0);
    double closest = 1;
    do {
      MatrixXd x = start, v = MatrixXd::Zero(3, x.cols());
      body.step(x, v, 2, order);
      closest = std::min(closest, (sim.positions() - x).cwiseAbs().maxCoeff());
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(closest < 1e-13);
  }
  SECTION("elements apart from each other") {
    Mesh<Tet4> mesh;
    mesh.nodes.resize(3, 44);
    mesh.elements.resize(4, 11);
    for (int e = 0; e < 11; ++e) {
      for (int a = 0; a < 4; ++a) {
        mesh.elements(a, e) = 4 * e + a;
        mesh.nodes.col(4 * e + a) = Vector3d(e, 0, 0);
        if (a > 0) mesh.nodes(a - 1, 4 * e + a) += 0.1 + 0.01 * e;
      }
    }
    Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                   OperatorSplitting{.dt = dt, .rotation_iterations = 3});
    MatrixXd x = mesh.nodes + 0.02 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, x.cols());
    sim.set_gravity(gravity);
    sim.set_positions(x);
    const PlainBody body(mesh, lambda, {});
    std::vector<int> order(11);
    std::iota(order.begin(), order.end(), 0);
    for (int n = 0; n < 3; ++n) {
      REQUIRE(sim.step());
      body.step(x, v, 2, order);
      CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("operator splitting: a large body, cut into parts, steps like a plain one") {
  const Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {0.5, 0.3, 0.3}, .cells = {10, 6, 6}});
  const auto held = lower_end(mesh);
  MatrixXd x = mesh.nodes + 0.01 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, x.cols());
  for (const int n : held) x.col(n) = mesh.nodes.col(n);
  Simulation sim(Solid(mesh, Arap(lame), Density{density}),
                 OperatorSplitting{.dt = dt, .rotation_iterations = 3}, Pinned(held));
  sim.set_gravity(gravity);
  sim.set_positions(x);
  REQUIRE(sim.step());
  PlainBody(mesh, 0, held).step(x, v, 0, {});
  CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-13);
}
