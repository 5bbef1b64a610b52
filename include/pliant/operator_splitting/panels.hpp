// Repeated solves with one Cholesky factor, for the x, y and z of all nodes at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/linear_solver/direct/multifrontal.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant::detail::operator_splitting {

// The Cholesky factor of a symmetric positive definite matrix with one number for each pair of neighbouring
// nodes.
//
// L is divided into panels: columns J that have the same nonzero rows B below them. With the panel
//   P = [ L_JJ^-1; -L_BJ L_JJ^-1 ]
// both sweeps are products with dense matrices, without substitution: forward
//   [y_J; y_B] <- [0; y_B] + P y_J,    backward    y_J <- P^T [y_J; y_B].
// P is stored in tiles, [tile of rows][column][row of the tile], and read sequentially. A drawing is in
// docs/architecture.md.
//
// The place of a node is its index in the order of elimination: first the nodes of the parts, then those of
// the top, which is the last part. Parts are subtrees of the elimination tree and independent of each other:
// their sweeps can run in parallel, each with its own array for its contribution to the top.
template <class Real, Isa isa = PLIANT_NATIVE_ISA>
class Panels {
 public:
  static constexpr int stride = 4;  // numbers from one place to the next: x, y, z and one that is not used

  // `values`: one number for each block of a pattern with a row for each node. If the result is not `done`
  // there is no factor.
  linear_solver::FactorResult factorise(const BlockPattern& pattern, const std::vector<double>& values) {
    Factor factor;
    factor.analyse(linear_solver::Fronts::of(pattern), linear_solver::FactorKept::nothing);
    number_places(factor.fronts());
    const std::vector<int> panel_of = lay_out(factor.fronts());
    return factor.factorise(Values{values.data()}, [&](int f) {
      int panel = panel_of[at(f)];
      for (int first = 0; first < factor.fronts().fronts[at(f)].columns(); first += widest)
        fill(panels_[at(panel++)], factor, f, first);
    });
  }

  int parts() const { return static_cast<int>(parts_.size()) - 1; }  // without the top
  int node_count() const { return static_cast<int>(node_at_.size()); }
  int begin(int part) const { return parts_[at(part)].begin; }  // its places; part == parts() is the top
  int end(int part) const { return parts_[at(part)].end; }
  int node_at(int place) const { return node_at_[at(place)]; }
  std::size_t stored_numbers() const { return values_.size(); }  // zeros included

  // The sweeps in the columns of a part or of the top. `y` has a row of four numbers for each place, and one
  // more row of finite numbers after them, for the padding of tiles.
  void sweep_forward(int part, Real* y) const {
    for (int k = parts_[at(part)].first; k < parts_[at(part)].last; ++k) forward(panels_[at(k)], y);
  }
  void sweep_backward(int part, Real* y, Real* scratch) const {
    for (int k = parts_[at(part)].last; k-- > parts_[at(part)].first;) {
      backward(panels_[at(k)], y, scratch);
    }
  }

  // Both sweeps in all columns for many copies of the nodes at once, which are the lanes: `y` has for each
  // place the x of all copies, then their y and their z, and one more finite place after them.
  template <int copies>
  void solve(Real* y) const {
    for (const Panel& panel : panels_) forward<copies>(panel, y);
    for (std::size_t k = panels_.size(); k-- > 0;) backward<copies>(panels_[k], y);
  }

  // Numbers that sweep_backward needs as scratch memory.
  std::size_t scratch_size() const { return scratch_size_; }

 private:
  using Factor = linear_solver::Multifrontal<1, isa, double>;
  static constexpr int height = sizeof(Real) == 4 ? 16 : 8;  // of a tile
  using Tile = Lane<Real, height, isa>;
  // A part of a tile that is one register, for loops with so many sums that only one register is left for
  // each.
  using Slice = Lane<Real, (isa == Isa::avx512 ? 64 : 32) / static_cast<int>(sizeof(Real)), isa>;
  static constexpr int slices = height / Slice::width;
  using Row = Lane<Real, stride, isa>;
  static constexpr int widest = 64;  // columns of a panel; wider ones would store more zeros of L_JJ^-1

  struct Values {
    const double* numbers;
    const double* values() const { return numbers; }
  };

  struct Panel {
    int place;               // the first of its columns
    int columns;             // which are next to each other
    int rows;                // columns included
    int tiles;               // of its rows
    std::ptrdiff_t values;   // where P begins
    std::ptrdiff_t offsets;  // where the offsets of its rows begin
  };

  struct Part {
    int begin, end;   // places
    int first, last;  // panels
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // The fronts of each part and, last, of the top, all ascending. The parts are the sets of subtrees with the
  // shortest estimated time of a solve with one thread per part. A small matrix is one part. The result does
  // not depend on the number of threads.
  static std::vector<std::vector<int>> cut(const linear_solver::Fronts& fronts) {
    constexpr double worth_parts = 5e4;  // entries of a part
    constexpr double most_parts = 4;
    const std::vector<double> work = fronts.work_of_subtrees([](const linear_solver::Fronts::Front& f) {
      return static_cast<double>(f.columns()) * (f.columns() + f.rows_below());
    });
    std::vector<int> subtrees;
    double all = 0;
    for (int f = 0; f < static_cast<int>(work.size()); ++f) {
      if (fronts.fronts[at(f)].parent >= 0) continue;
      subtrees.push_back(f);
      all += work[at(f)];
    }
    const auto count = static_cast<std::ptrdiff_t>(std::clamp(all / worth_parts, 1.0, most_parts));
    // Repeatedly moves the root of the heaviest subtree to the top, and keeps the best division.
    std::vector<int> best(work.size(), -1);
    double top = 0, shortest = std::numeric_limits<double>::infinity();
    while (!subtrees.empty()) {
      linear_solver::Fronts::Dealt dealt = fronts.deal(subtrees, work, count);
      if (top + dealt.heaviest < shortest) {
        shortest = top + dealt.heaviest;
        best = std::move(dealt.part_of);
      }
      const auto root = at(subtrees.front());
      const auto children = fronts.children[static_cast<std::ptrdiff_t>(root)];
      top += work[root];
      for (const int child : children) top -= work[at(child)];
      if (count == 1 || top >= shortest) break;
      subtrees.erase(subtrees.begin());
      subtrees.insert(subtrees.end(), children.begin(), children.end());
    }
    return linear_solver::Fronts::grouped(best, count);
  }

  void number_places(const linear_solver::Fronts& fronts) {
    node_at_.clear();
    place_of_.assign(fronts.order.size(), 0);
    parts_.clear();
    fronts_of_ = cut(fronts);
    for (const auto& sequence : fronts_of_) {
      const int begin = node_count();
      for (const int f : sequence) {
        for (int k = fronts.fronts[at(f)].begin; k < fronts.fronts[at(f)].end; ++k) {
          place_of_[at(k)] = node_count();
          node_at_.push_back(fronts.order[at(k)]);
        }
      }
      parts_.push_back({begin, node_count(), 0, 0});
    }
  }

  // All memory is allocated at once: growing vectors would copy and clear more than there is to compute.
  // Returns the first panel of each front.
  std::vector<int> lay_out(const linear_solver::Fronts& fronts) {
    std::vector<int> panel_of(fronts.fronts.size());
    panels_.clear();
    std::ptrdiff_t values = 0, offsets = 0;
    int most_tiles = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      parts_[p].first = static_cast<int>(panels_.size());
      for (const int f : fronts_of_[p]) {
        const linear_solver::Fronts::Front& front = fronts.fronts[at(f)];
        panel_of[at(f)] = static_cast<int>(panels_.size());
        for (int first = 0; first < front.columns(); first += widest) {
          const int columns = std::min(front.columns() - first, widest),
                    rows = front.columns() - first + front.rows_below(), tiles = (rows + height - 1) / height;
          panels_.push_back({place_of_[at(front.begin + first)], columns, rows, tiles, values, offsets});
          values += std::ptrdiff_t{tiles} * height * columns;
          offsets += std::ptrdiff_t{tiles} * height;
          most_tiles = std::max(most_tiles, tiles);
        }
      }
      parts_[p].last = static_cast<int>(panels_.size());
    }
    values_.assign(at(values), Real(0));
    offsets_.assign(at(offsets), stride * node_count());  // the row behind them all
    scratch_size_ = at(most_tiles) * 3 * height;
    return panel_of;
  }

  // Computes P for the columns of a front from `first` on.
  void fill(const Panel& panel, const Factor& factor, int f, int first) {
    const linear_solver::Fronts& fronts = factor.fronts();
    const linear_solver::Fronts::Front& front = fronts.fronts[at(f)];
    const int columns = panel.columns, own = front.columns() - first;
    int* const offsets = offsets_.data() + panel.offsets;
    for (int r = 0; r < panel.rows; ++r)
      offsets[r] =
          stride * place_of_[at(r < own ? front.begin + first + r : fronts.rows[at(front.rows + r - own)])];
    // P L_JJ = [I; -L_BJ], from the last column to the first, the rows of a tile in lanes.
    using Wide = Lane<double, height, isa>;
    std::vector<double> L(at(columns) * at(columns), 0);  // -L_JJ, but with the reciprocals of its diagonal
    for (int r = 0; r < columns; ++r) {
      for (int c = 0; c <= r; ++c)
        L[at(r * columns + c)] = (r == c ? 1 : -1) * factor.entry(f, first + r, first + c);
    }
    Wide rows[widest];
    for (int tile = 0; tile < panel.tiles; ++tile) {
      Real* const P = values_.data() + panel.values + std::ptrdiff_t{tile} * height * columns;
      const int begin = tile * height, end = std::min(begin + height, columns);  // P is lower triangular
      for (int c = begin < columns ? end - 1 : columns - 1, last = c; c >= 0; --c) {
        Wide value(0.0);
        for (int r = begin; r < std::min(begin + height, panel.rows); ++r)
          set_lane(value, r - begin,
                   r >= columns ? -factor.entry(f, first + r, first + c) : (r == c ? 1.0 : 0.0));
        for (int k = c + 1; k <= last; ++k)
          value = multiply_add(rows[k], Wide(L[at(k * columns + c)]), value);
        rows[c] = value * Wide(L[at(c * columns + c)]);
        for (int i = 0; i < height; ++i) P[c * height + i] = static_cast<Real>(lane(rows[c], i));
      }
    }
  }

  // y_J -> 0, then y += P y_J, tile by tile. Rows of y have four numbers, of which three (x, y, z) are used.
  void forward(const Panel& panel, Real* y) const {
    Real known[widest][stride];
    for (int c = 0; c < panel.columns; ++c) {
      Real* const own = y + stride * std::ptrdiff_t{panel.place + c};
      store(known[c], load<Row>(own));
      store(own, Row(Real(0)));
    }
    const Real* P = values_.data() + panel.values;
    const int* offsets = offsets_.data() + panel.offsets;
    for (int tile = 0; tile < panel.tiles; ++tile, offsets += height) {
      Tile even[3], odd[3];  // two sums each, to hide the latency of an addition
      PLIANT_UNROLL for (int k = 0; k < 3; ++k) even[k] = odd[k] = Tile(Real(0));
      int c = 0;
      for (; c + 2 <= panel.columns; c += 2, P += 2 * height) {
        const Tile a = load<Tile>(P), b = load<Tile>(P + height);
        PLIANT_UNROLL for (int k = 0; k < 3; ++k) {
          even[k] = multiply_add(a, Tile(known[c][k]), even[k]);
          odd[k] = multiply_add(b, Tile(known[c + 1][k]), odd[k]);
        }
      }
      if (c < panel.columns) {
        const Tile a = load<Tile>(P);
        PLIANT_UNROLL for (int k = 0; k < 3; ++k) even[k] = multiply_add(a, Tile(known[c][k]), even[k]);
        P += height;
      }
      const Tile columns[4] = {even[0] + odd[0], even[1] + odd[1], even[2] + odd[2], Tile(Real(0))};
      add_rows(columns, y, offsets);
    }
  }

  // y_J <- P^T [y_J; y_B]. First the rows [y_J; y_B] are gathered to `scratch` as columns of x, y and z; then
  // four columns of P at a time, or one at the end, are multiplied with them.
  void backward(const Panel& panel, Real* y, Real* scratch) const {
    const int* const offsets = offsets_.data() + panel.offsets;
    for (int slice = 0; slice < panel.tiles * slices; ++slice) {
      Slice columns[4];
      gather_rows(y, offsets + slice * Slice::width, columns);
      store_columns<3>(columns, scratch + slice * 3 * Slice::width);
    }
    int c = 0;
    for (; c + 4 <= panel.columns; c += 4) backward<4>(panel, c, y, scratch);
    for (; c < panel.columns; ++c) backward<1>(panel, c, y, scratch);
  }

  // The rows first to first + Count - 1 of P^T [y_J; y_B], each the sum over all rows of P.
  template <int Count>
  PLIANT_INLINE void backward(const Panel& panel, int first, Real* y, const Real* scratch) const {
    Slice sums[Count][3];
    PLIANT_UNROLL for (int i = 0; i < Count; ++i) {
      PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = Slice(Real(0));
    }
    const Real* P = values_.data() + panel.values + std::ptrdiff_t{first} * height;
    for (int tile = 0; tile < panel.tiles; ++tile, P += std::ptrdiff_t{panel.columns} * height) {
      PLIANT_UNROLL for (int slice = 0; slice < slices; ++slice, scratch += 3 * Slice::width) {
        Slice b[3];
        load_columns<3>(scratch, b);
        PLIANT_UNROLL for (int i = 0; i < Count; ++i) {
          const Slice a = load<Slice>(P + i * height + slice * Slice::width);
          PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = multiply_add(a, b[k], sums[i][k]);
        }
      }
    }
    PLIANT_UNROLL for (int i = 0; i < Count; ++i) {
      const Slice columns[4] = {sums[i][0], sums[i][1], sums[i][2], Slice(Real(0))};
      store(y + stride * std::ptrdiff_t{panel.place + first + i}, sum_of_rows(columns));
    }
  }

  // The number of rows or columns of a panel that are processed together: their sums, three lanes each (x, y
  // and z of all copies), fit into the registers.
  template <int copies>
  static constexpr int block = std::max(4 / Lane<Real, copies, isa>::registers, 1);

  // The same for copies: y_J -> 0, then y += P y_J.
  template <int copies>
  void forward(const Panel& panel, Real* y) const {
    using L = Lane<Real, copies, isa>;
    constexpr int count = block<copies>;
    const L zeros[3] = {L(Real(0)), L(Real(0)), L(Real(0))};
    L known[widest][3];
    for (int c = 0; c < panel.columns; ++c) {
      Real* const own = y + 3 * copies * std::ptrdiff_t{panel.place + c};
      load_columns<3>(own, known[c]);
      store_columns<3>(zeros, own);
    }
    for (int r = 0; r < panel.rows; r += count) {
      const Real* P = row_of(panel, r);
      L sums[count][3];
      PLIANT_UNROLL for (int i = 0; i < count; ++i) {
        PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = L(Real(0));
      }
      const int columns = std::min(panel.columns, r + count);  // P is lower triangular
      for (int c = 0; c < columns; ++c, P += height) {
        PLIANT_UNROLL for (int i = 0; i < count; ++i) {
          const L a(P[i]);
          PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = multiply_add(a, known[c][k], sums[i][k]);
        }
      }
      PLIANT_UNROLL for (int i = 0; i < count; ++i)
          add_columns<3>(sums[i], coordinates_of<copies>(panel, r + i, y));
    }
  }

  // The same for copies: y_J <- P^T [y_J; y_B].
  template <int copies>
  void backward(const Panel& panel, Real* y) const {
    constexpr int count = block<copies>;
    int c = 0;
    for (; c + count <= panel.columns; c += count) backward<copies, count>(panel, c, y);
    for (; c < panel.columns; ++c) backward<copies, 1>(panel, c, y);
  }

  // The rows first to first + count - 1 of P^T [y_J; y_B], in place: P is lower triangular, so they do not
  // depend on earlier rows.
  template <int copies, int count>
  PLIANT_INLINE void backward(const Panel& panel, int first, Real* y) const {
    using L = Lane<Real, copies, isa>;
    L sums[count][3];
    PLIANT_UNROLL for (int i = 0; i < count; ++i) {
      PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = L(Real(0));
    }
    for (int r = first; r < panel.rows; ++r) {
      L row[3];
      load_columns<3>(coordinates_of<copies>(panel, r, y), row);
      const Real* const P = row_of(panel, r) + std::ptrdiff_t{first} * height;
      PLIANT_UNROLL for (int i = 0; i < count; ++i) {
        const L a(P[i * height]);
        PLIANT_UNROLL for (int k = 0; k < 3; ++k) sums[i][k] = multiply_add(a, row[k], sums[i][k]);
      }
    }
    PLIANT_UNROLL for (int i = 0; i < count; ++i)
        store_columns<3>(sums[i], y + 3 * copies * std::ptrdiff_t{panel.place + first + i});
  }

  // The first number of a row of P; its columns are `height` numbers apart.
  const Real* row_of(const Panel& panel, int row) const {
    return values_.data() + panel.values + std::ptrdiff_t{row / height} * panel.columns * height +
           row % height;
  }

  // The coordinates of all copies that belong to a row of P.
  template <int copies>
  Real* coordinates_of(const Panel& panel, int row, Real* y) const {
    return y + offsets_[at(panel.offsets + row)] / stride * (3 * copies);
  }

  std::vector<std::vector<int>> fronts_of_;  // each part and the top
  std::vector<int> node_at_;                 // of each place
  std::vector<int> place_of_;                // of each node in the order of elimination
  std::vector<Part> parts_;                  // and the top
  std::vector<Panel> panels_;
  AlignedVector<Real> values_;
  std::vector<int> offsets_;  // of the rows of all panels, padded to whole tiles
  std::size_t scratch_size_ = 0;
};

}  // namespace pliant::detail::operator_splitting
