// Chooses the combinations that the composition test steps, and writes the programs that step them:
//
//   composition_rows values|pairs|product <parts> <folder>
//
// `values`: any value of a factor occurs in a row. `pairs`: any two values of different factors that go
// together at all occur together in a row. `product`: every row that is legal. Writes <folder>/part_<k>.cpp
// for k = 0 ... parts - 1 and the table <folder>/rows.tsv. A new element, energy, integrator, solver or
// constraint is one more value below.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Factor {
  std::string name;
  std::vector<std::string> values;  // as they stand in the argument list of step_like_the_reference<...>
};

// Rows that agree in the first three compile the same kernels, and so stand in one part.
const std::vector<Factor> factors{
    {"element", {"Tet4", "Hex8", "Tri3"}},
    {"scalar", {"double", "float"}},
    {"energy",
     {"LinearElastic", "StVenantKirchhoff", "CorotatedLinear", "FixedCorotated", "Arap", "StableNeoHookean",
      "StableNeoHookeanBarrier", "BonetWoodNeoHookean", "OgdenNeoHookean", "BowerNeoHookean",
      "PlaneStress<LinearElastic>"}},
    {"integrator",
     {"BackwardEuler", "OptimizationEuler", "QuasiStatic", "Newmark", "CentralDifferences",
      "OperatorSplitting"}},
    {"solver", {"Pcg<Jacobi>", "Pcg<BlockJacobi>", "Pcg<TwoLevel>", "Cholesky", "Mprgp<Jacobi>", "NoSolver"}},
    {"constraint",
     {"NothingHeld", "LowerEndHeld", "UpperEndMoved", "LowerEndHeldUpperMoved", "LowerEndPushedUpperMoved"}}};

using Row = std::vector<std::string>;  // a value of each factor

bool legal(const Row& row) {
  const bool plane = row[0] == "Tri3", plane_stress = row[2] == "PlaneStress<LinearElastic>";
  const bool splits = row[3] == "OperatorSplitting", is_explicit = row[3] == "CentralDifferences";
  const bool no_solver = row[4] == "NoSolver", contact = row[5] == "LowerEndPushedUpperMoved";
  if (plane_stress && !plane) return false;
  if (splits && (row[0] != "Tet4" || (row[2] != "Arap" && row[2] != "FixedCorotated"))) return false;
  return no_solver == (is_explicit || splits) && !(splits && contact);
}

std::vector<Row> all_legal_rows() {
  std::vector<Row> rows{{}};
  for (const Factor& factor : factors) {
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (const std::string& value : factor.values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = std::move(longer);
  }
  std::erase_if(rows, [](const Row& row) { return !legal(row); });
  return rows;
}

// Values of two factors, or twice the same. No value belongs to two factors, so that their names are enough.
using Pair = std::pair<std::string, std::string>;

std::vector<Pair> values_of(const Row& row) {
  std::vector<Pair> values;
  for (const std::string& value : row) values.emplace_back(value, value);
  return values;
}

std::vector<Pair> pairs_of(const Row& row) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < row.size(); ++i) {
    for (std::size_t j = i + 1; j < row.size(); ++j) pairs.emplace_back(row[i], row[j]);
  }
  return pairs;
}

// Takes the row with the most pairs that no row before it has, until none is left.
template <class PairsOf>
std::vector<Row> cover(const std::vector<Row>& candidates, PairsOf&& pairs_of) {
  std::set<Pair> missing;
  for (const Row& row : candidates) {
    for (const Pair& pair : pairs_of(row)) missing.insert(pair);
  }
  std::vector<Row> rows;
  while (!missing.empty()) {
    const Row* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Row& row : candidates) {
      const std::vector<Pair> pairs = pairs_of(row);
      const auto gain =
          std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) { return missing.contains(pair); });
      if (gain > most) {
        most = gain;
        best = &row;
      }
    }
    for (const Pair& pair : pairs_of(*best)) missing.erase(pair);
    rows.push_back(*best);
  }
  return rows;
}

std::string joined(const Row& row, const std::string& separator) {
  std::string text = row.front();
  for (std::size_t k = 1; k < row.size(); ++k) text += separator + row[k];
  return text;
}

void write(const std::vector<Row>& rows, std::size_t parts, const std::string& folder) {
  std::ofstream table(folder + "/rows.tsv");
  for (const Factor& factor : factors) table << factor.name << (&factor == &factors.back() ? "\n" : "\t");
  for (const Row& row : rows) table << joined(row, "\t") << "\n";
  for (std::size_t part = 0; part < parts; ++part) {
    std::ofstream file(folder + "/part_" + std::to_string(part) + ".cpp");
    file << "#include \"composition/step_like_the_reference.hpp\"\n#include \"support/catch.hpp\"\n\n"
         << "using namespace pliant;\nusing namespace pliant::test;\n\n";
    for (std::size_t k = part * rows.size() / parts; k < (part + 1) * rows.size() / parts; ++k) {
      file << "TEST_CASE(\"" << joined(rows[k], ", ")
           << "\", \"[composition]\") {\n  step_like_the_reference<" << joined(rows[k], ", ")
           << ">();\n}\n\n";
    }
    if (!file.flush()) throw std::runtime_error("cannot write to " + folder);
  }
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> words(arguments, arguments + count);
  if (words.size() != 4 || (words[1] != "values" && words[1] != "pairs" && words[1] != "product")) {
    throw std::runtime_error("usage: composition_rows values|pairs|product <parts> <folder>");
  }
  std::vector<Row> rows = all_legal_rows();
  if (words[1] == "values") rows = cover(rows, values_of);
  if (words[1] == "pairs") rows = cover(rows, pairs_of);
  std::sort(rows.begin(), rows.end());
  write(rows, std::stoul(words[2]), words[3]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
