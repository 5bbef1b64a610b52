// What the parts of a simulation remember from one step to the next.
//
// A part, the workspace of an integrator, a linear solver or a preconditioner say, has a history if later
// steps depend on more of it than on its parameters and on what each step gives it anew: on an old factor, on
// multipliers, on a first guess. It then has
//   History             a nested type: a value, of plain numbers and arrays
//   save(history) const makes `history` all that later steps depend on; reuses its memory
//   restore(history)    takes over, by moving from it, what such a part has saved: later steps have the same
//                       bits as those after save. It must not throw: what needs memory waits for the next
//                       step
// and, where a history may be one of another part,
//   check(history) const
//                       throws StateError for one that does not fit
// Histories are exchanged between parts that are made in the same way, of the same mesh and with the same
// nodes held and moved: who exchanges them makes sure of it. A part without a History has none, and nothing
// that it keeps may change a bit of a later step.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace pliant::detail {

// The history of a part that has none.
struct NoHistory {};

template <class Part>
concept HasHistory = std::copyable<typename Part::History> &&
    std::default_initializable<typename Part::History> &&
    std::is_nothrow_move_assignable_v<typename Part::History> &&
    requires(const Part& part, Part& other, typename Part::History& history) {
  part.save(history);                 // all that later steps depend on
  other.restore(std::move(history));  // takes that over
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

// Tells lists of numbers apart: 64 bits of all that were added, in order (FNV-1a, number by number).
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
    value_ ^= value_ >> 32;  // a product moves bits up only
  }

  std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace pliant::detail
