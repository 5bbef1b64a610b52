// A value for each region of a mesh.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include <pliant/core/error.hpp>

namespace pliant {

// Materials or densities by region number:
//   PerRegion<StableNeoHookean>{{1, StableNeoHookean(soft)}, {2, StableNeoHookean(stiff)}}
// Regions that do not occur in the mesh may be named too.
template <class ValueType>  // an energy or Density
class PerRegion {
 public:
  using Value = ValueType;

  // Throws ParameterError for a region that is named twice.
  PerRegion(std::initializer_list<std::pair<int, Value>> values) {
    for (const auto& [region, value] : values) {
      if (!values_.emplace(region, value).second) {
        throw ParameterError("region", region, "must be named once in a PerRegion");
      }
    }
  }

  // Throws ParameterError for a region without a value.
  const Value& at(int region) const {
    const auto found = values_.find(region);
    if (found == values_.end()) throw ParameterError("region", region, "has no value in the PerRegion");
    return found->second;
  }

  const std::map<int, Value>& values() const { return values_; }

 private:
  std::map<int, Value> values_;
};

namespace detail::solid {

template <class T>
inline constexpr bool is_per_region = false;
template <class Value>
inline constexpr bool is_per_region<PerRegion<Value>> = true;

// Energy of Energy, and of PerRegion<Energy>.
template <class T>
struct OneOf {
  using type = T;
};
template <class Value>
struct OneOf<PerRegion<Value>> {
  using type = Value;
};

}  // namespace detail::solid
}  // namespace pliant
