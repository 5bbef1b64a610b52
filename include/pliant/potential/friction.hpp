// Friction and drag of nodes on colliders.
#pragma once

#include <pliant/potential/concept.hpp>

namespace pliant::detail::potential {

// The potential of friction and drag in a step of a Contacts, with the normal forces of its last pass.
template <class ContactStepType>
class Friction {
 public:
  static constexpr TermAbilities abilities{.switches = true, .finishes = true};

  // `time` [s]: for which drag acts.
  Friction(const ContactStepType& contacts, double time)
      : contacts_(contacts), has_friction_(contacts.has_friction()), time_(time) {}

  bool active() const { return has_friction_; }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    return contacts_.friction(at.displacements(), time_, sum.gradient());
  }

  // The stiffness of a sliding node depends on the forces on it.
  template <class At, class Sum>
  void finish(const At& at, Sum& sum) const {
    contacts_.friction_stiffness(at.displacements(), time_, sum.gradient(), *sum.matrix());
  }

 private:
  const ContactStepType& contacts_;
  bool has_friction_;
  double time_;
};

}  // namespace pliant::detail::potential
