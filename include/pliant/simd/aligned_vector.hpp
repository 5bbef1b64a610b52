// A std::vector whose storage starts on a cache line for every instruction set, and large storage on a huge
// page if the system has them.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <pliant/simd/isa.hpp>

namespace pliant::simd {

template <class T>
class CacheLineAllocator {
 public:
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < worth_huge_pages) return static_cast<T*>(::operator new(bytes, alignment));
    void* const p = ::operator new(bytes, huge_page);
#if defined(__linux__)
    // Only a hint: with it, sweeps over a large matrix have 512 times fewer misses of the address cache.
    madvise(p, bytes, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(p);
  }

  void deallocate(T* p, std::size_t count) noexcept {
    ::operator delete(p, count * sizeof(T) < worth_huge_pages ? alignment : huge_page);
  }

  template <class U>
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator<U>&) {
    return true;
  }

 private:
  static constexpr std::align_val_t huge_page{std::size_t{1} << 21};
  static constexpr std::size_t worth_huge_pages = std::size_t{1} << 22;
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace pliant::simd
