// Copies of a body in steps of operator splitting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/core/parallel.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/operator_splitting/split_mesh.hpp>
#include <pliant/operator_splitting/stretch_elements.hpp>
#include <pliant/operator_splitting/volume_constraints.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant::detail::operator_splitting {

// Copies of a body that differ by a rigid motion only, in blocks of one copy per lane. They share one factor,
// one list of elements and one of constraints, each of which is read once for a whole block; and because
// lanes are copies, elements need not gather their nodes.
//
// An array of a block has for each place of the mesh the x of its copies, then their y and their z.
template <class VectorType, Isa isa>
class SplitCopies {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  using Mesh = SplitMesh<Scalar, isa>;
  static constexpr int copies = 2 * assembly::kernel_width<Scalar>;  // of a block

  // `all`: the result of SplitMesh::make; `nodes[k]`: the numbers in the system of the nodes of copy k.
  // Unused lanes repeat the last copy.
  void make(Mesh mesh, const std::vector<SplitElement<Scalar>>& all,
            const std::vector<const std::vector<int>*>& nodes, double dt) {
    mesh_ = std::move(mesh);
    dt_ = dt;
    std::vector<SplitElement<Scalar>> constrained, unconstrained;
    for (const SplitElement<Scalar>& e : all) (e.lambda > 0 ? constrained : unconstrained).push_back(e);
    elements_.clear();
    constraints_.clear();
    const int free = mesh_.free_count();
    for (const SplitPair<Scalar>& pair : pairs_of(constrained))
      elements_.append(pair, dt, constraints_.append(pair, mesh_.inverse_masses(), dt, free));
    for (const SplitPair<Scalar>& pair : pairs_of(unconstrained)) elements_.append(pair, dt, 0);

    blocks_.assign((nodes.size() + copies - 1) / copies, Block{});
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      block.used = static_cast<int>(std::min<std::size_t>(copies, nodes.size() - b * copies));
      for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place) {
        for (std::size_t k = 0; k < copies; ++k) {
          const auto& own = *nodes[std::min(b * copies + k, nodes.size() - 1)];
          block.offsets.push_back(Vector::stride * own[at(mesh_.node_at(place))]);
        }
      }
      block.positions.assign(at(stride * (mesh_.count() + 1)), Scalar(0));
      block.predicted = block.positions;
      block.right_side = block.positions;
      block.rotations.assign(elements_.rotations_size(), Scalar(0));
      block.start.assign(constraints_.multipliers_size(), Scalar(0));
      block.end = block.start;
    }
  }

  // Sets the rotations to those at the positions x [m].
  void find_rotations(const Vector& x) {
    core::parallel_parts(block_count(), [&](int b) {
      Block& block = blocks_[at(b)];
      set_positions(block, x);
      elements_.find_rotations(block.positions.data(), block.rotations.data());
    });
  }

  int block_count() const { return static_cast<int>(blocks_.size()); }

  // The number in the last solve.
  int inverted_elements() const {
    int count = 0;
    for (const Block& block : blocks_) count += block.inverted;
    return count;
  }

  // A step of a block: see SplitBody.
  template <class Integrator, class Context>
  void advance(int b, const Integrator& integrator, const Context& context, const State<Vector>& state,
               const Vector& moved, StartFrom start) {
    Block& block = blocks_[at(b)];
    if (start == StartFrom::last) std::swap(block.start, block.end);
    if (start == StartFrom::zero) std::fill(block.start.begin(), block.start.end(), Scalar(0));
    if (start == StartFrom::strain && integrator.feels_volumes()) {
      set_positions(block, state.x);
      constraints_.find_multipliers(block.positions.data(), block.start.data());
    }
    predict(block, context, state, moved, integrator.incremental);
    using Multipliers = Multipliers<Scalar>;
    Multipliers multipliers;
    if (integrator.feels_volumes()) multipliers = Multipliers::at_start(block.start.data(), start);
    for (int k = 0; k < integrator.stretch_iterations; ++k) {
      solve_stretch(block, multipliers, integrator.rotation_iterations);
      multipliers.forget = false;
    }
    for (int k = 0; k < integrator.volume_iterations; ++k) {
      constraints_.relax((k == 0 ? block.start : block.end).data(), block.end.data(), block.positions.data());
    }
  }

  // The forces on the fixed nodes of a block in this step [N]; called once in a step.
  template <class Integrator, class Context>
  void find_constraint_forces(int b, const Integrator& integrator, const Context& context,
                              const State<Vector>& state, const Vector& moved, Vector& held) {
    Block& block = blocks_[at(b)];
    const std::ptrdiff_t free = mesh_.free_count();
    auto& y = block.right_side;  // at fixed places: the forces of the elements times dt^2
    for (const auto& c : mesh_.couplings()) {
      const Coordinates pull = of(y, c.free);
      Coordinates force = of(y, c.fixed);
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) force[i] -= T(c.value) * pull[i];
      set(y, c.fixed, force);
    }
    if (integrator.volume_iterations > 0) {
      constraints_.add_forces(block.start.data(), block.end.data(), block.positions.data(),
                              y.data() + stride * free);
    }
    const T per_time(static_cast<Scalar>(1 / dt_));
    for (std::ptrdiff_t place = free; place < mesh_.count(); ++place) {
      const Coordinates way = of_nodes(block, place, moved), v = of_nodes(block, place, state.v),
                        load = of_nodes(block, place, context.loads), elastic = of(y, place);
      const T mass(mesh_.masses()[at(place)]), kept(mesh_.kept()[at(place)]);
      Coordinates force;
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) force[i] =
          holding_force(mass, kept, per_time, way[i], v[i], elastic[i], load[i]);
      to_nodes(block, place, force, held);
    }
  }

  // Calls use(rotations, multipliers) with the arrays that are kept between steps, block by block.
  template <class Self, class Use>
  static void for_each_kept(Self& self, StartFrom start, Use&& use) {
    for (auto& block : self.blocks_) use(block.rotations, start == StartFrom::last ? block.end : block.start);
  }

  // The displacements of the nodes of a block in this step [m].
  void find_displacement(int b, const Vector& x, Vector& displacement) const {
    const Block& block = blocks_[at(b)];
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place) {
      Coordinates way = of(block.positions, place);
      const Coordinates start = of_nodes(block, place, x);
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) way[i] -= start[i];
      to_nodes(block, place, way, displacement);
    }
  }

 private:
  using T = Lane<Scalar, copies, isa>;
  using Coordinates = SmallVector<T, 3>;
  static constexpr int stride = 3 * copies;

  struct Block {
    std::vector<int> offsets;  // [place][copy], in vectors of the system
    AlignedVector<Scalar> positions, predicted, right_side;
    AlignedVector<Scalar> rotations, start, end;  // of elements; multipliers of a step
    int used = 0;                                 // copies
    int inverted = 0;                             // number of inverted elements in the last solve
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  PLIANT_INLINE static Coordinates of(const AlignedVector<Scalar>& array, std::ptrdiff_t place) {
    Coordinates result;
    load_columns<3>(array.data() + stride * place, &result[0]);
    return result;
  }
  PLIANT_INLINE static void set(AlignedVector<Scalar>& array, std::ptrdiff_t place,
                                const Coordinates& value) {
    store_columns<3>(&value[0], array.data() + stride * place);
  }

  PLIANT_INLINE static Coordinates of_nodes(const Block& block, std::ptrdiff_t place, const Vector& vector) {
    T columns[4];
    gather_rows(vector.data(), block.offsets.data() + copies * place, columns);
    Coordinates result;
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) result[i] = columns[i];
    return result;
  }
  PLIANT_INLINE static void to_nodes(const Block& block, std::ptrdiff_t place, const Coordinates& value,
                                     Vector& vector) {
    const T columns[4] = {value[0], value[1], value[2], T(Scalar(0))};
    scatter_rows(columns, vector.data(), block.offsets.data() + copies * place);
  }

  void set_positions(Block& block, const Vector& x) const {
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place)
      set(block.positions, place, of_nodes(block, place, x));
  }

  template <class Context>
  void predict(Block& block, const Context& context, const State<Vector>& state, const Vector& moved,
               bool incremental) const {
    const auto h = static_cast<Scalar>(dt_);
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place) {
      const bool free = place < mesh_.free_count();
      const Coordinates x = of_nodes(block, place, state.x), load = of_nodes(block, place, context.loads),
                        way = of_nodes(block, place, free ? state.v : moved);
      const T kept(free ? h * mesh_.kept()[at(place)] : Scalar(1)),
          mobility(h * h * mesh_.inverse_masses()[at(place)]);
      Coordinates start, end;
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
        start[i] = x[i] + kept * way[i];
        end[i] = start[i] + mobility * load[i];
      }
      set(block.predicted, place, end);
      set(block.positions, place, incremental ? start : end);
    }
  }

  void solve_stretch(Block& block, const Multipliers<Scalar>& multipliers, int rotation_iterations) const {
    auto& y = block.right_side;
    const std::ptrdiff_t free = mesh_.free_count();
    for (std::ptrdiff_t place = 0; place < free; ++place) {
      const Coordinates end = of(block.predicted, place), now = of(block.positions, place);
      const T mass(mesh_.masses()[at(place)]);
      Coordinates inertia;
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) inertia[i] = mass * (end[i] - now[i]);
      set(y, place, inertia);
    }
    std::fill(y.begin() + stride * free, y.end(), Scalar(0));
    block.inverted = elements_.pull(rotation_iterations, multipliers, block.positions.data(),
                                    block.rotations.data(), y.data(), block.used);
    mesh_.factor().template solve<copies>(y.data());
    for (std::ptrdiff_t place = 0; place < free; ++place)
      add_columns<3>(&of(y, place)[0], block.positions.data() + stride * place);
  }

  Mesh mesh_;
  double dt_ = 0;  // [s]
  StretchCopies<Scalar, copies, isa> elements_;
  VolumeCopies<Scalar, copies, isa> constraints_;
  std::vector<Block> blocks_;
};

}  // namespace pliant::detail::operator_splitting
