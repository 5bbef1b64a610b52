// A body with limbs: generated, or read from a file.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <pliant/pliant.hpp>

// A figure one metre tall that stretches out its arms along x, of boxes each cut into cells^3 lattice cells.
inline pliant::Mesh<pliant::Tet4> make_figure(int cells) {
  constexpr std::array<const char*, 9> rows{
      "...##...",  //
      "...##...",  // head
      "########",  // arms
      "..####..",  //
      "..####..",  // trunk
      "..####..",  //
      "..#..#..",  //
      "..#..#..",  // legs
      "..#..#..",
  };
  constexpr int tall = static_cast<int>(rows.size()), wide = 8, deep = 2;
  constexpr double size = 1.0 / tall;  // of a box [m]
  auto mesh = pliant::make_box<pliant::Tet4>({.lengths = {wide * size, tall * size, deep * size},
                                              .cells = {wide * cells, tall * cells, deep * cells}});
  std::vector<Eigen::Index> kept;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const int node : mesh.elements.col(e)) middle += mesh.nodes.col(node) / 4;
    const auto row = static_cast<std::size_t>(tall - 1 - static_cast<int>(middle.y() / size));
    if (rows[row][static_cast<std::size_t>(middle.x() / size)] == '#') kept.push_back(e);
  }
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  return pliant::drop_unreferenced_nodes(mesh).mesh;
}

// Of a mesh file, whose unit is not known: its longest axis is made one metre long. Without a file, "-", the
// figure.
inline pliant::Mesh<pliant::Tet4> body_of(const std::string& file, int cells) {
  if (file == "-") return make_figure(cells);
  auto mesh = pliant::read_mesh<pliant::Tet4>(file);
  const auto box = pliant::bounding_box(mesh);
  mesh.nodes = (mesh.nodes.colwise() - box.lower) / box.lengths().maxCoeff();
  return mesh;
}
