// The workspace of OperatorSplitting.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/integrator/split_body.hpp>
#include <pliant/integrator/split_copies.hpp>
#include <pliant/integrator/split_pieces.hpp>

namespace pliant {

// The bodies of a system, of tetrahedra, for steps of OperatorSplitting: those of which there are many
// copies, in blocks, and all others as one.
template <class SystemType, class FilterType>
class SplitBodies {
  static_assert(SystemType::dim == 3, "OperatorSplitting takes bodies of tetrahedra");

 public:
  using Vector = typename SystemType::Vector;
  using Scalar = typename SystemType::Scalar;

  const Vector& constraint_forces() const { return held_; }

  // Before the first attempt of a step to change anything.
  void begin_step() { advanced_ = false; }

  // The next step starts from another state than that to which the last one led; or, where that failed, from
  // that where it started.
  void state_changed() {
    rotations_known_ = false;
    start_ = StartFrom::strain;
  }
  void step_undone() {
    if (!advanced_) return;
    rotations_known_ = false;
    start_ = tried_;
  }

  void constraints_changed() { bodies_.forget_constraints(); }

  void prepare(const SystemType& system) {
    if (held_.nodes() == system.node_count()) return;
    held_ = moved_ = system.make_vector();
    if constexpr (balances_bodies) {
      start_velocity_ = held_;
      bodies_.find(system.pattern());
    }
    const auto beta = system.uniform_stiffness_damping();
    detail::require_parameter(beta && *beta == Scalar(0), "Rayleigh::beta",
                              beta ? static_cast<double>(*beta) : 0,
                              "must be zero with OperatorSplitting, which has no tangent to damp with");
    pieces_ = pieces_of(elements_of(system), system.numbering(), system.rest());
    dt_ = 0;
  }

  // Throws ParameterError for a node with some freedom left.
  void check_constraints(const SystemType& system, const FilterType& filter) const {
    filter.for_each_restrained([&](int node, const auto& S) {
      if (!S.isZero()) {
        throw ParameterError(
            "node", system.numbering().to_user[at(node)],
            "OperatorSplitting takes nodes that are free, or held or moved in all directions");
      }
    });
  }

  // Makes what depends on dt [s], on which nodes are fixed and on whether steps are incremental, where these
  // have changed. Returns how many matrices were factorised for it.
  int set_up(const SystemType& system, const FilterType& filter, double dt, bool incremental) {
    fixed_now_.clear();
    filter.for_each_restrained([&](int node, const auto&) { fixed_now_.push_back(node); });
    if (dt == dt_ && incremental == incremental_ && fixed_now_ == fixed_) return 0;
    fixed_ = fixed_now_;
    incremental_ = incremental;
    dt_ = 0;
    find_nodes(system, dt);
    group(dt);
    rotations_known_ = false;
    start_ = StartFrom::strain;
    dt_ = dt;
    return static_cast<int>(copies_.size()) + (others_ ? 1 : 0);
  }

  // In the last solve, if that felt volume forces.
  int inverted_elements() const {
    int count = others_ ? others_->inverted_elements() : 0;
    for (const Copies& copies : copies_) count += copies.inverted_elements();
    return count;
  }

  // A step with the numbers of iterations of an integrator. Returns how many nodes touch colliders, -1 where
  // some could not be kept out.
  template <class Integrator, class Context>
  int advance(const Integrator& integrator, const Context& context, State<Vector>& state) {
    context.filter.prescribe(state.time + dt_, dt_, state.x, moved_);  // what may throw comes first
    if (!rotations_known_) {
      if (others_) others_->find_rotations(state.x);
      for (Copies& copies : copies_) copies.find_rotations(state.x);
      rotations_known_ = true;
    }
    const StartFrom start = integrator.incremental ? start_ : StartFrom::zero;
    tried_ = start == StartFrom::last ? StartFrom::again : start;
    // Without relaxations there are none of this step.
    start_ = integrator.volume_iterations > 0 ? StartFrom::last : StartFrom::strain;
    advanced_ = true;
    held_.set_zero();
    if constexpr (balances_bodies) start_velocity_.set_sum(state.v, Scalar(0), state.v);
    Vector& displacement = state.v;  // of this step [m], as soon as the velocities have been used
    if (others_) {
      others_->advance(integrator, context, state, moved_, start);
      others_->find_constraint_forces(integrator, context, state, moved_, held_);
      others_->find_displacement(state.x, displacement);
    }
    parallel_parts(static_cast<int>(blocks_.size()), [&](int b) {
      const auto [group, block] = blocks_[at(b)];
      Copies& copies = copies_[at(group)];
      copies.advance(block, integrator, context, state, moved_, start);
      copies.find_constraint_forces(block, integrator, context, state, moved_, held_);
      copies.find_displacement(block, state.x, displacement);
    });
    if constexpr (balances_bodies) balance(context, displacement);
    // Takes nodes out of colliders; see Contacts::put_back.
    int contacts = 0;
    if (context.contacts.empty()) {
      context.contacts.clear();
    } else {
      context.contacts.begin_forces();
      const bool outside = context.contacts.put_back(
          state.x, moved_, {.dt = dt_, .weight = 1}, [&](int node) { return nodes_[at(node)].mass; },
          displacement, [](int) {});
      if (!outside) return -1;
      contacts = context.contacts.add_found(held_);
    }
    using Block = typename Vector::Block;
    const Block per_time(static_cast<Scalar>(1 / dt_));
    displacement.for_each_block([&](std::ptrdiff_t i) {
      const Block way = displacement.block(i);
      state.v.set_block(i, per_time * way);
      state.x.set_block(i, state.x.block(i) + way);
    });
    context.filter.follow_motions(state.time, state.time + dt_, state.v);
    return contacts;
  }

 private:
  static constexpr Isa isa = SystemType::Matrix::instruction_set;
  using Element = SplitElement<Scalar>;
  using Mesh = SplitMesh<Scalar, isa>;
  using Copies = SplitCopies<Vector, isa>;

  // A block of a group of copies.
  struct BlockOf {
    int group, block;
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Whether rounding may decide how bodies move as wholes: that of the factor and its sweeps grows with the
  // stiffness. See FreeBodies.
  static constexpr bool balances_bodies = sizeof(Scalar) < sizeof(double);

  // Elements take nothing from the momentum, and drag does by the velocities at the end of the step.
  template <class Context>
  void balance(const Context& context, Vector& displacement) {
    using Row = typename FreeBodies<Vector, isa>::Row;
    const auto wide = [](const Vector& vector, std::ptrdiff_t i) { return convert<Row>(vector.row(i)); };
    bodies_.follow_constraints(context.filter);
    bodies_.translate([&](int i) { return nodes_[at(i)].mass; },
                      [&](int i) {
                        const SplitNode& node = nodes_[at(i)];
                        return Row(node.mass) *
                                   (wide(displacement, i) - Row(dt_ * node.kept) * wide(start_velocity_, i)) -
                               Row(dt_ * dt_) * wide(context.loads, i);
                      },
                      displacement);
  }

  static std::vector<Element> elements_of(const SystemType& system) {
    std::vector<Element> elements;
    system.for_each_point([&](const auto& point, const auto& energy) {
      using Energy = std::remove_cvref_t<decltype(energy)>;
      constexpr bool takes = decltype(point.gradients)::RowsAtCompileTime == 4 &&
                             (std::is_same_v<Energy, FixedCorotated> || std::is_same_v<Energy, Arap>);
      static_assert(takes,
                    "OperatorSplitting takes tetrahedra of FixedCorotated or Arap: no other energy is "
                    "mu |F - R|^2 + lambda / 2 (det F - 1)^2");
      if constexpr (takes) {
        const RawCoefficients& c = energy.template coefficients<3>();
        detail::require_parameter(c.lambda >= 0, "lambda", c.lambda,
                                  "must not be negative (Pa) with OperatorSplitting");
        elements.push_back({point.nodes, point.gradients, static_cast<double>(point.volume), c.mu, c.lambda});
      }
    });
    return elements;
  }

  void find_nodes(const SystemType& system, double dt) {
    const bool damps = system.mass_damping().nodes() > 0;
    nodes_.clear();
    for (std::ptrdiff_t i = 0; i < system.node_count(); ++i) {
      const double mass = static_cast<double>(system.mass().node(i)(0)),
                   drag = damps ? static_cast<double>(system.mass_damping().node(i)(0)) : 0;
      nodes_.push_back({mass + dt * drag, mass / (mass + dt * drag)});
    }
    for (const int node : fixed_) nodes_[at(node)].fixed = true;
  }

  // Sorts the pieces into whole blocks of copies and others.
  void group(double dt) {
    constexpr std::size_t size = Copies::copies, worth_a_block = size * 3 / 4;
    SplitPiece<Scalar> others;
    copies_.clear();
    blocks_.clear();
    for (const std::vector<int>& group : groups_of_copies(pieces_, nodes_)) {
      const std::size_t left = group.size() % size,
                        in_blocks = left < worth_a_block ? group.size() - left : group.size();
      std::vector<const std::vector<int>*> nodes;
      for (std::size_t k = 0; k < group.size(); ++k) {
        const SplitPiece<Scalar>& piece = pieces_[at(group[k])];
        if (k < in_blocks) nodes.push_back(&piece.nodes);
        else append(piece, others);
      }
      if (nodes.empty()) continue;
      copies_.emplace_back();
      auto [mesh, elements] = mesh_of(pieces_[at(group.front())], dt);
      copies_.back().make(std::move(mesh), elements, nodes, dt);
      for (int block = 0; block < copies_.back().block_count(); ++block)
        blocks_.push_back({static_cast<int>(copies_.size()) - 1, block});
    }
    others_.reset();
    if (others.nodes.empty()) return;
    others_ = std::make_unique<SplitBody<Vector, isa>>();
    auto [mesh, elements] = mesh_of(others, dt);
    others_->make(std::move(mesh), elements, others.nodes, dt);
  }

  static void append(const SplitPiece<Scalar>& piece, SplitPiece<Scalar>& others) {
    const int before = static_cast<int>(others.nodes.size());
    others.nodes.insert(others.nodes.end(), piece.nodes.begin(), piece.nodes.end());
    for (Element e : piece.elements) {
      for (int& node : e.nodes) node += before;
      others.elements.push_back(e);
    }
  }

  std::pair<Mesh, std::vector<Element>> mesh_of(const SplitPiece<Scalar>& piece, double dt) const {
    std::vector<SplitNode> nodes;
    for (const int node : piece.nodes) nodes.push_back(nodes_[at(node)]);
    Mesh mesh;
    std::vector<Element> elements = mesh.make(piece.elements, nodes, dt);
    if (incremental_) {
      for (Element& e : elements) e.share = volume_share(e.mu, e.lambda);
    }
    return {std::move(mesh), std::move(elements)};
  }

  bool rotations_known_ = false;         // as those of the state before the next step
  bool advanced_ = false;                // in this step
  StartFrom start_ = StartFrom::strain;  // of the next step
  StartFrom tried_ = StartFrom::zero;    // of the next attempt at the last step
  double dt_ = 0;                        // that everything was made for, 0: none yet [s]
  bool incremental_ = false;             // the same
  std::vector<int> fixed_, fixed_now_;   // nodes of the system
  std::vector<SplitNode> nodes_;         // of the system
  std::vector<SplitPiece<Scalar>> pieces_;
  std::unique_ptr<SplitBody<Vector, isa>> others_;  // where there are any
  std::vector<Copies> copies_;                      // of each piece of which there are many
  std::vector<BlockOf> blocks_;                     // of all of them
  Vector held_, moved_;                             // [N], [m]
  Vector start_velocity_;                           // of the step, where bodies are balanced [m/s]
  FreeBodies<Vector, isa> bodies_;
};

}  // namespace pliant
