// A base class for a small custom System, which requires three functions only.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/dense_matrix.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

template <class MatrixType>
class DenseFilter;  // constraint/dense_filter.hpp
template <class VectorType>
class NoContacts;  // contact/response/no_contacts.hpp

// Nodes with Dim numbers each and a mass for each number, coupled by a dense matrix, without colliders. A
// derived class is a System if it has
//   energy(x)                                  [J]
//   gradient(x, g)                             also sets g = dE/dx
//   tangent(x, projection, scale, g, A)        also sets A = scale * d2E/dx2, without negative eigenvalues
//                                              for a projection other than none
// Functions of the same name in the derived class replace those of the base class for other properties:
// displacements, the view of the user, damping. A misspelt replacement is no compile error: the function of
// the base class is then called.
template <int Dim, class ScalarType = double>
class DenseSystem {
 public:
  using Scalar = ScalarType;
  using Vector = DenseVector<Dim, Scalar>;
  using Matrix = DenseMatrix<Dim, Scalar>;
  using Filter = DenseFilter<Matrix>;
  using Contacts = NoContacts<Vector>;
  static constexpr int dim = Dim;
  static constexpr int space = Dim;  // the visible nodes are those of the unknowns
  using Positions = NodeMatrix<Scalar, Dim>;
  static constexpr SystemAbilities abilities{};  // none, so that each view of a derived class is right

  // `rest`: the initial unknowns; `mass`: of each unknown [kg], or 0. Throws SizeError for masses of another
  // number of nodes.
  DenseSystem(Vector rest, Vector mass) : rest_(std::move(rest)), mass_(std::move(mass)) {
    detail::core::require_size("DenseSystem", ": masses of nodes", mass_.nodes(), rest_.nodes());
  }

  std::ptrdiff_t node_count() const { return rest_.nodes(); }
  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(node_count()); }
  const Vector& mass() const { return mass_; }
  const Vector& rest() const { return rest_; }

  void move(const Vector& x, const Vector& u, Vector& result) const { result.set_sum(x, Scalar(1), u); }

  // No damping, no inverted elements, no check for free motions.
  const Vector& mass_damping() const { return no_damping_; }
  Scalar stiffness_damping() const { return 0; }
  double add_damping(const Straining<const Vector*>&, Projection, Vector&, Matrix* = nullptr) { return 0; }
  int undefined_element(const Vector&) const { return -1; }
  InvertedElements inverted_elements(const Vector&) const { return {}; }
  std::string free_motion(const std::vector<HeldDirection<Dim>>&, const Vector&) const { return {}; }

  // The view of the user: a column for each node.
  std::ptrdiff_t visible_node_count() const { return node_count(); }
  int user_number(std::ptrdiff_t node) const { return static_cast<int>(node); }
  void show_positions(const Vector& x, Positions& positions) const { show(x, positions); }
  void show_velocities(const Vector&, const Vector& v, Positions& velocities) const { show(v, velocities); }
  void show_forces(const Vector&, const Vector& f, Positions& forces) const { show(f, forces); }
  void take_positions(const Positions& positions, Vector& x) const { take(positions, x); }
  void take_velocities(const Vector&, const Positions& velocities, Vector& v) const { take(velocities, v); }
  void take_forces(const Vector&, const Positions& forces, Vector& f) const { take(forces, f); }
  void add_gravity(const SmallVector<double, Dim>& gravity, Vector& loads) const {
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      loads.node(i) += mass_.node(i).cwiseProduct(gravity.template cast<Scalar>());
    }
  }
  SystemIdentity identity() const {
    return {.rest_shape = detail::assembly::fingerprint_of(rest_),
            .masses = detail::assembly::fingerprint_of(mass_)};
  }

 private:
  static void show(const Vector& vector, Positions& user) {
    user = Eigen::Map<const Positions>(vector.values().data(), Dim, vector.nodes());
  }
  static void take(const Positions& user, Vector& vector) {
    Eigen::Map<Positions>(vector.values().data(), Dim, vector.nodes()) = user;
  }

  Vector rest_, mass_;
  Vector no_damping_;
};

}  // namespace pliant
