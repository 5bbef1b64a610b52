// The Contacts of a system without colliders.
#pragma once

#include <array>
#include <optional>

#include <pliant/contact/response/concept.hpp>
#include <pliant/contact/response/contact_data.hpp>
#include <pliant/contact/response/explicit_contact.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// Replaces Contacts, see contact/response/concept.hpp.
template <class VectorType>  // a SystemVector
class NoContacts {
 public:
  using Vector = VectorType;
  static constexpr bool takes_colliders = false;

  struct [[nodiscard]] Step {
    static constexpr bool takes_colliders = false;

    // No node has bounds.
    struct Bounds {
      bool empty() const { return true; }
      double residual(const Vector&, const Vector& g) const { return static_cast<double>(g.norm()); }
      bool violated(const Vector&) const { return false; }
    };

    struct [[nodiscard]] Explicit {
      struct [[nodiscard]] Bounded {
        template <class Mass, class Changed>
        void stop_entering(const Vector&, const Vector&, const detail::contact::StepPart&, Mass&&, Vector&,
                           Changed&&) const {}
      };
      void make_room() {}
      void keep_forces() {}
      void restore_forces() {}
      template <class Mass, class Changed>
      std::optional<Bounded> put_back(const Vector&, const Vector&, const detail::contact::StepPart&, Mass&&,
                                      Vector&, Changed&&) {
        return Bounded{};
      }
      int end(Vector&) && { return 0; }
    };

    // Never made: without colliders there are no passes of contact.
    struct Implicit {
      struct End {
        std::array<Contact<Vector::dim>, 0> contacts() const { return {}; }
        void scale_forces(double) {}
        void follow(const Vector&, const Vector&, const Vector&, double, Vector&) const {}
        void finish(const Vector&, const Vector&) {}
      };
    };

    bool empty() const { return true; }
    bool has_friction() const { return false; }
    bool moved_nodes() const { return false; }
    void set_interval(double, double, double, double) {}
    Explicit begin_explicit() { return {}; }
    Bounds& bounds() { return bounds_; }
    double friction(const Vector&, double, Vector&) const { return 0; }
    template <class Matrix>
    void friction_stiffness(const Vector&, double, const Vector&, Matrix&) const {}
    detail::contact::BlockedNode blocked() const { return {}; }
    void begin_rows(const Vector&, const Vector&) {}
    detail::contact::ContactPass follow_rows(const Vector&, const Vector&, const Vector&, double) {
      return {};
    }
    int end_rows(Vector&) { return 0; }
    void accept() {}

    Bounds bounds_;
  };
  struct History {};

  template <class System>
  void prepare(const System&) {}
  template <class Filter>
  void set_constraints(const Filter&) {}
  void renew() {}
  template <class Pose>
  void move(int number, const Pose&) {
    remove(number);
  }
  void remove(int number) { throw IndexError("collider", number, 0); }
  void release() {}
  void save(History&) const {}
  void check(const History&) const {}
  void restore(History&&) {}
  Step begin_step(double, double, Vector&) { return {}; }
};

}  // namespace pliant
