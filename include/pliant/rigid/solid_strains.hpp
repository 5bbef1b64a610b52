// The tetrahedra of a solid as rows.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/plastic.hpp>
#include <pliant/linear_solver/rows/strain_rows.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant::detail::rigid {

// The strain rows of a Solid of Tet4. Those of CorotatedLinear rotate with the elements.
template <class SolidType>
class SolidStrains {
 public:
  using Energy = typename solid::OneOf<typename SolidType::Energy>::type;
  static constexpr bool warped = std::derived_from<Energy, CorotatedLinear>;
  static_assert(std::same_as<typename SolidType::Element, Tet4>,
                "DualRows takes a Solid of Tet4, whose strain is constant in an element: use Condensed");
  static_assert(warped || std::derived_from<Energy, LinearElastic>,
                "DualRows takes energies whose stress is linear in a strain, LinearElastic and "
                "CorotatedLinear, also as Plastic: use Condensed");

  template <class System>
  SolidStrains(const SolidType& solid, const System& system) {
    const auto& mesh = solid.mesh();
    for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
      StrainElement element;
      Block edges;
      for (int k = 0; k < 4; ++k) {
        const int node = mesh.elements(k, e);
        element.node[static_cast<std::size_t>(k)] = system.internal_number(node);
        if (k > 0) edges.col(k - 1) = mesh.nodes.col(node) - mesh.nodes.col(mesh.elements(0, e));
      }
      const Block inverse = algebra::inverse<double, 3>(edges);
      element.gradient[0] = -inverse.colwise().sum().transpose();
      for (int k = 0; k < 3; ++k) {
        element.gradient[static_cast<std::size_t>(k + 1)] = inverse.row(k).transpose();
      }
      element.rotation.setIdentity();
      const double volume = determinant(edges) / 6;
      const auto& c = energy_of(solid, e).template coefficients<3>();
      stiffness_.push_back(volume * RowBlock::Triple(3 * c.lambda + 2 * c.mu, 2 * c.mu, c.mu));
      rows_.elements.push_back(element);
    }
    rows_.find_uses(solid.node_count());
  }

  // The rows at the positions x, in a step of dt [s] with a stiffness damping of beta [s].
  template <class Vector>
  const StrainRows& at(const Vector& x, double dt, double beta) {
    core::parallel_for(std::ssize(rows_.elements), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t e = begin; e < end; ++e) {
        StrainElement& element = rows_.elements[static_cast<std::size_t>(e)];
        const RowBlock::Triple& stiffness = stiffness_[static_cast<std::size_t>(e)];
        Block F = Block::Zero();
        for (std::size_t a = 0; a < 4; ++a) F += x.node(element.node[a]) * element.gradient[a].transpose();
        if constexpr (warped) element.rotation = polar<double, 3>(F).R;
        const auto strain = element.strain(F - element.rotation);
        element.forces.normal =
            -RowBlock::Triple(stiffness[0], stiffness[1], stiffness[1]).cwiseProduct(strain.normal);
        element.forces.shear = -stiffness[2] * strain.shear;
        element.compliance = (stiffness * (1 + beta / dt)).cwiseInverse();
      }
    });
    return rows_;
  }

 private:
  using Block = RowBlock::Block;

  static const Energy& energy_of(const SolidType& solid, Eigen::Index element) {
    if constexpr (solid::is_per_region<typename SolidType::Energy>) {
      return solid.energy().at(solid.mesh().region(element));
    } else {
      return solid.energy();
    }
  }

  StrainRows rows_;
  std::vector<RowBlock::Triple> stiffness_;  // V (3 lambda + 2 mu, 2 mu, mu) [N m]
};

}  // namespace pliant::detail::rigid
