// Rotations: quaternions against closed forms, and the nearest rotation, found and followed, against its
// definition and the singular values of Eigen in extended precision.
#include "hard_matrices.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/rotation.hpp>

using namespace pliant;
using namespace pliant::simd;
using namespace hard_matrices;

namespace {

using Exact = Eigen::Matrix<long double, 3, 3>;

constexpr double pi = 3.141592653589793;

template <class T>
inline constexpr double rounding = std::numeric_limits<scalar_of<T>>::epsilon();

template <class T>
Eigen::Quaternion<long double> exact(const UnitQuaternion<T>& q, int i) {
  return {lane(q.w, i), lane(q.x, i), lane(q.y, i), lane(q.z, i)};
}

// UnitQuaternion i in lane i, cyclically.
template <class T>
UnitQuaternion<T> pack(const std::vector<Eigen::Quaterniond>& list, std::size_t first) {
  UnitQuaternion<T> q = UnitQuaternion<T>::identity();
  for (int i = 0; i < width_of<T>; ++i) {
    const auto& one = list[(first + static_cast<std::size_t>(i)) % list.size()];
    set_lane(q.x, i, static_cast<scalar_of<T>>(one.x()));
    set_lane(q.y, i, static_cast<scalar_of<T>>(one.y()));
    set_lane(q.z, i, static_cast<scalar_of<T>>(one.z()));
    set_lane(q.w, i, static_cast<scalar_of<T>>(one.w()));
  }
  return q;
}

Eigen::Vector3d random_axis(Random& random) {
  return Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

Matrix<3> rotation_by(double angle, const Eigen::Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

// A symmetric matrix with these eigenvalues, and the identity for its nearest rotation if the two smallest
// have a positive sum.
Matrix<3> stretch(Random& random, double a, double b, double c) {
  return random.with_values<3>({a, b, c}, true);
}

// Stretches of an inverted body too.
Matrix<3> any_stretch(Random& random) {
  return stretch(random, random.uniform(0.8, 1.5), random.uniform(0.5, 1.2), random.uniform(-0.3, 1));
}

// In lane i.
template <class T>
bool same_bits(const UnitQuaternion<T>& a, const UnitQuaternion<T>& b, int i) {
  const scalar_of<T> first[] = {lane(a.x, i), lane(a.y, i), lane(a.z, i), lane(a.w, i)};
  const scalar_of<T> second[] = {lane(b.x, i), lane(b.y, i), lane(b.z, i), lane(b.w, i)};
  return std::memcmp(first, second, sizeof first) == 0;
}

// The angle in rad between q and a rotation, small ones.
template <class T>
double angle_to(const Exact& R, const UnitQuaternion<T>& q, int i) {
  return static_cast<double>((exact(q, i).toRotationMatrix() - R).norm() / std::sqrt(2.0L));
}

// At one place in the program: the compiler may fuse multiplications and additions differently at each.
template <class T>
PLIANT_NOINLINE detail::algebra::FollowedRotation<T> same_code(const SmallMatrix<T, 3, 3>& F,
                                                               const UnitQuaternion<T>& q) {
  return detail::algebra::rotation_step(F, q);
}

template <class T>
PLIANT_NOINLINE void same_code(const SmallMatrix<T, 3, 3>& F, UnitQuaternion<T>& q, int steps) {
  follow_rotation(F, q, steps);
}

// The axes along, between and across those of the coordinates, and angles up to a full turn.
template <class Check>
void for_many_rotations(Check&& check) {
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        const Eigen::Vector3d axis(x, y + 1e-9 * z, z);
        for (int k = -12; k <= 12 && axis.norm() > 0.5; ++k) check(k * pi / 12, axis.normalized());
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("quaternions and matrices of the same rotation", "[core]", float, double,
                   (Lane<float, 8>)) {
  using T = TestType;
  Random random;
  long double matrix = 0, length = 0, back = 0, product = 0;
  for_many_rotations([&](double angle, const Eigen::Vector3d& axis) {
    std::vector<Eigen::Quaterniond> list;
    for (int i = 0; i < width_of<T>; ++i)
      list.emplace_back(Eigen::AngleAxisd(angle + 0.7 * i, axis));  // lanes differ in their largest entry
    const UnitQuaternion<T> q = pack<T>(list, 0);
    const UnitQuaternion<T> other = pack<T>({Eigen::Quaterniond(random.rotation<3>())}, 0);
    const auto R = rotation_matrix(q);
    const auto again = quaternion_of(R), both = q * other;
    for (int i = 0; i < width_of<T>; ++i) {
      // Rodrigues' formula.
      const long double c = std::cos(angle + 0.7 * i), s = std::sin(angle + 0.7 * i);
      const Eigen::Matrix<long double, 3, 1> n = axis.cast<long double>();
      Exact expected = c * Exact::Identity() + (1 - c) * n * n.transpose();
      for (int k = 0; k < 3; ++k) {
        expected((k + 2) % 3, (k + 1) % 3) += s * n[k];
        expected((k + 1) % 3, (k + 2) % 3) -= s * n[k];
      }
      raise(matrix, (hard_matrices::exact(R, i) - expected).norm() / rounding<T>);
      raise(length, std::abs(exact(again, i).norm() - 1) / rounding<T>);
      raise(back, angle_to(expected, again, i) / rounding<T>);
      const Exact other_R = exact(other, i).toRotationMatrix();
      raise(product, angle_to(expected * other_R, both, i) / rounding<T>);
    }
  });
  CHECK(matrix <= 8);
  CHECK(length <= 2);
  CHECK(back <= 8);
  CHECK(product <= 5);
  CHECK(rotation_matrix(UnitQuaternion<double>::identity()) == Matrix<3>::Identity());
}

TEMPLATE_TEST_CASE("nearest_rotation maximises tr(R^T F), whatever F is", "[core]", float, double,
                   (Lane<double, 8>), (Lane<float, 8>)) {
  using T = TestType;
  const auto matrices = mixed<scalar_of<T>, 3>(300, false);
  long double distance = 0, length = 0;
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto F = hard_matrices::pack<T, 3>(matrices, first);
    const auto q = nearest_rotation(F);
    for (int i = 0; i < width_of<T>; ++i) {
      const Exact one = hard_matrices::exact(F, i);
      const long double unit =
          rounding<T> * std::max<long double>(one.norm(), std::numeric_limits<scalar_of<T>>::min());
      const Exact R = exact(q, i).toRotationMatrix();
      raise(distance, std::abs((R.transpose() * one).trace() - largest_trace<3>(one)) / unit);
      raise(length, std::abs(exact(q, i).norm() - 1) / rounding<T>);
    }
  }
  CHECK(distance <= 12);
  CHECK(length <= 2);
}

TEMPLATE_TEST_CASE("from 10 degrees off, one step is right to 1e-5 rad and two to rounding", "[core]", float,
                   double, (Lane<double, 4>), (Lane<float, 16>)) {
  using T = TestType;
  Random random;
  long double one_step = 0, two_steps = 0, returned = 0, mean = 0;
  const int rounds = 100000 / width_of<T>;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Matrix<3>> matrices;
    std::vector<Eigen::Quaterniond> starts;
    std::vector<Exact> truth;
    for (int i = 0; i < width_of<T>; ++i) {
      const Matrix<3> R = random.rotation<3>();
      matrices.push_back(R * any_stretch(random));
      starts.emplace_back(R * rotation_by(pi / 18, random_axis(random)));
      truth.push_back(R.cast<long double>());
    }
    const auto F = hard_matrices::pack<T, 3>(matrices, 0);
    UnitQuaternion<T> once = pack<T>(starts, 0), twice = once;
    const auto R = follow_rotation(F, once, 1);
    follow_rotation(F, twice, 2);
    for (int i = 0; i < width_of<T>; ++i) {
      const auto lane_index = static_cast<std::size_t>(i);
      const double error = angle_to(truth[lane_index], once, i);
      raise(one_step, error);
      mean += error / (rounds * width_of<T>);
      raise(two_steps, angle_to(truth[lane_index], twice, i) / rounding<T>);
      raise(returned, (hard_matrices::exact(R, i) - exact(once, i).toRotationMatrix()).norm() / rounding<T>);
    }
  }
  CAPTURE(one_step, mean, two_steps);
  CHECK(one_step <= 1e-2);
  CHECK(mean <= 1e-5);
  CHECK(two_steps <= 30);
  CHECK(returned <= 8);
}

TEST_CASE("a step takes an error t to t^7", "[core]") {
  Random random;
  double mean_order = 0;
  const int count = 400;
  for (int round = 0; round < count; ++round) {
    const Matrix<3> R = random.rotation<3>(), F = R * any_stretch(random);
    const Eigen::Vector3d axis = random_axis(random);
    const auto error_from = [&](double angle) {
      auto q = pack<double>({Eigen::Quaterniond(R * rotation_by(angle, axis))}, 0);
      follow_rotation<double>(F, q, 1);
      return angle_to(R.cast<long double>(), q, 0);
    };
    mean_order += std::log2(error_from(0.16) / error_from(0.08)) / count;
  }
  CAPTURE(mean_order);
  CHECK(std::abs(mean_order - 7) <= 0.3);
}

// H has the eigenvalue 2 cos t along the axis of a pure rotation, and h is sin t times it.
TEST_CASE("what a step leaves of the angle t of a pure rotation has a closed form", "[core]") {
  Random random;
  for (double t = 0.05; t < 1.4; t += 0.05) {
    const double c = std::cos(t), s = std::sin(t), e = 2 * c * s * s / (4 * c * c + s * s);
    const double left = std::abs(t - 2 * std::atan(s / (2 * c + e)));
    const Matrix<3> R = random.rotation<3>();
    auto q = pack<double>({Eigen::Quaterniond(R * rotation_by(t, random_axis(random)))}, 0);
    follow_rotation<double>(2.5 * R, q, 1);
    const double angle = 2 * std::asin(angle_to(R.cast<long double>(), q, 0) / 2);
    CAPTURE(t);
    CHECK(std::abs(angle - left) <= 1e-14);
  }
}

// Everything that can be wrong with F at once: every rank, scale and sign, repeated and cancelling values,
// far starts. Where the nearest rotation is not unique its distance is: tr(R^T F) tells it.
TEMPLATE_TEST_CASE("from anywhere, every frame is nearer than the one before, and the last as near as can be",
                   "[core]", float, double, (Lane<double, 4>), (Lane<float, 8>)) {
  using T = TestType;
  constexpr int frames = 12;
  const int steps = GENERATE(1, 2, 3);
  Random random;
  const auto matrices = mixed<scalar_of<T>, 3>(150, false);
  long double farther = 0, distance = 0;
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto F = hard_matrices::pack<T, 3>(matrices, first);
    std::vector<Eigen::Quaterniond> starts;
    for (int i = 0; i < width_of<T>; ++i)
      starts.push_back(random.normal() < 0 ? Eigen::Quaterniond::Identity()
                                           : Eigen::Quaterniond(random.rotation<3>()));
    auto q = pack<T>(starts, 0);
    for (int frame = 0; frame < frames; ++frame) {
      const auto before = q;
      follow_rotation(F, q, steps);
      for (int i = 0; i < width_of<T>; ++i) {
        const Exact one = hard_matrices::exact(F, i);
        const long double unit =
            rounding<T> * std::max<long double>(one.norm(), std::numeric_limits<scalar_of<T>>::min());
        const auto reached = [&](const UnitQuaternion<T>& rotation) {
          return (exact(rotation, i).toRotationMatrix().transpose() * one).trace();
        };
        raise(farther, (reached(before) - reached(q)) / unit);
        if (frame == frames - 1) raise(distance, std::abs(reached(q) - largest_trace<3>(one)) / unit);
      }
    }
  }
  CHECK(farther <= 12);
  CHECK(distance <= 12);
}

// Points at rest that are no minimum, which Newton's method stays at, and starts as far away as can be.
TEST_CASE("half a turn away, and at every saddle, the nearest rotation is found in a few frames", "[core]") {
  const int steps = GENERATE(1, 2, 3);
  Random random;
  int most_frames = 0;
  long double error = 0;
  for (int round = 0; round < 2000; ++round) {
    const Matrix<3> V = random.rotation<3>(), R = random.rotation<3>();
    const Eigen::Vector3d values(random.uniform(0.8, 1.5), random.uniform(0.5, 1.2), random.uniform(-0.3, 1));
    const Matrix<3> S = V * values.asDiagonal() * V.transpose();
    const double angle = round % 2 == 0 ? pi : random.uniform(2 * pi / 3, pi);
    // A half turn about an eigenvector of S leaves R^T F symmetric: h = 0.
    const Eigen::Vector3d axis = round % 4 == 0 ? Eigen::Vector3d(V.col(round / 4 % 3)) : random_axis(random);
    auto q = pack<double>({Eigen::Quaterniond(R * rotation_by(angle, axis))}, 0);
    int frames = 0;
    do {
      follow_rotation<double>(R * S, q, steps);
    } while (++frames < 20 && angle_to(R.cast<long double>(), q, 0) > 1e-13);
    most_frames = std::max(most_frames, frames);
    raise(error, angle_to(R.cast<long double>(), q, 0));
  }
  CAPTURE(error);
  CHECK(most_frames <= 4);
  CHECK(error <= 1e-13);
}

// F = [w] + d I with the skew matrix of w and a tiny d is a turn about w by atan(|w| / d). At the identity
// the skew part has next to no symmetric one beside it, and x = w / (2 d).
TEMPLATE_TEST_CASE(
    "a quarter turn away from nearly skew matrices the nearest rotation is found in three frames", "[core]",
    float, double, (Lane<float, 8>)) {
  using T = TestType;
  Random random;
  long double error = 0;
  for (int round = 0; round < 2000; ++round) {
    Eigen::Vector3d w = random_axis(random);
    for (int k = 0; k < 3; ++k) w[k] = static_cast<double>(static_cast<scalar_of<T>>(w[k]));
    const double d = random.power_of_ten(1 - std::numeric_limits<scalar_of<T>>::max_exponent10, 0);
    Matrix<3> F;
    F << d, -w[2], w[1], w[2], d, -w[0], -w[1], w[0], d;
    auto q = UnitQuaternion<T>::identity();
    for (int frame = 0; frame < 3; ++frame) follow_rotation(hard_matrices::pack<T, 3>({F}, 0), q, 1);
    const Matrix<3> turned = rotation_by(std::atan2(w.norm(), d), w.normalized());
    raise(error, angle_to(turned.cast<long double>(), q, 0) / rounding<T>);
  }
  CHECK(error <= 20);
}

TEST_CASE("a step that is not safe leads to the SVD, whatever the steps after it say", "[core]") {
  Random random;
  int lost = 0;
  for (int round = 0; round < 2000; ++round) {
    const Matrix<3> R = random.rotation<3>();
    const SmallMatrix<double, 3, 3> F = R * any_stretch(random);
    auto q =
        pack<double>({Eigen::Quaterniond(R * rotation_by(random.uniform(1, 2), random_axis(random)))}, 0);
    if (detail::algebra::rotation_step(F, q).safe) continue;
    ++lost;
    follow_rotation(F, q, 3);
    CHECK(angle_to(R.cast<long double>(), q, 0) <= 20 * rounding<double>);
  }
  CHECK(lost > 500);
}

TEMPLATE_TEST_CASE("zero keeps the rotation, whatever its neighbours", "[core]", double, (Lane<float, 8>)) {
  using T = TestType;
  Random random;
  for (int zero = 0; zero < width_of<T>; ++zero) {
    std::vector<Matrix<3>> matrices;
    std::vector<Eigen::Quaterniond> starts;
    for (int i = 0; i < width_of<T>; ++i) {
      const Matrix<3> R = random.rotation<3>();
      starts.emplace_back(R);
      matrices.push_back(i == zero ? Matrix<3>::Zero() : Matrix<3>(R * any_stretch(random)));
    }
    auto q = pack<T>(starts, 0);
    const auto start = q;
    follow_rotation(hard_matrices::pack<T, 3>(matrices, 0), q, 2);
    CHECK(same_bits(q, start, zero));
  }
}

TEMPLATE_TEST_CASE("a lane that is lost does not touch the others, and NaN is forgotten", "[core]",
                   (Lane<double, 4>), (Lane<float, 16>)) {
  using T = TestType;
  Random random;
  std::vector<Matrix<3>> matrices;
  std::vector<Eigen::Quaterniond> starts;
  for (int i = 0; i < width_of<T>; ++i) {
    const Matrix<3> R = random.rotation<3>();
    matrices.push_back(R * any_stretch(random));
    starts.emplace_back(R * rotation_by(0.2, random_axis(random)));
  }
  const auto F = hard_matrices::pack<T, 3>(matrices, 0);
  auto undisturbed = pack<T>(starts, 0);
  same_code(F, undisturbed, 1);
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -100.0, 0.0}) {
    auto q = pack<T>(starts, 0);
    auto F_bad = F;
    for (int k = 0; k < 9; ++k) set_lane(F_bad(k), 1, static_cast<scalar_of<T>>(bad * matrices[1](k)));
    same_code(F_bad, q, 1);
    for (int i = 0; i < width_of<T>; ++i) CHECK((i == 1 || same_bits(q, undisturbed, i)));
    follow_rotation(F, q, 1);
    follow_rotation(F, q, 1);
    CHECK(angle_to(hard_matrices::exact(polar(F).R, 1), q, 1) <= 30 * rounding<T>);
  }
}

TEMPLATE_TEST_CASE("a lane and a single number agree to rounding", "[core]", (Lane<double, 8>),
                   (Lane<float, 8>)) {
  using T = TestType;
  using One = scalar_of<T>;
  Random random;
  long double difference = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Matrix<3>> matrices;
    std::vector<Eigen::Quaterniond> starts;
    for (int i = 0; i < width_of<T>; ++i) {
      const Matrix<3> R = random.rotation<3>();
      matrices.push_back(R * (i % 3 == 2 ? Matrix<3>(stretch(random, 1, 0.7, -0.7)) : any_stretch(random)));
      starts.emplace_back(R * rotation_by(random.uniform(0, 0.8), random_axis(random)));
    }
    auto q = pack<T>(starts, 0);
    const auto nearest = nearest_rotation(hard_matrices::pack<T, 3>(matrices, 0));
    follow_rotation(hard_matrices::pack<T, 3>(matrices, 0), q, 1);
    for (int i = 0; i < width_of<T>; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const auto F = hard_matrices::pack<One, 3>(matrices, index);
      auto single = pack<One>(starts, index);
      follow_rotation(F, single, 1);
      if (i % 3 == 2) continue;  // not unique: rounding chooses
      raise(difference, angle_to(Exact(exact(single, 0).toRotationMatrix()), q, i) / rounding<T>);
      raise(difference,
            angle_to(Exact(exact(nearest_rotation(F), 0).toRotationMatrix()), nearest, i) / rounding<T>);
    }
  }
  CHECK(difference <= 40);
}

// With the fast way alone, which has to reach over all scales.
TEMPLATE_TEST_CASE("the scale of F is of no consequence", "[core]", float, double, (Lane<float, 8>)) {
  using T = TestType;
  Random random;
  for (int round = 0; round < 50; ++round) {
    const Matrix<3> R = random.rotation<3>(), F = R * any_stretch(random);
    const auto start = pack<T>({Eigen::Quaterniond(R * rotation_by(0.3, random_axis(random)))}, 0);
    const auto at_one = same_code(hard_matrices::pack<T, 3>({F}, 0), start);
    REQUIRE(all(at_one.safe));
    for (const int exponent : {-100, -60, -20, -3, 3, 20, 60, 100}) {  // of 2: nothing is rounded
      const Matrix<3> scaled = std::ldexp(1.0, exponent) * F;
      const auto result = same_code(hard_matrices::pack<T, 3>({scaled}, 0), start);
      CHECK(all(result.safe));
      CHECK(same_bits(result.q, at_one.q, 0));
    }
  }
}

TEMPLATE_TEST_CASE("after a million steps the quaternion is as long as at first", "[core]", float,
                   (Lane<float, 8>)) {
  using T = TestType;
  Random random;
  const Matrix<3> S = any_stretch(random);
  auto q = UnitQuaternion<T>::identity();
  const auto stretched = hard_matrices::pack<T, 3>({S}, 0);
  Eigen::Quaterniond turned = Eigen::Quaterniond::Identity();
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(0.02, random_axis(random)));
  long double length = 0, error = 0;
  for (int step = 1; step <= 1000000; ++step) {
    turned = (turned * turn).normalized();
    const auto R = rotation_matrix(pack<T>({turned}, 0));
    follow_rotation(detail::algebra::times<T, 3, 3, 3>(R, stretched), q, 1);
    if (step % 1000 == 0) {
      raise(length, std::abs(exact(q, 0).norm() - 1) / rounding<T>);
      raise(error, angle_to(Exact(turned.cast<long double>().toRotationMatrix()), q, 0) / rounding<T>);
    }
  }
  CHECK(length <= 2);
  CHECK(error <= 20);
}

TEST_CASE("no step gives the rotation at hand", "[core]") {
  Random random;
  const Eigen::Quaterniond at_hand(random.rotation<3>());
  auto q = pack<double>({at_hand}, 0);
  const auto start = q;
  const auto R = follow_rotation<double>(random.rotation<3>(), q, 0);
  CHECK(same_bits(q, start, 0));
  CHECK((R - at_hand.toRotationMatrix()).norm() <= 1e-15);
}
