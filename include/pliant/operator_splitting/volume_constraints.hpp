// Volume constraints of an operator-splitting step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/operator_splitting/split_pairs.hpp>
#include <pliant/simd/aligned_vector.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant::detail::operator_splitting {

// The fraction q of the change of its multiplier in a step that acts on the nodes of an element in the same
// step. The rest acts in the next step, which starts with the whole multiplier.
//
// With q = 1 bodies would gain energy: the constraints displace the nodes by some c after the solve of the
// stretch, whose force -L c is missing in that step. On slow modes this acts as a negative damping, more so
// on fine meshes. q = 1 / (1 + s) divides c by 1 + s. The necessary s follows from waves in an unbounded
// linear body. With a the stiffness of the stretch in units of mass / dt^2, and R a that of the volume, R = 3
// lambda / (2 mu), a step is stable if
//   R a (1 / (1 + a) - 2 / (1 + s)) <= 1 + 3 / (1 + a).
// With s = 3 this holds for every a > 0 up to R = 35.8 (nu = 0.4798), and with s = 1 for every a and R. With
// a small margin, q is that of s = 3 up to R = 33.75, and of s = 1 + 67.5 / R above.
inline double volume_share(double mu, double lambda) {
  return lambda > 22.5 * mu ? 1 / (2 + 45 * mu / lambda) : 0.25;
}

// The constraints det F = 1 of pairs of tetrahedra, with the compliance of their materials: one pair for each
// lane, or one for all lanes.
template <class Scalar, int width>
struct alignas(width == 1 ? alignof(Scalar) : 64) VolumePairs {
  int offsets[5][width];            // of their nodes in the arrays of the step, see SplitPair
  Scalar inverse_masses[5][width];  // times q of the elements; zero at fixed nodes [1/kg]
  Scalar inverse_volume[2][width];  // 1 / (6 V), V the rest volume; negative for left-handed nodes, zero
                                    // without an element [1/m^3]
  Scalar compliance[2][width];      // 1 / (lambda V dt^2) [1/(kg m^2)]

  // `masses`: the inverse ones, by place; `stride`: from a node to the next in the arrays of the step.
  void set(std::size_t lane, const SplitPair<Scalar>& pair, const std::vector<Scalar>& masses, int stride,
           double dt) {
    const auto share = static_cast<Scalar>(share_of(pair));
    for (std::size_t a = 0; a < 5; ++a) {
      offsets[a][lane] = stride * pair.nodes[a];
      inverse_masses[a][lane] = share * masses[static_cast<std::size_t>(pair.nodes[a])];
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const SplitElement<Scalar>& e = pair.elements[k];
      const bool mirrored = determinant(SmallMatrix<Scalar, 3, 3>(e.gradients.template bottomRows<3>())) < 0;
      inverse_volume[k][lane] = static_cast<Scalar>((mirrored ? -1 : 1) / (6 * e.volume));
      compliance[k][lane] = static_cast<Scalar>(1 / (e.lambda * e.volume * dt * dt));
    }
    if (pair.alone) set_nothing(lane, 1);
  }

  // q of both elements of a pair, which share nodes: the larger one.
  static double share_of(const SplitPair<Scalar>& pair) {
    return std::max(pair.elements[0].share, pair.elements[1].share);
  }

  // An element k that moves no node and keeps the multiplier zero.
  void set_nothing(std::size_t lane, std::size_t k) {
    inverse_volume[k][lane] = 0;
    compliance[k][lane] = 1;
  }
};

// As dot, but with fused multiplications and additions by every compiler.
template <class T>
PLIANT_INLINE T fused_dot(const SmallVector<T, 3>& u, const SmallVector<T, 3>& v) {
  return multiply_add(u[0], v[0], multiply_add(u[1], v[1], u[2] * v[2]));
}

// normals[a]: 6 V grad_a C of element k, normal to the face that is opposite to its node a. Returns
// 6 V det F.
template <int k, class T>
PLIANT_INLINE T find_normals(const T (&nodes)[5][4], SmallVector<T, 3> (&normals)[4]) {
  SmallVector<T, 3> edges[3];
  PLIANT_UNROLL for (int a = 0; a < 3; ++a) {
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) edges[a][i] = nodes[pair_node(k, a + 1)][i] - nodes[0][i];
  }
  PLIANT_UNROLL for (int a = 0; a < 3; ++a) normals[a + 1] =
      algebra::cross<T>(edges[(a + 1) % 3], edges[(a + 2) % 3]);
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) normals[0][i] = -(normals[1][i] + normals[2][i] + normals[3][i]);
  return fused_dot(edges[0], normals[1]);
}

// One relaxation of elements k, see VolumeConstraints: moves their nodes and returns the new multiplier.
template <int k, class T, class Scalar, int width>
PLIANT_INLINE T relax_volume(const VolumePairs<Scalar, width>& pairs, const T& multiplier, T (&nodes)[5][4]) {
  const T inverse_volume = lanes_of<T>(pairs.inverse_volume[k]),
          compliance = lanes_of<T>(pairs.compliance[k]);
  const auto inverse_mass = [&](int a) { return lanes_of<T>(pairs.inverse_masses[pair_node(k, a)]); };
  SmallVector<T, 3> normals[4];
  const T unmet = T(1) - inverse_volume * find_normals<k>(nodes, normals) - compliance * multiplier;
  T mobility = inverse_mass(3) * fused_dot(normals[3], normals[3]);
  PLIANT_UNROLL for (int a = 2; a >= 0; --a)  // this order, because normals[0] is computed last
      mobility = multiply_add(inverse_mass(a), fused_dot(normals[a], normals[a]), mobility);
  // The square of the inverse volume of a small element would leave the range of float.
  const T stiffness = multiply_add(inverse_volume * mobility, inverse_volume, compliance);
  const T change = select(inverse_volume == T(0), T(0), unmet / stiffness);
  const T push = inverse_volume * change;
  PLIANT_UNROLL for (int a = 0; a < 4; ++a) {
    const T share = push * inverse_mass(a);
    T(&node)[4] = nodes[pair_node(k, a)];
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) node[i] = multiply_add(share, normals[a][i], node[i]);
  }
  return multiplier + change;
}

// The multiplier -C/a of elements k.
template <int k, class T, class Scalar, int width>
PLIANT_INLINE T multiplier_at(const VolumePairs<Scalar, width>& pairs, const T (&nodes)[5][4]) {
  SmallVector<T, 3> normals[4];
  const T inverse_volume = lanes_of<T>(pairs.inverse_volume[k]),
          missing = T(1) - inverse_volume * find_normals<k>(nodes, normals);
  return select(inverse_volume == T(0), T(0), missing / lanes_of<T>(pairs.compliance[k]));
}

// The multipliers -C/a of both elements.
template <class T, class Scalar, int width>
PLIANT_INLINE void find_pair_multipliers(const VolumePairs<Scalar, width>& pairs, const Scalar* x,
                                         Scalar* result) {
  T nodes[5][4];
  PLIANT_UNROLL for (int a = 0; a < 5; ++a) load_nodes(x, pairs.offsets[a], nodes[a]);
  store(result, multiplier_at<0>(pairs, nodes));
  store(result + width_of<T>, multiplier_at<1>(pairs, nodes));
}

// Relaxes the constraints of the first elements, then those of the second ones; reads multipliers from
// `before` and writes them to `after`, which may be the same.
template <class T, class Scalar, int width>
PLIANT_INLINE void relax_volumes(const VolumePairs<Scalar, width>& pairs, const Scalar* before, Scalar* after,
                                 Scalar* x) {
  T nodes[5][4];
  PLIANT_UNROLL for (int a = 0; a < 5; ++a) load_nodes(x, pairs.offsets[a], nodes[a]);
  store(after, relax_volume<0>(pairs, load<T>(before), nodes));
  store(after + width_of<T>, relax_volume<1>(pairs, load<T>(before + width_of<T>), nodes));
  // If there is no second element, node 4 is node 3 before it was moved.
  PLIANT_UNROLL for (int a = 4; a >= 0; --a) {
    nodes[a][3] = T(Scalar(0));
    store_nodes(nodes[a], x, pairs.offsets[a]);
  }
}

// Compliant constraints C = det F - 1 with the energy lambda V C^2 / 2, relaxed one after the other (Macklin,
// Mueller, Chentanez 2016, "XPBD", eq. 18):
//   dk = (-C - a k) / (q sum_a w_a |grad_a C|^2 + a),   k += dk,   x_a += q w_a grad_a C dk,
// with a the compliance, w_a the inverse masses and k the multiplier, which converges to -C/a. A step starts
// with k = 0 and q = 1; or, with q = volume_share, with the k of the previous step or of the positions at its
// start, if the force of this k has been applied to the nodes already.
//
// Here lanes are pairs of elements that share no free node, so that they can be relaxed at once.
template <class Scalar, Isa isa>
class VolumeConstraints {
 public:
  static constexpr int width = pairs_width<Scalar, isa>;

  void clear() {
    batches_.clear();
    corners_.clear();
    corner_count_ = 0;
    start_.assign(std::size_t{step}, Scalar(0));
    end_ = start_;
  }
  std::ptrdiff_t size() const { return std::ssize(batches_); }  // batches

  // The multipliers at the start of a step, after a batch of zeros: those at the end of the last step, those
  // of the volumes at the positions x, or zeros.
  Scalar* multipliers() { return start_.data(); }
  void start_from_last() { std::swap(start_, end_); }
  void start_from(const Scalar* x) {
    for (std::size_t b = 0; b < batches_.size(); ++b)
      find_pair_multipliers<T>(batches_[b], x, start_.data() + place_of(b));
  }
  // The array with the multipliers for the start of the next step: those at the end of the last step, or
  // those at its start.
  template <class Self>
  static auto& kept(Self& self, StartFrom start) {
    return start == StartFrom::last ? self.end_ : self.start_;
  }
  void start_from_zero() { std::fill(start_.begin(), start_.end(), Scalar(0)); }

  // From the multipliers of a batch to those of the next.
  static constexpr int step = 2 * pairs_width<Scalar, isa>;

  // Appends batches of pairs without common nodes below `first_fixed`; the nodes of lanes without a pair are
  // at `nowhere`. Returns the index of the multipliers of the first batch.
  int append(const std::vector<std::vector<SplitPair<Scalar>>>& batches,
             const std::vector<Scalar>& inverse_masses, double dt, int first_fixed, int nowhere) {
    const int begin = place_of(batches_.size());
    for (const auto& pairs : batches) {
      Batch batch{};
      for (std::size_t lane = 0; lane < std::size_t{width}; ++lane) {
        if (lane < pairs.size()) {
          batch.set(lane, pairs[lane], inverse_masses, stride, dt);
          append_corners(batch, lane, pairs[lane], first_fixed);
        } else {
          for (auto& offsets : batch.offsets) offsets[lane] = nowhere;
          for (const std::size_t k : {0, 1}) batch.set_nothing(lane, k);
        }
      }
      batches_.push_back(batch);
    }
    start_.resize(static_cast<std::size_t>(place_of(batches_.size())), Scalar(0));
    end_.resize(start_.size(), Scalar(0));
    return begin;
  }

  // Relaxes the batches [begin, end) once at the positions x; `first`: for the first time in a step.
  void relax(std::ptrdiff_t begin, std::ptrdiff_t end, bool first, Scalar* x) {
    const auto place = place_of(static_cast<std::size_t>(begin));
    const Scalar* before = (first ? start_ : end_).data() + place;
    Scalar* after = end_.data() + place;
    for (std::ptrdiff_t b = begin; b < end; ++b, before += step, after += step)
      relax_volumes<T>(batches_[static_cast<std::size_t>(b)], before, after, x);
  }

  // Adds q grad_a C times the change of k in this step, the force of the constraint times dt^2, to the rows
  // of `forces` of the fixed nodes a.
  void add_forces(const Scalar* x, Scalar* forces) const {
    for (const Corners& corners : corners_) {
      T face[3][4];
      SmallVector<T, 3> edges[2];
      PLIANT_UNROLL for (int b = 0; b < 3; ++b) gather_rows(x, corners.face[b], face[b]);
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
        edges[0][i] = face[1][i] - face[0][i];
        edges[1][i] = face[2][i] - face[0][i];
      }
      const T push = load<T>(corners.inverse_volume) * (gather<T>(end_.data(), corners.multiplier) -
                                                        gather<T>(start_.data(), corners.multiplier));
      const SmallVector<T, 3> normal = algebra::cross<T>(edges[0], edges[1]);
      const T force[4] = {push * normal[0], push * normal[1], push * normal[2], T(Scalar(0))};
      add_rows(force, forces, corners.node);
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;
  using Batch = VolumePairs<Scalar, width>;

  static constexpr int stride = 4;

  // Fixed nodes of constraints, and the corners of the opposite faces: the cross product of two edges of such
  // a face is 6 V grad_a C.
  struct alignas(64) Corners {
    int node[width];
    int face[3][width];
    int multiplier[width];
    Scalar inverse_volume[width];  // times the share
  };

  void append_corners(const Batch& batch, std::size_t lane, const SplitPair<Scalar>& pair, int first_fixed) {
    constexpr int faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (int k = 0; k < (pair.alone ? 1 : 2); ++k) {
      for (int a = 0; a < 4; ++a) {
        if (pair.elements[static_cast<std::size_t>(k)].nodes[static_cast<std::size_t>(a)] < first_fixed)
          continue;
        const int corner = corner_count_++ % width;
        if (corner == 0) corners_.push_back(Corners{});  // zero for unused lanes
        Corners& corners = corners_.back();
        corners.node[corner] = batch.offsets[pair_node(k, a)][lane];
        for (int b = 0; b < 3; ++b) corners.face[b][corner] = batch.offsets[pair_node(k, faces[a][b])][lane];
        corners.multiplier[corner] = place_of(batches_.size()) + k * width + static_cast<int>(lane);
        corners.inverse_volume[corner] =
            static_cast<Scalar>(Batch::share_of(pair)) * batch.inverse_volume[k][lane];
      }
    }
  }

  // The index of the multipliers of a batch.
  static constexpr int place_of(std::size_t batch) { return (static_cast<int>(batch) + 1) * step; }

  AlignedVector<Batch> batches_;
  AlignedVector<Scalar> start_, end_;  // multipliers of a step, behind a batch of zeros
  AlignedVector<Corners> corners_;     // of the nodes that cannot move
  int corner_count_ = 0;
};

// The constraints of copies of a body: lanes are copies, which share everything except the multipliers. The
// positions have for each node the x of all copies, then their y and their z.
template <class Scalar, int copies, Isa isa>
class VolumeCopies {
 public:
  void clear() {
    pairs_.clear();
    shares_.clear();
  }

  // Appends the constraints of a pair. Returns the index of its multipliers; the array begins with zeros.
  int append(const SplitPair<Scalar>& pair, const std::vector<Scalar>& inverse_masses, double dt,
             int first_fixed) {
    pairs_.emplace_back();
    pairs_.back().set(0, pair, inverse_masses, stride, dt);
    shares_.push_back(static_cast<Scalar>(Pair::share_of(pair)));
    first_fixed_ = stride * first_fixed;
    return step * static_cast<int>(pairs_.size());
  }

  // The number of numbers of the multipliers of all copies.
  std::size_t multipliers_size() const { return step * (pairs_.size() + 1); }

  // Computes the multipliers -C/a at the positions x.
  void find_multipliers(const Scalar* x, Scalar* result) const {
    for (const auto& pair : pairs_) find_pair_multipliers<T>(pair, x, result += step);
  }

  // As in VolumeConstraints, for all constraints: reads multipliers from `before` and writes them to `after`,
  // which may be the same.
  void relax(const Scalar* before, Scalar* after, Scalar* x) const {
    for (const auto& pair : pairs_) relax_volumes<T>(pair, before += step, after += step, x);
  }

  void add_forces(const Scalar* before, const Scalar* after, const Scalar* x, Scalar* forces) const {
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const Pair& pair = pairs_[p];
      before += step;
      after += step;
      if (std::all_of(std::begin(pair.offsets), std::end(pair.offsets),
                      [&](const int(&offset)[1]) { return offset[0] < first_fixed_; })) {
        continue;
      }
      T nodes[5][4];
      PLIANT_UNROLL for (int a = 0; a < 5; ++a) load_nodes(x, pair.offsets[a], nodes[a]);
      const T share(shares_[p]);
      add_forces<0>(pair, nodes, share * (load<T>(after) - load<T>(before)), forces);
      add_forces<1>(pair, nodes, share * (load<T>(after + copies) - load<T>(before + copies)), forces);
    }
  }

 private:
  using T = Lane<Scalar, copies, isa>;
  using Pair = VolumePairs<Scalar, 1>;
  static constexpr int stride = 3 * copies;
  static constexpr int step = 2 * copies;

  template <int k>
  void add_forces(const Pair& pair, const T (&nodes)[5][4], const T& change, Scalar* forces) const {
    SmallVector<T, 3> normals[4];
    find_normals<k>(nodes, normals);
    const T push = T(pair.inverse_volume[k][0]) * change;
    PLIANT_UNROLL for (int a = 0; a < 4; ++a) {
      if (const int offset = pair.offsets[pair_node(k, a)][0] - first_fixed_; offset >= 0) {
        PLIANT_UNROLL for (int i = 0; i < 3; ++i) normals[a][i] = push * normals[a][i];
        add_columns<3>(&normals[a][0], forces + offset);
      }
    }
  }

  std::vector<Pair> pairs_;
  std::vector<Scalar> shares_;  // of the pairs
  int first_fixed_ = 0;         // offset
};

}  // namespace pliant::detail::operator_splitting
