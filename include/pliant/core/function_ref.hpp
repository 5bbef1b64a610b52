// References to functions, for callbacks that are rare: code that takes one is compiled once, and not again
// for each function that it is given.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace pliant::detail::core {

template <class Signature>
class FunctionRef;

// Refers to a function object, which it does not copy and which must exist for as long as it is called.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Function>
  requires(!std::derived_from<std::remove_cvref_t<Function>, FunctionRef> &&
           std::is_invocable_r_v<Result, Function&, Arguments...>) FunctionRef(Function&& function)
      : function_(const_cast<void*>(reinterpret_cast<const void*>(std::addressof(function)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*reinterpret_cast<std::remove_reference_t<Function>*>(object))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(function_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* function_;
  Result (*call_)(void*, Arguments...);
};

// Refers to a function that is told how far a computation is and returns whether it goes on; one that always
// does by default.
template <class... Arguments>
class Monitor : public FunctionRef<bool(Arguments...)> {
 public:
  using FunctionRef<bool(Arguments...)>::FunctionRef;
  Monitor() : FunctionRef<bool(Arguments...)>(goes_on) {}

 private:
  static bool goes_on(Arguments...) { return true; }
};

}  // namespace pliant::detail::core
