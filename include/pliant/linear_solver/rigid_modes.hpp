// The coarse half of a two-level preconditioner: aggregates of nodes that move as rigid bodies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/aggregates.hpp>
#include <pliant/linear_solver/multifrontal.hpp>

namespace pliant {

// With Q the rigid motions of the aggregates, 6 each in space and 3 in the plane, Q (Q^T A Q)^-1 Q^T: what is
// smooth, and slow for any other preconditioner, is solved directly on a matrix that is hundreds of times
// smaller (Nicolaides 1987; rigid modes: Bulgakov and Kuhn 1995). A node without coupling to any other, as a
// held one is, takes no part. Where no positions are known, or the nodes of an aggregate lie on a line, it
// has its translations only.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA>
class RigidModes {
 public:
  static constexpr int modes = Dim == 3 ? 6 : 3;
  static constexpr int stride = node_stride<Dim>;
  using Row = Lane<float, stride, isa>;

  // Sets up for a pattern, `size` nodes to an aggregate. Everything is allocated here.
  void analyse(const Adjacency& graph, const BlockPattern& pattern, int size) {
    aggregates_ = Aggregates::of_graph(graph, size);
    coarse_ = BlockPattern::from_graph(coarse_graph(graph));
    sort_blocks(pattern);
    factor_.analyse(coarse_);
    coarse_matrix_.numbers.assign(at(coarse_.blocks()) * modes * modes, 0);
    diagonal_.assign(at(aggregates_.count()) * modes, 0);
    for (auto* vector : {&restricted_, &solution_})
      vector->numbers.assign(at(aggregates_.count()) * modes, 0);
    coupled_.assign(at(pattern.rows()), 0);
    arms_.assign(at(pattern.rows()) * arm_stride, 0);
    motions_.assign(at(aggregates_.count()) * motion_size, 0);
    has_rotations_.assign(at(aggregates_.count()), 0);
  }

  const Aggregates& aggregates() const { return aggregates_; }

  // For scale * A, the nodes being at `positions` [m], if any. False where the coarse matrix is not positive
  // definite even with a little added to its diagonal.
  template <class Matrix>
  bool prepare(const Matrix& A, double scale, const typename Matrix::Vector* positions) {
    mark_coupled_nodes(A, coupled_);
    parallel_for(aggregates_.count(), 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t a = begin; a < end; ++a) find_arms(static_cast<int>(a), positions);
    });
    parallel_for(aggregates_.count(), 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t a = begin; a < end; ++a) {
        for (int k = coarse_.row_begin[at(a)]; k < coarse_.row_begin[at(a) + 1]; ++k) {
          project(A, scale, static_cast<int>(a), k);
        }
        fill_unused(static_cast<int>(a));
      }
    });
    for (const double shift : {0.0, 1e-12, 1e-9, 1e-6, 1e-3}) {
      shift_diagonal(shift);
      const FactorResult result = factor_.factorise(coarse_matrix_);
      if (result == FactorResult::done) return true;
      if (result == FactorResult::not_finite) return false;
    }
    return false;
  }

  // Q^T r for the aggregates in [begin, end); `r(i)` gives r at node i.
  template <class RightSide>
  void restrict_to(int begin, int end, RightSide&& r) {
    for (int a = begin; a < end; ++a) {
      Moments<Row> sum;
      for (int k = aggregates_.nodes.begin[at(a)]; k < aggregates_.nodes.begin[at(a) + 1]; ++k) {
        const int i = aggregates_.nodes.list[at(k)];
        sum.add(r(i), arm(i));
      }
      double* const restricted = restricted_.numbers.data() + std::ptrdiff_t{a} * modes;
      sum.for_each_mode([&](int mode, float value) { restricted[mode] = value; });
    }
  }

  // y = (Q^T A Q)^-1 of what was restricted.
  void solve() {
    factor_.solve(restricted_, solution_);
    for (int a = 0; a < aggregates_.count(); ++a) set_motion(a);
  }

  // Q y at node i.
  PLIANT_INLINE Row at_node(int i) const {
    const float* const arm_i = arm(i);
    const float* const motion = motions_.data() + std::ptrdiff_t{aggregates_.of[at(i)]} * motion_size;
    Row result = load<Row>(motion + Dim * stride) * Row(arm_i[Dim]);
    for (int axis = 0; axis < Dim; ++axis)
      result = multiply_add(load<Row>(motion + axis * stride), Row(arm_i[axis]), result);
    return result;
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static constexpr int block_size = Dim * Dim;
  static constexpr int arm_stride = Dim + 1;
  static constexpr int motion_size = (Dim + 1) * stride;

  const float* arm(int i) const { return arms_.data() + std::ptrdiff_t{i} * arm_stride; }

  // Q_i^T f_i, summed up over nodes i: sum f_i, and what the moments of f_i are the skew part of,
  // sum f_i arm_i^T.
  template <class Force>
  struct Moments {
    Force columns[Dim + 1];

    Moments() { std::fill(columns, columns + Dim + 1, Force(0)); }

    PLIANT_INLINE void add(const Force& f, const float* arm) {
      for (int c = 0; c <= Dim; ++c) columns[c] = multiply_add(f, Force(arm[c]), columns[c]);
    }

    // Calls use(mode, number).
    template <class Use>
    PLIANT_INLINE void for_each_mode(Use&& use) const {
      for (int axis = 0; axis < Dim; ++axis) use(axis, columns[Dim][axis]);
      for_each_rotation([&](int mode, int p, int q) { use(mode, columns[p][q] - columns[q][p]); });
    }
  };

  // Calls use(mode, p, q) for the modes that turn axis p towards axis q.
  template <class Use>
  static PLIANT_INLINE void for_each_rotation(Use&& use) {
    if constexpr (Dim == 2) use(2, 0, 1);
    else
      for (int axis = 0; axis < 3; ++axis) use(3 + axis, (axis + 1) % 3, (axis + 2) % 3);
  }

  // How aggregate a moves in the solution: what each number of an arm is multiplied with.
  void set_motion(int a) {
    const double* const y = solution_.numbers.data() + std::ptrdiff_t{a} * modes;
    float* const motion = motions_.data() + std::ptrdiff_t{a} * motion_size;
    const auto number = [&](int column, int axis) -> float& { return motion[column * stride + axis]; };
    for (int axis = 0; axis < Dim; ++axis) number(Dim, axis) = static_cast<float>(y[axis]);
    for_each_rotation([&](int mode, int p, int q) {
      number(p, q) = static_cast<float>(y[mode]);
      number(q, p) = -number(p, q);
    });
  }

  // What Multifrontal asks of a matrix and of a vector.
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

  // A block beside the diagonal, A_ij.
  struct Entry {
    int slot;
    int column;
  };
  // The blocks of row i that belong to one coarse block.
  struct Run {
    int row;
    int begin, end;   // in entries_
    bool transposed;  // i is in the second of the two aggregates
  };

  Adjacency coarse_graph(const Adjacency& graph) const {
    Adjacency result;
    result.begin.push_back(0);
    std::vector<int> row;
    for (int a = 0; a < aggregates_.count(); ++a) {
      row.clear();
      for (int k = aggregates_.nodes.begin[at(a)]; k < aggregates_.nodes.begin[at(a) + 1]; ++k) {
        const int i = aggregates_.nodes.list[at(k)];
        for (int p = graph.begin[at(i)]; p < graph.begin[at(i) + 1]; ++p) {
          const int b = aggregates_.of[at(graph.list[at(p)])];
          if (b != a) row.push_back(b);
        }
      }
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      result.list.insert(result.list.end(), row.begin(), row.end());
      result.begin.push_back(static_cast<int>(result.list.size()));
    }
    return result;
  }

  // Sorts the blocks beside the diagonal by the coarse block they go to, and then by rows.
  void sort_blocks(const BlockPattern& pattern) {
    struct Block {
      int target, row, slot;
    };
    std::vector<Block> blocks;
    blocks.reserve(at(pattern.blocks()));
    for (int i = 0; i < pattern.rows(); ++i) {
      const int a = aggregates_.of[at(i)];
      for (int k = pattern.row_begin[at(i)] + 1; k < pattern.row_begin[at(i) + 1]; ++k) {
        const int b = aggregates_.of[at(pattern.columns[at(k)])];
        blocks.push_back({coarse_.slot(std::min(a, b), std::max(a, b)), i, k});
      }
    }
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const Block& a, const Block& b) { return a.target < b.target; });
    entries_.clear();
    runs_.clear();
    run_begin_.assign(at(coarse_.blocks()) + 1, 0);
    int a = 0;  // of the target
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const Block& block = blocks[k];
      const auto position = static_cast<int>(k);
      while (block.target >= coarse_.row_begin[at(a) + 1]) ++a;
      if (k == 0 || blocks[k - 1].target != block.target || blocks[k - 1].row != block.row) {
        runs_.push_back({block.row, position, position, aggregates_.of[at(block.row)] != a});
        ++run_begin_[at(block.target) + 1];
      }
      ++runs_.back().end;
      entries_.push_back({block.slot, pattern.columns[at(block.slot)]});
    }
    std::partial_sum(run_begin_.begin(), run_begin_.end(), run_begin_.begin());
  }

  // The arms of the nodes of an aggregate: from its centre and relative to its extent, so that all modes are
  // of one size. The last number is one where the node takes part.
  template <class Vector>
  void find_arms(int a, const Vector* positions) {
    const int* const first = aggregates_.nodes.list.data() + aggregates_.nodes.begin[at(a)];
    const int* const last = aggregates_.nodes.list.data() + aggregates_.nodes.begin[at(a) + 1];
    double centre[Dim] = {}, count = 0, extent = 0;
    for (const int* i = first; i != last; ++i) {
      float* const arm = arms_.data() + std::ptrdiff_t{*i} * arm_stride;
      std::fill(arm, arm + Dim, 0.0f);
      arm[Dim] = coupled_[at(*i)] != 0 ? 1.0f : 0.0f;
      if (coupled_[at(*i)] == 0) continue;
      ++count;
      if (positions == nullptr) continue;
      for (int axis = 0; axis < Dim; ++axis) centre[axis] += static_cast<double>(positions->node(*i)(axis));
    }
    has_rotations_[at(a)] = 0;
    if (positions == nullptr || count < Dim) return;
    const auto for_each_arm = [&](auto&& run) {
      for (const int* i = first; i != last; ++i) {
        if (coupled_[at(*i)] == 0) continue;
        double arm[Dim];
        for (int axis = 0; axis < Dim; ++axis) {
          arm[axis] = static_cast<double>(positions->node(*i)(axis)) - centre[axis] / count;
        }
        run(*i, arm);
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

  // Whether every rotation moves the nodes: there is inertia about every axis. False where there are NaNs.
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

  using Column = Lane<double, stride, isa>;

  // The coarse block k = (a, b), sum over i in a and j in b of Q_i^T A_ij Q_j.
  template <class Matrix>
  void project(const Matrix& A, double scale, int a, int k) {
    Moments<Column> straight[modes], transposed[modes];
    const bool diagonal = coarse_.columns[at(k)] == a;
    for (int r = run_begin_[at(k)]; r < run_begin_[at(k) + 1]; ++r) {
      const Run& run = runs_[at(r)];
      Column columns[modes];
      for (Column& column : columns) column = Column(0.0);
      for (int e = run.begin; e < run.end; ++e)
        add_times_modes(A, entries_[at(e)].slot, entries_[at(e)].column, columns);
      Moments<Column>* const sums = run.transposed ? transposed : straight;
      for (int c = 0; c < modes; ++c) sums[c].add(columns[c], arm(run.row));
    }
    double* const result = coarse_matrix_.numbers.data() + std::ptrdiff_t{k} * modes * modes;
    std::fill(result, result + modes * modes, 0.0);
    const auto add = [&](const Moments<Column>& moments, int c, int row_step, int column_step) {
      moments.for_each_mode(
          [&](int r, double value) { result[c * column_step + r * row_step] += scale * value; });
    };
    for (int c = 0; c < modes; ++c) {
      add(straight[c], c, 1, modes);
      add(diagonal ? straight[c] : transposed[c], c, modes, 1);
    }
    if (!diagonal) return;
    Moments<Column> own[modes];
    for (int n = aggregates_.nodes.begin[at(a)]; n < aggregates_.nodes.begin[at(a) + 1]; ++n) {
      const int i = aggregates_.nodes.list[at(n)];
      if (coupled_[at(i)] == 0) continue;
      Column columns[modes];
      for (Column& column : columns) column = Column(0.0);
      add_times_modes(A, A.pattern().row_begin[at(i)], i, columns);
      for (int c = 0; c < modes; ++c) own[c].add(columns[c], arm(i));
    }
    for (int c = 0; c < modes; ++c) add(own[c], c, 1, modes);
  }

  // columns += A_ij Q_j
  template <class Matrix>
  PLIANT_INLINE void add_times_modes(const Matrix& A, int slot, int j, Column (&columns)[modes]) const {
    using Wide = Lane<typename Matrix::Scalar, stride, isa>;
    const auto* const block = A.values() + std::ptrdiff_t{slot} * block_size;
    Column A_ij[Dim], s[Dim];
    for (int c = 0; c < Dim; ++c) {
      A_ij[c] = convert<Column>(load<Wide>(block + c * Dim));
      s[c] = Column(arm(j)[c]);
      columns[c] += A_ij[c];
    }
    for_each_rotation([&](int mode, int p, int q) {
      columns[mode] = multiply_add(s[p], A_ij[q], columns[mode]);
      columns[mode] = multiply_add(-s[q], A_ij[p], columns[mode]);
    });
  }

  // Ones on the diagonal for the modes that an aggregate does not have.
  void fill_unused(int a) {
    const int* const first = aggregates_.nodes.list.data() + aggregates_.nodes.begin[at(a)];
    const int* const last = aggregates_.nodes.list.data() + aggregates_.nodes.begin[at(a) + 1];
    const bool empty = std::none_of(first, last, [&](int i) { return coupled_[at(i)] != 0; });
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
  BlockPattern coarse_;         // of the aggregates
  std::vector<int> run_begin_;  // first run of each coarse block, #blocks + 1
  std::vector<Run> runs_;
  std::vector<Entry> entries_;
  std::vector<char> coupled_;        // each node
  std::vector<char> has_rotations_;  // each aggregate
  AlignedVector<float> arms_;        // of each node
  AlignedVector<float> motions_;     // of each aggregate, [column][axis]
  CoarseMatrix coarse_matrix_;       // Q^T A Q
  std::vector<double> diagonal_;     // of it, without a shift
  Multifrontal<modes, isa> factor_;
  CoarseVector restricted_, solution_;
};

}  // namespace pliant
