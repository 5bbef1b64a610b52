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

namespace pliant {

// Which share of what its multiplier changes by in a step the nodes of an element feel in that step, after
// the whole multiplier of the step before. The rest they feel one step later.
//
// With all of it bodies would gain energy: the stretch has not seen how far the constraints move the nodes,
// c, and lacks the force -L c. On slow swings that works as a negative damping, the more the finer the mesh.
// A share 1 / (1 + s) divides c by 1 + s. How large s may be is told by waves in an unbounded linear body:
// where the stiffness of the stretch is a, in units of mass / dt^2, and that of the volume R a, R = 3 lambda
// / (2 mu), a step is stable while
//   R a (1 / (1 + a) - 2 / (1 + s)) <= 1 + 3 / (1 + a).
// That is so for every a with s = 3 up to R = 35.8, nu = 0.4798, and with s = 1 whatever R; the share keeps a
// little below that: s = 3 up to R = 33.75, then 1 + 67.5 / R.
inline double volume_share(double mu, double lambda) {
  return lambda > 22.5 * mu ? 1 / (2 + 45 * mu / lambda) : 0.25;
}

// det F = 1 for pairs of tetrahedra, as soft as their materials: one pair for each lane, or one for all
// lanes.
template <class Scalar, int width>
struct alignas(width == 1 ? alignof(Scalar) : 64) VolumePairs {
  int offsets[5][width];            // of their nodes in the arrays of the step, see SplitPair
  Scalar inverse_masses[5][width];  // times the share of the elements; zero at fixed nodes [1/kg]
  Scalar inverse_volume[2][width];  // 1 / (6 V), V the rest volume, negative where the nodes turn the other
                                    // way; zero where there is no element [1/m^3]
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

  // That of both elements of a pair, which share its nodes: the larger one is stable for both.
  static double share_of(const SplitPair<Scalar>& pair) {
    return std::max(pair.elements[0].share, pair.elements[1].share);
  }

  // As an element k that moves nothing, and whose multiplier stays zero.
  void set_nothing(std::size_t lane, std::size_t k) {
    inverse_volume[k][lane] = 0;
    compliance[k][lane] = 1;
  }
};

namespace detail {

// As dot, the multiplications fused with the additions by every compiler.
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
  PLIANT_UNROLL for (int a = 0; a < 3; ++a) normals[a + 1] = cross<T>(edges[(a + 1) % 3], edges[(a + 2) % 3]);
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) normals[0][i] = -(normals[1][i] + normals[2][i] + normals[3][i]);
  return fused_dot(edges[0], normals[1]);
}

// Moves the nodes of elements k, and returns the new multiplier.
template <int k, class T, class Scalar, int width>
PLIANT_INLINE T relax_volume(const VolumePairs<Scalar, width>& pairs, const T& multiplier, T (&nodes)[5][4]) {
  const T inverse_volume = lanes_of<T>(pairs.inverse_volume[k]),
          compliance = lanes_of<T>(pairs.compliance[k]);
  const auto inverse_mass = [&](int a) { return lanes_of<T>(pairs.inverse_masses[pair_node(k, a)]); };
  SmallVector<T, 3> normals[4];
  const T unmet = T(1) - inverse_volume * find_normals<k>(nodes, normals) - compliance * multiplier;
  T mobility = inverse_mass(3) * fused_dot(normals[3], normals[3]);
  PLIANT_UNROLL for (int a = 2; a >= 0; --a)  // the last normal is known last
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

// Those of both elements.
template <class T, class Scalar, int width>
PLIANT_INLINE void find_multipliers(const VolumePairs<Scalar, width>& pairs, const Scalar* x,
                                    Scalar* result) {
  T nodes[5][4];
  PLIANT_UNROLL for (int a = 0; a < 5; ++a) load_nodes(x, pairs.offsets[a], nodes[a]);
  store(result, multiplier_at<0>(pairs, nodes));
  store(result + width_of<T>, multiplier_at<1>(pairs, nodes));
}

// Relaxes the constraints of the first elements, then those of the second ones, with multipliers from
// `before` to `after`, which may be the same.
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

}  // namespace detail

// Compliant constraints C = det F - 1 with the energy lambda V C^2 / 2, relaxed one after the other (Macklin,
// Mueller, Chentanez 2016, "XPBD", eq. 18):
//   dk = (-C - a k) / (q sum_a w_a |grad_a C|^2 + a),   k += dk,   x_a += q w_a grad_a C dk,
// with a the compliance, w_a the inverse masses and k the multiplier, -C/a in the end. A step starts with
// zero and q = 1; or, with q = volume_share, with the multiplier of the step before, or that of the positions
// at its start, whose force the nodes must have felt already.
//
// Here lanes hold pairs of elements that share no node that can move, so that they can be relaxed at once.
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

  // The multipliers with which a step starts, behind zeros: those at the end of the last step, those that the
  // volumes at the positions x ask for, or zeros.
  Scalar* multipliers() { return start_.data(); }
  void start_from_last() { std::swap(start_, end_); }
  void start_from(const Scalar* x) {
    for (std::size_t b = 0; b < batches_.size(); ++b)
      detail::find_multipliers<T>(batches_[b], x, start_.data() + place_of(b));
  }
  // Where those are that a step starts with: at the end of the last one, or with which it started.
  template <class Self>
  static auto& kept(Self& self, StartFrom start) {
    return start == StartFrom::last ? self.end_ : self.start_;
  }
  void start_from_zero() { std::fill(start_.begin(), start_.end(), Scalar(0)); }

  // From the multipliers of a batch to those of the next.
  static constexpr int step = 2 * pairs_width<Scalar, isa>;

  // Appends batches of pairs that have no node below `first_fixed` in common; the nodes of lanes for which
  // there is no pair are at `nowhere`. Returns where the multipliers of the first batch begin.
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

  // Relaxes the batches [begin, end) once at the positions x; the `first` time in a step, or again.
  void relax(std::ptrdiff_t begin, std::ptrdiff_t end, bool first, Scalar* x) {
    const auto place = place_of(static_cast<std::size_t>(begin));
    const Scalar* before = (first ? start_ : end_).data() + place;
    Scalar* after = end_.data() + place;
    for (std::ptrdiff_t b = begin; b < end; ++b, before += step, after += step)
      detail::relax_volumes<T>(batches_[static_cast<std::size_t>(b)], before, after, x);
  }

  // Adds q k grad_a C for what k has changed by in this step, the forces of the constraints times dt^2, to
  // the rows of `forces` of the nodes a at `first_fixed` and beyond.
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
      const SmallVector<T, 3> normal = cross<T>(edges[0], edges[1]);
      const T force[4] = {push * normal[0], push * normal[1], push * normal[2], T(Scalar(0))};
      add_rows(force, forces, corners.node);
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;
  using Batch = VolumePairs<Scalar, width>;

  static constexpr int stride = 4;

  // Nodes of constraints that are fixed, and the corners of the faces opposite to them: the cross product of
  // two edges of such a face is 6 V grad_a C.
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
        if (corner == 0) corners_.push_back(Corners{});  // those without a constraint push nothing
        Corners& corners = corners_.back();
        corners.node[corner] = batch.offsets[pair_node(k, a)][lane];
        for (int b = 0; b < 3; ++b) corners.face[b][corner] = batch.offsets[pair_node(k, faces[a][b])][lane];
        corners.multiplier[corner] = place_of(batches_.size()) + k * width + static_cast<int>(lane);
        corners.inverse_volume[corner] =
            static_cast<Scalar>(Batch::share_of(pair)) * batch.inverse_volume[k][lane];
      }
    }
  }

  // Of the multipliers of a batch.
  static constexpr int place_of(std::size_t batch) { return (static_cast<int>(batch) + 1) * step; }

  AlignedVector<Batch> batches_;
  AlignedVector<Scalar> start_, end_;  // multipliers of a step, behind a batch of zeros
  AlignedVector<Corners> corners_;     // of the nodes that cannot move
  int corner_count_ = 0;
};

// The constraints of a body of which there are many copies: lanes are copies, which share everything but the
// multipliers. The positions have for each node the x of all copies, then their y and their z.
template <class Scalar, int copies, Isa isa>
class VolumeCopies {
 public:
  void clear() {
    pairs_.clear();
    shares_.clear();
  }

  // Appends the constraints of a pair. Returns where its multipliers are, behind zeros.
  int append(const SplitPair<Scalar>& pair, const std::vector<Scalar>& inverse_masses, double dt,
             int first_fixed) {
    pairs_.emplace_back();
    pairs_.back().set(0, pair, inverse_masses, stride, dt);
    shares_.push_back(static_cast<Scalar>(Pair::share_of(pair)));
    first_fixed_ = stride * first_fixed;
    return step * static_cast<int>(pairs_.size());
  }

  // Numbers that the multipliers of the copies take.
  std::size_t multipliers_size() const { return step * (pairs_.size() + 1); }

  // Those that the volumes at the positions x ask for.
  void find_multipliers(const Scalar* x, Scalar* result) const {
    for (const auto& pair : pairs_) detail::find_multipliers<T>(pair, x, result += step);
  }

  // As those of VolumeConstraints, for all constraints: from multipliers `before` to those `after`, which may
  // be the same.
  void relax(const Scalar* before, Scalar* after, Scalar* x) const {
    for (const auto& pair : pairs_) detail::relax_volumes<T>(pair, before += step, after += step, x);
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
      PLIANT_UNROLL for (int a = 0; a < 5; ++a) detail::load_nodes(x, pair.offsets[a], nodes[a]);
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
    detail::find_normals<k>(nodes, normals);
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

}  // namespace pliant
