#include "assembly/system_facts.hpp"

#include <limits>

#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/system.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);
using Body = brute_force::Body;

template <class Energy>
auto system_of(const Mesh<Tet4>& mesh, const Energy& energy) {
  return ElasticSystem{Solid(mesh, energy, Density{1000})};
}

Eigen::Matrix3d rotation() {
  return Eigen::AngleAxisd(2.2, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
}

Eigen::VectorXd stack(const Eigen::MatrixXd& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), x.size());
}

// The blocks of K turned by Q: (I x Q) K (I x Q)^T.
Eigen::MatrixXd turned(const Eigen::MatrixXd& K, const Eigen::Matrix3d& Q) {
  Eigen::MatrixXd result = K;
  for (std::ptrdiff_t i = 0; i < K.rows(); i += 3) {
    for (std::ptrdiff_t j = 0; j < K.cols(); j += 3) {
      result.block<3, 3>(i, j) = Q * K.block<3, 3>(i, j) * Q.transpose();
    }
  }
  return result;
}

template <class Energy>
void is_derivative(const Energy& energy) {
  std::mt19937 random(2);
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 2, 1}});
  auto system = system_of(mesh, energy);
  const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, 0.05, random);
  const Body body = evaluate(system, x, Projection::none);
  constexpr double h = 1e-4;
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::MatrixXd direction = brute_force::perturbed(0 * x, 1, random);
    const auto at = [&](double t) { return evaluate(system, x + t * direction, Projection::none); };
    const Body one = at(h), two = at(2 * h), minus_one = at(-h), minus_two = at(-2 * h);
    // Central differences of fourth order.
    const double slope = (8 * (one.energy - minus_one.energy) - (two.energy - minus_two.energy)) / (12 * h);
    CHECK(std::abs(slope - body.gradient.dot(stack(direction))) <= 1e-9 * body.gradient.norm());
    const Eigen::VectorXd curvature =
        (8 * (one.gradient - minus_one.gradient) - (two.gradient - minus_two.gradient)) / (12 * h);
    CHECK((curvature - body.stiffness * stack(direction)).norm() <= 1e-9 * curvature.norm());
  }
}

}  // namespace

static_assert(System<ElasticSystem<Solid<Tet4, StableNeoHookean, double>>>);
static_assert(System<ElasticSystem<Solid<Tet4, LinearElastic, float>>>);

TEST_CASE("ElasticSystem: the gradient is the derivative of the energy, the tangent that of the gradient") {
  is_derivative(StableNeoHookean(material));
  is_derivative(BonetWoodNeoHookean(material));
  is_derivative(LinearElastic(material));
}

TEST_CASE("ElasticSystem: rotated and moved bodies are free of force") {
  const Mesh<Tet4> mesh = brute_force::ball(4);
  const Eigen::MatrixXd x = (rotation() * mesh.nodes).colwise() + Eigen::Vector3d(3, -1, 2);
  for (const Projection projection : projections) {
    auto stable = system_of(mesh, StableNeoHookean(material));
    auto logarithmic = system_of(mesh, BonetWoodNeoHookean(material));
    for (const Body& body : {evaluate(stable, x, projection), evaluate(logarithmic, x, projection)}) {
      CHECK(std::abs(body.energy) <= 1e-13);
      CHECK(largest(body.gradient) <= 1e-13);
    }
  }
  // Linear elasticity is free of force where it was made, and pays for rotations.
  auto linear = system_of(mesh, LinearElastic(material));
  CHECK(largest(evaluate(linear, mesh.nodes, Projection::none).gradient) <= 1e-13);
  CHECK(evaluate(linear, x, Projection::none).energy > 1);
}

TEST_CASE("ElasticSystem: six rigid motions of the rest shape meet no stiffness, a seventh motion does") {
  const Mesh<Tet4> mesh = brute_force::ball(2);
  const auto check = [&](auto system) {
    const Eigen::MatrixXd K = evaluate(system, mesh.nodes, Projection::none).stiffness;
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues();
    CHECK(largest(values.head(6)) <= 1e-12 * values(values.size() - 1));
    CHECK(values(6) > 1e-3 * values(values.size() - 1));
    Eigen::MatrixXd spin(3, mesh.node_count());
    for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
      spin.col(i) = Eigen::Vector3d(1, 2, 3).cross(mesh.nodes.col(i));
    }
    CHECK(largest(K * stack(spin)) <= 1e-12);
  };
  check(system_of(mesh, StableNeoHookean(material)));
  check(system_of(mesh, BonetWoodNeoHookean(material)));
  check(system_of(mesh, LinearElastic(material)));
}

TEST_CASE("ElasticSystem: forces balance, rows of the stiffness sum to zero, torques balance") {
  std::mt19937 random(3);
  const Mesh<Tet4> mesh = brute_force::ball(2);
  const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, 0.5, random);
  auto system = system_of(mesh, StableNeoHookean(material));
  for (const Projection projection : projections) {
    const Body body = evaluate(system, x, projection);
    const double force = largest(body.gradient), stiffness = largest(body.stiffness);
    Eigen::Vector3d total = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
    for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
      total += body.gradient.segment<3>(3 * i);
      torque += x.col(i).head<3>().cross(body.gradient.segment<3>(3 * i));
    }
    CHECK(total.norm() <= 1e-12 * force);
    CHECK(torque.norm() <= 1e-12 * force);
    for (int axis = 0; axis < 3; ++axis) {
      Eigen::VectorXd shift = Eigen::VectorXd::Zero(body.gradient.size());
      for (std::ptrdiff_t i = axis; i < shift.size(); i += 3) shift(i) = 1;
      CHECK(largest(body.stiffness * shift) <= 1e-12 * stiffness);
    }
    CHECK(largest(body.stiffness - body.stiffness.transpose()) <= 1e-14 * stiffness);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(body.stiffness).eigenvalues();
    if (projection == Projection::none) CHECK(values(0) < -0.1);
    else CHECK(values(0) > -1e-12 * stiffness);
  }
}

TEST_CASE("ElasticSystem: a rotated scene gives the rotated gradient and stiffness") {
  std::mt19937 random(4);
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  const Eigen::Matrix3d Q = rotation();
  const auto check = [&](auto system, double size) {
    const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, size, random);
    for (const Projection projection : projections) {
      const Body body = evaluate(system, x, projection), rotated = evaluate(system, Q * x, projection);
      Body expected = body;
      for (std::ptrdiff_t i = 0; i < x.cols(); ++i) {
        expected.gradient.segment<3>(3 * i) = Q * body.gradient.segment<3>(3 * i);
      }
      expected.stiffness = turned(body.stiffness, Q);
      agree(rotated, expected, 1e-12);
    }
  };
  check(system_of(mesh, StableNeoHookean(material)), 0.5);
  check(system_of(mesh, BonetWoodNeoHookean(material)), 0.05);
}

TEST_CASE("ElasticSystem: the stiffness is scaled, the gradient is not") {
  std::mt19937 random(5);
  const Mesh<Tet4> mesh = brute_force::first_elements(6);
  const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, 0.3, random);
  auto system = system_of(mesh, StableNeoHookean(material));
  Body body = evaluate(system, x, Projection::clamp);
  const Body scaled = evaluate(system, x, Projection::clamp, 2.5);
  body.stiffness *= 2.5;
  agree(scaled, body, 1e-14);
}

TEST_CASE("ElasticSystem: nodes, elements and corners may come in any order") {
  std::mt19937 random(6);
  const Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {3, 1, 2}, .cells = {3, 2, 2}});
  const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, 0.4, random);
  auto system = system_of(mesh, StableNeoHookean(material));
  for (int trial = 0; trial < 4; ++trial) {
    const std::vector<int> node = brute_force::random_permutation(mesh.node_count(), random);
    const std::vector<int> element = brute_force::random_permutation(mesh.element_count(), random);
    constexpr std::array<std::array<int, 4>, 4> even{
        {{0, 1, 2, 3}, {1, 2, 0, 3}, {1, 0, 3, 2}, {3, 1, 0, 2}}};
    Mesh<Tet4> other = mesh;
    Eigen::MatrixXd y = x;
    Eigen::PermutationMatrix<Eigen::Dynamic> rows(3 * mesh.node_count());
    for (int i = 0; i < mesh.node_count(); ++i) {
      const int to = node[static_cast<std::size_t>(i)];
      other.nodes.col(to) = mesh.nodes.col(i);
      y.col(to) = x.col(i);
      for (int axis = 0; axis < 3; ++axis) rows.indices()(3 * i + axis) = 3 * to + axis;
    }
    for (int e = 0; e < mesh.element_count(); ++e) {
      const auto& corners = even[static_cast<std::size_t>((e + trial) % 4)];
      for (int a = 0; a < 4; ++a) {
        const int from = mesh.elements(corners[static_cast<std::size_t>(a)], e);
        other.elements(a, element[static_cast<std::size_t>(e)]) = node[static_cast<std::size_t>(from)];
      }
    }
    auto same_body = system_of(other, StableNeoHookean(material));
    Body expected = evaluate(system, x, Projection::clamp);
    expected.gradient = rows * expected.gradient;
    expected.stiffness = rows * expected.stiffness * rows.transpose();
    agree(evaluate(same_body, y, Projection::clamp), expected, 1e-12);
    // and the masses go with their nodes
    NodeMatrix<double, 3> mass(3, mesh.node_count()), other_mass(3, mesh.node_count());
    system.to_user(system.mass(), mass);
    same_body.to_user(same_body.mass(), other_mass);
    for (int i = 0; i < mesh.node_count(); ++i) {
      CHECK((mass.col(i) - other_mass.col(node[static_cast<std::size_t>(i)])).norm() <= 1e-13 * mass.norm());
    }
  }
}

TEST_CASE("ElasticSystem: positions go to the internal numbering and back") {
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 3, 1}});
  auto system = system_of(mesh, LinearElastic(material));
  auto x = system.make_vector();
  system.to_internal(mesh.nodes, x);
  for (int i = 0; i < mesh.node_count(); ++i) {
    CHECK(x.node(system.numbering().to_internal[static_cast<std::size_t>(i)]) == mesh.nodes.col(i));
  }
  CHECK(eigen_view::padding_is_zero(x));
  NodeMatrix<double, 3> back(3, mesh.node_count());
  system.to_user(x, back);
  CHECK(back == mesh.nodes);
}
