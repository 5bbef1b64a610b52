// The stretch term of an operator-splitting step: forces that pull each deformation gradient to its rotation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <pliant/algebra/rotation.hpp>
#include <pliant/operator_splitting/split_pairs.hpp>
#include <pliant/simd/aligned_vector.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant::detail::operator_splitting {

// Pairs of tetrahedra, one for each lane, or one for all lanes.
template <class Scalar, int width>
struct alignas(width == 1 ? alignof(Scalar) : 64) StretchPairs {
  int offsets[5][width];             // of their nodes in the arrays of the step, see SplitPair
  Scalar gradients[2][3][3][width];  // of the shape functions of the nodes 1 to 3 of both elements [1/m];
                                     // those of all nodes sum to zero
  Scalar weight[2][width];           // 2 mu V dt^2 [kg m^2]
  int multipliers;                   // index of those of the volume constraints: of all lanes, first those of
                                     // the first elements, then those of the second

  // `stride`: from a node to the next in these arrays. The copy that replaces a missing element has weight
  // zero.
  void set(std::size_t lane, const SplitPair<Scalar>& pair, int stride, double dt) {
    for (std::size_t a = 0; a < 5; ++a) offsets[a][lane] = stride * pair.nodes[a];
    for (std::size_t k = 0; k < 2; ++k) {
      const SplitElement<Scalar>& e = pair.elements[k];
      for (int a = 1; a < 4; ++a) {
        for (int j = 0; j < 3; ++j) gradients[k][a - 1][j][lane] = e.gradients(a, j);
      }
      weight[k][lane] = k == 1 && pair.alone ? Scalar(0) : static_cast<Scalar>(2 * e.mu * e.volume * dt * dt);
    }
  }
};

template <class T>
inline constexpr int quaternion_size = 4 * width_of<T>;

template <class T>
PLIANT_INLINE UnitQuaternion<T> load_quaternion(const scalar_of<T>* p) {
  return {load<T>(p), load<T>(p + width_of<T>), load<T>(p + 2 * width_of<T>), load<T>(p + 3 * width_of<T>)};
}

template <class T>
PLIANT_INLINE void store_quaternion(scalar_of<T>* p, const UnitQuaternion<T>& q) {
  store(p, q.x);
  store(p + width_of<T>, q.y);
  store(p + 2 * width_of<T>, q.z);
  store(p + 3 * width_of<T>, q.w);
}

// F of both elements.
template <class T, class Scalar, int width>
PLIANT_INLINE void find_deformation_gradients(const StretchPairs<Scalar, width>& pairs, const Scalar* x,
                                              SmallMatrix<T, 3, 3> (&F)[2]) {
  T nodes[5][4];
  load_nodes(x, pairs.offsets[0], nodes[0]);
  PLIANT_UNROLL for (int a = 1; a < 5; ++a) {
    load_nodes(x, pairs.offsets[a], nodes[a]);
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) nodes[a][i] -= nodes[0][i];
  }
  PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
      PLIANT_UNROLL for (int j = 0; j < 3; ++j) {
        T sum = nodes[1][i] * lanes_of<T>(pairs.gradients[k][0][j]);
        sum = multiply_add(nodes[2][i], lanes_of<T>(pairs.gradients[k][1][j]), sum);
        F[k](i, j) = multiply_add(nodes[3 + k][i], lanes_of<T>(pairs.gradients[k][2][j]), sum);
      }
    }
  }
}

// The multipliers k of the volume constraints in the solve of the stretch. Their forces k cof F are in its
// right side, but not in its matrix: if they are much larger than the stretch forces, the step diverges. So,
// if `forget`, k becomes zero for elements with J < 0, J > 2 or |k| > most * weight; weight = 2 mu V dt^2.
template <class Scalar>
struct Multipliers {
  Scalar* values = nullptr;  // none
  bool forget = false;
  int most = 0;

  // For the first solve of a step: |k| <= 10 weight is a pressure of 20 mu; after a change of the state, 2
  // mu.
  static Multipliers at_start(Scalar* values, StartFrom start) {
    return {values, true, start == StartFrom::strain ? 1 : 10};
  }
};

// Adds (weight (R - F) + k cof F) grad N_a to the rows of y, R the rotations q of both elements and k their
// multipliers, if any. Adds one to `inverted` for each inverted element with a weight above zero.
template <bool with_multipliers, class T, class Scalar, int width>
PLIANT_INLINE void add_stretch_forces(const StretchPairs<Scalar, width>& pairs,
                                      const SmallMatrix<T, 3, 3> (&F)[2], const Scalar* rotations,
                                      const Multipliers<Scalar>& multipliers, Scalar* y, T& inverted) {
  const T zero(Scalar(0)), one(Scalar(1));
  T forces[5][4];
  PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
    SmallMatrix<T, 3, 3> P = rotation_matrix(load_quaternion<T>(rotations + k * quaternion_size<T>));
    const T weight = lanes_of<T>(pairs.weight[k]);
    PLIANT_UNROLL for (int i = 0; i < 9; ++i) P(i) = weight * (P(i) - F[k](i));
    if constexpr (with_multipliers) {
      Scalar* const place = multipliers.values + pairs.multipliers + k * width_of<T>;
      T multiplier = load<T>(place);
      const SmallMatrix<T, 3, 3> volume_gradient = cofactor<T, 3>(F[k]);
      const T J = determinant<T, 3>(F[k], volume_gradient);
      const auto is_far =
          (J < zero) | (J > T(Scalar(2))) | (abs(multiplier) > T(Scalar(multipliers.most)) * weight);
      if (any(is_far)) {
        inverted += select((J < zero) & (weight > zero), one, zero);
        if (multipliers.forget) {
          multiplier = select(is_far, zero, multiplier);
          store(place, multiplier);
        }
      }
      PLIANT_UNROLL for (int i = 0; i < 9; ++i) P(i) = multiply_add(multiplier, volume_gradient(i), P(i));
    } else {
      const T J = determinant<T, 3>(F[k]);
      inverted += select((J < zero) & (weight > zero), one, zero);
    }
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
      T own[4];
      PLIANT_UNROLL for (int a = 1; a < 4; ++a) {
        const auto& gradient = pairs.gradients[k][a - 1];
        own[a] =
            multiply_add(P(i, 0), lanes_of<T>(gradient[0]),
                         multiply_add(P(i, 1), lanes_of<T>(gradient[1]), P(i, 2) * lanes_of<T>(gradient[2])));
      }
      own[0] = -(own[1] + own[2] + own[3]);
      PLIANT_UNROLL for (int a = 0; a < 3; ++a) forces[a][i] = k == 0 ? own[a] : forces[a][i] + own[a];
      forces[3 + k][i] = own[3];
    }
  }
  PLIANT_UNROLL for (int a = 0; a < 5; ++a) {
    forces[a][3] = T(Scalar(0));
    add_to_nodes(forces[a], y, pairs.offsets[a]);
  }
}

// Processes `count` pairs, or batches of pairs, see StretchElements::pull. It makes three short passes (F,
// rotations, forces) over a few of them at a time, so that the processor overlaps several: a rotation is a
// long chain of dependent operations.
template <bool with_multipliers, class T, class Scalar, int width>
T pull_with(const StretchPairs<Scalar, width>* pairs, std::ptrdiff_t count, int rotation_steps,
            const Multipliers<Scalar>& multipliers, const Scalar* x, Scalar* rotations, Scalar* y) {
  constexpr std::ptrdiff_t most = 4;
  constexpr std::ptrdiff_t size = 2 * quaternion_size<T>;
  SmallMatrix<T, 3, 3> F[most][2];
  T inverted(Scalar(0));
  for (std::ptrdiff_t first = 0; first < count; first += most) {
    const std::ptrdiff_t some = std::min(most, count - first);
    for (std::ptrdiff_t p = 0; p < some; ++p) find_deformation_gradients(pairs[first + p], x, F[p]);
    for (std::ptrdiff_t p = 0; p < some; ++p) {
      const std::ptrdiff_t ahead = std::min(first + p + most, count - 1);
      prefetch(pairs + ahead, 1);
      prefetch(rotations + ahead * size, size);
      PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
        Scalar* const rotation = rotations + (first + p) * size + k * quaternion_size<T>;
        auto q = load_quaternion<T>(rotation);
        follow_rotation(F[p][k], q, rotation_steps);
        store_quaternion(rotation, q);
      }
    }
    for (std::ptrdiff_t p = 0; p < some; ++p)
      add_stretch_forces<with_multipliers>(pairs[first + p], F[p], rotations + (first + p) * size,
                                           multipliers, y, inverted);
  }
  return inverted;
}

template <class T, class Scalar, int width>
T pull_pairs(const StretchPairs<Scalar, width>* pairs, std::ptrdiff_t count, int rotation_steps,
             const Multipliers<Scalar>& multipliers, const Scalar* x, Scalar* rotations, Scalar* y) {
  return multipliers.values != nullptr
             ? pull_with<true, T>(pairs, count, rotation_steps, multipliers, x, rotations, y)
             : pull_with<false, T>(pairs, count, rotation_steps, multipliers, x, rotations, y);
}

template <class T, class Scalar, int width>
void find_pair_rotations(const StretchPairs<Scalar, width>* pairs, std::ptrdiff_t count, const Scalar* x,
                         Scalar* rotations) {
  SmallMatrix<T, 3, 3> F[2];
  for (std::ptrdiff_t p = 0; p < count; ++p) {
    find_deformation_gradients(pairs[p], x, F);
    PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
      store_quaternion(rotations, nearest_rotation(F[k]));
      rotations += quaternion_size<T>;
    }
  }
}

// The elements in batches of pairs in lanes. The rotation of each element is a quaternion that is kept from
// step to step.
template <class Scalar, Isa isa>
class StretchElements {
 public:
  static constexpr int width = pairs_width<Scalar, isa>;

  void clear() {
    batches_.clear();
    rotations_.clear();
  }
  std::ptrdiff_t size() const { return std::ssize(batches_); }  // batches

  // Appends batches; lanes without a pair repeat the first pair with weight zero. The multipliers of the
  // first batch begin at `multipliers`, those of the next batch `step` later.
  void append(const std::vector<std::vector<SplitPair<Scalar>>>& batches, double dt, int multipliers,
              int step) {
    for (const auto& pairs : batches) {
      Batch batch;
      for (std::size_t lane = 0; lane < std::size_t{width}; ++lane) {
        batch.set(lane, pairs[lane < pairs.size() ? lane : 0], stride, dt);
        if (lane >= pairs.size()) batch.weight[0][lane] = batch.weight[1][lane] = Scalar(0);
      }
      batch.multipliers = multipliers;
      multipliers += step;
      batches_.push_back(batch);
    }
    rotations_.resize(batches_.size() * rotations_size, Scalar(0));
  }

  // Adds (weight (R - F) + k cof F) grad N_a to row a of y for the elements of the batches [begin, end), F
  // that of the positions x, R its rotation, by `rotation_steps` steps from the last one, and k the
  // multiplier of the element, if any. Returns the number of inverted elements.
  int pull(std::ptrdiff_t begin, std::ptrdiff_t end, int rotation_steps,
           const Multipliers<Scalar>& multipliers, const Scalar* x, Scalar* y) {
    const Batch* const batches = batches_.data() + begin;
    Scalar* const rotations = rotations_.data() + begin * std::ptrdiff_t{rotations_size};
    const T inverted = pull_pairs<T>(batches, end - begin, rotation_steps, multipliers, x, rotations, y);
    return static_cast<int>(sum(inverted));
  }

  // In the order of the lanes.
  AlignedVector<Scalar>& rotations() { return rotations_; }
  const AlignedVector<Scalar>& rotations() const { return rotations_; }

  // Sets the rotations to those nearest to F at the positions x.
  void find_rotations(const Scalar* x) {
    find_pair_rotations<T>(batches_.data(), size(), x, rotations_.data());
  }

 private:
  using T = Lane<Scalar, width, isa>;
  using Batch = StretchPairs<Scalar, width>;
  static constexpr int stride = 4;
  static constexpr int rotations_size = 2 * quaternion_size<T>;  // of a batch

  AlignedVector<Batch> batches_;
  AlignedVector<Scalar> rotations_;  // [batch][first or second element][x, y, z, w][lane]
};

// The elements of copies of a body: lanes are copies, which share everything except the rotations. The arrays
// of a step have for each node the x of all copies, then their y and their z.
template <class Scalar, int copies, Isa isa>
class StretchCopies {
 public:
  void clear() { pairs_.clear(); }

  // The multipliers of the pair are at `multipliers`.
  void append(const SplitPair<Scalar>& pair, double dt, int multipliers) {
    pairs_.emplace_back();
    pairs_.back().set(0, pair, 3 * copies, dt);
    pairs_.back().multipliers = multipliers;
  }

  // The number of numbers of the rotations of all copies.
  std::size_t rotations_size() const { return pairs_.size() * 2 * quaternion_size<T>; }

  // As in StretchElements, for all elements; inverted elements are counted in the first `used` lanes.
  int pull(int rotation_steps, const Multipliers<Scalar>& multipliers, const Scalar* x, Scalar* rotations,
           Scalar* y, int used) const {
    const T inverted =
        pull_pairs<T>(pairs_.data(), std::ssize(pairs_), rotation_steps, multipliers, x, rotations, y);
    int count = 0;
    for (int k = 0; k < used; ++k) count += static_cast<int>(lane(inverted, k));
    return count;
  }

  void find_rotations(const Scalar* x, Scalar* rotations) const {
    find_pair_rotations<T>(pairs_.data(), std::ssize(pairs_), x, rotations);
  }

 private:
  using T = Lane<Scalar, copies, isa>;

  std::vector<StretchPairs<Scalar, 1>> pairs_;
};

}  // namespace pliant::detail::operator_splitting
