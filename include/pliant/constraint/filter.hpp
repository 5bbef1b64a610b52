// Takes the constrained unknowns out of A x = b, keeping A symmetric and positive definite.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <pliant/algebra/origins.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/constraint/concept.hpp>

namespace pliant {

// With S the projection onto the free unknowns, node by node, A becomes S A S + D (I - S) and b becomes S b:
// the pre-filtered form of Tamstorf, Jones, McCormick 2015, block by block, without forming S. D is the mean
// diagonal entry of the node's own block, which keeps the condition number where it was; a plain identity can
// make it hundreds of times worse. Where that mean is not positive, D is its absolute value or one: a held
// node makes no matrix indefinite.
template <int Dim, class Scalar, Isa isa = PLIANT_NATIVE_ISA>
class Filter {
 public:
  using Vector = NodeVector<Dim, Scalar, isa>;
  using Matrix = BlockMatrix<Dim, Scalar, isa>;
  using Constraints = NodeConstraints<Dim>;
  using Point = typename Constraints::Point;

  Filter() = default;

  // `rest`: the rest positions [m] in the user's numbering, dim x #nodes, relative to `origins`, in whose
  // terms those of a step are too.
  template <class Derived>
  Filter(const Constraints& constraints, const Eigen::MatrixBase<Derived>& rest, const Numbering& numbering,
         const BlockPattern& pattern, const Origins<Dim>& origins = {})
      : motions_(constraints.motions()) {
    std::vector<int> place(static_cast<std::size_t>(pattern.rows()), free);  // among guided_, or fixed
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const int user = numbering.to_user[static_cast<std::size_t>(i)];
      const auto found = constraints.restraints().find(user);
      if (found == constraints.restraints().end() || found->second.empty()) continue;
      const auto& restraints = found->second;
      const int node = static_cast<int>(i);
      for (const auto& restraint : restraints) directions_.push_back({node, restraint.direction});
      const Frame displacement = displacements(restraints);
      if (std::ssize(restraints) == Dim) {
        place[static_cast<std::size_t>(i)] = fixed;
        fixed_nodes_.push_back(node);
      } else {
        place[static_cast<std::size_t>(i)] = static_cast<int>(guided_.size());
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
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const int of_row = place[static_cast<std::size_t>(i)];
      for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
           k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const int of_column = place[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])];
        if (of_row == fixed || of_column == fixed) decoupled_.push_back(k);
        else if (of_row != free || of_column != free) guided_blocks_.push_back({k, of_row, of_column});
      }
    }
  }

  // Nodes without any freedom left, in the internal numbering.
  const std::vector<int>& fixed_nodes() const { return fixed_nodes_; }

  // All directions along which nodes are not free, those of moved nodes included.
  const std::vector<HeldDirection<Dim>>& directions() const { return directions_; }

  // u: the displacements [m] that take the moved nodes from x at the start of a step to where they are at
  // `time` [s], its end, `duration` [s] later; zero elsewhere. False where none of them moves. Throws
  // ParameterError for a motion that is not finite.
  bool prescribe(double time, double duration, const Vector& x, Vector& u) const {
    u.set_zero();
    bool moves = false;
    for (const MovedNode& node : moved_) {
      Point displacement = Point::Zero();
      for (std::size_t k = 0; k < node.restraints.size(); ++k) {
        if (node.restraints[k].motion == Constraints::in_place) continue;
        const double along = way(node, node.restraints[k], time, duration, x);
        for (int axis = 0; axis < Dim; ++axis) {
          displacement[axis] += along * node.displacement(axis, static_cast<int>(k));
        }
      }
      for (int axis = 0; axis < Dim; ++axis) {
        u.node(node.internal)(axis) = static_cast<Scalar>(displacement[axis]);
        moves = moves || displacement[axis] != 0;
      }
    }
    return moves;
  }

  // d: what still takes the moved nodes from the displacements u to those that `prescribe` told; zero along
  // what is free.
  void remaining(const Vector& prescribed, const Vector& u, Vector& d) const {
    d.set_sum(prescribed, Scalar(0), prescribed);
    for (const MovedNode& node : moved_) {
      const SmallVector<Scalar, Dim> done = u.node(node.internal);
      d.node(node.internal) -= done - times<Scalar, Dim, Dim, 1>(node.S, done);
    }
  }

  // Calls use(node, S) for each moved node, S the projection onto the directions along which it is free.
  template <class Use>
  void for_each_moved(Use&& use) const {
    for (const MovedNode& node : moved_) use(node.internal, node.S);
  }

  // The same for each node that has any restraint; S is zero where it has no freedom left.
  template <class Use>
  void for_each_restrained(Use&& use) const {
    for (const int node : fixed_nodes_) use(node, Block(Block::Zero()));
    for (const Guided& node : guided_) use(node.internal, node.S);
  }

  // Sets the components of the velocities v [m/s] that are not free, of the moved nodes and of no others, to
  // those of their motions at the time `to` [s]; of paths by one-sided differences from `from`, which may be
  // earlier or later, of second order, so that a kink of a path at either time does no harm. Throws
  // ParameterError for a motion that is not finite.
  void follow_motions(double from, double to, Vector& v) const {
    for (const MovedNode& node : moved_) {
      SmallVector<Scalar, Dim> velocity = times<Scalar, Dim, Dim, 1>(node.S, v.node(node.internal));
      for (std::size_t k = 0; k < node.restraints.size(); ++k) {
        if (node.restraints[k].motion == Constraints::in_place) continue;
        const auto& motion = motions_[static_cast<std::size_t>(node.restraints[k].motion)];
        const auto along = [&](double time) {
          return dot<double, Dim>(node.restraints[k].direction, value_of(node, motion, time));
        };
        double speed = along(to);
        if (motion.gives == Constraints::Motion::Gives::position) {
          const double last = speed - along(from + (to - from) / 2), all = speed - along(from);
          speed = (4 * last - all) / (to - from);
        }
        for (int axis = 0; axis < Dim; ++axis) {
          velocity[axis] += static_cast<Scalar>(speed * node.displacement(axis, static_cast<int>(k)));
        }
      }
      v.node(node.internal) = velocity;
    }
  }

  void apply(Matrix& A) const {
    for (const int slot : decoupled_) A.block(slot).setZero();
    for (const GuidedBlock& guided : guided_blocks_) {
      auto block = A.block(guided.slot);
      Block kept = block;
      if (guided.of_row != free) kept = times(guided_[static_cast<std::size_t>(guided.of_row)].S, kept);
      if (guided.of_column != free) {
        kept = times(kept, guided_[static_cast<std::size_t>(guided.of_column)].S);
      }
      block = kept;
    }
    for (const int node : fixed_nodes_) {
      auto block = A.diagonal(node);
      const Scalar mean = positive(block.trace() / Dim);
      block.setZero();
      block.diagonal().setConstant(mean);
    }
    for (const Guided& node : guided_) {
      auto block = A.diagonal(node.internal);
      const Block whole = block, half = times(node.S, whole), kept = times(half, node.S);
      const Scalar mean = positive((trace(whole) - trace(half)) / static_cast<Scalar>(node.restraints));
      for (int j = 0; j < Dim; ++j) {
        for (int i = 0; i < Dim; ++i) {
          block(i, j) = kept(i, j) + mean * (Scalar(i == j ? 1 : 0) - node.S(i, j));
        }
      }
    }
  }

  // Takes out of the velocities v what is held in place, and leaves those of motions.
  void stop_held(Vector& v) const {
    for (const Held& node : held_) {
      const SmallVector<Scalar, Dim> value = v.node(node.internal);
      v.node(node.internal) = times<Scalar, Dim, Dim, 1>(node.keep, value);
    }
  }

  // The same for a vector, and what it loses: b = S b, lost = (I - S) b.
  void split(Vector& b, Vector& lost) const {
    lost.set_zero();
    for (const Held& node : held_) lost.node(node.internal) = b.node(node.internal);
    apply(b);
    for (const Held& node : held_) lost.node(node.internal) -= b.node(node.internal);
  }

  void apply(Vector& b) const {
    for (const int node : fixed_nodes_) b.node(node).setZero();
    for (const Guided& node : guided_) {
      const SmallVector<Scalar, Dim> value = b.node(node.internal);
      b.node(node.internal) = times<Scalar, Dim, Dim, 1>(node.S, value);
    }
  }

 private:
  using Block = SmallMatrix<Scalar, Dim, Dim>;
  using Frame = SmallMatrix<double, Dim, Dim>;
  using Restraints = std::vector<typename Constraints::Restraint>;
  static constexpr int free = -1, fixed = -2;

  // A node that keeps some of its freedom.
  struct Guided {
    int internal;
    int restraints;
    Block S;  // the projection onto the directions that are free
  };
  // A node with any restraint.
  struct Held {
    int internal;
    Block keep;  // takes out the components along those in place
  };
  // A block beside the diagonal that couples such a node with another.
  struct GuidedBlock {
    int slot;
    int of_row, of_column;  // in guided_, or free
  };
  struct MovedNode {
    int internal, user;
    Point rest;    // in the world [m]
    Point origin;  // that its positions are relative to [m]
    Restraints restraints;
    Frame displacement;  // its columns: for a unit way along one restraint and none along the others
    Block S;             // the projection onto the directions that are free
  };

  static Scalar positive(Scalar mean) {
    mean = std::abs(mean);
    return mean > 0 ? mean : Scalar(1);
  }

  // d_j, orthogonal to what is free, with n_i.d_j = 1 for i = j and 0 else, for the directions n_i.
  static Frame displacements(const Restraints& restraints) {
    Frame n;
    for (int k = 0; k < Dim; ++k) {
      for (int axis = 0; axis < Dim; ++axis) {
        const bool given = k < std::ssize(restraints);
        n(axis, k) = given ? restraints[static_cast<std::size_t>(k)].direction[axis] : 0;
      }
    }
    if (restraints.size() == 1) return n;
    if constexpr (Dim == 3) {
      if (restraints.size() == 2) {
        const Point across = cross<double>(Point(n.col(0)), Point(n.col(1)));
        n.col(2) = across / std::sqrt(dot<double, 3>(across, across));
      }
    }
    return inverse(n).transpose();
  }

  static Block projection_onto_free(const Restraints& restraints, const Frame& displacement) {
    Block S;
    for (int j = 0; j < Dim; ++j) {
      for (int i = 0; i < Dim; ++i) {
        double entry = i == j ? 1 : 0;
        for (std::size_t k = 0; k < restraints.size(); ++k) {
          entry -= displacement(i, static_cast<int>(k)) * restraints[k].direction[j];
        }
        S(i, j) = static_cast<Scalar>(entry);
      }
    }
    return S;
  }

  // Where a motion takes a node [m], or how fast [m/s].
  static Point value_of(const MovedNode& node, const typename Constraints::Motion& motion, double time) {
    const bool is_velocity = motion.gives == Constraints::Motion::Gives::velocity;
    const Point value = motion.path(node.rest, time);
    for (int axis = 0; axis < Dim; ++axis) {
      if (!std::isfinite(static_cast<Scalar>(value[axis]))) {
        throw ParameterError((is_velocity ? "velocity of " : "path of ") + motion.owner + " for node " +
                                 std::to_string(node.user),
                             value[axis], is_velocity ? "must be finite (m/s)" : "must be finite (m)");
      }
    }
    return value;
  }

  // How far a moved node has to go along a direction [m].
  double way(const MovedNode& node, const typename Constraints::Restraint& restraint, double time,
             double duration, const Vector& x) const {
    const auto& motion = motions_[static_cast<std::size_t>(restraint.motion)];
    const bool is_velocity = motion.gives == Constraints::Motion::Gives::velocity;
    Point value = value_of(node, motion, time);
    if (!is_velocity) value -= node.origin;
    double along = 0, size = 0;
    for (int axis = 0; axis < Dim; ++axis) {
      const auto now = static_cast<double>(x.node(node.internal)(axis));
      along += restraint.direction[axis] * (is_velocity ? duration * value[axis] : value[axis] - now);
      size += std::abs(value[axis]) + std::abs(now);
    }
    // A position is met to rounding only.
    const bool there = std::abs(along) <= std::numeric_limits<Scalar>::epsilon() * size;
    return there && !is_velocity ? 0 : along;
  }

  std::vector<typename Constraints::Motion> motions_;
  std::vector<int> fixed_nodes_;
  std::vector<Guided> guided_;
  std::vector<MovedNode> moved_;
  std::vector<Held> held_;
  std::vector<HeldDirection<Dim>> directions_;
  std::vector<int> decoupled_;  // blocks that couple a fixed node with another
  std::vector<GuidedBlock> guided_blocks_;
};

}  // namespace pliant
