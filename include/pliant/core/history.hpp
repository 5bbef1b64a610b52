// The data that the parts of a simulation carry from one step to the next.
//
// A part (the workspace of an integrator, a linear solver or a preconditioner) has a history if later steps
// depend on data in it beyond its parameters and the inputs of each step: an old factor, multipliers, an
// initial guess. It then has
//   History             a nested type: a value, of plain numbers and arrays
//   save(history) const copies all data that later steps depend on to `history`; reuses its memory
//   restore(history)    takes this data over by moving from `history`: later steps have the same bits as
//                       those after save. It must not throw: allocations are left to the next step
// and, if a history may come from a part that does not fit,
//   check(history) const
//                       throws StateError for such a history
// Histories are exchanged between parts that are constructed in the same way, for the same mesh and the same
// held and moved nodes; the caller ensures this. A part without a History must not keep data that change a
// bit of a later step.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pliant::detail::core {

// The history of a part without one.
struct NoHistory {};

template <class Part>
concept HasHistory = std::copyable<typename Part::History> &&
    std::default_initializable<typename Part::History> &&
    std::is_nothrow_move_assignable_v<typename Part::History> &&
    requires(const Part& part, Part& other, typename Part::History& history) {
  part.save(history);                 // copies all data that later steps depend on
  other.restore(std::move(history));  // takes them over
};

template <class Part>
struct HistoryOfPart {
  using Type = NoHistory;
};
template <class Part>
requires requires { typename Part::History; }
struct HistoryOfPart<Part> {
  static_assert(HasHistory<Part>, "a part with a History needs save and restore, see core/history.hpp");
  using Type = typename Part::History;
};
template <class Part>
using HistoryOf = typename HistoryOfPart<Part>::Type;

template <class Part>
void save_history(const Part& part, HistoryOf<Part>& history) {
  if constexpr (HasHistory<Part>) part.save(history);
}

template <class Part>
void check_history(const Part& part, const HistoryOf<Part>& history) {
  if constexpr (requires { part.check(history); }) part.check(history);
}

template <class Part>
void restore_history(Part& part, HistoryOf<Part>&& history) noexcept {
  if constexpr (HasHistory<Part>) part.restore(std::move(history));
}

// A hash of 64 bits of a list of numbers, in their order (FNV-1a, number by number).
class Fingerprint {
 public:
  void add(int number) { mix(static_cast<std::uint32_t>(number)); }
  void add(float number) { mix(std::bit_cast<std::uint32_t>(number)); }
  void add(double number) { mix(std::bit_cast<std::uint64_t>(number)); }
  template <class Numbers>
  void add_all(const Numbers& numbers) {
    for (const auto& number : numbers) add(number);
  }

  std::uint64_t value() const { return value_; }

 private:
  void mix(std::uint64_t number) {
    value_ = (value_ ^ number) * 0x100000001b3u;
    value_ ^= value_ >> 32;  // because a product moves bits to higher positions only
  }

  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace pliant::detail::core
