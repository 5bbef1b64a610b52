// A system evaluated and brought back to the user's numbering, and the comparison with brute force.
#pragma once

#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

#include <pliant/assembly/system.hpp>

namespace system_facts {

using pliant::Projection;

inline constexpr std::array projections{Projection::none, Projection::clamp, Projection::absolute};

// What a system says at x (dim x #nodes, user's numbering).
template <class System>
brute_force::Body evaluate(System& system, const Eigen::MatrixXd& x, Projection projection,
                           double stiffness_scale = 1) {
  using Scalar = typename System::Scalar;
  constexpr int dim = System::dim;
  auto internal = system.make_vector(), g = system.make_vector();
  auto A = system.make_matrix();
  system.to_internal(x, internal);
  brute_force::Body body;
  body.energy = system.tangent(internal, projection, static_cast<Scalar>(stiffness_scale), g, A);
  pliant::NodeMatrix<Scalar, dim> gradient(dim, system.node_count());
  system.to_user(g, gradient);
  body.gradient = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(gradient.data(), gradient.size())
                      .template cast<double>();
  body.stiffness = Eigen::MatrixXd(eigen_view::sparse(A, system.numbering().to_user));

  // The cheaper evaluations are the same functions.
  auto h = system.make_vector();
  CHECK(eigen_view::padding_is_zero(g));
  const double tolerance = 16 * std::numeric_limits<Scalar>::epsilon();
  const auto agree = [&](double energy) {
    return energy == body.energy ||
           std::abs(energy - body.energy) <= tolerance * (std::abs(body.energy) + 1) * 16;
  };
  CHECK(agree(system.energy(internal)));
  CHECK(agree(system.gradient(internal, h)));
  CHECK(eigen_view::padding_is_zero(h));
  const Eigen::VectorXd difference = eigen_view::stacked(h) - eigen_view::stacked(g);
  CHECK(difference.cwiseAbs().maxCoeff() <= tolerance * (1 + body.gradient.cwiseAbs().maxCoeff()) * 16);
  return body;
}

inline double largest(const Eigen::MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

// Equal up to `tolerance` times the size of what is compared.
inline void agree(const brute_force::Body& given, const brute_force::Body& truth, double tolerance) {
  const double force = largest(truth.gradient), stiffness = largest(truth.stiffness);
  CHECK((given.energy == truth.energy ||
         std::abs(given.energy - truth.energy) <= tolerance * std::max(std::abs(truth.energy), 1.0)));
  CHECK(largest(given.gradient - truth.gradient) <= tolerance * std::max(force, 1.0));
  CHECK(largest(given.stiffness - truth.stiffness) <= tolerance * stiffness);
}

struct NamedMesh {
  std::string name;
  pliant::Mesh<pliant::Tet4> mesh;
};

inline std::vector<NamedMesh> meshes() {
  return {{"one tet", brute_force::first_elements(1)},
          {"5 tets", pliant::make_box<pliant::Tet4>()},
          {"6 tets", brute_force::first_elements(6)},
          {"23 tets", brute_force::first_elements(23)},
          {"box", pliant::make_box<pliant::Tet4>({.lengths = {2, 1, 1.5}, .cells = {3, 2, 2}})},
          {"ball", brute_force::ball(2)}};
}

// Compares a solid of each mesh with brute force, at rest and in ever wilder shapes. `wild` shapes are
// inverted, flat, and collapsed to a point.
template <class Scalar, class Energy>
void equals_brute_force(const Energy& energy, bool wild, double tolerance) {
  std::mt19937 random(1);
  for (const auto& [name, double_mesh] : meshes()) {
    const pliant::Mesh<pliant::Tet4, Scalar> mesh = brute_force::with_scalar<Scalar>(double_mesh);
    pliant::ElasticSystem system{pliant::Solid(mesh, energy, pliant::Density{1000})};
    const Eigen::MatrixXd rest = mesh.nodes.template cast<double>();
    std::vector<Eigen::MatrixXd> shapes{rest, brute_force::perturbed(rest, 0.05, random)};
    if (wild) {
      shapes.push_back(brute_force::perturbed(rest, 0.7, random));
      shapes.push_back(Eigen::DiagonalMatrix<double, 3>(-1.1, 0.9, 1.2) * rest);
      shapes.push_back(Eigen::DiagonalMatrix<double, 3>(1.1, 0.9, 0) * rest);
      shapes.push_back(0 * rest);
    }
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const Eigen::MatrixXd x = shapes[shape].cast<Scalar>().template cast<double>();
      for (const Projection projection : projections) {
        INFO(name << ", shape " << shape << ", projection " << static_cast<int>(projection));
        agree(evaluate(system, x, projection), brute_force::assemble(mesh, energy, x, projection), tolerance);
      }
    }
  }
}

// The mesh at rest, slightly and wildly deformed, under all projections.
template <class E, class Scalar, class Energy>
void equals_brute_force_on(const pliant::Mesh<E, Scalar>& mesh, const Energy& energy, double tolerance) {
  std::mt19937 random(1);
  pliant::ElasticSystem system{pliant::Solid(mesh, energy, pliant::Density{1000})};
  for (const double size : {0.0, 0.1, 1.5}) {
    const Eigen::MatrixXd x =
        brute_force::perturbed(mesh.nodes, size, random).template cast<Scalar>().template cast<double>();
    for (const Projection projection : projections) {
      INFO("perturbed by " << size << ", projection " << static_cast<int>(projection));
      agree(evaluate(system, x, projection), brute_force::assemble(mesh, energy, x, projection), tolerance);
    }
  }
}

}  // namespace system_facts
