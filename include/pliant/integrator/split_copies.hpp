// A body that there is many times, as steps of operator splitting see it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/core/parallel.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/split_mesh.hpp>
#include <pliant/integrator/stretch_elements.hpp>
#include <pliant/integrator/volume_constraints.hpp>

namespace pliant {

// Copies of a body that differ in where they are only, in blocks of as many as there are lanes. They share
// one factor, one list of elements and one of constraints, each read once for a whole block; and as lanes are
// copies, no node has to be gathered.
//
// An array of a block has for each place of the mesh the x of its copies, then their y and their z.
template <class VectorType, Isa isa>
class SplitCopies {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  using Mesh = SplitMesh<Scalar, isa>;
  static constexpr int copies = 2 * kernel_width<Scalar>;  // of a block

  // `nodes[k]`: those of the system that are those of the mesh, of copy k. What is beyond the last copy of
  // the last block does as the last copy does.
  void make(Mesh mesh, const std::vector<const std::vector<int>*>& nodes, double dt) {
    mesh_ = std::move(mesh);
    dt_ = dt;
    std::vector<StretchElement<Scalar>> elements;
    std::vector<VolumeConstraint<Scalar>> constraints;
    for (const auto& e : mesh_.elements()) {
      std::array<int, 4> offsets{};
      for (std::size_t a = 0; a < 4; ++a) offsets[a] = stride * e.nodes[a];
      if (std::all_of(e.nodes.begin(), e.nodes.end(), [&](int place) { return place >= mesh_.free_count(); }))
        continue;
      elements.push_back(stretch_element(e, offsets, dt));
      if (e.lambda > 0) constraints.push_back(volume_constraint(e, offsets, dt));
    }
    elements_.take(std::move(elements));
    constraints_.take(constraints, stride * mesh_.free_count());

    blocks_.assign((nodes.size() + copies - 1) / copies, Block{});
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
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
      block.multipliers.assign(constraints_.multipliers_size(), Scalar(0));
    }
  }

  // The rotations become those at the positions x [m], wherever they were.
  void find_rotations(const Vector& x) {
    parallel_parts(block_count(), [&](int b) {
      Block& block = blocks_[at(b)];
      for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place)
        set(block.positions, place, of_nodes(block, place, x));
      elements_.find_rotations(block.positions.data(), block.rotations.data());
    });
  }

  int block_count() const { return static_cast<int>(blocks_.size()); }

  // A step of a block: see SplitBody.
  template <class Integrator, class Context>
  void advance(int b, const Integrator& integrator, const Context& context, const State<Vector>& state,
               const Vector& moved) {
    Block& block = blocks_[at(b)];
    predict(block, context, state, moved, integrator.stretch_iterations > 1);
    for (int k = 0; k < integrator.stretch_iterations; ++k) {
      solve_stretch(block, integrator.rotation_iterations, k > 0);
    }
    for (int k = 0; k < integrator.volume_iterations; ++k) {
      constraints_.relax(k == 0, mesh_.inverse_masses(), block.multipliers.data(), block.positions.data());
    }
  }

  // The forces that hold the fixed nodes of a block in this step [N].
  template <class Integrator, class Context>
  void find_constraint_forces(int b, const Integrator& integrator, const Context& context,
                              const State<Vector>& state, const Vector& moved, Vector& held) {
    Block& block = blocks_[at(b)];
    const std::ptrdiff_t free = mesh_.free_count();
    auto& y = block.right_side;  // of fixed places: what elements do to them, times dt^2
    for (const auto& c : mesh_.couplings()) {
      const Coordinates pull = of(y, c.free);
      Coordinates force = of(y, c.fixed);
      for (int i = 0; i < 3; ++i) force[i] -= T(c.value) * pull[i];
      set(y, c.fixed, force);
    }
    if (integrator.volume_iterations > 0) {
      constraints_.add_forces(block.multipliers.data(), block.positions.data(), y.data() + stride * free);
    }
    const T per_time(static_cast<Scalar>(1 / dt_)), per_square = per_time * per_time;
    for (std::ptrdiff_t place = free; place < mesh_.count(); ++place) {
      const Coordinates way = of_nodes(block, place, moved), v = of_nodes(block, place, state.v),
                        load = of_nodes(block, place, context.loads), elastic = of(y, place);
      const T mass(mesh_.masses()[at(place)]);
      Coordinates force;
      for (int i = 0; i < 3; ++i) {
        force[i] = mass * (per_square * way[i] - per_time * v[i]) - per_square * elastic[i] - load[i];
      }
      to_nodes(block, place, force, held);
    }
  }

  // How far the nodes of a block go in this step [m].
  void find_displacement(int b, const Vector& x, Vector& displacement) const {
    const Block& block = blocks_[at(b)];
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place) {
      Coordinates way = of(block.positions, place);
      const Coordinates start = of_nodes(block, place, x);
      for (int i = 0; i < 3; ++i) way[i] -= start[i];
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
    AlignedVector<Scalar> rotations, multipliers;
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
    for (int i = 0; i < 3; ++i) result[i] = columns[i];
    return result;
  }
  PLIANT_INLINE static void to_nodes(const Block& block, std::ptrdiff_t place, const Coordinates& value,
                                     Vector& vector) {
    const T columns[4] = {value[0], value[1], value[2], T(Scalar(0))};
    scatter_rows(columns, vector.data(), block.offsets.data() + copies * place);
  }

  template <class Context>
  void predict(Block& block, const Context& context, const State<Vector>& state, const Vector& moved,
               bool keep) const {
    const auto h = static_cast<Scalar>(dt_);
    for (std::ptrdiff_t place = 0; place < mesh_.count(); ++place) {
      Coordinates end = of_nodes(block, place, state.x);
      if (place < mesh_.free_count()) {
        const Coordinates v = of_nodes(block, place, state.v), load = of_nodes(block, place, context.loads);
        const T kept(h * mesh_.kept()[at(place)]), per_load(h * h * mesh_.inverse_masses()[at(place)]);
        for (int i = 0; i < 3; ++i) end[i] += kept * v[i] + per_load * load[i];
      } else {
        const Coordinates way = of_nodes(block, place, moved);
        for (int i = 0; i < 3; ++i) end[i] += way[i];
      }
      set(block.positions, place, end);
    }
    if (keep) std::copy(block.positions.begin(), block.positions.end(), block.predicted.begin());
  }

  void solve_stretch(Block& block, int rotation_iterations, bool repeated) const {
    auto& y = block.right_side;
    std::fill(y.begin(), y.end(), Scalar(0));
    const std::ptrdiff_t free = mesh_.free_count();
    for (std::ptrdiff_t place = 0; repeated && place < free; ++place) {
      const Coordinates start = of(block.predicted, place), now = of(block.positions, place);
      const T mass(mesh_.masses()[at(place)]);
      Coordinates inertia;
      for (int i = 0; i < 3; ++i) inertia[i] = mass * (start[i] - now[i]);
      set(y, place, inertia);
    }
    elements_.pull(rotation_iterations, block.positions.data(), block.rotations.data(), y.data());
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

}  // namespace pliant
