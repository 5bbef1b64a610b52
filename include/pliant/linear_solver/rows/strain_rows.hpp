// Linear tetrahedra as rows: their strains.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/core/compressed_rows.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant {

// Six rows of a tetrahedron: three combinations Q (e_xx, e_yy, e_zz) of the strains and the shears 2 e_yz, 2
// e_xz, 2 e_xy, where e = sum_a sym(R^T u_a g_a^T) is the strain of displacements u, in the axes R. The first
// row of Q is (1, 1, 1) / sqrt(3) and the others are orthogonal to it: with them the compliance of an
// isotropic material, D^-1 / V, is diagonal.
struct StrainElement {
  using Triple = RowBlock::Triple;
  using Block = RowBlock::Block;

  std::array<int, 4> node;         // internal numbers
  std::array<Triple, 4> gradient;  // g, of the shape functions at rest [1/m]
  Block rotation;                  // R
  Triple compliance;               // of the first row, of the second and third, and of shears [1/(N m)]

  struct Strain {
    Triple normal, shear;
  };
  Strain forces;  // of the elasticity at the linearisation, as multipliers [N m]

  static const Block& axes() {
    static const Block Q = [] {
      Block axes;
      axes.row(0).setConstant(1 / std::sqrt(3.0));
      axes.row(1) = Triple(1, -1, 0).transpose() / std::sqrt(2.0);
      axes.row(2) = Triple(1, 1, -2).transpose() / std::sqrt(6.0);
      return axes;
    }();
    return Q;
  }

  // The strain of sum_a u_a g_a^T.
  Strain strain(const Block& displacement_gradient) const {
    const Block G = rotation.transpose() * displacement_gradient;
    const Triple diagonal = G.diagonal();
    return {axes() * diagonal, {G(1, 2) + G(2, 1), G(0, 2) + G(2, 0), G(0, 1) + G(1, 0)}};
  }

  // The forces of multipliers on node a are P g_a, with this P.
  Block stress(const Triple& normal, const Triple& shear) const {
    Block S;
    const Triple diagonal = axes().transpose() * normal;
    S << diagonal[0], shear[2], shear[1],  //
        shear[2], diagonal[1], shear[0],   //
        shear[1], shear[0], diagonal[2];
    return rotation * S;
  }
};

// Those of a solid.
struct StrainRows {
  std::vector<StrainElement> elements;
  struct Use {
    int element, corner;
  };
  detail::core::CompressedRows<Use> at_node;  // the elements of each node

  // Must be called when the nodes of the elements are known.
  void find_uses(std::ptrdiff_t nodes) {
    at_node.sort(nodes, [&](auto&& take) {
      for (std::size_t e = 0; e < elements.size(); ++e) {
        for (int corner = 0; corner < 4; ++corner) {
          take(elements[e].node[static_cast<std::size_t>(corner)], Use{static_cast<int>(e), corner});
        }
      }
    });
  }
};

}  // namespace pliant
