// Counts calls of malloc and its relatives, and lets one of them fail. With sanitizers, which put versions of
// their own before the C library's as allocation_test.cpp does, and with other C libraries there is nothing
// to count with.
#pragma once

#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CAN_COUNT_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAN_COUNT_ALLOCATIONS 0
#endif
#endif
#ifndef CAN_COUNT_ALLOCATIONS
#define CAN_COUNT_ALLOCATIONS 1
#endif

// The number of calls so far, and the number of the call that finds no memory; 0: none.
extern std::atomic<long> allocations, failing_allocation;
