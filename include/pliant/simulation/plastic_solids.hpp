// A Simulation of solids that flow.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pliant/assembly/system.hpp>
#include <pliant/core/error.hpp>
#include <pliant/simulation/nodal_input.hpp>

namespace pliant::detail {

template <class SystemType, class Simulation>
class FunctionsOf;  // simulation.hpp

// Whether a solid, or one of several, is plastic.
template <class SolidType>
concept Flowing =
    assembly::IsSolid<SolidType> && assembly::any_flows<decltype(parts_of(std::declval<const SolidType&>()))>;

// The functions of a Simulation for plastic strains. Those of a solid are dim^2 x (#elements #points): a
// symmetric tensor for each quadrature point, point by point and element by element [-].
template <Flowing SolidType, class Simulation>
class FunctionsOf<SolidType, Simulation> {
 public:
  // The plastic strains of the i-th solid of Bodies, or of a single Solid.
  template <std::size_t i = 0>
  auto plastic_strains() const {
    require_plasticity<i>();
    return self().system_.template plastic_strains<i>();
  }

  // Replaces them; `sim.set_plastic_strains(0 * sim.plastic_strains())` sets them to zero, as at the start.
  // They may exceed the limit, which bounds only what the flow adds. Throws SizeError for a wrong size,
  // ParameterError for a number that is not finite and for a tensor that is not symmetric.
  template <std::size_t i = 0, class Derived>
  void set_plastic_strains(const Eigen::MatrixBase<Derived>& strains) {
    auto own = plastic_strains<i>();
    using Scalar = typename decltype(own)::Scalar;
    constexpr int size = decltype(own)::RowsAtCompileTime, dim = size == 4 ? 2 : 3;
    const auto& given = strains.derived().eval();
    require_nodal<Scalar, size>("plastic strains", given, own.cols());
    for (std::ptrdiff_t column = 0; column < own.cols(); ++column) {
      const double largest = static_cast<double>(given.col(column).cwiseAbs().maxCoeff());
      for (int c = 0; c < dim; ++c) {
        for (int r = 0; r < dim; ++r) {
          const auto a = static_cast<double>(given(r + dim * c, column)),
                     b = static_cast<double>(given(c + dim * r, column));
          if (!(std::abs(a - b) <= 1e-6 * largest)) {
            throw ParameterError("plastic strains, column " + std::to_string(column), a,
                                 "must be a symmetric tensor");
          }
          own(r + dim * c, column) = static_cast<Scalar>((a + b) / 2);
        }
      }
    }
    self().system_.template set_plastic_strains<i>(own);
    self().state_.acceleration_known = false;
  }

  // For writers: a 3 x 3 tensor for each cell of the mesh, the mean of its quadrature points; zero for solids
  // without plasticity.
  auto cell_plastic_strains() const {
    using Scalar = typename SolidType::Scalar;
    constexpr int dim = SolidType::dim;
    const auto parts = parts_of(self().solid_);
    const auto count = std::apply([](const auto&... part) { return (part.elements.cols() + ...); }, parts);
    NodeMatrix<Scalar, 9> result = NodeMatrix<Scalar, 9>::Zero(9, count);
    std::ptrdiff_t first = 0;
    const auto add = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
      const std::ptrdiff_t elements = std::get<i>(parts).elements.cols();
      if constexpr (plastic<i>) {
        const auto strains = plastic_strains<i>();
        const std::ptrdiff_t points = strains.cols() / elements;
        for (std::ptrdiff_t column = 0; column < strains.cols(); ++column) {
          for (int k = 0; k < dim * dim; ++k) {
            result(k % dim + 3 * (k / dim), first + column / points) +=
                strains(k, column) / static_cast<Scalar>(points);
          }
        }
      }
      first += elements;
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) { (add(std::integral_constant<std::size_t, i>{}), ...); }
    (std::make_index_sequence<std::tuple_size_v<Parts>>{});
    return result;
  }

 private:
  using Parts = decltype(parts_of(std::declval<const SolidType&>()));

  // Whether the i-th solid is plastic.
  template <std::size_t i>
  static constexpr bool plastic = assembly::any_flows<std::tuple<std::tuple_element_t<i, Parts>>>;

  template <std::size_t i>
  static constexpr void require_plasticity() {
    static_assert(i < std::tuple_size_v<Parts>, "there are not as many solids");
    static_assert(plastic<i>, "this solid has no plasticity");
  }

  Simulation& self() { return static_cast<Simulation&>(*this); }
  const Simulation& self() const { return static_cast<const Simulation&>(*this); }
};

}  // namespace pliant::detail
