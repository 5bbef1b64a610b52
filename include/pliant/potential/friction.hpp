// Friction and drag of nodes on colliders.
#pragma once

#include <pliant/potential/concept.hpp>

namespace pliant {

// The potential of friction and drag of a Contacts within a step, with the normal forces of its last pass.
template <class ContactsType>
class Friction {
 public:
  static constexpr TermAbilities abilities{.switches = true, .finishes = true};

  // `time` [s]: for which drag acts.
  Friction(const ContactsType& contacts, double time)
      : contacts_(contacts), rubs_(contacts.rubs()), time_(time) {}

  bool active() const { return rubs_; }

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
  const ContactsType& contacts_;
  bool rubs_;
  double time_;
};

}  // namespace pliant
