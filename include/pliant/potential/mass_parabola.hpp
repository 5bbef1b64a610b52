// Inertia, and mass-proportional damping.
#pragma once

#include <cstddef>

#include <pliant/potential/concept.hpp>

namespace pliant::detail::potential {

// |u - target|_W^2 / (2 divisor) with a weight W for each node and axis. For inertia W is the mass, the
// target is the displacement without forces, and the divisor is dt^2 or similar. For mass damping W is alpha
// M, the target is the displacement that ends at rest, and the divisor is dt or similar.
//
// Its Hessian W / divisor is diagonal. IncrementalPotential adds the Hessians of both in one loop over the
// nodes, because it may have to raise their sum.
template <class VectorType>
class MassParabola {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr TermAbilities abilities{.switches = true};

  // A target without nodes is zero. If `weight` has no nodes the term is inactive.
  MassParabola(const Vector& weight, const Vector& target, Scalar divisor)
      : weight_(weight), target_(target), divisor_(divisor) {}

  bool active() const { return weight_.nodes() > 0; }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    const Vector& u = at.displacements();
    if (target_.nodes() == 0) return add(u, sum.gradient(), [&](std::ptrdiff_t i) { return u.block(i); });
    return add(u, sum.gradient(), [&](std::ptrdiff_t i) { return u.block(i) - target_.block(i); });
  }

  // W of a node and an axis.
  Scalar weight(std::ptrdiff_t i, int axis) const { return active() ? weight_.node(i)(axis) : Scalar(0); }

  // In double: the Hessian's entry of a node on its first axis [N/m], and the gradient at the node, a Row
  // [N].
  double stiffness(std::ptrdiff_t i) const {
    return active() ? 1 / static_cast<double>(divisor_) * static_cast<double>(weight_.node(i)(0)) : 0;
  }
  template <class Row>
  Row gradient(const Vector& u, std::ptrdiff_t i) const {
    const auto wide = [&](const Vector& vector) { return simd::convert<Row>(vector.row(i)); };
    return Row(stiffness(i)) * (target_.nodes() == 0 ? wide(u) : wide(u) - wide(target_));
  }

 private:
  using Block = typename Vector::Block;

  // `ahead(i)`: u - target.
  template <class Ahead>
  double add(const Vector& u, Vector& g, Ahead&& ahead) const {
    const Block factor(1 / divisor_);
    const Scalar twice = u.sum_blocks([&](std::ptrdiff_t i) {
      const Block distance = ahead(i);
      const Block force = factor * weight_.block(i) * distance;
      g.set_block(i, g.block(i) + force);
      return force * distance;
    });
    return static_cast<double>(twice) / 2;
  }

  const Vector& weight_;
  const Vector& target_;
  Scalar divisor_;
};

}  // namespace pliant::detail::potential
