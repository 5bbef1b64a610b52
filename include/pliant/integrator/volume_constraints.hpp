// Volume constraints of an operator-splitting step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/core/aligned_vector.hpp>
#include <pliant/core/rows.hpp>
#include <pliant/integrator/split_mesh.hpp>

namespace pliant {

// det F = 1 for one tetrahedron, as soft as its material.
template <class Scalar>
struct VolumeConstraint {
  std::array<int, 4> offsets;  // of its nodes in the arrays of the step
  Scalar inverse_volume;       // 1 / (6 V), V its rest volume [1/m^3]
  Scalar compliance;           // 1 / (lambda V dt^2) [1/(kg m^2)]
};

// Of an element with lambda > 0.
template <class Scalar>
VolumeConstraint<Scalar> volume_constraint(const SplitElement<Scalar>& e, const std::array<int, 4>& offsets,
                                           double dt) {
  return {offsets, static_cast<Scalar>(1 / (6 * e.volume)),
          static_cast<Scalar>(1 / (e.lambda * e.volume * dt * dt))};
}

namespace detail {

template <class Scalar>
bool has_fixed_node(const VolumeConstraint<Scalar>& constraint, int first_fixed) {
  return std::any_of(constraint.offsets.begin(), constraint.offsets.end(),
                     [&](int offset) { return offset >= first_fixed; });
}

// The numbers of all constraints, nearly in this order, in groups of at most `size`: each takes from the next
// few those that share no node below `first_fixed` with the others in it and, if there are enough, none with
// the groups just before either, whose results would have to be waited for.
template <class Scalar>
std::vector<std::vector<std::size_t>> node_disjoint_groups(
    const std::vector<VolumeConstraint<Scalar>>& constraints, int first_fixed, std::size_t size) {
  constexpr std::size_t window = 256;  // constraints that a group chooses from
  constexpr int apart = 2;             // groups before whose nodes are avoided
  std::vector<std::vector<std::size_t>> groups;
  std::vector<int> last_group(static_cast<std::size_t>(first_fixed), -1 - apart);  // that has a node
  std::vector<char> taken(constraints.size(), 0);
  std::size_t head = 0;
  for (int number = 0; head < constraints.size(); ++number) {
    std::vector<std::size_t>& group = groups.emplace_back();
    for (const int distance : {apart, 0}) {
      std::size_t seen = 0;
      for (std::size_t k = head; k < constraints.size() && seen < window && group.size() < size; ++k) {
        if (taken[k] != 0) continue;
        ++seen;
        const auto& offsets = constraints[k].offsets;
        const auto last = [&](int offset) -> int& { return last_group[static_cast<std::size_t>(offset)]; };
        bool clear = true;
        for (const int offset : offsets)
          clear = clear && (offset >= first_fixed || last(offset) < number - distance);
        if (!clear) continue;
        for (const int offset : offsets) {
          if (offset < first_fixed) last(offset) = number;
        }
        taken[k] = 1;
        group.push_back(k);
      }
    }
    while (head < constraints.size() && taken[head] != 0) ++head;
  }
  return groups;
}

template <class T>
PLIANT_INLINE void find_cross_product(const T* u, const T* v, T* result) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    result[i] = u[j] * v[k] - u[k] * v[j];
  }
}

template <class T>
PLIANT_INLINE T dot_of(const T* u, const T* v) {
  return multiply_add(u[0], v[0], multiply_add(u[1], v[1], u[2] * v[2]));
}

// normals[a]: 6 V grad_a C, normal to the face that is opposite to node a. Returns 6 V det F.
template <class T, int numbers>
PLIANT_INLINE T find_normals(const T (&nodes)[4][numbers], T (&normals)[4][3]) {
  T edges[3][3];
  for (int a = 0; a < 3; ++a) {
    for (int i = 0; i < 3; ++i) edges[a][i] = nodes[a + 1][i] - nodes[0][i];
  }
  for (int a = 0; a < 3; ++a) find_cross_product(edges[(a + 1) % 3], edges[(a + 2) % 3], normals[a + 1]);
  for (int i = 0; i < 3; ++i) normals[0][i] = -(normals[1][i] + normals[2][i] + normals[3][i]);
  return dot_of(edges[0], normals[1]);
}

// Moves the nodes, and returns the new multiplier.
template <class T, int numbers>
PLIANT_INLINE T relax_volume(const T& inverse_volume, const T& compliance, const T& multiplier,
                             const T (&inverse_masses)[4], T (&nodes)[4][numbers]) {
  T normals[4][3];
  const T unmet = T(1) - inverse_volume * find_normals(nodes, normals) - compliance * multiplier;
  T mobility = inverse_masses[0] * dot_of(normals[0], normals[0]);
  for (int a = 1; a < 4; ++a)
    mobility = multiply_add(inverse_masses[a], dot_of(normals[a], normals[a]), mobility);
  const T change = unmet / multiply_add(inverse_volume * inverse_volume, mobility, compliance);
  const T push = inverse_volume * change;
  for (int a = 0; a < 4; ++a) {
    const T share = push * inverse_masses[a];
    for (int i = 0; i < 3; ++i) nodes[a][i] = multiply_add(share, normals[a][i], nodes[a][i]);
  }
  return multiplier + change;
}

}  // namespace detail

// Compliant constraints C = det F - 1 with the energy lambda V C^2 / 2, relaxed one after the other (Macklin,
// Mueller, Chentanez 2016, "XPBD", eq. 18):
//   dk = (-C - a k) / (sum_a w_a |grad_a C|^2 + a),   k += dk,   x_a += w_a grad_a C dk,
// with a the compliance, w_a the inverse masses and k the multiplier, -C/a in the end. A step starts with
// zero, or with the multiplier of the step before, whose force the nodes must have felt already.
//
// Here lanes hold constraints that share no node that can move, so that they can be relaxed at once.
template <class Scalar, Isa isa>
class VolumeConstraints {
 public:
  static constexpr int width = kernel_width<Scalar>;

  void clear() {
    batches_.clear();
    corners_.clear();
    corner_count_ = 0;
    start_.assign(std::size_t{width}, Scalar(0));
    end_ = start_;
  }
  std::ptrdiff_t size() const { return std::ssize(batches_); }  // batches

  // The multipliers with which a step starts, behind a zero at place 0: those at the end of the last step, or
  // zeros.
  const Scalar* multipliers() const { return start_.data(); }
  void start_from_last() { std::swap(start_, end_); }
  void start_from_zero() { std::fill(start_.begin(), start_.end(), Scalar(0)); }

  // Appends constraints, nearly in this order, see node_disjoint_groups. Nodes at `first_fixed` and beyond
  // may be shared; those of unused lanes are at `nowhere`. Returns the places of the multipliers.
  std::vector<int> append(const std::vector<VolumeConstraint<Scalar>>& constraints, int first_fixed,
                          int nowhere) {
    std::vector<int> places(constraints.size());
    for (const std::vector<std::size_t>& group :
         detail::node_disjoint_groups(constraints, first_fixed, std::size_t{width})) {
      Batch batch = empty_batch(nowhere);
      for (std::size_t lane = 0; lane < group.size(); ++lane) {
        const VolumeConstraint<Scalar>& constraint = constraints[group[lane]];
        for (std::size_t a = 0; a < 4; ++a) batch.offsets[a][lane] = constraint.offsets[a];
        batch.inverse_volume[lane] = constraint.inverse_volume;
        batch.compliance[lane] = constraint.compliance;
        places[group[lane]] = static_cast<int>(place_of(batches_.size()) + lane);
        append_corners(constraint, places[group[lane]], first_fixed, nowhere);
      }
      batches_.push_back(batch);
    }
    start_.resize(place_of(batches_.size()), Scalar(0));
    end_.resize(start_.size(), Scalar(0));
    return places;
  }

  // Relaxes the batches [begin, end) once at the positions x, whose fourth numbers are inverse masses [1/kg];
  // the `first` time in a step, or again.
  void relax(std::ptrdiff_t begin, std::ptrdiff_t end, bool first, Scalar* x) {
    for (std::ptrdiff_t b = begin; b < end; ++b) {
      const auto place = place_of(static_cast<std::size_t>(b));
      relax(batches_[static_cast<std::size_t>(b)], (first ? start_ : end_).data() + place,
            end_.data() + place, x);
    }
  }

  // Adds k grad_a C for what k has changed by in this step, the forces of the constraints times dt^2, to the
  // rows of `forces` of the nodes a at `first_fixed` and beyond.
  void add_forces(const Scalar* x, Scalar* forces) const {
    for (const Corners& corners : corners_) {
      T face[3][4], edges[2][3];
      for (int b = 0; b < 3; ++b) gather_rows(x, corners.face[b], face[b]);
      for (int i = 0; i < 3; ++i) {
        edges[0][i] = face[1][i] - face[0][i];
        edges[1][i] = face[2][i] - face[0][i];
      }
      const T push = load<T>(corners.inverse_volume) * (gather<T>(end_.data(), corners.multiplier) -
                                                        gather<T>(start_.data(), corners.multiplier));
      T force[4];
      detail::find_cross_product(edges[0], edges[1], force);
      for (int i = 0; i < 3; ++i) force[i] = push * force[i];
      force[3] = T(Scalar(0));
      add_rows(force, forces, corners.node);
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;

  struct alignas(64) Batch {
    int offsets[4][width];
    Scalar inverse_volume[width];
    Scalar compliance[width];
  };

  // Nodes of constraints that are fixed, and the corners of the faces opposite to them: the cross product of
  // two edges of such a face is 6 V grad_a C.
  struct alignas(64) Corners {
    int node[width];
    int face[3][width];
    int multiplier[width];
    Scalar inverse_volume[width];
  };

  void append_corners(const VolumeConstraint<Scalar>& constraint, int multiplier, int first_fixed,
                      int nowhere) {
    constexpr std::size_t faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (std::size_t a = 0; a < 4; ++a) {
      if (constraint.offsets[a] < first_fixed) continue;
      const int lane = corner_count_++ % width;
      if (lane == 0) {
        Corners& corners = corners_.emplace_back();
        for (auto* offsets : {&corners.node, &corners.face[0], &corners.face[1], &corners.face[2]})
          std::fill(std::begin(*offsets), std::end(*offsets), nowhere);
      }
      Corners& corners = corners_.back();
      corners.node[lane] = constraint.offsets[a];
      for (std::size_t b = 0; b < 3; ++b) corners.face[b][lane] = constraint.offsets[faces[a][b]];
      corners.multiplier[lane] = multiplier;
      corners.inverse_volume[lane] = constraint.inverse_volume;
    }
  }

  // Of the multipliers of a batch.
  static constexpr std::size_t place_of(std::size_t batch) { return (batch + 1) * std::size_t{width}; }

  static Batch empty_batch(int nowhere) {
    Batch batch{};
    for (int lane = 0; lane < width; ++lane) {
      for (auto& offsets : batch.offsets) offsets[lane] = nowhere;
      batch.compliance[lane] = 1;
    }
    return batch;
  }

  static PLIANT_INLINE void relax(const Batch& batch, const Scalar* before, Scalar* after, Scalar* x) {
    T nodes[4][4];
    for (int a = 0; a < 4; ++a) gather_rows(x, batch.offsets[a], nodes[a]);
    const T inverse_masses[4] = {nodes[0][3], nodes[1][3], nodes[2][3], nodes[3][3]};
    store(after, detail::relax_volume(load<T>(batch.inverse_volume), load<T>(batch.compliance),
                                      load<T>(before), inverse_masses, nodes));
    for (int a = 0; a < 4; ++a) scatter_rows(nodes[a], x, batch.offsets[a]);
  }

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
  // The offsets are those in such arrays; of the inverse masses, one number for each node, they are
  // multiples. Returns the places of the multipliers, behind zeros.
  std::vector<int> take(const std::vector<VolumeConstraint<Scalar>>& constraints, int first_fixed) {
    first_fixed_ = first_fixed;
    constraints_.clear();
    std::vector<int> places(constraints.size());
    for (const auto& group : detail::node_disjoint_groups(constraints, first_fixed, 1)) {
      constraints_.push_back(constraints[group.front()]);
      places[group.front()] = copies * static_cast<int>(constraints_.size());
    }
    return places;
  }

  // Numbers that the multipliers of the copies take.
  std::size_t multipliers_size() const { return copies * (constraints_.size() + 1); }

  // As those of VolumeConstraints, for all constraints: from multipliers `before` to those `after`, which may
  // be the same.
  void relax(const std::vector<Scalar>& inverse_masses, const Scalar* before, Scalar* after,
             Scalar* x) const {
    for (const VolumeConstraint<Scalar>& constraint : constraints_) {
      before += copies;
      after += copies;
      T nodes[4][3], inverse[4];
      for (std::size_t a = 0; a < 4; ++a) {
        load_columns<3>(x + constraint.offsets[a], nodes[a]);
        inverse[a] = T(inverse_masses[static_cast<std::size_t>(constraint.offsets[a] / (3 * copies))]);
      }
      store(after, detail::relax_volume(T(constraint.inverse_volume), T(constraint.compliance),
                                        load<T>(before), inverse, nodes));
      for (std::size_t a = 0; a < 4; ++a) store_columns<3>(nodes[a], x + constraint.offsets[a]);
    }
  }

  void add_forces(const Scalar* before, const Scalar* after, const Scalar* x, Scalar* forces) const {
    for (const VolumeConstraint<Scalar>& constraint : constraints_) {
      before += copies;
      after += copies;
      if (!detail::has_fixed_node(constraint, first_fixed_)) continue;
      T nodes[4][3], normals[4][3];
      for (std::size_t a = 0; a < 4; ++a) load_columns<3>(x + constraint.offsets[a], nodes[a]);
      detail::find_normals(nodes, normals);
      const T push = T(constraint.inverse_volume) * (load<T>(after) - load<T>(before));
      for (std::size_t a = 0; a < 4; ++a) {
        if (const int offset = constraint.offsets[a] - first_fixed_; offset >= 0) {
          for (T& number : normals[a]) number = push * number;
          add_columns<3>(normals[a], forces + offset);
        }
      }
    }
  }

 private:
  using T = Lane<Scalar, copies, isa>;

  std::vector<VolumeConstraint<Scalar>> constraints_;
  int first_fixed_ = 0;
};

}  // namespace pliant
