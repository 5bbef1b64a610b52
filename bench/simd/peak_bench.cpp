// What one core can do at most: multiplications fused with additions, in lanes that stay in registers.
// docs/performance.md compares kernels with it.
#include <benchmark/benchmark.h>

#include <pliant/simd/lane.hpp>

namespace {

using namespace pliant;
using namespace pliant::simd;

template <class T, int width>
void fused_multiply_add(benchmark::State& state) {
  using L = Lane<T, width>;
  constexpr int sums = 12, repetitions = 10000;  // as many as hide the latency, and fit into 16 registers
  const L a(static_cast<T>(state.range(0))), b(T(1e-3));  // the range: the compiler does not know it
  L sum[sums];
  for (int k = 0; k < sums; ++k) sum[k] = L(T(k));
  for (auto _ : state) {
    for (int n = 0; n < repetitions; ++n) {
      PLIANT_UNROLL for (int k = 0; k < sums; ++k) sum[k] = multiply_add(a, sum[k], b);
    }
    T total = 0;
    for (const L& own : sum) total += pliant::simd::sum(own);
    benchmark::DoNotOptimize(total);
  }
  state.counters["Gflop/s"] =
      benchmark::Counter(2e-9 * width * sums * repetitions, benchmark::Counter::kIsIterationInvariantRate);
}

// One register of 16, of 32 and of 64 bytes.
BENCHMARK(fused_multiply_add<double, 2>)->Arg(1);
BENCHMARK(fused_multiply_add<double, 4>)->Arg(1);
BENCHMARK(fused_multiply_add<double, 8>)->Arg(1);
BENCHMARK(fused_multiply_add<float, 4>)->Arg(1);
BENCHMARK(fused_multiply_add<float, 8>)->Arg(1);
BENCHMARK(fused_multiply_add<float, 16>)->Arg(1);

}  // namespace
