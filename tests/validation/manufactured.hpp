// Manufactured solutions: a smooth displacement u is chosen, the body force f = -Div P(I + grad u) that makes
// it an equilibrium is computed by hand, and what the library finds under f with u prescribed on the boundary
// is compared with u. Linear elements must come closer with the second power of the mesh size in the L2 norm
// and with the first power in the norm of the gradient.
#pragma once

#include "validation/record.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace manufactured {

template <int Dim>
using Vector = Eigen::Matrix<double, Dim, 1>;
template <int Dim>
using Square = Eigen::Matrix<double, Dim, Dim>;

// u_i = A_i sin(k_i . X + c_i) [m]: a wave of its own for each component, no symmetry.
template <int Dim>
struct Field {
  Square<Dim> waves;  // k_i in row i [1/m]
  Vector<Dim> amplitude, phase;

  Field() {
    if constexpr (Dim == 2) waves << 2.2, 1.3, -1.1, 2.6;
    else waves << 2.2, 1.3, -0.8, -1.1, 2.6, 0.9, 1.2, -0.7, 2.1;
    for (int i = 0; i < Dim; ++i) {
      amplitude(i) = 0.09 - 0.02 * i;
      phase(i) = 0.4 + 0.9 * i;
    }
  }

  Vector<Dim> angle(const Vector<Dim>& X) const { return waves * X + phase; }

  Vector<Dim> value(const Vector<Dim>& X) const {
    return amplitude.cwiseProduct(angle(X).array().sin().matrix());
  }

  // du_i/dX_j.
  Square<Dim> gradient(const Vector<Dim>& X) const {
    return amplitude.cwiseProduct(angle(X).array().cos().matrix()).asDiagonal() * waves;
  }

  // d/dX_k of the gradient.
  Square<Dim> second(const Vector<Dim>& X, int k) const {
    const Vector<Dim> factors = -amplitude.cwiseProduct(angle(X).array().sin().matrix());
    return factors.cwiseProduct(waves.col(k)).asDiagonal() * waves;
  }

  Vector<Dim> laplacian(const Vector<Dim>& X) const {
    Vector<Dim> sum = Vector<Dim>::Zero();
    for (int k = 0; k < Dim; ++k) sum += second(X, k).col(k);
    return sum;
  }
};

// P = 2 mu eps + lambda tr(eps) I: f = -mu Laplace u - (mu + lambda) grad div u.
struct Linear {
  double mu, lambda;

  template <int Dim>
  Vector<Dim> body_force(const Field<Dim>& u, const Vector<Dim>& X) const {
    Vector<Dim> gradient_of_divergence;
    for (int k = 0; k < Dim; ++k) gradient_of_divergence(k) = u.second(X, k).trace();
    return -mu * u.laplacian(X) - (mu + lambda) * gradient_of_divergence;
  }
};

// P = mu F + ((lambda + mu)(J - 1) - mu) cof F. As Div cof F = 0 (Piola),
//   f = -mu Laplace u - (lambda + mu) cof F grad J,  dJ/dX_k = cof F : dF/dX_k.
struct StableNeoHookean {
  double mu, lambda;

  template <int Dim>
  Vector<Dim> body_force(const Field<Dim>& u, const Vector<Dim>& X) const {
    const Square<Dim> F = Square<Dim>::Identity() + u.gradient(X);
    const Square<Dim> cofactor = F.determinant() * F.inverse().transpose();
    Vector<Dim> gradient_of_J;
    for (int k = 0; k < Dim; ++k) gradient_of_J(k) = cofactor.cwiseProduct(u.second(X, k)).sum();
    return -mu * u.laplacian(X) - (lambda + mu) * cofactor * gradient_of_J;
  }
};

// A point of an element: shape functions, their gradients in the rest shape, and the volume it stands for.
template <class E>
struct Point {
  Eigen::Matrix<double, E::nodes, 1> shape;
  Eigen::Matrix<double, E::nodes, E::dim> gradient;
  Vector<E::dim> X;
  double volume;
};

// Four Gauss points along each axis of the unit cube or square; on simplices the cube is collapsed onto the
// simplex (Duffy). Exact for polynomials of degree 5 at least.
template <class E, class Use>
void for_each_point(const pliant::Mesh<E>& mesh, std::ptrdiff_t element, Use&& use) {
  constexpr int dim = E::dim;
  const double a = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)),
               b = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2)), wa = (18 + std::sqrt(30.0)) / 72,
               wb = (18 - std::sqrt(30.0)) / 72;
  const std::array<double, 4> places{(1 - b) / 2, (1 - a) / 2, (1 + a) / 2, (1 + b) / 2},
      weights{wb, wa, wa, wb};
  Eigen::Matrix<double, dim, E::nodes> corners;
  for (int c = 0; c < E::nodes; ++c) corners.col(c) = mesh.nodes.col(mesh.elements(c, element));
  for (int q = 0; q < (dim == 2 ? 16 : 64); ++q) {
    Vector<dim> s;
    double weight = 1;
    for (int axis = 0, rest = q; axis < dim; ++axis, rest /= 4) {
      s(axis) = places[static_cast<std::size_t>(rest % 4)];
      weight *= weights[static_cast<std::size_t>(rest % 4)];
    }
    Point<E> point;
    Eigen::Matrix<double, E::nodes, dim> slopes;
    if constexpr (E::nodes == dim + 1) {
      double left = 1;
      for (int axis = 0; axis < dim; ++axis) {
        const double xi = left * s(axis);
        weight *= left;
        left -= xi;
        point.shape(axis + 1) = xi;
      }
      point.shape(0) = left;
      slopes.row(0).setConstant(-1);
      slopes.bottomRows(dim).setIdentity();
    } else {
      const Vector<dim> xi = 2 * s - Vector<dim>::Ones();
      point.shape = E::shape_at(xi);
      slopes = E::shape_gradient_at(xi);
      weight *= 8;
    }
    const Square<dim> jacobian = corners * slopes;
    point.gradient = slopes * jacobian.inverse();
    point.X = corners * point.shape;
    point.volume = weight * jacobian.determinant();
    use(point);
  }
}

// The unit square or cube, its inside displaced smoothly so that no two cells are alike.
template <class E>
pliant::Mesh<E> mesh(int n) {
  pliant::Mesh<E> result;
  if constexpr (E::dim == 2) result = pliant::make_rectangle<E>({.cells = {n, n}});
  else result = pliant::make_box<E>({.cells = {n, n, n}});
  for (Eigen::Index i = 0; i < result.node_count(); ++i) {
    const double bump = (std::numbers::pi * result.nodes.col(i)).array().sin().prod();
    for (int axis = 0; axis < E::dim; ++axis) result.nodes(axis, i) += (axis == 1 ? -0.06 : 0.08) * bump;
  }
  return result;
}

struct Errors {
  double value = 0, gradient = 0;  // L2 norms of u_h - u [m] and of its gradient, over the unit volume
};

template <class E, class Law, class Energy>
Errors errors(int n, const Law& law, const Energy& energy) {
  constexpr int dim = E::dim;
  const Field<dim> u;
  const auto body = mesh<E>(n);
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(dim, body.node_count());
  for (std::ptrdiff_t e = 0; e < body.element_count(); ++e) {
    for_each_point(body, e, [&](const Point<E>& point) {
      const Vector<dim> force = point.volume * law.body_force(u, point.X);
      for (int a = 0; a < E::nodes; ++a) loads.col(body.elements(a, e)) += point.shape(a) * force;
    });
  }
  using Path = std::function<Vector<dim>(const Vector<dim>&, double)>;
  pliant::Simulation sim(
      pliant::Solid(body, energy, pliant::Density{1}),
      pliant::QuasiStatic{.newton = {.max_iterations = 50, .tolerance = 1e-9}},
      pliant::Pcg<pliant::BlockJacobi>{.tolerance = 1e-8},
      pliant::PrescribedMotion<Path>(
          pliant::boundary_nodes(body),
          [u](const Vector<dim>& X, double time) -> Vector<dim> { return X + time * u.value(X); }));
  sim.set_external_forces(loads);
  const pliant::StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  const Eigen::MatrixXd found = sim.positions() - body.nodes;
  Errors squares;
  for (std::ptrdiff_t e = 0; e < body.element_count(); ++e) {
    Eigen::Matrix<double, dim, E::nodes> nodal;
    for (int a = 0; a < E::nodes; ++a) nodal.col(a) = found.col(body.elements(a, e));
    for_each_point(body, e, [&](const Point<E>& point) {
      squares.value += point.volume * (nodal * point.shape - u.value(point.X)).squaredNorm();
      squares.gradient += point.volume * (nodal * point.gradient - u.gradient(point.X)).squaredNorm();
    });
  }
  return {std::sqrt(squares.value), std::sqrt(squares.gradient)};
}

// The sequence of meshes, whose last pair must show the orders. The material has E = 1 Pa, nu = 0.3.
template <class E, class Law, class Energy>
void converges(const std::string& material, const Law& law, const Energy& energy,
               const std::vector<int>& cells) {
  validation::Record record("manufactured", std::string(E::name) + " " + material);
  record.table("`" + std::string(E::name) + "`, `" + material + "`",
               {"cells", "L2 error of u, m", "order", "L2 error of grad u", "order"});
  std::vector<double> sizes, values, gradients;
  for (const int n : cells) {
    const Errors e = errors<E>(n, law, energy);
    sizes.push_back(1.0 / n);
    values.push_back(e.value);
    gradients.push_back(e.gradient);
    const std::size_t last = sizes.size() - 1;
    const auto rate = [&](const std::vector<double>& all) {
      if (last == 0) return std::string();
      return validation::fixed(validation::order(all[last - 1], all[last], sizes[last - 1] / sizes[last]), 3);
    };
    std::string lattice = std::to_string(n);
    for (int axis = 1; axis < E::dim; ++axis) lattice += " x " + std::to_string(n);
    record.entries({lattice, validation::text(e.value, 4), rate(values), validation::text(e.gradient, 4),
                    rate(gradients)});
  }
  const std::string name = std::string(E::name) + ", " + material;
  record.curve("manufactured solutions, u", name, sizes, values);
  record.curve("manufactured solutions, grad u", name, sizes, gradients);
  const std::size_t last = sizes.size() - 1;
  const double ratio = sizes[last - 1] / sizes[last];
  record.between("`" + std::string(E::name) + "`, `" + material + "`: order of the error of u", "2",
                 validation::order(values[last - 1], values[last], ratio), 1.9, 2.1);
  record.between("`" + std::string(E::name) + "`, `" + material + "`: order of the error of grad u", "1",
                 validation::order(gradients[last - 1], gradients[last], ratio), 0.95, 1.05);
}

}  // namespace manufactured
