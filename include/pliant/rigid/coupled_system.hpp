// The System of a soft body and a mechanism: what a Simulation moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/rigid/coupled.hpp>
#include <pliant/rigid/row_contacts.hpp>
#include <pliant/rigid/solid_strains.hpp>

namespace pliant::detail::rigid {

// The constraints of the nodes of the solid.
template <Isa isa>
class CoupledFilter : public pliant::Filter<3, double, isa> {
  using Base = pliant::Filter<3, double, isa>;

 public:
  CoupledFilter() = default;

  // Throws IndexError for nodes that are not those of the solid, and ParameterError for a node with a joint.
  template <class System>
  CoupledFilter(const NodeConstraints<3>& constraints, const System& system)
      : Base(checked(constraints, system), system) {}

 private:
  template <class System>
  static const NodeConstraints<3>& checked(const NodeConstraints<3>& constraints, const System& system) {
    const auto count = system.soft_node_count();
    for (const auto& [node, restraints] : constraints.restraints()) {
      if (restraints.empty()) continue;
      if (node >= count) throw IndexError("node of a constraint", node, count);
      if (const int joint = system.joint_on(node); joint >= 0) {
        throw ParameterError("joint " + std::to_string(joint) + ": node", node,
                             "a constraint holds or moves it: a joint acts on free nodes");
      }
    }
    return constraints;
  }
};

// Its nodes are those of the solid, in its internal order, and after them those of JointedBodies. The user
// sees the nodes of the solid and then the centres of mass, one column per body.
//
// The matrix has the blocks of the elements and one for each node of a body. Joints are no part of it but
// Rows.
template <class SolidType, Isa isa = PLIANT_NATIVE_ISA>
class CoupledSystem : public JointedBodies<isa> {
  using Base = JointedBodies<isa>;
  using Soft = ElasticSystem<SolidType, isa>;

 public:
  using Scalar = double;
  using Vector = NodeVector<3, double, isa>;
  using Matrix = BlockMatrix<3, double, isa>;
  using Filter = CoupledFilter<isa>;
  using Contacts = RowContacts<isa>;
  using Positions = NodeMatrix<double, 3>;
  using Triple = SmallVector<double, 3>;
  static constexpr int dim = 3, space = 3;
  static constexpr SystemAbilities abilities{.adds_displacements = false,
                                             .constant_forces = true,
                                             .own_state = true,
                                             .turns_rates = true,
                                             .own_gravity = true,
                                             .rows = true};

  // Implicit, so that a Simulation takes a Coupled.
  CoupledSystem(const Coupled<SolidType>& coupled)
      : CoupledSystem(coupled, std::make_unique<Soft>(coupled.solid())) {}

  const SolidType& solid() const { return *solid_; }

  // The System of the solid alone, with its plastic strains.
  const Soft& soft() const { return *soft_; }

  std::ptrdiff_t node_count() const { return rest_.nodes(); }
  std::ptrdiff_t soft_node_count() const { return soft_->node_count(); }
  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(pattern_); }
  const Vector& mass() const { return mass_; }
  const Vector& rest() const { return rest_; }

  // The mean distance between neighbouring nodes of the solid at rest [m].
  double node_spacing() const {
    const BlockPattern& pattern = soft_->pattern();
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (int k = pattern.row_begin[row] + 1; k < pattern.row_begin[row + 1]; ++k) {
        const std::ptrdiff_t j = pattern.columns[static_cast<std::size_t>(k)];
        sum += (rest_.node(i) - rest_.node(j)).norm();
      }
    }
    return sum / static_cast<double>(std::max<std::ptrdiff_t>(1, pattern.blocks() - pattern.rows()));
  }

  void move(const Vector& x, const Vector& u, Vector& result) const {
    for (std::ptrdiff_t i = 0; i < soft_node_count(); ++i) result.node(i) = x.node(i) + u.node(i);
    this->move_bodies(x, u, result);
  }

  // Elasticity and damping, which are those of the solid.
  double energy(const Vector& x) const { return soft_->energy(x); }
  double gradient(const Vector& x, Vector& g) {
    const double energy = soft_->gradient(x, g);
    clear_bodies(g);
    return energy;
  }
  double tangent(const Vector& x, Projection projection, double scale, Vector& g, Matrix& A) {
    const double energy = soft_->tangent(x, projection, scale, g, soft_matrix_);
    clear_bodies(g);
    // The blocks of the solid come first, in the same order.
    const std::ptrdiff_t own = soft_matrix_.pattern().blocks() * Matrix::block_size;
    std::copy_n(soft_matrix_.values(), own, A.values());
    std::fill(A.values() + own, A.values() + A.pattern().blocks() * Matrix::block_size, 0.0);
    return energy;
  }
  const Vector& mass_damping() const { return mass_damping_; }
  double stiffness_damping() const { return soft_->stiffness_damping(); }
  double add_damping(const Straining<const Vector*>& straining, Projection projection, Vector& g,
                     Matrix* A = nullptr) {
    return soft_->add_damping(straining, projection, g, A);
  }
  // The elements as rows at x, for a step of dt [s] with DualRows.
  const StrainRows& strain_rows(const Vector& x, double dt) {
    static_assert(
        requires { typename SolidType::Element; }, "DualRows takes a Solid, and no Bodies");
    using Strains = SolidStrains<SolidType>;
    if (!strains_) strains_ = std::make_shared<Strains>(*solid_, *soft_);
    return std::static_pointer_cast<Strains>(strains_)->at(x, dt, stiffness_damping());
  }

  int undefined_element(const Vector& x) { return soft_->undefined_element(x); }
  InvertedElements inverted_elements(const Vector& x) const { return soft_->inverted_elements(x); }
  std::string free_motion(const std::vector<HeldDirection<3>>& held, const Vector& x) const {
    return soft_->free_motion(held, x);
  }

  // For a Filter.
  const Numbering& numbering() const { return numbering_; }
  const std::shared_ptr<const BlockPattern>& matrix_pattern() const { return pattern_; }
  const Origins<3>& origins() const { return soft_->origins(); }
  void to_user(const Vector& x, Positions& user) const {
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) user.col(numbered(i)) = x.node(i);
  }

  // The first joint on a node, in the user's numbers; -1 if there is none.
  int joint_on(int node) const { return joint_on_[static_cast<std::size_t>(node)]; }

  // The view of the user.
  std::ptrdiff_t visible_node_count() const { return soft_node_count() + this->body_count(); }
  int user_number(std::ptrdiff_t node) const {
    const std::ptrdiff_t soft = soft_node_count();
    return node < soft ? numbered(node) : static_cast<int>(soft + (node - soft) / 2);
  }
  int internal_number(int node) const { return soft_->internal_number(node); }  // of the solid
  void show_positions(const Vector& x, Positions& positions) const { show(x, positions); }
  void show_velocities(const Vector&, const Vector& v, Positions& velocities) const { show(v, velocities); }
  void show_forces(const Vector&, const Vector& f, Positions& forces) const { show(f, forces); }
  void take_positions(const Positions& positions, Vector& x) const { take(positions, x); }
  void take_velocities(const Vector&, const Positions& velocities, Vector& v) const { take(velocities, v); }
  void take_forces(const Vector&, const Positions& forces, Vector& f) const { take(forces, f); }
  void add_gravity(const Triple& gravity, Vector& loads) const {
    soft_->add_gravity(gravity, loads);
    this->add_weights(gravity, loads);
  }
  double gravitational_energy(const Triple& gravity, const Vector& x) const {
    double energy = this->energy_of_weights(gravity, rest_, x);
    for (std::ptrdiff_t i = 0; i < soft_node_count(); ++i) {
      const Triple moved = x.node(i) - rest_.node(i);
      energy -= mass_.node(i)(0) * gravity.dot(moved);
    }
    return energy;
  }
  SystemIdentity identity() const {
    return {.mesh = soft_->identity().mesh,
            .rest_shape = assembly::fingerprint_of(rest_),
            .masses = assembly::fingerprint_of(mass_)};
  }

  // See core/history.hpp.
  struct History {
    typename Base::Loads loads;
    core::HistoryOf<Soft> soft;
  };
  void save(History& history) const {
    history.loads = this->loads();
    core::save_history(*soft_, history.soft);
  }
  void check(const History& history) const {
    Base::check(history.loads);
    core::check_history(*soft_, history.soft);
  }
  void restore(History&& history) {
    this->set_loads(std::move(history.loads));
    core::restore_history(*soft_, std::move(history.soft));
  }
  bool end_step(const Vector& x, const Vector& v, double time, double dt) {
    this->add_up_loads();
    return soft_->end_step(x, v, time, dt);
  }

 private:
  CoupledSystem(const Coupled<SolidType>& coupled, std::unique_ptr<Soft> soft)
      : Base(coupled.mechanism(), coupled.joints(), soft->node_count(), nodes_of(coupled.joints(), *soft),
             points_of(coupled)),
        solid_(coupled.shared_solid()),
        soft_(std::move(soft)),
        numbering_(soft_->numbering()),
        soft_matrix_(soft_->make_matrix()),
        rest_(soft_node_count() + 2 * this->body_count()),
        mass_(node_count()),
        joint_on_(static_cast<std::size_t>(soft_node_count()), -1) {
    Adjacency graph = graph_of(soft_->pattern());
    graph.begin.insert(graph.begin.end(), 2 * static_cast<std::size_t>(this->body_count()),
                       graph.begin.back());
    pattern_ = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
    for (std::ptrdiff_t i = soft_node_count(); i < node_count(); ++i) {
      numbering_.to_user.push_back(static_cast<int>(i));
      numbering_.to_internal.push_back(static_cast<int>(i));
    }
    if (soft_->mass_damping().nodes() > 0) mass_damping_ = make_vector();
    for (std::ptrdiff_t i = 0; i < soft_node_count(); ++i) {
      rest_.node(i) = soft_->rest().node(i);
      mass_.node(i) = soft_->mass().node(i);
      if (mass_damping_.nodes() > 0) mass_damping_.node(i) = soft_->mass_damping().node(i);
    }
    this->put_bodies(mass_, rest_);
    const JointList& joints = coupled.joints();
    for (std::size_t part = joints.parts().size(); part-- > 0;) {
      for (const int node : joints.parts()[part].nodes()) {
        joint_on_[static_cast<std::size_t>(node)] = joints.joint_of(part);
      }
    }
  }

  // The nodes of all joints, one after the other, in internal numbers, and their places at rest.
  static std::vector<int> nodes_of(const JointList& joints, const Soft& soft) {
    std::vector<int> nodes;
    for (const AnyJoint& joint : joints.parts()) {
      for (const int node : joint.nodes()) nodes.push_back(soft.internal_number(node));
    }
    return nodes;
  }
  static std::vector<Triple> points_of(const Coupled<SolidType>& coupled) {
    std::vector<Triple> points;
    for (const AnyJoint& joint : coupled.joints().parts()) {
      for (const int node : joint.nodes()) points.push_back(coupled.solid().nodes().col(node));
    }
    return points;
  }

  int numbered(std::ptrdiff_t i) const { return numbering_.to_user[static_cast<std::size_t>(i)]; }

  void clear_bodies(Vector& g) const {
    for (std::ptrdiff_t i = soft_node_count(); i < node_count(); ++i) g.node(i).setZero();
  }

  void show(const Vector& vector, Positions& user) const {
    soft_->to_user(vector, user);
    for (int b = 0; b < this->body_count(); ++b) {
      user.col(soft_node_count() + b) = vector.node(this->centre_of(b));
    }
  }
  void take(const Positions& user, Vector& vector) const {
    for (std::ptrdiff_t i = 0; i < soft_node_count(); ++i) vector.node(i) = user.col(numbered(i));
    for (int b = 0; b < this->body_count(); ++b) {
      vector.node(this->centre_of(b)) = user.col(soft_node_count() + b);
    }
  }

  std::shared_ptr<const SolidType> solid_;
  std::unique_ptr<Soft> soft_;
  Numbering numbering_;  // that of the solid; nodes of bodies have their own numbers
  std::shared_ptr<const BlockPattern> pattern_;
  Matrix soft_matrix_;
  Vector rest_, mass_, mass_damping_;
  std::shared_ptr<void> strains_;  // SolidStrains, once they are asked for
  std::vector<int> joint_on_;      // of each node of the solid, in the user's numbers
};

}  // namespace pliant::detail::rigid
