// No constraint: every node moves freely.
#pragma once

#include <pliant/constraint/concept.hpp>

namespace pliant {

struct Unconstrained {
  void describe(NodeConstraints&) const {}
};

static_assert(Constraint<Unconstrained>);

}  // namespace pliant
