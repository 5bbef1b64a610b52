// The rotations of 800,000 deformation gradients, ms for all, and how far they are from the exact ones.
//
// The set-up of Kugelstadt et al. 2018 ("Fast corotated FEM using operator splitting"), table 4: tetrahedra
// whose nodes are displaced by at most a tenth of an edge, turned by at most 10 degrees, uniformly on SO(3);
// methods that start from a guess start from the identity. Single precision. F and the guesses are read from
// memory and the results written there.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/rotation.hpp>
#include <pliant/simd/aligned_vector.hpp>

namespace {

using namespace pliant;
using namespace pliant::simd;

constexpr std::size_t count = 800000;
constexpr double pi = 3.141592653589793;

struct Deformations {
  std::vector<Eigen::Matrix3f> F;
  std::vector<Eigen::Matrix3d> R;  // exact for F as rounded

  Deformations() {
    std::mt19937 generator(5);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto direction = [&] {
      return Eigen::Vector3d(normal(generator), normal(generator), normal(generator)).normalized();
    };
    Eigen::Matrix<double, 3, 4> X;
    X << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;
    X /= (X.col(1) - X.col(0)).norm();  // regular, of edge 1
    const auto edges = [](const Eigen::Matrix<double, 3, 4>& x) {
      return Eigen::Matrix3d(x.rightCols<3>().colwise() - x.col(0));
    };
    const Eigen::Matrix3d inverse_rest = edges(X).inverse();
    F.reserve(count);
    R.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      Eigen::Matrix<double, 3, 4> x = X;
      for (int k = 0; k < 4; ++k) x.col(k) += 0.1 * uniform(generator) * direction();
      const double angle = pi / 18 * std::cbrt(uniform(generator));
      const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, direction()).toRotationMatrix();
      F.push_back((turn * edges(x) * inverse_rest).cast<float>());
      const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F.back().cast<double>(),
                                                  Eigen::ComputeFullU | Eigen::ComputeFullV);
      R.push_back(svd.matrixU() * svd.matrixV().transpose());
    }
  }
};

const Deformations& deformations() {
  static const Deformations instance;
  return instance;
}

// The average and the largest angle to the exact rotations, in degrees; result(i) is number i as a matrix.
template <class Result>
void report(benchmark::State& state, Result&& result) {
  double sum = 0, largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Matrix3d R = result(i);
    const double sine = (R - deformations().R[i]).norm() / std::sqrt(8.0);  // of half the angle
    const double angle = 360 / pi * std::asin(std::min(sine, 1.0));
    sum += angle;
    largest = std::max(largest, angle);
  }
  state.counters["average_deg"] = sum / double(count);
  state.counters["largest_deg"] = largest;
}

// Blocks of as many matrices as the lane is wide.
template <class L>
struct Blocks {
  static constexpr std::size_t width = width_of<L>;

  struct Block {
    float entry[9][width];
  };
  struct Rotation {
    float entry[4][width];
  };
  AlignedVector<Block> F = AlignedVector<Block>(count / width);
  AlignedVector<Rotation> start = AlignedVector<Rotation>(count / width), result = start;

  Blocks() {
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < 9; ++k) F[i / width].entry[k][i % width] = deformations().F[i](k);
      for (int k = 0; k < 4; ++k) start[i / width].entry[k][i % width] = k == 3 ? 1.0f : 0.0f;
    }
  }

  PLIANT_INLINE SmallMatrix<L, 3, 3> matrix(std::size_t block) const {
    SmallMatrix<L, 3, 3> A;
    for (int k = 0; k < 9; ++k) A(k) = load<L>(F[block].entry[k]);
    return A;
  }
  PLIANT_INLINE UnitQuaternion<L> guess(std::size_t block) const {
    const auto& entry = start[block].entry;
    return {load<L>(entry[0]), load<L>(entry[1]), load<L>(entry[2]), load<L>(entry[3])};
  }
  PLIANT_INLINE void set(std::size_t block, const UnitQuaternion<L>& q) {
    auto& entry = result[block].entry;
    store(entry[0], q.x);
    store(entry[1], q.y);
    store(entry[2], q.z);
    store(entry[3], q.w);
  }

  void report_quaternions(benchmark::State& state) const {
    report(state, [&](std::size_t i) {
      const auto& q = result[i / width].entry;
      const std::size_t k = i % width;
      return Eigen::Quaterniond(q[3][k], q[0][k], q[1][k], q[2][k]).toRotationMatrix();
    });
  }
};

template <class L>
void follow(benchmark::State& state, Blocks<L>& blocks, int steps) {
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks.F.size(); ++i) {
      auto q = blocks.guess(i);
      follow_rotation(blocks.matrix(i), q, steps);
      blocks.set(i, q);
    }
    benchmark::ClobberMemory();
  }
}

template <class L>
void followed(benchmark::State& state) {
  Blocks<L> blocks;
  follow(state, blocks, static_cast<int>(state.range(0)));
  blocks.report_quaternions(state);
}

// With a reflection of a disc, which is left to the singular value decomposition, at every n-th place.
template <class L>
void followed_with_lost(benchmark::State& state) {
  Blocks<L> blocks;
  for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(state.range(0))) {
    for (int k = 0; k < 9; ++k)
      blocks.F[i / blocks.width].entry[k][i % blocks.width] = k % 4 != 0 ? 0.0f : k == 8 ? -1.0f : 1.0f;
  }
  follow(state, blocks, 1);
}

// The published iteration, with the factor that makes it converge: Newton's method and Cayley's map, without
// safeguards.
template <class L>
void newton_cayley(benchmark::State& state) {
  Blocks<L> blocks;
  const auto steps = state.range(0);
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks.F.size(); ++i) {
      const auto F = blocks.matrix(i);
      auto q = blocks.guess(i);
      for (int step = 0; step < steps; ++step) {
        const auto Y = detail::algebra::transposed_times<L, 3, 3, 3>(rotation_matrix(q), F);
        const L half(0.5f);
        SmallMatrix<L, 3, 3> H;
        SmallVector<L, 3> g;
        for (int a = 0; a < 3; ++a) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          H(a, a) = Y(b, b) + Y(c, c);
          H(b, c) = H(c, b) = -half * (Y(b, c) + Y(c, b));
          g[a] = Y(b, c) - Y(c, b);
        }
        const auto adjugate = cofactor<L, 3>(H);
        const auto u = detail::algebra::times<L, 3, 3, 1>(
            adjugate, g);  // w = -u / det H, and the quaternion of w / 2, squared:
        const L d = L(4.0f) * determinant<L, 3>(H, adjugate), u2 = detail::algebra::dot<L, 3>(u, u);
        const L inverse = L(1.0f) / (d * d + u2), factor = L(-2.0f) * d * inverse;
        q = q * UnitQuaternion<L>{u[0] * factor, u[1] * factor, u[2] * factor, (d * d - u2) * inverse};
      }
      blocks.set(i, q);
    }
    benchmark::ClobberMemory();
  }
  blocks.report_quaternions(state);
}

template <class L>
void nearest(benchmark::State& state) {
  Blocks<L> blocks;
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks.F.size(); ++i) blocks.set(i, nearest_rotation(blocks.matrix(i)));
    benchmark::ClobberMemory();
  }
  blocks.report_quaternions(state);
}

template <class L>
void polar_decomposition(benchmark::State& state) {
  Blocks<L> blocks;
  auto results = blocks.F;
  for (auto _ : state) {
    for (std::size_t i = 0; i < blocks.F.size(); ++i) {
      const auto R = polar(blocks.matrix(i)).R;
      for (int k = 0; k < 9; ++k) store(results[i].entry[k], R(k));
    }
    benchmark::ClobberMemory();
  }
  report(state, [&](std::size_t i) {
    Eigen::Matrix3d R;
    for (int k = 0; k < 9; ++k) R(k) = results[i / blocks.width].entry[k][i % blocks.width];
    return R;
  });
}

// One matrix after the other, by rotation(F).
template <class Rotation>
void by_eigen(benchmark::State& state, Rotation&& rotation) {
  const auto& F = deformations().F;
  auto results = F;
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) results[i] = rotation(F[i]);
    benchmark::ClobberMemory();
  }
  report(state, [&](std::size_t i) { return Eigen::Matrix3d(results[i].cast<double>()); });
}

void eigen_jacobi_svd(benchmark::State& state) {
  by_eigen(state, [](const Eigen::Matrix3f& F) {
    const Eigen::JacobiSVD<Eigen::Matrix3f> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
    return Eigen::Matrix3f(svd.matrixU() * svd.matrixV().transpose());
  });
}

// R = F (F^T F)^(-1/2), by the closed form of the eigenvalues.
void eigen_direct_polar(benchmark::State& state) {
  by_eigen(state, [](const Eigen::Matrix3f& F) {
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3f> solver;
    solver.computeDirect(F.transpose() * F);
    const Eigen::Matrix3f& V = solver.eigenvectors();
    return Eigen::Matrix3f(F * V * solver.eigenvalues().cwiseSqrt().cwiseInverse().asDiagonal() *
                           V.transpose());
  });
}

// Mueller et al. 2016, "A robust method to extract the rotational part of deformations".
void mueller(benchmark::State& state) {
  const auto iterations = state.range(0);
  by_eigen(state, [iterations](const Eigen::Matrix3f& F) {
    Eigen::Quaternionf q = Eigen::Quaternionf::Identity();
    for (int k = 0; k < iterations; ++k) {
      const Eigen::Matrix3f R = q.toRotationMatrix();
      const Eigen::Vector3f omega =
          (R.col(0).cross(F.col(0)) + R.col(1).cross(F.col(1)) + R.col(2).cross(F.col(2))) /
          (std::abs(R.cwiseProduct(F).sum()) + 1e-9f);
      const float angle = omega.norm();
      if (angle < 1e-9f) break;
      q = Eigen::Quaternionf(Eigen::AngleAxisf(angle, omega / angle)) * q;
      q.normalize();
    }
    return q.toRotationMatrix();
  });
}

using Float8 = Lane<float, 8>;
using Float16 = Lane<float, 16>;

BENCHMARK(followed<Float8>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(followed<Float16>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(followed_with_lost<Float8>)->Arg(8)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(newton_cayley<Float8>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(newton_cayley<Float16>)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(nearest<Float8>)->Unit(benchmark::kMillisecond);
BENCHMARK(nearest<Float16>)->Unit(benchmark::kMillisecond);
BENCHMARK(polar_decomposition<Float8>)->Unit(benchmark::kMillisecond);
BENCHMARK(polar_decomposition<Float16>)->Unit(benchmark::kMillisecond);
BENCHMARK(eigen_jacobi_svd)->Unit(benchmark::kMillisecond);
BENCHMARK(eigen_direct_polar)->Unit(benchmark::kMillisecond);
BENCHMARK(mueller)->Arg(1)->Arg(5)->Arg(10)->Unit(benchmark::kMillisecond);

}  // namespace
