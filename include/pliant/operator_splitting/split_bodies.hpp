// The workspace of OperatorSplitting.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/operator_splitting/split_body.hpp>
#include <pliant/operator_splitting/split_copies.hpp>
#include <pliant/operator_splitting/split_pieces.hpp>

namespace pliant::detail::operator_splitting {

// The data that SplitBodies carries from one step to the next. Without rotations or multipliers the next step
// starts from those of its positions.
template <class Scalar>
struct SplitHistory {
  double dt = 0;             // for which the rest is valid, 0: nothing yet [s]
  bool incremental = false;  // the same
  std::vector<int> fixed;    // the same
  StartFrom start = StartFrom::strain;
  bool rotations_known = false;
  AlignedVector<Scalar> rotations, multipliers;  // of all elements, in the order of the lanes
  std::uint64_t elements = 0;                    // their fingerprint
};

// The bodies of a system of tetrahedra in steps of OperatorSplitting: copies of a body in blocks, and all
// other pieces as one body.
template <class SystemType, class FilterType>
class SplitBodies {
  static_assert(SystemType::dim == 3, "OperatorSplitting takes bodies of tetrahedra");

 public:
  using Vector = typename SystemType::Vector;
  using Scalar = typename SystemType::Scalar;

  static constexpr WorkspaceAbilities abilities{.history = true,
                                                .steps = true,
                                                .keeps = true,
                                                .checks_constraints = true,
                                                .follows_constraints = true,
                                                .follows_state = true};

  const Vector& constraint_forces() const { return held_; }

  // At the start of a step, before it changes anything.
  void begin_step() { advanced_ = false; }

  // The next step starts from a state other than the last result (state_changed), or, after a failed step,
  // again from its start (step_undone). start_ is the source of the multipliers of the next step: `strain`
  // after any change of the state, of dt or of the fixed nodes; `last` after a step with relaxations. A step
  // that fails after `advance` has begun has modified rotations and multipliers: the rotations are then
  // recomputed, and start_ becomes tried_, the source of the failed attempt, with `again` for `last`.
  void state_changed() {
    restored_.reset();
    rotations_known_ = false;
    start_ = StartFrom::strain;
  }
  void step_undone() {
    if (!advanced_) return;
    rotations_known_ = false;
    start_ = tried_;
  }

  using History = SplitHistory<Scalar>;  // see core/history.hpp
  void save(History& h) const {
    if (restored_) {
      h = *restored_;
      return;
    }
    h.dt = dt_;
    h.incremental = incremental_;
    h.fixed = fixed_;
    h.start = start_;
    h.rotations_known = rotations_known_;
    h.elements = elements_;
    h.rotations.clear();
    h.multipliers.clear();
    for_each_kept(*this, start_, [&](const auto& rotations, const auto& multipliers) {
      if (rotations_known_) h.rotations.insert(h.rotations.end(), rotations.begin(), rotations.end());
      if (keeps_multipliers(start_))
        h.multipliers.insert(h.multipliers.end(), multipliers.begin(), multipliers.end());
    });
  }
  void check(const History& h) const {
    if (h.elements != elements_) throw StateError("elements", "others in the state, or of another material");
  }
  void restore(History&& h) { restored_ = std::move(h); }

  // Keeps everything, because dt_ = 0 marks incomplete data.
  void keep_from(SplitBodies& other) { *this = std::move(other); }

  void constraints_changed() { bodies_.forget_constraints(); }

  void prepare(const SystemType& system) {
    if (held_.nodes() == system.node_count()) return;
    held_ = moved_ = system.make_vector();
    if constexpr (balances_bodies) {
      start_velocity_ = held_;
      bodies_.find(system.pattern());
    }
    const auto beta = static_cast<double>(system.stiffness_damping());
    constexpr const char* unsupported =
        "must be zero with OperatorSplitting, which does not support stiffness damping";
    core::require_parameter(system.strain_damped_solids() == 0, "number of solids with a StrainDamping",
                            system.strain_damped_solids(), unsupported);
    core::require_parameter(beta == 0, "Rayleigh::beta", beta, unsupported);
    const std::vector<Element> elements = elements_of(system);
    elements_ = fingerprint_of(elements, system.mass_damping());
    pieces_ = pieces_of(elements, system.numbering(), system.rest(), system.nodes_of_copy());
    dt_ = 0;
  }

  // Throws ParameterError for a node that is constrained in some directions only.
  void check_constraints(const SystemType& system, const FilterType& filter) const {
    filter.for_each_restrained([&](int node, const auto& S) {
      if (!S.isZero()) {
        throw ParameterError(
            "node", system.numbering().to_user[at(node)],
            "OperatorSplitting takes nodes that are free, or held or moved in all directions");
      }
    });
  }

  // Recomputes the data that depend on dt [s], on the fixed nodes and on `incremental` if any of these has
  // changed. Returns the number of matrices that were factorised.
  int set_up(const SystemType& system, const FilterType& filter, double dt, bool incremental) {
    fixed_now_.clear();
    filter.for_each_restrained([&](int node, const auto&) { fixed_now_.push_back(node); });
    const bool made = dt == dt_ && incremental == incremental_ && fixed_now_ == fixed_;
    if (!made) {
      dt_ = 0;  // until all is complete: an allocation may fail
      fixed_ = fixed_now_;
      incremental_ = incremental;
      find_nodes(system, dt);
      group(dt);
      rotations_known_ = false;
      start_ = StartFrom::strain;
      dt_ = dt;
    }
    if (restored_) take_over();
    return made ? 0 : static_cast<int>(copies_.size()) + (others_ ? 1 : 0);
  }

  // The number of connected components, and of those that are solved in blocks of copies.
  int piece_count() const { return static_cast<int>(pieces_.size()); }
  int pieces_in_blocks() const { return pieces_in_blocks_; }

  // The number of inverted elements at the positions of the last solve.
  int inverted_elements() const {
    int count = others_ ? others_->inverted_elements() : 0;
    for (const Copies& copies : copies_) count += copies.inverted_elements();
    return count;
  }

  // A step with the numbers of iterations of an integrator. Returns the number of nodes in contact, or -1 if
  // some nodes could not be kept out of colliders.
  template <class Integrator, class Context>
  int advance(const Integrator& integrator, const Context& context, State<Vector>& state) {
    context.filter.prescribe(state.time + dt_, dt_, state.x, moved_);  // may throw, so it comes first
    if constexpr (balances_bodies) bodies_.follow_constraints(context.filter);
    auto contact = context.contacts.begin_explicit();
    contact.make_room();
    if (!rotations_known_) {
      if (others_) others_->find_rotations(state.x);
      for (Copies& copies : copies_) copies.find_rotations(state.x);
      rotations_known_ = true;
    }
    const StartFrom start = integrator.incremental ? start_ : StartFrom::zero;
    tried_ = start == StartFrom::last ? StartFrom::again : start;
    // Without relaxations this step has no multipliers.
    start_ = integrator.volume_iterations > 0 ? StartFrom::last : StartFrom::strain;
    advanced_ = true;
    held_.set_zero();
    if constexpr (balances_bodies) start_velocity_.set_sum(state.v, Scalar(0), state.v);
    Vector& displacement =
        state.v;  // of this step [m]; overwrites the velocities when they are no longer needed
    if (others_) {
      others_->advance(integrator, context, state, moved_, start);
      others_->find_constraint_forces(integrator, context, state, moved_, held_);
      others_->find_displacement(state.x, displacement);
    }
    core::parallel_parts(static_cast<int>(blocks_.size()), [&](int b) {
      const auto [group, block] = blocks_[at(b)];
      Copies& copies = copies_[at(group)];
      copies.advance(block, integrator, context, state, moved_, start);
      copies.find_constraint_forces(block, integrator, context, state, moved_, held_);
      copies.find_displacement(block, state.x, displacement);
    });
    if constexpr (balances_bodies) balance(context, displacement);
    const auto bounded = contact.put_back(
        state.x, moved_, {.dt = dt_, .weight = 1}, [&](int node) { return nodes_[at(node)].mass; },
        displacement, [](int) {});
    if (!bounded) return -1;
    const int contacts = std::move(contact).end(held_);
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

  // Whether the rigid motion of bodies is corrected: the rounding of the factor and its sweeps, which acts on
  // it, grows with the stiffness. See FreeBodies.
  static constexpr bool balances_bodies = sizeof(Scalar) < sizeof(double);

  // Elements do not change the momentum, and mass damping acts by the velocities at the end of the step.
  template <class Context>
  void balance(const Context& context, Vector& displacement) {
    using Row = typename detail::integrator::FreeBodies<Vector, isa>::Row;
    const auto wide = [](const Vector& vector, std::ptrdiff_t i) { return convert<Row>(vector.row(i)); };
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
      constexpr bool takes = decltype(point.gradients)::RowsAtCompileTime == 4 && SplitEnergy<Energy>;
      static_assert(
          takes,
          "OperatorSplitting takes tetrahedra of FixedCorotated or Arap, or of an energy of your own "
          "that is mu |F - R|^2 + lambda / 2 (det F - 1)^2 and has split_coefficients(), see "
          "energy/concept.hpp");
      if constexpr (takes) {
        const RawCoefficients c = energy.split_coefficients();
        core::require_parameter(c.lambda >= 0, "lambda", c.lambda,
                                "must not be negative (Pa) with OperatorSplitting");
        elements.push_back({point.nodes, point.gradients, static_cast<double>(point.volume), c.mu, c.lambda});
      }
    });
    return elements;
  }

  static std::uint64_t fingerprint_of(const std::vector<Element>& elements, const Vector& damping) {
    core::Fingerprint result;
    for (const Element& e : elements) {
      for (const int node : e.nodes) result.add(node);
      for (const double number : {e.volume, e.mu, e.lambda}) result.add(number);
    }
    for (std::ptrdiff_t i = 0; i < damping.nodes(); ++i) result.add(damping.node(i)(0));
    return result.value();
  }

  // Calls use(rotations, multipliers) with the arrays that are kept between steps.
  template <class Self, class Use>
  static void for_each_kept(Self& self, StartFrom start, Use&& use) {
    if (self.others_) self.others_->for_each_kept(*self.others_, start, use);
    for (auto& copies : self.copies_) copies.for_each_kept(copies, start, use);
  }

  static bool keeps_multipliers(StartFrom start) {
    return start == StartFrom::last || start == StartFrom::again;
  }

  // Takes over the restored history, unless it is of another dt or of other fixed nodes, with which it would
  // not be valid in this step.
  void take_over() {
    const History h = std::move(*restored_);
    restored_.reset();
    rotations_known_ = false;
    start_ = StartFrom::strain;
    if (h.dt != dt_ || h.incremental != incremental_ || h.fixed != fixed_) return;
    std::size_t rotations = 0, multipliers = 0;
    for_each_kept(*this, h.start, [&](const auto& all_rotations, const auto& all_multipliers) {
      rotations += all_rotations.size();
      multipliers += all_multipliers.size();
    });
    const auto require = [](const char* what, std::size_t given, std::size_t expected) {
      if (given == expected) return;
      throw StateError(
          what, std::to_string(given) + " numbers in the state, " + std::to_string(expected) + " here");
    };
    if (h.rotations_known) require("rotations", h.rotations.size(), rotations);
    if (keeps_multipliers(h.start)) require("multipliers", h.multipliers.size(), multipliers);
    auto rotation = h.rotations.begin(), multiplier = h.multipliers.begin();
    for_each_kept(*this, h.start, [&](auto& all_rotations, auto& all_multipliers) {
      if (h.rotations_known) {
        std::copy_n(rotation, all_rotations.size(), all_rotations.begin());
        rotation += std::ssize(all_rotations);
      }
      if (keeps_multipliers(h.start)) {
        std::copy_n(multiplier, all_multipliers.size(), all_multipliers.begin());
        multiplier += std::ssize(all_multipliers);
      }
    });
    rotations_known_ = h.rotations_known;
    start_ = h.start;
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

  // Sorts the pieces into blocks of copies and others.
  void group(double dt) {
    constexpr std::size_t size = Copies::copies, worth_a_block = size * 3 / 4;
    SplitPiece<Scalar> others;
    copies_.clear();
    blocks_.clear();
    pieces_in_blocks_ = 0;
    for (const CopyGroup& group : groups_of_copies(pieces_, nodes_)) {
      const std::size_t count = group.pieces.size(), left = count % size,
                        in_blocks = left < worth_a_block ? count - left : count;
      std::vector<const std::vector<int>*> nodes;
      for (std::size_t k = 0; k < count; ++k) {
        const SplitPiece<Scalar>& piece = pieces_[at(group.pieces[k])];
        if (k < in_blocks) nodes.push_back(&piece.nodes);
        else append(piece, others);
      }
      if (nodes.empty()) continue;
      pieces_in_blocks_ += static_cast<int>(nodes.size());
      copies_.emplace_back();
      auto [mesh, elements] = mesh_of(pieces_[at(group.reference)], dt);
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

  bool rotations_known_ = false;         // whether the rotations are those of the current state
  bool advanced_ = false;                // whether `advance` has begun in this step
  StartFrom start_ = StartFrom::strain;  // of the next step
  StartFrom tried_ = StartFrom::zero;    // of another attempt at the last step
  double dt_ = 0;                        // for which all data are valid, 0: none yet [s]
  bool incremental_ = false;             // the same
  std::vector<int> fixed_, fixed_now_;   // nodes of the system
  std::vector<SplitNode> nodes_;         // of the system
  std::vector<SplitPiece<Scalar>> pieces_;
  std::unique_ptr<SplitBody<Vector, isa>> others_;  // if any
  std::vector<Copies> copies_;                      // one for each group of copies
  std::vector<BlockOf> blocks_;                     // of all of them
  int pieces_in_blocks_ = 0;
  Vector held_, moved_;              // [N], [m]
  Vector start_velocity_;            // of the step, if bodies are balanced [m/s]
  std::uint64_t elements_ = 0;       // their fingerprint
  std::optional<History> restored_;  // for the next step
  detail::integrator::FreeBodies<Vector, isa> bodies_;
};

}  // namespace pliant::detail::operator_splitting
