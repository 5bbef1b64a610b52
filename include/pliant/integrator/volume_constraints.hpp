// Volume constraints of an operator-splitting step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/core/aligned_vector.hpp>
#include <pliant/core/rows.hpp>

namespace pliant {

// det F = 1 for one tetrahedron, as soft as its material.
template <class Scalar>
struct VolumeConstraint {
  std::array<int, 4> offsets;  // of its nodes in the arrays of the step
  Scalar inverse_volume;       // 1 / (6 V), V its rest volume [1/m^3]
  Scalar compliance;           // 1 / (lambda V dt^2) [1/(kg m^2)]
};

// Compliant constraints C = det F - 1 with the energy lambda V C^2 / 2, relaxed one after the other (Macklin,
// Mueller, Chentanez 2016, "XPBD", eq. 18):
//   dk = (-C - a k) / (sum_a w_a |grad_a C|^2 + a),   k += dk,   x_a += w_a grad_a C dk,
// with a the compliance, w_a the inverse masses and k the multiplier, zero at first and -C/a in the end.
//
// Lanes hold constraints that share no node that can move, so that they can be relaxed at once.
template <class Scalar, Isa isa>
class VolumeConstraints {
 public:
  static constexpr int width = kernel_width<Scalar>;

  void clear() {
    batches_.clear();
    at_fixed_.clear();
  }
  std::ptrdiff_t size() const { return std::ssize(batches_); }  // batches

  // Appends constraints, nearly in this order: each batch takes from the next few those that share no
  // node with the others in it and, if there are enough, none with the batches just before either, whose
  // results would have to be waited for. Nodes at `first_fixed` and beyond may be shared; those of unused
  // lanes are at `nowhere`. Returns how many batches there are now.
  std::ptrdiff_t append(const std::vector<VolumeConstraint<Scalar>>& constraints, int first_fixed,
                        int nowhere) {
    constexpr std::size_t window = 256;  // constraints that a batch chooses from
    constexpr int apart = 2;             // batches before whose nodes are avoided
    std::vector<int> last_batch(static_cast<std::size_t>(first_fixed), -1 - apart);  // that has a node
    std::vector<char> taken(constraints.size(), 0);
    std::size_t head = 0;
    for (int number = 0; head < constraints.size(); ++number) {
      Batch batch = empty_batch(nowhere);
      std::size_t lane = 0;
      for (const int distance : {apart, 0}) {
        std::size_t seen = 0;
        for (std::size_t k = head; k < constraints.size() && seen < window && lane < std::size_t{width};
             ++k) {
          if (taken[k] != 0) continue;
          ++seen;
          const auto& offsets = constraints[k].offsets;
          const auto last = [&](int offset) -> int& { return last_batch[static_cast<std::size_t>(offset)]; };
          bool clear = true;
          for (const int offset : offsets)
            clear = clear && (offset >= first_fixed || last(offset) < number - distance);
          if (!clear) continue;
          for (const int offset : offsets) {
            if (offset < first_fixed) last(offset) = number;
          }
          taken[k] = 1;
          for (std::size_t a = 0; a < 4; ++a) batch.offsets[a][lane] = offsets[a];
          batch.inverse_volume[lane] = constraints[k].inverse_volume;
          batch.compliance[lane] = constraints[k].compliance;
          ++lane;
        }
      }
      if (std::any_of(&batch.offsets[0][0], &batch.offsets[0][0] + 4 * width,
                      [&](int offset) { return offset >= first_fixed && offset != nowhere; })) {
        at_fixed_.push_back(batches_.size());
      }
      batches_.push_back(batch);
      while (head < constraints.size() && taken[head] != 0) ++head;
    }
    return std::ssize(batches_);
  }

  // Relaxes the batches [begin, end) once at the positions x, whose fourth numbers are inverse masses [1/kg].
  // `first`: all multipliers are zero.
  void relax(std::ptrdiff_t begin, std::ptrdiff_t end, bool first, Scalar* x) {
    for (std::ptrdiff_t b = begin; b < end; ++b) {
      Batch& batch = batches_[static_cast<std::size_t>(b)];
      if (first) relax<true>(batch, x);
      else relax<false>(batch, x);
    }
  }

  // Adds k grad_a C, the forces of the constraints times dt^2, to the rows of `forces` of the nodes a at
  // `first_fixed` and beyond; the first row is that of `first_fixed`.
  void add_forces(int first_fixed, const Scalar* x, Scalar* forces) const {
    for (const std::size_t number : at_fixed_) {
      const Batch& batch = batches_[number];
      for (int lane = 0; lane < width; ++lane) {
        if (batch.inverse_volume[lane] == 0) continue;
        const Scalar push = batch.inverse_volume[lane] * batch.multiplier[lane];
        for (int a = 0; a < 4; ++a) {
          const int offset = batch.offsets[a][lane];
          if (offset < first_fixed) continue;
          // The face opposite to node a, seen from outside: an even permutation (a, b, c, d) of the corners.
          const int b = (a + 1) % 4, c = a % 2 == 0 ? (a + 2) % 4 : (a + 3) % 4, d = 6 - a - b - c;
          const Scalar *const p = x + batch.offsets[b][lane], *const q = x + batch.offsets[c][lane],
                              *const r = x + batch.offsets[d][lane];
          for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const Scalar normal = (q[j] - p[j]) * (r[k] - p[k]) - (q[k] - p[k]) * (r[j] - p[j]);
            forces[offset - first_fixed + i] -= push * normal;
          }
        }
      }
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;

  struct alignas(64) Batch {
    int offsets[4][width];
    Scalar inverse_volume[width];
    Scalar compliance[width];
    Scalar multiplier[width];
  };

  static Batch empty_batch(int nowhere) {
    Batch batch{};
    for (int lane = 0; lane < width; ++lane) {
      for (auto& offsets : batch.offsets) offsets[lane] = nowhere;
      batch.compliance[lane] = 1;
    }
    return batch;
  }

  template <bool first>
  static PLIANT_INLINE void relax(Batch& batch, Scalar* x) {
    T nodes[4][4], normal[4][3];  // normal[a]: 6 V grad_a C, normal to the face that is opposite
    for (int a = 0; a < 4; ++a) gather_rows(x, batch.offsets[a], nodes[a]);
    T edge[3][3];
    for (int a = 0; a < 3; ++a) {
      for (int i = 0; i < 3; ++i) edge[a][i] = nodes[a + 1][i] - nodes[0][i];
    }
    for (int a = 0; a < 3; ++a) {
      const auto& u = edge[(a + 1) % 3];
      const auto& v = edge[(a + 2) % 3];
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[a + 1][i] = u[j] * v[k] - u[k] * v[j];
      }
    }
    for (int i = 0; i < 3; ++i) normal[0][i] = -(normal[1][i] + normal[2][i] + normal[3][i]);
    const T six_volumes = dot(edge[0], normal[1]);
    const T scale = load<T>(batch.inverse_volume), compliance = load<T>(batch.compliance);
    T unmet = T(Scalar(1)) - scale * six_volumes;
    if constexpr (!first) unmet -= compliance * load<T>(batch.multiplier);
    T mobility = nodes[0][3] * dot(normal[0], normal[0]);
    for (int a = 1; a < 4; ++a) mobility = multiply_add(nodes[a][3], dot(normal[a], normal[a]), mobility);
    const T change = unmet / multiply_add(scale * scale, mobility, compliance);
    store(batch.multiplier, first ? change : load<T>(batch.multiplier) + change);
    const T push = scale * change;
    for (int a = 0; a < 4; ++a) {
      const T share = push * nodes[a][3];
      for (int i = 0; i < 3; ++i) nodes[a][i] = multiply_add(share, normal[a][i], nodes[a][i]);
      scatter_rows(nodes[a], x, batch.offsets[a]);
    }
  }

  static PLIANT_INLINE T dot(const T* u, const T* v) {
    return multiply_add(u[0], v[0], multiply_add(u[1], v[1], u[2] * v[2]));
  }

  AlignedVector<Batch> batches_;
  std::vector<std::size_t> at_fixed_;  // batches with a fixed node
};

}  // namespace pliant
