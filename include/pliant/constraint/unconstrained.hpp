// No constraint: every node moves freely.
#pragma once

#include <pliant/constraint/concept.hpp>

namespace pliant {

struct Unconstrained {
  template <int Dim>
  void describe(NodeConstraints<Dim>&) const {}
};

static_assert(Constraint<Unconstrained, 3>);

}  // namespace pliant
