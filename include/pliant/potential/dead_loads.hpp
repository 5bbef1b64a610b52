// Forces on the nodes that are constant within a step.
#pragma once

#include <cstddef>

#include <pliant/potential/concept.hpp>

namespace pliant::detail::potential {

// -f.u with the forces f [N].
template <class VectorType>
class DeadLoads {
 public:
  using Vector = VectorType;
  static constexpr TermAbilities abilities{};

  explicit DeadLoads(const Vector& loads) : loads_(loads) {}

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    const Vector& u = at.displacements();
    Vector& g = sum.gradient();
    return -static_cast<double>(u.sum_blocks([&](std::ptrdiff_t i) {
      g.set_block(i, g.block(i) - loads_.block(i));
      return loads_.block(i) * u.block(i);
    }));
  }

 private:
  const Vector& loads_;
};

}  // namespace pliant::detail::potential
