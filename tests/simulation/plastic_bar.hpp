// Bars of a material that flows.
#pragma once

#include "simulation/run_steps.hpp"
#include "support/catch.hpp"

#include <memory>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/plastic.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant::test {

inline constexpr double young = 1e5, length = 0.3, area = 0.01;  // Pa, m, m^2
inline constexpr Plasticity clay{.yield = 0.02, .creep = 20, .limit = 0.3};

template <class E>
E elastic(double nu = 0) {
  return E(Lame::from_young_poisson(young, nu));
}
template <class E>
auto plastic(const Plasticity& plasticity, double nu = 0) {
  return Plastic(elastic<E>(nu), plasticity);
}

inline auto bar(int cells = 3) {
  return make_box<Tet4>({.lengths = {length, 0.1, 0.1}, .cells = {cells, 1, 1}});
}

template <class Mesh>
std::vector<int> all_nodes(const Mesh& mesh) {
  return nodes_where(mesh, [](const auto&) { return true; });
}
template <class Mesh>
std::vector<int> left_nodes(const Mesh& mesh) {
  return nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; });
}
template <class Mesh>
std::vector<int> right_nodes(const Mesh& mesh) {
  return nodes_where(mesh, [](const auto& X) { return X.x() > length - 1e-9; });
}

}  // namespace pliant::test
