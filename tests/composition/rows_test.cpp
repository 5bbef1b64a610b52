// The table of combinations that are stepped holds every pair of values that go together.
#include "support/catch.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using Row = std::vector<std::string>;

Row cells_of(const std::string& line) {
  Row cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
  return cells;
}

// Values that must not go together; compile_fail/ shows what the compiler says of them.
const std::set<std::pair<std::string, std::string>> excluded{
    {"Tet4", "PlaneStress<LinearElastic>"},
    {"Hex8", "PlaneStress<LinearElastic>"},
    {"CentralDifferences", "Pcg<Jacobi>"},
    {"CentralDifferences", "Pcg<BlockJacobi>"},
    {"CentralDifferences", "Pcg<TwoLevel>"},
    {"CentralDifferences", "Cholesky"},
    {"CentralDifferences", "Mprgp<Jacobi>"},
    {"BackwardEuler", "NoSolver"},
    {"OptimizationEuler", "NoSolver"},
    {"QuasiStatic", "NoSolver"},
    {"Newmark", "NoSolver"},
    {"OperatorSplitting", "LowerEndPushedUpperMoved"},
    {"Hex8", "OperatorSplitting"},
    {"Tri3", "OperatorSplitting"},
    {"LinearElastic", "OperatorSplitting"},
    {"StVenantKirchhoff", "OperatorSplitting"},
    {"CorotatedLinear", "OperatorSplitting"},
    {"StableNeoHookean", "OperatorSplitting"},
    {"StableNeoHookeanBarrier", "OperatorSplitting"},
    {"BonetWoodNeoHookean", "OperatorSplitting"},
    {"OgdenNeoHookean", "OperatorSplitting"},
    {"BowerNeoHookean", "OperatorSplitting"},
    {"PlaneStress<LinearElastic>", "OperatorSplitting"},
    {"OperatorSplitting", "Pcg<Jacobi>"},
    {"OperatorSplitting", "Pcg<BlockJacobi>"},
    {"OperatorSplitting", "Pcg<TwoLevel>"},
    {"OperatorSplitting", "Cholesky"},
    {"OperatorSplitting", "Mprgp<Jacobi>"}};

}  // namespace

TEST_CASE("every two policies that go together are composed") {
  std::ifstream table(PLIANT_COMPOSITION_TABLE);
  std::string line;
  REQUIRE(std::getline(table, line));
  const Row factors = cells_of(line);
  REQUIRE(factors == Row{"element", "scalar", "energy", "integrator", "solver", "constraint"});

  std::vector<std::set<std::string>> values(factors.size());
  std::set<std::pair<std::string, std::string>> stepped;
  int rows = 0;
  for (; std::getline(table, line); ++rows) {
    const Row row = cells_of(line);
    REQUIRE(row.size() == factors.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      values[i].insert(row[i]);
      for (std::size_t j = i + 1; j < row.size(); ++j) stepped.emplace(row[i], row[j]);
    }
  }
  // As many models of each role as rows.cpp lists, so that an empty table does not pass.
  std::vector<std::size_t> counts;
  for (const auto& set : values) counts.push_back(set.size());
  CHECK(counts == std::vector<std::size_t>{3, 2, 11, 6, 6, 5});

  std::string wrong;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      for (const std::string& a : values[i]) {
        for (const std::string& b : values[j]) {
          if (stepped.contains({a, b}) == excluded.contains({a, b})) wrong += a + " with " + b + "\n";
        }
      }
    }
  }
  INFO("not together, or together and excluded:\n" << wrong);
  CHECK(wrong.empty());
  CHECK(rows > 0);
}
