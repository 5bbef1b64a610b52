// Exceptions of parallel regions.
#pragma once

#include <exception>

#include <pliant/core/error.hpp>  // stops with a message without exceptions

namespace pliant::detail::core {

// No exception may leave a parallel region of OpenMP: it is stored until the region is over. If several parts
// throw, the exception of the first part is kept, as in a serial run.
class ThrownInParts {
 public:
  template <class Run>
  void run(Run&& run, int part) {
    try {
      run(part);
    } catch (...) {
      keep(part);
    }
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  void keep(int part) {
#if defined(_OPENMP)
#pragma omp critical(pliant_thrown_in_parts)
#endif
    {
      if (!thrown_ || part < part_) {
        thrown_ = std::current_exception();
        part_ = part;
      }
    }
  }

  std::exception_ptr thrown_;
  int part_ = 0;
};

}  // namespace pliant::detail::core
