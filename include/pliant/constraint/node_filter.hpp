// The constrained unknowns of nodes, and their motion.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <pliant/algebra/origins.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/constraint/concept.hpp>

namespace pliant {

// The constrained components of the displacements of nodes, and their motion: the part of a Filter that
// concerns vectors only and is independent of the matrix.
template <class VectorType>  // a SystemVector
class NodeFilter {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Constraints = NodeConstraints<dim>;
  using Point = typename Constraints::Point;

  NodeFilter() = default;

  // `rest`: the rest positions [m] of `node_count` nodes in the user's numbering, dim x #nodes, relative to
  // `origins`, as the positions in a step are. `user_number(i)`: the user's number of node i.
  template <class Derived, class UserNumber>
  NodeFilter(const Constraints& constraints, const Eigen::MatrixBase<Derived>& rest,
             std::ptrdiff_t node_count, UserNumber&& user_number, const Origins<dim>& origins = {})
      : motions_(constraints.motions()), place_(static_cast<std::size_t>(node_count), free) {
    for (std::ptrdiff_t i = 0; i < node_count; ++i) {
      const int user = user_number(i);
      const auto found = constraints.restraints().find(user);
      if (found == constraints.restraints().end() || found->second.empty()) continue;
      const auto& restraints = found->second;
      const int node = static_cast<int>(i);
      for (const auto& restraint : restraints) directions_.push_back({node, restraint.direction});
      const Frame displacement = displacements(restraints);
      if (std::ssize(restraints) == dim) {
        place_[static_cast<std::size_t>(i)] = fixed;
        fixed_nodes_.push_back(node);
      } else {
        place_[static_cast<std::size_t>(i)] = static_cast<int>(guided_.size());
        guided_.push_back(
            {node, static_cast<int>(restraints.size()), projection_onto_free(restraints, displacement)});
      }
      Frame in_place = displacement;
      for (std::size_t k = 0; k < restraints.size(); ++k) {
        if (restraints[k].motion != Constraints::in_place) in_place.col(static_cast<int>(k)).setZero();
      }
      held_.push_back({node, projection_onto_free(restraints, in_place)});
      const bool moved = std::any_of(restraints.begin(), restraints.end(), [](const auto& restraint) {
        return restraint.motion != Constraints::in_place;
      });
      if (moved) {
        moved_.push_back({node, user, rest.col(user).template cast<double>() + origins.of(node),
                          origins.of(node), restraints, displacement,
                          projection_onto_free(restraints, displacement)});
      }
    }
  }

  // Nodes without free directions, in the internal numbering.
  const std::vector<int>& fixed_nodes() const { return fixed_nodes_; }

  // All constrained directions, including those of moved nodes.
  const std::vector<HeldDirection<dim>>& directions() const { return directions_; }

  // u: the displacements [m] of the moved nodes from x at the start of a step to their positions at its end,
  // at `time` [s], after `duration` [s]; zero for all others. Returns false if all are zero. Throws
  // ParameterError for a motion that is not finite.
  bool prescribe(double time, double duration, const Vector& x, Vector& u) const {
    u.set_zero();
    bool moves = false;
    for (const MovedNode& node : moved_) {
      Point displacement = Point::Zero();
      for (std::size_t k = 0; k < node.restraints.size(); ++k) {
        if (node.restraints[k].motion == Constraints::in_place) continue;
        const double along = displacement_along(node, node.restraints[k], time, duration, x);
        for (int axis = 0; axis < dim; ++axis) {
          displacement[axis] += along * node.displacement(axis, static_cast<int>(k));
        }
      }
      for (int axis = 0; axis < dim; ++axis) {
        u.node(node.internal)(axis) = static_cast<Scalar>(displacement[axis]);
        moves = moves || displacement[axis] != 0;
      }
    }
    return moves;
  }

  // d: the remaining displacement of the moved nodes from u to the result of `prescribe`; zero in the free
  // directions.
  void remaining(const Vector& prescribed, const Vector& u, Vector& d) const {
    d.set_sum(prescribed, Scalar(0), prescribed);
    for (const MovedNode& node : moved_) {
      const SmallVector<Scalar, dim> done = u.node(node.internal);
      d.node(node.internal) -= done - detail::algebra::times<Scalar, dim, dim, 1>(node.S, done);
    }
  }

  // Calls use(node, S) for each moved node, with the projection S onto its free directions.
  template <class Use>
  void for_each_moved(Use&& use) const {
    for (const MovedNode& node : moved_) use(node.internal, node.S);
  }

  // The same for each node with restraints; S is zero if it has no free direction.
  template <class Use>
  void for_each_restrained(Use&& use) const {
    for (const int node : fixed_nodes_) use(node, Block(Block::Zero()));
    for (const Guided& node : guided_) use(node.internal, node.S);
  }

  // Sets the constrained components of the velocities v [m/s] of the moved nodes, and of no others, to the
  // velocities of their motions at the time `to` [s]. For paths these are one-sided differences of second
  // order from `from`, which may be earlier or later, so that a kink of a path at either time does not
  // matter. Throws ParameterError for a motion that is not finite.
  void follow_motions(double from, double to, Vector& v) const {
    for (const MovedNode& node : moved_) {
      SmallVector<Scalar, dim> velocity =
          detail::algebra::times<Scalar, dim, dim, 1>(node.S, v.node(node.internal));
      for (std::size_t k = 0; k < node.restraints.size(); ++k) {
        if (node.restraints[k].motion == Constraints::in_place) continue;
        const auto& motion = motions_[static_cast<std::size_t>(node.restraints[k].motion)];
        const auto along = [&](double time) {
          return detail::algebra::dot<double, dim>(node.restraints[k].direction,
                                                   value_of(node, motion, time));
        };
        double speed = along(to);
        if (motion.gives == Constraints::Motion::Gives::position) {
          const double last = speed - along(from + (to - from) / 2), all = speed - along(from);
          speed = (4 * last - all) / (to - from);
        }
        for (int axis = 0; axis < dim; ++axis) {
          velocity[axis] += static_cast<Scalar>(speed * node.displacement(axis, static_cast<int>(k)));
        }
      }
      v.node(node.internal) = velocity;
    }
  }

  // Sets the components of the velocities v that are held in place to zero; those of motions stay.
  void stop_held(Vector& v) const {
    for (const Held& node : held_) {
      const SmallVector<Scalar, dim> value = v.node(node.internal);
      v.node(node.internal) = detail::algebra::times<Scalar, dim, dim, 1>(node.keep, value);
    }
  }

  // The projection of a vector, and the removed part: b = S b, lost = (I - S) b.
  void split(Vector& b, Vector& lost) const {
    lost.set_zero();
    for (const Held& node : held_) lost.node(node.internal) = b.node(node.internal);
    apply(b);
    for (const Held& node : held_) lost.node(node.internal) -= b.node(node.internal);
  }

  void apply(Vector& b) const {
    for (const int node : fixed_nodes_) b.node(node).setZero();
    for (const Guided& node : guided_) {
      const SmallVector<Scalar, dim> value = b.node(node.internal);
      b.node(node.internal) = detail::algebra::times<Scalar, dim, dim, 1>(node.S, value);
    }
  }

 protected:
  using Block = SmallMatrix<Scalar, dim, dim>;
  using Frame = SmallMatrix<double, dim, dim>;
  using Restraints = std::vector<typename Constraints::Restraint>;
  static constexpr int free = -1, fixed = -2;

  // A node with some, but not all, directions free.
  struct Guided {
    int internal;
    int restraints;
    Block S;  // the projection onto the free directions
  };
  // A node with restraints.
  struct Held {
    int internal;
    Block keep;  // removes the components that are held in place
  };
  struct MovedNode {
    int internal, user;
    Point rest;    // in the world [m]
    Point origin;  // to which its positions are relative [m]
    Restraints restraints;
    Frame displacement;  // its columns: for a unit displacement along one restraint and zero along the others
    Block S;             // the projection onto the free directions
  };

  // S B S + D (I - S) of the diagonal blocks of a matrix, see Filter.
  template <class Matrix>
  void apply_to_diagonal(Matrix& A) const {
    for (const int node : fixed_nodes_) {
      auto block = A.diagonal(node);
      const Scalar mean = positive(block.trace() / dim);
      block.setZero();
      block.diagonal().setConstant(mean);
    }
    for (const Guided& node : guided_) {
      auto block = A.diagonal(node.internal);
      const Block whole = block, half = detail::algebra::times(node.S, whole),
                  kept = detail::algebra::times(half, node.S);
      const Scalar mean = positive((trace(whole) - trace(half)) / static_cast<Scalar>(node.restraints));
      for (int j = 0; j < dim; ++j) {
        for (int i = 0; i < dim; ++i) {
          block(i, j) = kept(i, j) + mean * (Scalar(i == j ? 1 : 0) - node.S(i, j));
        }
      }
    }
  }

  // The projection onto the free directions of a node that has some.
  const Block& projection(int place) const { return guided_[static_cast<std::size_t>(place)].S; }

  static Scalar positive(Scalar mean) {
    mean = std::abs(mean);
    return mean > 0 ? mean : Scalar(1);
  }

  // d_j, orthogonal to the free directions, with n_i.d_j = 1 for i = j and 0 otherwise, for the directions
  // n_i.
  static Frame displacements(const Restraints& restraints) {
    Frame n;
    for (int k = 0; k < dim; ++k) {
      for (int axis = 0; axis < dim; ++axis) {
        const bool given = k < std::ssize(restraints);
        n(axis, k) = given ? restraints[static_cast<std::size_t>(k)].direction[axis] : 0;
      }
    }
    if constexpr (dim > 1) {
      if (restraints.size() > 1) {
        if constexpr (dim == 3) {
          if (restraints.size() == 2) {
            const Point across = detail::algebra::cross<double>(Point(n.col(0)), Point(n.col(1)));
            n.col(2) = across / std::sqrt(detail::algebra::dot<double, 3>(across, across));
          }
        }
        return detail::algebra::inverse(n).transpose();
      }
    }
    return n;
  }

  static Block projection_onto_free(const Restraints& restraints, const Frame& displacement) {
    Block S;
    for (int j = 0; j < dim; ++j) {
      for (int i = 0; i < dim; ++i) {
        double entry = i == j ? 1 : 0;
        for (std::size_t k = 0; k < restraints.size(); ++k) {
          entry -= displacement(i, static_cast<int>(k)) * restraints[k].direction[j];
        }
        S(i, j) = static_cast<Scalar>(entry);
      }
    }
    return S;
  }

  // The position that a motion prescribes for a node [m], or the velocity [m/s].
  static Point value_of(const MovedNode& node, const typename Constraints::Motion& motion, double time) {
    const bool is_velocity = motion.gives == Constraints::Motion::Gives::velocity;
    const Point value = motion.path(node.rest, time);
    for (int axis = 0; axis < dim; ++axis) {
      if (!std::isfinite(static_cast<Scalar>(value[axis]))) {
        throw ParameterError((is_velocity ? "velocity of " : "path of ") + motion.owner + " for node " +
                                 std::to_string(node.user),
                             value[axis], is_velocity ? "must be finite (m/s)" : "must be finite (m)");
      }
    }
    return value;
  }

  // The displacement of a moved node along a direction in a step [m].
  double displacement_along(const MovedNode& node, const typename Constraints::Restraint& restraint,
                            double time, double duration, const Vector& x) const {
    const auto& motion = motions_[static_cast<std::size_t>(restraint.motion)];
    const bool is_velocity = motion.gives == Constraints::Motion::Gives::velocity;
    Point value = value_of(node, motion, time);
    if (!is_velocity) value -= node.origin;
    double along = 0, size = 0;
    for (int axis = 0; axis < dim; ++axis) {
      const auto now = static_cast<double>(x.node(node.internal)(axis));
      along += restraint.direction[axis] * (is_velocity ? duration * value[axis] : value[axis] - now);
      size += std::abs(value[axis]) + std::abs(now);
    }
    // A position is reached up to rounding only.
    const bool there = std::abs(along) <= std::numeric_limits<Scalar>::epsilon() * size;
    return there && !is_velocity ? 0 : along;
  }

  std::vector<typename Constraints::Motion> motions_;
  std::vector<int> fixed_nodes_;
  std::vector<Guided> guided_;
  std::vector<MovedNode> moved_;
  std::vector<Held> held_;
  std::vector<HeldDirection<dim>> directions_;
  std::vector<int> place_;  // of each node: index in guided_, free or fixed
};

}  // namespace pliant
