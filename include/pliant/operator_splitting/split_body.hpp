// A body in steps of operator splitting.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/core/parallel.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/operator_splitting/split_mesh.hpp>
#include <pliant/operator_splitting/stretch_elements.hpp>
#include <pliant/operator_splitting/volume_constraints.hpp>

namespace pliant::detail::operator_splitting {

// A mesh of one or several pieces: lanes are elements. An array of a step has a row for each place of the
// mesh, and more rows after them, without weight and at the origin, for lanes without an element.
template <class VectorType, Isa isa>
class SplitBody {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  using Mesh = SplitMesh<Scalar, isa>;

  // `elements`: the result of SplitMesh::make; `nodes`: the numbers in the system of the nodes of the mesh.
  void make(Mesh mesh, const std::vector<SplitElement<Scalar>>& elements, const std::vector<int>& nodes,
            double dt) {
    mesh_ = std::move(mesh);
    dt_ = dt;
    node_.clear();
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place)
      node_.push_back(nodes[at(mesh_.node_at(place))]);
    positions_.assign(stride * (node_.size() + at(mesh_.factor().parts()) + 1), Scalar(0));
    predicted_ = positions_;
    place_elements(elements);
  }

  // Sets the rotations to those at the positions x [m].
  void find_rotations(const Vector& x) {
    set_positions(x);
    elements_.find_rotations(positions_.data());
  }

  // A step with the numbers of iterations of an integrator. `moved`: the displacements of fixed nodes in it
  // [m].
  template <class Integrator, class Context>
  void advance(const Integrator& integrator, const Context& context, const State<Vector>& state,
               const Vector& moved, StartFrom start) {
    if (start == StartFrom::last) constraints_.start_from_last();
    if (start == StartFrom::zero) constraints_.start_from_zero();
    if (start == StartFrom::strain && integrator.feels_volumes()) {
      set_positions(state.x);
      constraints_.start_from(positions_.data());
    }
    predict(context, state, moved, integrator.incremental);
    using Multipliers = Multipliers<Scalar>;
    Multipliers multipliers;
    if (integrator.feels_volumes()) multipliers = Multipliers::at_start(constraints_.multipliers(), start);
    for (int k = 0; k < integrator.stretch_iterations; ++k) {
      solve_stretch(multipliers, integrator.rotation_iterations);
      multipliers.forget = false;
    }
    for (int k = 0; k < integrator.volume_iterations; ++k) relax_volumes(k == 0);
  }

  // The number in the last solve.
  int inverted_elements() const {
    int count = 0;
    for (const Part& part : parts_) count += part.inverted;
    return count;
  }

  // The forces on the fixed nodes in this step [N]: they balance the forces of the elements, with the
  // rotations of the last solve, and the loads, and accelerate the nodes.
  template <class Integrator, class Context>
  void find_constraint_forces(const Integrator& integrator, const Context& context,
                              const State<Vector>& state, const Vector& moved, Vector& held) {
    auto& y = parts_.front().right_side;  // at fixed places: the forces of the elements times dt^2
    for (const auto& c : mesh_.couplings()) {
      const auto& solution = parts_[at(std::max(part_of(c.free), 0))].right_side;
      set_row(y, c.fixed, row(y, c.fixed) - Row(c.value) * row(solution, c.free));
    }
    if (integrator.volume_iterations > 0) constraints_.add_forces(positions_.data(), y.data());
    const Row per_time(static_cast<Scalar>(1 / dt_));
    for (std::ptrdiff_t place = mesh_.free_count(); place < mesh_.count(); ++place) {
      const std::ptrdiff_t node = node_[at(place)];
      held.set_row(node,
                   holding_force(Row(mesh_.masses()[at(place)]), Row(mesh_.kept()[at(place)]), per_time,
                                 moved.row(node), state.v.row(node), row(y, place), context.loads.row(node)));
    }
  }

  // Calls use(rotations, multipliers) with the arrays that are kept between steps.
  template <class Self, class Use>
  static void for_each_kept(Self& self, StartFrom start, Use&& use) {
    use(self.elements_.rotations(), self.constraints_.kept(self.constraints_, start));
  }

  // The displacements of all nodes in this step [m].
  void find_displacement(const Vector& x, Vector& displacement) const {
    for_each_place([from = x.data(), to = positions_.data(), ways = displacement.data()](
                       std::ptrdiff_t place, std::ptrdiff_t node) {
      set_row(ways, node, row(to, place) - row(from, node));
    });
  }

 private:
  using Factor = typename Mesh::Factor;
  using Row = Lane<Scalar, 4, isa>;
  static constexpr int stride = Factor::stride;
  static_assert(stride == Vector::stride, "OperatorSplitting takes bodies of tetrahedra");

  // A subset of the elements; parts share no free nodes except those of the top of the factor.
  struct Part {
    std::ptrdiff_t elements_begin = 0, elements_end = 0;  // batches
    std::ptrdiff_t constraints_begin = 0, constraints_end = 0;
    AlignedVector<Scalar> right_side;  // a row for each place, of which only some are used
    AlignedVector<Scalar> scratch;
    int inverted = 0;  // number of inverted elements in the last solve
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Elements of a part: `inner` with constraints in the part alone; `shared` with constraints that touch the
  // top or fixed nodes, which other threads access too; `unconstrained`.
  enum Kind { inner, shared, unconstrained, kinds };
  using Elements = std::vector<SplitElement<Scalar>>;

  // Batches of each part, and of the shared constraints.
  void place_elements(const Elements& all) {
    const Factor& factor = mesh_.factor();
    const int free = mesh_.free_count(), part_count = factor.parts();
    const auto nowhere = [&](int part) { return stride * (static_cast<int>(node_.size()) + part); };
    const std::vector<std::array<Elements, kinds>> elements = sorted(all);
    parts_.assign(at(part_count) + 1, Part{});
    constraints_.clear();
    elements_.clear();

    std::vector<std::array<std::vector<std::vector<SplitPair<Scalar>>>, kinds>> batches(at(part_count));
    std::vector<std::array<int, kinds>> multipliers(at(part_count), {0, 0, 0});
    const auto append_constraints = [&](int p, Kind kind, int nodes) {
      multipliers[at(p)][kind] =
          constraints_.append(batches[at(p)][kind], mesh_.inverse_masses(), dt_, free, nodes);
    };
    for (int p = 0; p < part_count; ++p) {
      for (const Kind kind : {inner, shared, unconstrained})
        batches[at(p)][kind] = batches_of(pairs_of(elements[at(p)][kind]), free, elements_.width);
      parts_[at(p)].constraints_begin = constraints_.size();
      append_constraints(p, inner, nowhere(p));
      parts_[at(p)].constraints_end = constraints_.size();
    }
    parts_.back().constraints_begin = constraints_.size();
    for (int p = 0; p < part_count; ++p) append_constraints(p, shared, nowhere(part_count));
    parts_.back().constraints_end = constraints_.size();

    for (int p = 0; p < part_count; ++p) {
      Part& part = parts_[at(p)];
      part.elements_begin = elements_.size();
      for (const Kind kind : {inner, shared, unconstrained})
        elements_.append(batches[at(p)][kind], dt_, multipliers[at(p)][kind],
                         kind == unconstrained ? 0 : constraints_.step);
      part.elements_end = elements_.size();
      part.right_side.assign(positions_.size(), Scalar(0));
      part.scratch.assign(factor.scratch_size(), Scalar(0));
    }
  }

  // By part and kind.
  std::vector<std::array<Elements, kinds>> sorted(const Elements& all) const {
    const Factor& factor = mesh_.factor();
    // With a single part nothing is shared.
    const int top = factor.parts() > 1 ? factor.begin(factor.parts()) : static_cast<int>(mesh_.count());
    std::vector<std::array<Elements, kinds>> elements(at(factor.parts()));
    std::vector<int> count(at(factor.parts()), 0);
    for (const SplitElement<Scalar>& e : all) {
      int part = -1;
      bool is_shared = false;  // with another part
      for (const int place : e.nodes) {
        is_shared = is_shared || place >= top;
        part = std::max(part, part_of(place));
      }
      if (part < 0)  // only in the top, or fixed: goes to the smallest part
        part = static_cast<int>(std::min_element(count.begin(), count.end()) - count.begin());
      elements[at(part)][e.lambda > 0 ? (is_shared ? shared : inner) : unconstrained].push_back(e);
      ++count[at(part)];
    }
    return elements;
  }

  // The part that a place of a free node belongs to; -1: the top.
  int part_of(int place) const {
    const Factor& factor = mesh_.factor();
    for (int p = 0; p < factor.parts(); ++p) {
      if (place >= factor.begin(p) && place < factor.end(p)) return p;
    }
    return -1;
  }

  template <class Run>
  void for_each_place(Run&& run) const {
    core::parallel_for(std::ssize(node_), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const auto own = run;  // a copy, so that its pointers stay in registers in spite of stores
      const int* const node = node_.data();
      for (std::ptrdiff_t place = begin; place < end; ++place) own(place, std::ptrdiff_t{node[place]});
    });
  }

  PLIANT_INLINE static Row row(const Scalar* rows, std::ptrdiff_t place) {
    return load<Row>(rows + stride * place);
  }
  PLIANT_INLINE static void set_row(Scalar* rows, std::ptrdiff_t place, const Row& value) {
    store(rows + stride * place, value);
  }
  PLIANT_INLINE static Row row(const AlignedVector<Scalar>& rows, std::ptrdiff_t place) {
    return row(rows.data(), place);
  }
  PLIANT_INLINE static void set_row(AlignedVector<Scalar>& rows, std::ptrdiff_t place, const Row& value) {
    set_row(rows.data(), place, value);
  }
  static void set_zero(AlignedVector<Scalar>& rows, std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::fill(rows.begin() + stride * begin, rows.begin() + stride * end, Scalar(0));
  }

  void set_positions(const Vector& x) {
    for_each_place(
        [&](std::ptrdiff_t place, std::ptrdiff_t node) { set_row(positions_, place, x.row(node)); });
  }

  // The predicted positions without elasticity, for fixed nodes the prescribed ones; and the positions at the
  // start of the solve: the same, or, if `incremental`, those without loads.
  template <class Context>
  void predict(const Context& context, const State<Vector>& state, const Vector& moved, bool incremental) {
    const auto h = static_cast<Scalar>(dt_);
    const std::ptrdiff_t free = mesh_.free_count();
    const Scalar *const x = state.x.data(), *const v = state.v.data(), *const loads = context.loads.data(),
                        *const prescribed = moved.data(),
                        *const inverse_masses = mesh_.inverse_masses().data(),
                        *const kept = mesh_.kept().data();
    Scalar *const positions = positions_.data(), *const predicted = predicted_.data();
    for_each_place([=](std::ptrdiff_t place, std::ptrdiff_t node) {
      const Row way = place < free ? Row(h * kept[place]) * row(v, node) : row(prescribed, node);
      const Row start = row(x, node) + way,
                end = start + Row(h * h * inverse_masses[place]) * row(loads, node);
      set_row(predicted, place, end);
      set_row(positions, place, incremental ? start : end);
    });
  }

  // positions += (M + dt^2 L)^-1 (sum 2 mu V dt^2 (R - F) grad N + M (predicted - positions)).
  void solve_stretch(const Multipliers<Scalar>& multipliers, int rotation_iterations) {
    const Factor& factor = mesh_.factor();
    const int part_count = factor.parts();
    const std::ptrdiff_t top = factor.begin(part_count), free = factor.node_count(),
                         all = std::ssize(positions_) / stride;
    const auto set_inertia = [masses = mesh_.masses().data(), to = predicted_.data(),
                              from = positions_.data()](AlignedVector<Scalar>& y, std::ptrdiff_t begin,
                                                        std::ptrdiff_t end) {
      Scalar* const inertia = y.data();
      for (std::ptrdiff_t place = begin; place < end; ++place)
        set_row(inertia, place, Row(masses[place]) * (row(to, place) - row(from, place)));
    };
    core::parallel_parts(part_count, [&](int p) {
      Part& part = parts_[at(p)];
      auto& y = part.right_side;
      set_inertia(y, factor.begin(p), factor.end(p));
      set_zero(y, top, all);
      if (p == 0) set_inertia(y, top, free);
      part.inverted = elements_.pull(part.elements_begin, part.elements_end, rotation_iterations, multipliers,
                                     positions_.data(), y.data());
      factor.sweep_forward(p, y.data());
    });
    auto& y = parts_.front().right_side;
    for (int p = 1; p < part_count; ++p) {
      for (std::ptrdiff_t place = top; place < all; ++place) {
        set_row(y, place, row(y, place) + row(parts_[at(p)].right_side, place));
      }
    }
    factor.sweep_forward(part_count, y.data());
    factor.sweep_backward(part_count, y.data(), parts_.front().scratch.data());
    core::parallel_parts(part_count, [&](int p) {
      auto& own = parts_[at(p)].right_side;
      if (p > 0) std::copy(y.begin() + stride * top, y.begin() + stride * free, own.begin() + stride * top);
      factor.sweep_backward(p, own.data(), parts_[at(p)].scratch.data());
      move(own, factor.begin(p), factor.end(p));
    });
    move(y, top, free);
  }

  void move(const AlignedVector<Scalar>& solution, std::ptrdiff_t begin, std::ptrdiff_t end) {
    Scalar* const x = positions_.data();
    const Scalar* const ways = solution.data();
    for (std::ptrdiff_t place = begin; place < end; ++place)
      set_row(x, place, row(x, place) + row(ways, place));
  }

  void relax_volumes(bool first) {
    const int part_count = mesh_.factor().parts();
    const auto relax = [&](int p) {
      const Part& part = parts_[at(p)];
      constraints_.relax(part.constraints_begin, part.constraints_end, first, positions_.data());
    };
    core::parallel_parts(part_count, relax);
    relax(part_count);
  }

  Mesh mesh_;
  double dt_ = 0;          // [s]
  std::vector<int> node_;  // of the system, at each place
  StretchElements<Scalar, isa> elements_;
  VolumeConstraints<Scalar, isa> constraints_;
  std::vector<Part> parts_;                      // the last one has the shared constraints
  AlignedVector<Scalar> positions_, predicted_;  // a row for each place [m]
};

}  // namespace pliant::detail::operator_splitting
