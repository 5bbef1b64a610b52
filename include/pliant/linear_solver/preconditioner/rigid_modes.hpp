// The coarse half of a two-level preconditioner: aggregates of nodes that move as rigid bodies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/direct/multifrontal.hpp>
#include <pliant/linear_solver/preconditioner/aggregates.hpp>

namespace pliant::detail::linear_solver {

// Q (Q^T A Q)^-1 Q^T, with the rigid motions Q of the aggregates, 6 each in space and 3 in the plane: smooth
// components, which are slow to converge with any other preconditioner, are solved directly with a matrix
// that is hundreds of times smaller (Nicolaides 1987; rigid modes: Bulgakov and Kuhn 1995). Nodes that are
// coupled to no others, such as held ones, are excluded. An aggregate has translations only if no positions
// are known or if its nodes are on a line.
//
// A Q, the forces of the motions, is stored: it gives the coarse residual of a correction x, Q^T (r - A x) =
// Q^T r - (A Q)^T x, without a product with A.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA>
class RigidModes {
 public:
  static constexpr int modes = Dim == 3 ? 6 : 3;
  static constexpr int stride = node_stride<Dim>;
  using Row = Lane<float, stride, isa>;

  // Sets up for a pattern, with `size` nodes per aggregate. All memory is allocated here. Pairs of nodes do
  // not connect aggregates, because bodies in contact slide on each other.
  void analyse(const Adjacency& graph, const BlockPattern& pattern, int size) {
    aggregates_ =
        Aggregates::of_graph(pattern.without_pairs ? graph_of(*pattern.without_pairs) : graph, size);
    find_images(graph, pattern);
    coarse_ = BlockPattern::from_graph(coarse_graph());
    factor_.analyse(coarse_);
    coarse_matrix_.numbers.assign(at(coarse_.blocks()) * modes * modes, 0);
    diagonal_.assign(at(aggregates_.count()) * modes, 0);
    for (auto* vector : {&restricted_, &solution_})
      vector->numbers.assign(at(aggregates_.count()) * modes, 0);
    coupled_.assign(at(pattern.rows()), 0);
    arms_.assign(at(pattern.rows()) * arm_stride, 0);
    modes_.assign(at(pattern.rows()) * Dim * mode_stride, 0);
    images_.assign(image_node_.size() * image_size + mode_stride - modes, 0);
    motions_.assign(at(aggregates_.count()) * motion_size, 0);
    has_rotations_.assign(at(aggregates_.count()), 0);
  }

  const Aggregates& aggregates() const { return aggregates_; }

  // Prepares for scale * A, with the nodes at `positions` [m], if given. Returns false if the coarse matrix
  // is not positive definite even with a small increase of its diagonal.
  template <class Matrix>
  bool prepare(const Matrix& A, double scale, const typename Matrix::Vector* positions) {
    assembly::mark_coupled_nodes(A, coupled_);
    core::parallel_for(aggregates_.count(), 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t a = begin; a < end; ++a) {
        find_arms(static_cast<int>(a), positions);
        for (const int i : aggregates_.nodes[a]) set_modes(i);
      }
    });
    core::parallel_for(aggregates_.count(), 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t b = begin; b < end; ++b) {
        project(A, scale, static_cast<int>(b));
        fill_unused(static_cast<int>(b));
      }
    });
    for (const double shift : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
      shift_diagonal(shift);
      const FactorResult result = factor_.factorise(coarse_matrix_);
      is_exact_ = shift == 0;
      if (result == FactorResult::done) return true;
      if (result == FactorResult::not_finite) return false;
    }
    return false;
  }

  // Whether the diagonal was not increased.
  bool is_exact() const { return is_exact_; }

  // Q^T r for the aggregates in [begin, end); `r(i)` returns r at node i.
  template <class RightSide>
  void restrict_to(int begin, int end, RightSide&& r) {
    for (int a = begin; a < end; ++a) {
      Moments sum;
      for (const int i : aggregates_.nodes[a]) sum.add(r(i), arm(i));
      double* const restricted = restricted_.numbers.data() + std::ptrdiff_t{a} * modes;
      sum.for_each_mode([&](int mode, float value) { restricted[mode] = value; });
    }
  }

  // Subtracts (A Q)^T x from Q^T r, for the same aggregates; `x(i)` returns x at node i.
  template <class Correction>
  void subtract_image(int begin, int end, Correction&& x) {
    using Modes = Lane<float, mode_stride, isa>;
    for (int b = begin; b < end; ++b) {
      Modes sums[Dim];
      std::fill(sums, sums + Dim, Modes(0));
      for (int n = image_begin_[at(b)]; n < image_begin_[at(b) + 1]; ++n) {
        const Row x_i = x(image_node_[at(n)]);
        const float* const rows = image(n);
        PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) sums[axis] =
            multiply_add(load<Modes>(rows + axis * modes), Modes(x_i[axis]), sums[axis]);
      }
      PLIANT_UNROLL for (int axis = 1; axis < Dim; ++axis) sums[0] += sums[axis];
      double* const restricted = restricted_.numbers.data() + std::ptrdiff_t{b} * modes;
      PLIANT_UNROLL for (int mode = 0; mode < modes; ++mode) restricted[mode] -= sums[0][mode];
    }
  }

  // y = (Q^T A Q)^-1 times the restricted vector.
  void solve() {
    factor_.solve(restricted_, solution_);
    for (int a = 0; a < aggregates_.count(); ++a) set_motion(a);
  }

  // Q y at node i.
  PLIANT_INLINE Row at_node(int i) const {
    const float* const arm_i = arm(i);
    const float* const motion = motions_.data() + std::ptrdiff_t{aggregates_.of[at(i)]} * motion_size;
    Row result = load<Row>(motion + Dim * stride) * Row(arm_i[Dim]);
    PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) result =
        multiply_add(load<Row>(motion + axis * stride), Row(arm_i[axis]), result);
    return result;
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static constexpr int block_size = Dim * Dim;
  static constexpr int arm_stride = Dim + 1;
  static constexpr int mode_stride = Dim == 3 ? 8 : 4;  // numbers in a register
  static constexpr int image_size = Dim * modes;
  static constexpr int motion_size = (Dim + 1) * stride;

  const float* arm(int i) const { return arms_.data() + std::ptrdiff_t{i} * arm_stride; }
  const float* image(int n) const { return images_.data() + std::ptrdiff_t{n} * image_size; }

  // The sum of Q_i^T f_i over nodes i, with lever arms: sum f_i, and sum f_i arm_i^T, whose skew part
  // contains the moments.
  struct Moments {
    Row columns[Dim + 1];

    Moments() { std::fill(columns, columns + Dim + 1, Row(0)); }

    PLIANT_INLINE void add(const Row& f, const float* arm) {
      PLIANT_UNROLL for (int c = 0; c <= Dim; ++c) columns[c] = multiply_add(f, Row(arm[c]), columns[c]);
    }

    // Calls use(mode, number) for all modes.
    template <class Use>
    PLIANT_INLINE void for_each_mode(Use&& use) const {
      PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) use(axis, columns[Dim][axis]);
      for_each_rotation([&](int mode, int p, int q) { use(mode, columns[p][q] - columns[q][p]); });
    }
  };

  // Calls use(mode, p, q) for the modes that rotate axis p towards axis q.
  template <class Use>
  static PLIANT_INLINE void for_each_rotation(Use&& use) {
    if constexpr (Dim == 2) use(2, 0, 1);
    else PLIANT_UNROLL for (int axis = 0; axis < 3; ++axis) use(3 + axis, (axis + 1) % 3, (axis + 2) % 3);
  }

  // The motion of aggregate a in the solution: a factor for each number of a lever arm.
  void set_motion(int a) {
    const double* const y = solution_.numbers.data() + std::ptrdiff_t{a} * modes;
    float* const motion = motions_.data() + std::ptrdiff_t{a} * motion_size;
    const auto number = [&](int column, int axis) -> float& { return motion[column * stride + axis]; };
    PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) number(Dim, axis) = static_cast<float>(y[axis]);
    for_each_rotation([&](int mode, int p, int q) {
      number(p, q) = static_cast<float>(y[mode]);
      number(q, p) = -number(p, q);
    });
  }

  // A matrix and a vector with the interfaces that Multifrontal requires.
  struct CoarseMatrix {
    AlignedVector<double> numbers;  // blocks of modes x modes, column-major

    const double* values() const { return numbers.data(); }
  };
  struct CoarseVector {
    using Scalar = double;
    AlignedVector<double> numbers;

    auto node(std::ptrdiff_t a) {
      return [first = numbers.data() + a * modes](int k) -> double& { return first[k]; };
    }
    auto node(std::ptrdiff_t a) const {
      return [first = numbers.data() + a * modes](int k) -> double { return first[k]; };
    }
  };

  // A block A_ij in row i of A Q, with j in the aggregate of the motion.
  struct Entry {
    int slot;
    int column;
    bool transposed;
  };

  // Finds the nonzero block rows of A Q for each aggregate: the nodes that A couples to it, ordered by their
  // own aggregate.
  void find_images(const Adjacency& graph, const BlockPattern& pattern) {
    struct Block {
      int aggregate, row;
      Entry entry;
    };
    std::vector<Block> blocks;
    image_begin_.assign(1, 0);
    for (auto* list : {&image_node_, &entry_begin_}) list->clear();
    entries_.clear();
    for (int b = 0; b < aggregates_.count(); ++b) {
      blocks.clear();
      for (const int j : aggregates_.nodes[b]) {
        blocks.push_back({b, j, {pattern.row_begin[at(j)], j, false}});
        for (const int i : graph[j]) {
          blocks.push_back(
              {aggregates_.of[at(i)], i, {pattern.slot(std::min(i, j), std::max(i, j)), j, j < i}});
        }
      }
      std::stable_sort(blocks.begin(), blocks.end(), [](const Block& first, const Block& second) {
        return std::tie(first.aggregate, first.row) < std::tie(second.aggregate, second.row);
      });
      for (std::size_t k = 0; k < blocks.size(); ++k) {
        if (k == 0 || blocks[k].row != blocks[k - 1].row) {
          image_node_.push_back(blocks[k].row);
          entry_begin_.push_back(static_cast<int>(entries_.size()));
        }
        entries_.push_back(blocks[k].entry);
      }
      image_begin_.push_back(static_cast<int>(image_node_.size()));
    }
    entry_begin_.push_back(static_cast<int>(entries_.size()));
  }

  // Aggregates are neighbours if A couples their nodes.
  Adjacency coarse_graph() const {
    Adjacency result;
    result.begin.push_back(0);
    for (int b = 0; b < aggregates_.count(); ++b) {
      int last = -1;
      for (int n = image_begin_[at(b)]; n < image_begin_[at(b) + 1]; ++n) {
        const int a = aggregates_.of[at(image_node_[at(n)])];
        if (a != last && a != b) result.list.push_back(a);
        last = a;
      }
      result.begin.push_back(static_cast<int>(result.list.size()));
    }
    return result;
  }

  // The lever arms of the nodes of an aggregate: relative to its centre, divided by its extent, so that all
  // modes are of similar size. The last number is one if the node takes part.
  template <class Vector>
  void find_arms(int a, const Vector* positions) {
    const auto nodes = aggregates_.nodes[a];
    double centre[Dim] = {}, count = 0, extent = 0;
    for (const int i : nodes) {
      float* const arm = arms_.data() + std::ptrdiff_t{i} * arm_stride;
      std::fill(arm, arm + Dim, 0.0f);
      arm[Dim] = coupled_[at(i)] != 0 ? 1.0f : 0.0f;
      if (coupled_[at(i)] == 0) continue;
      ++count;
      if (positions == nullptr) continue;
      for (int axis = 0; axis < Dim; ++axis) centre[axis] += static_cast<double>(positions->node(i)(axis));
    }
    has_rotations_[at(a)] = 0;
    if (positions == nullptr || count < Dim) return;
    const auto for_each_arm = [&](auto&& run) {
      for (const int i : nodes) {
        if (coupled_[at(i)] == 0) continue;
        double arm[Dim];
        for (int axis = 0; axis < Dim; ++axis) {
          arm[axis] = static_cast<double>(positions->node(i)(axis)) - centre[axis] / count;
        }
        run(i, arm);
      }
    };
    for_each_arm([&](int, const double* arm) {
      for (int axis = 0; axis < Dim; ++axis) extent = std::max(extent, std::abs(arm[axis]));
    });
    SmallMatrix<double, Dim, Dim> moments = SmallMatrix<double, Dim, Dim>::Zero();
    for_each_arm([&](int, const double* arm) {
      for (int c = 0; c < Dim; ++c) {
        for (int r = 0; r < Dim; ++r) moments(r, c) += arm[r] / extent * (arm[c] / extent) / count;
      }
    });
    if (!turns(moments)) return;
    has_rotations_[at(a)] = 1;
    for_each_arm([&](int i, const double* arm) {
      for (int axis = 0; axis < Dim; ++axis) {
        arms_[at(i) * arm_stride + at(axis)] = static_cast<float>(arm[axis] / extent);
      }
    });
  }

  // Whether no rotation leaves all nodes in place, so that there is inertia about every axis. False if there
  // are NaNs.
  static bool turns(const SmallMatrix<double, Dim, Dim>& moments) {
    const double all = trace(moments);
    if constexpr (Dim == 2) {
      return all > 0 && std::isfinite(all);
    } else {
      constexpr double least = 1e-4;
      SmallMatrix<double, Dim, Dim> inertia = -moments;
      for (int axis = 0; axis < Dim; ++axis) inertia(axis, axis) += all;
      return determinant(inertia) > least;
    }
  }

  // Q_i by rows, one for each axis of the node.
  void set_modes(int i) {
    const float* const arm_i = arm(i);
    const auto number = [&](int axis, int mode) -> float& {
      return modes_[at((std::ptrdiff_t{i} * Dim + axis) * mode_stride + mode)];
    };
    PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) number(axis, axis) = arm_i[Dim];
    for_each_rotation([&](int mode, int p, int q) {
      number(q, mode) = arm_i[p];
      number(p, mode) = -arm_i[q];
    });
  }

  // Sets A Q for the motions of aggregate b, and row b of Q^T A Q.
  template <class Matrix>
  void project(const Matrix& A, double scale, int b) {
    using Modes = Lane<double, mode_stride, isa>;
    constexpr std::size_t ahead = 12;  // blocks of an aggregate are scattered in memory
    int k = coarse_.row_begin[at(b)];
    Modes sums[modes];
    std::fill(sums, sums + modes, Modes(0));
    for (int n = image_begin_[at(b)]; n < image_begin_[at(b) + 1]; ++n) {
      Modes rows[Dim];
      std::fill(rows, rows + Dim, Modes(0));
      for (int e = entry_begin_[at(n)]; e < entry_begin_[at(n) + 1]; ++e) {
        prefetch(A.block(entries_[std::min(at(e) + ahead, entries_.size() - 1)].slot).data(), block_size);
        add_times_modes(A, entries_[at(e)], rows);
      }
      float* const out = images_.data() + std::ptrdiff_t{n} * image_size;
      PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) {
        rows[axis] *= Modes(scale);
        PLIANT_UNROLL for (int mode = 0; mode < modes; ++mode) out[axis * modes + mode] =
            static_cast<float>(rows[axis][mode]);
      }
      const int i = image_node_[at(n)], a = aggregates_.of[at(i)];
      if (a < b) continue;
      if (a != coarse_.columns[at(k)]) {
        set_coarse_block(k++, sums);
        std::fill(sums, sums + modes, Modes(0));
      }
      const float* const arm_i = arm(i);
      PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) sums[axis] =
          multiply_add(rows[axis], Modes(arm_i[Dim]), sums[axis]);
      for_each_rotation([&](int mode, int p, int q) {
        sums[mode] = multiply_add(rows[q], Modes(arm_i[p]), sums[mode]);
        sums[mode] = multiply_add(rows[p], Modes(-arm_i[q]), sums[mode]);
      });
    }
    set_coarse_block(k, sums);
  }

  // rows += A_ij Q_j
  template <class Matrix, class Modes>
  PLIANT_INLINE void add_times_modes(const Matrix& A, const Entry& entry, Modes (&rows)[Dim]) const {
    using Narrow = Lane<float, mode_stride, isa>;
    const auto* const block = A.block(entry.slot).data();
    const float* const modes_j = modes_.data() + std::ptrdiff_t{entry.column} * Dim * mode_stride;
    const int row_step = entry.transposed ? Dim : 1, column_step = entry.transposed ? 1 : Dim;
    for (int c = 0; c < Dim; ++c) {
      const Modes mode = convert<Modes>(load<Narrow>(modes_j + c * mode_stride));
      for (int r = 0; r < Dim; ++r) {
        const Modes number(static_cast<double>(block[r * row_step + c * column_step]));
        rows[r] = multiply_add(number, mode, rows[r]);
      }
    }
  }

  // Sets block k = (b, a) from the rows of Q_a^T A Q_b.
  template <class Modes>
  void set_coarse_block(int k, const Modes* rows) {
    double* const block = coarse_matrix_.numbers.data() + std::ptrdiff_t{k} * modes * modes;
    for (int c = 0; c < modes; ++c) {
      for (int r = 0; r < modes; ++r) block[c * modes + r] = rows[c][r];
    }
  }

  // Sets ones on the diagonal for modes that an aggregate does not have.
  void fill_unused(int a) {
    const auto nodes = aggregates_.nodes[a];
    const bool empty = std::none_of(nodes.begin(), nodes.end(), [&](int i) { return coupled_[at(i)] != 0; });
    double* const block =
        coarse_matrix_.numbers.data() + std::ptrdiff_t{coarse_.row_begin[at(a)]} * modes * modes;
    for (int k = 0; k < modes; ++k) {
      if (empty || (k >= Dim && has_rotations_[at(a)] == 0)) block[k * modes + k] = 1;
      diagonal_[at(a * modes + k)] = block[k * modes + k];
    }
  }

  void shift_diagonal(double shift) {
    for (int a = 0; a < aggregates_.count(); ++a) {
      double* const block =
          coarse_matrix_.numbers.data() + std::ptrdiff_t{coarse_.row_begin[at(a)]} * modes * modes;
      for (int k = 0; k < modes; ++k) block[k * modes + k] = (1 + shift) * diagonal_[at(a * modes + k)];
    }
  }

  Aggregates aggregates_;
  BlockPattern coarse_;                        // of the aggregates
  std::vector<int> image_begin_, image_node_;  // rows of A Q of each aggregate, #aggregates + 1; their nodes
  std::vector<int> entry_begin_;               // of each such row, #rows + 1
  std::vector<Entry> entries_;
  std::vector<char> coupled_;        // of each node
  std::vector<char> has_rotations_;  // of each aggregate
  AlignedVector<float> arms_;        // lever arms of each node
  AlignedVector<float> modes_;       // Q, Dim rows of mode_stride numbers for each node
  AlignedVector<float> images_;      // A Q, Dim rows of `modes` numbers for each node
  AlignedVector<float> motions_;     // of each aggregate, [column][axis]
  CoarseMatrix coarse_matrix_;       // Q^T A Q
  std::vector<double> diagonal_;     // the diagonal of it, not increased
  bool is_exact_ = false;
  Multifrontal<modes, isa> factor_;
  CoarseVector restricted_, solution_;
};

}  // namespace pliant::detail::linear_solver
