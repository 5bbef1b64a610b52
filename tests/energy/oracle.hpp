// High-precision values of the energies at chosen deformation gradients.
#pragma once

#include "energy/oracle_rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Core>

struct Oracle {
  std::string energy, name;
  int dim;
  double mu, lambda;  // raw coefficients of the formula
  Eigen::MatrixXd F;  // dim x dim
  double psi;
  Eigen::MatrixXd P;  // dim x dim
  Eigen::MatrixXd H;  // dim^2 x dim^2
};

// Reads one row; the numbers of the matrices are separated by blanks. False at the end.
inline bool read_oracle(std::istream& in, Oracle& row) {
  if (!(in >> row.energy >> row.dim >> row.name >> row.mu >> row.lambda)) return false;
  const auto read = [&in](Eigen::MatrixXd& M, int size) {
    M.resize(size, size);
    for (Eigen::Index k = 0; k < M.size(); ++k) in >> M.data()[k];
  };
  read(row.F, row.dim);
  in >> row.psi;
  read(row.P, row.dim);
  read(row.H, row.dim * row.dim);  // symmetric, so the order of rows and columns is the same
  return static_cast<bool>(in);
}

// The rows of an energy and dimension: the whole table where it is at hand (PLIANT_TEST_DATA, else the folder
// `shared` beside the source tree), else those of oracle_rows.hpp.
inline std::vector<Oracle> oracles(const std::string& energy, int dim) {
  std::vector<Oracle> rows;
  Oracle row;
  const auto keep = [&] {
    if (row.energy == energy && row.dim == dim) rows.push_back(row);
  };

  const char* folder = std::getenv("PLIANT_TEST_DATA");
  const std::filesystem::path data = folder != nullptr
                                         ? std::filesystem::path(folder)
                                         : std::filesystem::path(PLIANT_SOURCE_DIR) / "../shared";
  std::ifstream table(data / "reference/vectors.tsv");
  if (table) {
    for (std::string line; std::getline(table, line);) {
      std::istringstream fields(line);
      if (!line.empty() && line[0] != '#' && read_oracle(fields, row)) keep();
    }
  } else {
    std::cout << "no table of oracles at " << data.string() << ": using the few rows of oracle_rows.hpp\n";
    for (std::istringstream text(oracle_rows); read_oracle(text, row);) keep();
  }
  return rows;
}
