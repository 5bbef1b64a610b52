// The System of a mechanism: what a Simulation moves.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/node_filter.hpp>
#include <pliant/rigid/row_contacts.hpp>

namespace pliant::detail::rigid {

// The constraints of a mechanism, of which there are none.
template <Isa isa>
class MechanismFilter : public NodeFilter<NodeVector<3, double, isa>> {
  using Base = NodeFilter<NodeVector<3, double, isa>>;

 public:
  MechanismFilter() = default;
  template <class System>
  MechanismFilter(const NodeConstraints<3>& constraints, const System& system)
      : Base(constraints, NodeMatrix<double, 3>::Zero(3, system.node_count()), system.node_count(),
             [](std::ptrdiff_t i) { return static_cast<int>(i); }) {}

  using Base::apply;
  void apply(BlockMatrix<3, double, isa>&) const {}
};

// Its nodes are those of JointedBodies. The user sees the centres of mass, one column per body, and set
// forces act on these.
template <Isa isa = PLIANT_NATIVE_ISA>
class MechanismSystem : public JointedBodies<isa> {
  using Base = JointedBodies<isa>;

 public:
  using Scalar = double;
  using Vector = NodeVector<3, double, isa>;
  using Matrix = BlockMatrix<3, double, isa>;
  using Filter = MechanismFilter<isa>;
  using Contacts = RowContacts<isa>;
  using Positions = NodeMatrix<double, 3>;
  using Triple = SmallVector<double, 3>;
  static constexpr int dim = 3, space = 3;
  static constexpr SystemAbilities abilities{.adds_displacements = false,
                                             .constant_forces = true,
                                             .own_state = true,
                                             .turns_rates = true,
                                             .own_gravity = true,
                                             .rows = true,
                                             .rows_alone = true};

  // Implicit, so that a Simulation takes a Mechanism. Throws SizeError for one without bodies.
  MechanismSystem(Mechanism mechanism)
      : Base(mechanism, mechanism.joints()),
        rest_(2 * mechanism.body_count()),
        mass_(2 * mechanism.body_count()) {
    if (this->body_count() == 0) throw SizeError("Mechanism: bodies", 0, 1);
    Adjacency no_neighbours;
    no_neighbours.begin.assign(static_cast<std::size_t>(node_count()) + 1, 0);
    pattern_ = std::make_shared<const BlockPattern>(BlockPattern::from_graph(no_neighbours));
    this->put_bodies(mass_, rest_);
  }

  std::ptrdiff_t node_count() const { return rest_.nodes(); }
  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(pattern_); }
  const Vector& mass() const { return mass_; }
  const Vector& rest() const { return rest_; }
  double node_spacing() const { return 0; }  // there are no nodes of a mesh

  void move(const Vector& x, const Vector& u, Vector& result) const { this->move_bodies(x, u, result); }

  // No elasticity and no damping.
  double energy(const Vector&) const { return 0; }
  double gradient(const Vector&, Vector& g) const {
    g.set_zero();
    return 0;
  }
  double tangent(const Vector& x, Projection, double, Vector& g, Matrix& A) const {
    A.set_zero();
    return gradient(x, g);
  }
  const Vector& mass_damping() const { return no_damping_; }
  double stiffness_damping() const { return 0; }
  double add_damping(const Straining<const Vector*>&, Projection, Vector&, Matrix* = nullptr) { return 0; }
  int undefined_element(const Vector&) const { return -1; }
  InvertedElements inverted_elements(const Vector&) const { return {}; }
  std::string free_motion(const std::vector<HeldDirection<3>>&, const Vector&) const { return {}; }

  // The view of the user.
  std::ptrdiff_t visible_node_count() const { return this->body_count(); }
  int user_number(std::ptrdiff_t node) const { return static_cast<int>(node / 2); }
  void show_positions(const Vector& x, Positions& positions) const { show(x, positions); }
  void show_velocities(const Vector&, const Vector& v, Positions& velocities) const { show(v, velocities); }
  void show_forces(const Vector&, const Vector& f, Positions& forces) const { show(f, forces); }
  void take_positions(const Positions& positions, Vector& x) const { take(positions, x); }
  void take_velocities(const Vector&, const Positions& velocities, Vector& v) const { take(velocities, v); }
  void take_forces(const Vector&, const Positions& forces, Vector& f) const { take(forces, f); }
  void add_gravity(const Triple& gravity, Vector& loads) const { this->add_weights(gravity, loads); }
  double gravitational_energy(const Triple& gravity, const Vector& x) const {
    return this->energy_of_weights(gravity, rest_, x);
  }
  SystemIdentity identity() const {
    return {.rest_shape = assembly::fingerprint_of(rest_), .masses = assembly::fingerprint_of(mass_)};
  }

  // See core/history.hpp.
  using History = typename Base::Loads;
  void save(History& history) const { history = this->loads(); }
  void restore(History&& history) { this->set_loads(std::move(history)); }
  bool end_step(const Vector&, const Vector&, double, double) {
    this->add_up_loads();
    return false;
  }

 private:
  void show(const Vector& vector, Positions& user) const {
    for (int b = 0; b < this->body_count(); ++b) user.col(b) = vector.node(this->centre_of(b));
  }
  void take(const Positions& user, Vector& vector) const {
    for (int b = 0; b < this->body_count(); ++b) vector.node(this->centre_of(b)) = user.col(b);
  }

  Vector rest_, mass_, no_damping_;
  std::shared_ptr<const BlockPattern> pattern_;
};

static_assert(ViewedSystem<MechanismSystem<>>);

}  // namespace pliant::detail::rigid
