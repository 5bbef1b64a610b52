// What several benchmarks share: bodies in a slightly deformed state, and where the measured meshes are.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace baseline {

// A unit cube of n^3 cells, five tets each.
template <class Scalar = double>
pliant::Mesh<pliant::Tet4, Scalar> cube(int n) {
  return pliant::make_box<pliant::Tet4, Scalar>({.lengths = {1, 1, 1}, .cells = {n, n, n}});
}

// The rest positions, each node moved by up to two hundredths of a cell, the same way on every run.
template <class Element, class Scalar>
pliant::NodeMatrix<Scalar, 3> disturbed(const pliant::Mesh<Element, Scalar>& mesh, int n) {
  pliant::NodeMatrix<Scalar, 3> x = mesh.nodes;
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    const double k = static_cast<double>(i);
    x.col(i) += (0.02 / n * Eigen::Vector3d(std::sin(7 * k), std::sin(3 * k), std::cos(5 * k)))
                    .template cast<Scalar>();
  }
  return x;
}

// Tells the time of an iteration per element.
inline void per_element(benchmark::State& state, std::ptrdiff_t elements) {
  using benchmark::Counter;
  state.counters["s/tet"] =
      Counter(static_cast<double>(elements), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

// A file of the collection of measured meshes: in the folder PLIANT_TEST_DATA, or beside the source tree.
// Empty where there is none.
inline std::string measured_mesh(const std::string& file) {
  namespace fs = std::filesystem;
  const char* folder = std::getenv("PLIANT_TEST_DATA");
  for (const fs::path& root : {fs::path(folder ? folder : ""), fs::path(PLIANT_SOURCE_DIR) / "../shared"}) {
    if (!root.empty() && fs::exists(root / "meshes" / file)) return (root / "meshes" / file).string();
  }
  return {};
}

}  // namespace baseline
