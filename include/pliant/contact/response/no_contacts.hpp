// The Contacts of a system without colliders.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// Replaces Contacts, see contact/response/concept.hpp.
template <class VectorType>  // a SystemVector
class NoContacts {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  static constexpr bool takes_colliders = false;

  // No node has bounds.
  struct Bounds {
    bool empty() const { return true; }
    double residual(const Vector&, const Vector& g) const { return static_cast<double>(g.norm()); }
    bool violated(const Vector&) const { return false; }
  };
  struct Change {
    double change = 0, force = 0;
  };
  struct Part {
    double dt, weight;
  };
  struct Touch {
    int node;
    SmallVector<double, dim> force;
  };
  struct Blocked {
    int node = -1;
    std::array<int, 2> colliders{-1, -1};
  };
  struct History {};

  template <class System>
  void prepare(const System&) {}
  template <class Filter>
  void set_constraints(const Filter&) {}
  void renew() {}
  bool empty() const { return true; }
  bool rubs() const { return false; }
  void let_go() {}
  void save(History&) const {}
  void check(const History&) const {}
  void restore(History&&) {}

  bool start(double, double, Vector&) { return false; }
  void part(double, double, double, double) {}
  void clear() {}
  void set_linear(bool) {}
  void find(const Vector&, const Vector&, const Vector&) {}
  const Bounds& bounds() const { return bounds_; }
  Bounds& bounds() { return bounds_; }
  double friction(const Vector&, double, Vector&) const { return 0; }
  template <class Matrix>
  void friction_stiffness(const Vector&, double, const Vector&, Matrix&) const {}
  double friction_error(const Vector&, double) const { return 0; }
  void note_sliding(const Vector&) {}
  Change update_normal_forces(const Vector&, const Vector&, const Vector&, double, double) { return {}; }
  bool find_missed(const Vector&, const Vector&, Vector&) { return false; }
  int add_forces(const Vector&, const Vector&, Vector&) { return 0; }
  const std::array<Touch, 0>& found() const { return found_; }
  void scale_forces(double) {}
  void follow(const Vector&, const Vector&, const Vector&, double, Vector&) const {}
  void finish(const Vector&, const Vector&) {}
  void end(bool) {}
  Blocked blocked() const { return {}; }

  void make_room() {}
  void begin_forces() {}
  void keep_forces() {}
  void restore_forces() {}
  int add_found(Vector&) const { return 0; }
  template <class Mass, class Changed>
  bool put_back(const Vector&, const Vector&, const Part&, Mass&&, Vector&, Changed&&) {
    return true;
  }
  template <class Mass, class Changed>
  void stop_entering(const Vector&, const Vector&, const Part&, Mass&&, Vector&, Changed&&) {}

 private:
  Bounds bounds_;
  std::array<Touch, 0> found_;
};

}  // namespace pliant
