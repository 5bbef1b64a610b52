// Bodies in homogeneous deformations: uniaxial tension and compression, simple shear. What the library finds
// for a mesh is compared with P written out for each energy in terms of mu and lambda of Hooke's law.
#pragma once

#include "assembly/patch_test.hpp"
#include "validation/record.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/simulation/simulation.hpp>

namespace homogeneous {

template <int Dim>
using Square = Eigen::Matrix<double, Dim, Dim>;

// J F^-T.
template <int Dim>
Square<Dim> cofactor(const Square<Dim>& F) {
  return F.determinant() * F.inverse().transpose();
}

// P(F) for F with the rotation R.
template <int Dim>
using Stress = std::function<Square<Dim>(const Square<Dim>& F, const Square<Dim>& R)>;

// A material as the tests know it: the energy of the library, and the stress it must have.
template <class Energy, int Dim>
struct Material {
  std::string name;
  Energy energy;
  Stress<Dim> stress;
};

// A box of distorted elements, its edges along the axes, one corner in the origin.
template <class E>
pliant::Mesh<E> box() {
  std::mt19937 random(11);
  if constexpr (E::dim == 2) {
    return patch_test::distorted(pliant::make_rectangle<E>({.lengths = {1.5, 1}, .cells = {4, 3}}), 0.08,
                                 random);
  } else {
    return patch_test::distorted(pliant::make_box<E>({.lengths = {1.5, 1, 1}, .cells = {4, 3, 3}}), 0.08,
                                 random);
  }
}

template <int Dim>
Eigen::Matrix<double, Dim, 1> lengths() {
  Eigen::Matrix<double, Dim, 1> result = Eigen::Matrix<double, Dim, 1>::Ones();
  result(0) = 1.5;
  return result;
}

template <class E>
std::vector<int> side(const pliant::Mesh<E>& mesh, int axis, double X) {
  return pliant::nodes_where(mesh, [&](const auto& point) { return std::abs(point(axis) - X) < 1e-9; });
}

// Adds the nodal forces of a uniform traction [Pa] on the side X_axis = X of the box, whose boundary nodes
// form a lattice: half of each cell edge belongs to each of its ends.
template <class E>
void add_traction(const pliant::Mesh<E>& mesh, int axis, double X, const Eigen::VectorXd& traction,
                  Eigen::MatrixXd& forces) {
  const auto boundary = pliant::boundary_faces(mesh);
  for (Eigen::Index f = 0; f < boundary.faces.cols(); ++f) {
    const auto face = boundary.faces.col(f);
    double distance = 0;
    for (const int node : face) distance = std::max(distance, std::abs(mesh.nodes(axis, node) - X));
    if (distance > 1e-9) continue;
    double area;
    const Eigen::VectorXd edge = mesh.nodes.col(face(1)) - mesh.nodes.col(face(0));
    if constexpr (E::dim == 2) {
      area = edge.norm();
    } else {
      const Eigen::Vector3d a = edge, b = mesh.nodes.col(face(face.size() - 1)) - mesh.nodes.col(face(0));
      area = a.cross(b).norm() / (face.size() == 3 ? 2 : 1);  // the quads are rectangles
    }
    for (const int node : face) forces.col(node) += area / static_cast<double>(face.size()) * traction;
  }
}

template <int Dim>
Square<Dim> uniaxial(double s, double t) {
  Eigen::Matrix<double, Dim, 1> stretches = Eigen::Matrix<double, Dim, 1>::Constant(t);
  stretches(0) = s;
  return Square<Dim>(stretches.asDiagonal());
}

// The lateral stretch t at which the stress across a bar of stretch s vanishes, by secants.
template <int Dim>
double free_lateral_stretch(const Stress<Dim>& stress, double s) {
  const auto lateral = [&](double t) { return stress(uniaxial<Dim>(s, t), Square<Dim>::Identity())(1, 1); };
  double before = 1, t = std::pow(s, -0.3), at_before = lateral(before), at_t = lateral(t);
  for (int k = 0; k < 50 && std::abs(t - before) > 1e-15 && at_t != at_before; ++k) {
    const double next = t - at_t * (t - before) / (at_t - at_before);
    before = t;
    at_before = at_t;
    t = next;
    at_t = lateral(t);
  }
  REQUIRE(std::abs(at_t) <= 1e-13);
  REQUIRE((t > 0.6 && t < 1.5));
  return t;
}

// The equilibrium of the box: nodes `moved` go to F X, and `loads` [N] act. F X is what is expected.
template <class E, class Energy>
Eigen::MatrixXd equilibrium(const pliant::Mesh<E>& mesh, const Energy& energy, const Square<E::dim>& F,
                            const std::vector<int>& moved, const Eigen::MatrixXd& loads) {
  using Point = Eigen::Matrix<double, E::dim, 1>;
  using Path = std::function<Point(const Point&, double)>;
  pliant::Simulation sim(pliant::Solid(mesh, energy, pliant::Density{1}),
                         pliant::QuasiStatic{.newton = {.max_iterations = 100, .tolerance = 1e-12}},
                         pliant::Pcg<pliant::BlockJacobi>{.tolerance = 1e-10},
                         pliant::PrescribedMotion<Path>(moved, [F](const Point& X, double time) -> Point {
                           return X + time * (F * X - X);
                         }));
  sim.set_external_forces(loads);
  const pliant::StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  return sim.positions();
}

// What holds the nodes at x where they are, summed [N].
template <class E, class Energy>
Eigen::VectorXd reaction(const pliant::Mesh<E>& mesh, const Energy& energy, const Eigen::MatrixXd& x,
                         const std::vector<int>& nodes) {
  pliant::ElasticSystem system{pliant::Solid(mesh, energy, pliant::Density{1})};
  auto internal = system.make_vector(), g = system.make_vector();
  system.to_internal(x, internal);
  (void)system.gradient(internal, g);
  pliant::NodeMatrix<double, E::dim> gradient(E::dim, mesh.node_count());
  system.to_user(g, gradient);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(E::dim);
  for (const int node : nodes) sum += gradient.col(node);
  return sum;
}

// Three states of one body. Young's modulus is 1 Pa and the cross-section 1 m^2 (1 m), so that differences of
// stresses and forces are relative.
template <class E, class Energy>
void agrees(validation::Record& record, const Material<Energy, E::dim>& material) {
  constexpr int dim = E::dim;
  const auto mesh = box<E>();
  const auto size = lengths<dim>();
  const auto left = side(mesh, 0, 0), right = side(mesh, 0, size(0));
  const Square<dim> identity = Square<dim>::Identity();
  const Eigen::MatrixXd no_loads = Eigen::MatrixXd::Zero(dim, mesh.node_count());
  const std::string body = std::string(E::name) + ", `" + material.name + "`: ";
  const auto distance = [](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
    return (x - y).cwiseAbs().maxCoeff();
  };

  constexpr double bound = 1e-12;  // ten times what is measured
  {  // Pulled by the dead load P on its right end; the left one is held where it has shrunk by t.
    const double s = 1.4, t = free_lateral_stretch<dim>(material.stress, s);
    const Square<dim> F = uniaxial<dim>(s, t);
    Eigen::MatrixXd loads = no_loads;
    add_traction(mesh, 0, size(0), material.stress(F, identity).col(0), loads);
    const Eigen::MatrixXd x = equilibrium(mesh, material.energy, F, left, loads);
    const double along = x.row(0).maxCoeff() / size(0);
    double across = 0;
    for (const int node : right) across = std::max(across, x(1, node) / size(1));
    record.at_most(
        body + "length and width of a bar pulled by the dead load P(" + validation::text(s, 2) + ")",
        "s = " + validation::text(s, 2) + ", t = " + validation::text(t, 6),
        std::max(std::abs(along - s), std::abs(across - t)), bound);
    CHECK(distance(x, F * mesh.nodes) <= bound);
  }
  {  // Pressed between its ends, which move together and shrink or grow by t; the sides are free.
    const double s = 0.75, t = free_lateral_stretch<dim>(material.stress, s);
    const Square<dim> F = uniaxial<dim>(s, t), P = material.stress(F, identity);
    std::vector<int> ends = left;
    ends.insert(ends.end(), right.begin(), right.end());
    const Eigen::MatrixXd x = equilibrium(mesh, material.energy, F, ends, no_loads);
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(dim);
    expected(0) = P(0, 0);
    record.at_most(body + "the force on the ends of a bar pressed to " + validation::text(s, 2),
                   "P = " + validation::text(P(0, 0), 6),
                   distance(reaction(mesh, material.energy, x, right), expected), bound);
    record.at_most(body + "where its free sides go, m", "t = " + validation::text(t, 6),
                   distance(x, F * mesh.nodes), bound);
  }
  {  // Sheared: the bottom is held and the top moved, the other sides bear the tractions P N.
    const double gamma = 0.5;
    Square<dim> F = identity, R = identity;
    F(0, 1) = gamma;
    // The rotation of a simple shear turns by the angle of tangent -gamma / 2.
    R.template topLeftCorner<2, 2>() << 2, gamma, -gamma, 2;
    R.template topLeftCorner<2, 2>() /= std::sqrt(4 + gamma * gamma);
    const Square<dim> P = material.stress(F, R);
    Eigen::MatrixXd loads = no_loads;
    for (int axis = 0; axis < dim; ++axis) {
      if (axis == 1) continue;
      add_traction(mesh, axis, size(axis), P.col(axis), loads);
      add_traction(mesh, axis, 0, -P.col(axis), loads);
    }
    const auto top = side(mesh, 1, size(1));
    std::vector<int> moved = side(mesh, 1, 0);
    moved.insert(moved.end(), top.begin(), top.end());
    const Eigen::MatrixXd x = equilibrium(mesh, material.energy, F, moved, loads);
    // The loads on the edges of the top, half a cell's each, are part of the balance.
    Eigen::VectorXd held = reaction(mesh, material.energy, x, top);
    for (const int node : top) held -= loads.col(node);
    record.at_most(body + "the force on the top of a block sheared by " + validation::text(gamma, 2),
                   "P12 = " + validation::text(P(0, 1), 6) + ", P22 = " + validation::text(P(1, 1), 6),
                   distance(held / size(0), P.col(1)), bound);
    record.at_most(body + "where its inside goes, m", "homogeneous", distance(x, F * mesh.nodes), bound);
  }
}

}  // namespace homogeneous
