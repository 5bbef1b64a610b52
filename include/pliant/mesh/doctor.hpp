// The mesh doctor: finds defects that make a mesh unusable for simulation, and names a repair
// (mesh/repair.hpp) for each. It changes nothing, and no input makes it crash.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/coincident.hpp>
#include <pliant/mesh/diagnosis.hpp>
#include <pliant/mesh/disjoint_sets.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// Options of the diagnosis.
struct DiagnosisOptions {
  double duplicate_tolerance = 0;  // nodes at most this far apart are reported as duplicates [m]
  double sliver_quality = 0.05;    // elements of a lower quality (see element_quality) are reported
};

namespace detail::mesh {

enum class VolumeSign {
  positive,    // at every quadrature point
  negative,    // at every quadrature point: the element is flipped
  mixed,       // both: the element is folded in itself
  degenerate,  // no volume
};

// The sign of the volume of an element whose nodes exist and are finite. It has no volume if |V| <= 1e-12
// L^dim, where L is the greatest distance of two of its own nodes: a criterion that neither the unit of
// length nor the fineness of the mesh changes. Far from the origin the coordinates themselves are rounded by
// up to epsilon |X| / 2, which moves the volume by up to epsilon |X| L^(dim - 1); within that bound the sign
// means nothing. A volume that the scalar type cannot represent is none either.
template <Element E, class Scalar>
VolumeSign volume_sign(const Mesh<E, Scalar>& mesh, Eigen::Index element, const ScaledElement<E>& scaled) {
  if (!(scaled.size > 0)) return VolumeSign::degenerate;
  double farthest = 0;  // |X| in the maximum norm, in units of the element's size, like all lengths here
  for (const int node : mesh.elements.col(element)) {
    for (int i = 0; i < E::dim; ++i) {
      farthest = std::max(farthest, std::abs(static_cast<double>(mesh.nodes(i, node))) / scaled.size);
    }
  }
  const double L = scaled.diameter();
  const double rounding = std::numeric_limits<Scalar>::epsilon() * farthest * std::pow(L, E::dim - 1);
  const double threshold = std::max(1e-12 * std::pow(L, E::dim), rounding);
  double volume = 0;  // |V|, or more if the element is folded
  bool positive = false;
  bool negative = false;
  for (int q = 0; q < E::quadrature_points; ++q) {
    const double J = scaled.jacobian_determinant(q);
    (J > 0 ? positive : negative) = true;
    volume += E::quadrature_weight(q) * std::abs(J);
  }
  const double represented = volume * std::pow(scaled.size, E::dim);
  if (volume <= threshold || !(represented >= std::numeric_limits<Scalar>::min() &&
                               represented <= std::numeric_limits<Scalar>::max())) {
    return VolumeSign::degenerate;
  }
  if (positive && negative) return VolumeSign::mixed;
  return positive ? VolumeSign::positive : VolumeSign::negative;
}

// An element of positive volume at every quadrature point that has none, or a negative one, at a corner: two
// edges or faces that meet there lie in line, or the corner points inward.
template <Element E>
bool is_distorted(const ScaledElement<E>& scaled) {
  if constexpr (requires { E::shape_gradient_at_node(0); }) {
    return scaled.least_determinant_at_nodes() <= 1e-12 * std::pow(scaled.diameter(), E::dim);
  } else {
    return false;
  }
}

// All nodes of the element exist.
template <Element E, class Scalar>
bool has_all_nodes(const Mesh<E, Scalar>& mesh, Eigen::Index element) {
  for (const int node : mesh.elements.col(element)) {
    if (node < 0 || node >= mesh.node_count()) return false;
  }
  return true;
}

template <Element E>
std::array<int, static_cast<std::size_t>(E::nodes)> sorted_nodes(const ElementMatrix<E>& elements,
                                                                 Eigen::Index element) {
  std::array<int, static_cast<std::size_t>(E::nodes)> nodes;
  for (std::size_t a = 0; a < nodes.size(); ++a) nodes[a] = elements(static_cast<int>(a), element);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

template <Element E>
bool repeats_a_node(const ElementMatrix<E>& elements, Eigen::Index element) {
  const auto nodes = sorted_nodes<E>(elements, element);
  return std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end();
}

// Calls visit(element, original) for each of the `wanted` elements that has the nodes of an earlier one, the
// original.
template <Element E, class Wanted, class Visit>
void find_duplicate_elements(const ElementMatrix<E>& elements, std::ptrdiff_t node_count, Wanted&& wanted,
                             Visit&& visit) {
  constexpr auto count = static_cast<std::size_t>(E::nodes);
  group_by_nodes<count>(
      node_count,
      [&elements, &wanted](auto&& take) {
        for (Eigen::Index element = 0; element < elements.cols(); ++element) {
          if (wanted(element))
            take(NodeTuple<count>{sorted_nodes<E>(elements, element), static_cast<int>(element), 0});
        }
      },
      [&visit](auto equal) {
        for (std::size_t i = 1; i < equal.size(); ++i) visit(equal[i].element, equal[0].element);
      });
}

// Two elements that share a face lie on opposite sides of it exactly if they go around it in opposite senses.
template <Element E>
bool same_side(const ElementMatrix<E>& elements, const NodeTuple<std::tuple_size_v<FaceNodes<E>>>& a,
               const NodeTuple<std::tuple_size_v<FaceNodes<E>>>& b) {
  const auto nodes_a = nodes_of_face<E>(elements, a.element, a.face);
  const auto nodes_b = nodes_of_face<E>(elements, b.element, b.face);
  if (nodes_a.size() == 2) return nodes_a == nodes_b;
  const auto after_lowest = [](const auto& nodes) {
    const auto lowest =
        static_cast<std::size_t>(std::min_element(nodes.begin(), nodes.end()) - nodes.begin());
    return nodes[(lowest + 1) % nodes.size()];
  };
  return after_lowest(nodes_a) == after_lowest(nodes_b);
}

// One examination; each step looks only at what the steps before it found sound.
template <Element E, class Scalar>
class Examination {
 public:
  Examination(const Mesh<E, Scalar>& mesh, const DiagnosisOptions& options) : mesh_(mesh), options_(options) {
    diagnosis_.element_name = E::name;
    diagnosis_.node_count = mesh.node_count();
    diagnosis_.element_count = mesh.element_count();
    diagnosis_.region_entries = static_cast<std::ptrdiff_t>(mesh.regions.size());
    check_nodes();
    check_indices();
    check_volumes();
    check_duplicate_elements();
    check_faces();
    count_components();
  }

  Diagnosis diagnosis() && { return std::move(diagnosis_); }

 private:
  enum class State : char {
    broken,   // refers to nodes that are missing or not finite, or to one node twice
    usable,   // distinct nodes, but no volume, or a negative one
    healthy,  // positive volume
    copy,     // an earlier element has the same nodes
  };

  State& state(Eigen::Index element) { return states_[static_cast<std::size_t>(element)]; }

  void check_nodes() {
    for (Eigen::Index node = 0; node < mesh_.nodes.cols(); ++node) {
      if (!is_finite_node(mesh_.nodes, node)) diagnosis_.non_finite_nodes.push_back(static_cast<int>(node));
    }
    const std::vector<int> clusters = coincident_nodes(mesh_.nodes, options_.duplicate_tolerance);
    for (std::size_t node = 0; node < clusters.size(); ++node) {
      if (clusters[node] == static_cast<int>(node)) continue;
      diagnosis_.duplicate_nodes.push_back({static_cast<int>(node), clusters[node]});
    }
  }

  void check_indices() {
    states_.assign(static_cast<std::size_t>(mesh_.element_count()), State::broken);
    std::vector<char> used(static_cast<std::size_t>(mesh_.node_count()), 0);
    for (Eigen::Index element = 0; element < mesh_.elements.cols(); ++element) {
      for (const int node : mesh_.elements.col(element)) {
        if (node >= 0 && node < mesh_.node_count()) used[static_cast<std::size_t>(node)] = 1;
      }
      const int number = static_cast<int>(element);
      if (!has_all_nodes(mesh_, element)) {
        diagnosis_.elements_missing_nodes.push_back(number);
      } else if (repeats_a_node<E>(mesh_.elements, element)) {
        diagnosis_.elements_repeating_a_node.push_back(number);
      } else if (has_finite_nodes(element)) {
        state(element) = State::usable;
      } else {
        diagnosis_.elements_of_non_finite_nodes.push_back(number);
      }
    }
    for (std::size_t node = 0; node < used.size(); ++node) {
      if (!used[node]) diagnosis_.unreferenced_nodes.push_back(static_cast<int>(node));
    }
  }

  bool has_finite_nodes(Eigen::Index element) const {
    for (const int node : mesh_.elements.col(element)) {
      if (!is_finite_node(mesh_.nodes, node)) return false;
    }
    return true;
  }

  void check_volumes() {
    for (Eigen::Index element = 0; element < mesh_.elements.cols(); ++element) {
      if (state(element) != State::usable) continue;
      const int number = static_cast<int>(element);
      const ScaledElement<E> scaled(mesh_, element);
      switch (volume_sign(mesh_, element, scaled)) {
        case VolumeSign::positive:
          measure(number, mean_ratio(scaled));
          if (is_distorted(scaled)) diagnosis_.distorted_elements.push_back(number);
          break;
        case VolumeSign::negative:
          diagnosis_.flipped_elements.push_back(number);
          break;
        case VolumeSign::mixed:
          diagnosis_.tangled_elements.push_back(number);
          break;
        case VolumeSign::degenerate:
          diagnosis_.degenerate_elements.push_back(number);
          break;
      }
    }
  }

  void measure(int element, double quality) {
    state(element) = State::healthy;
    if (quality < options_.sliver_quality) diagnosis_.slivers.push_back(element);
    if (diagnosis_.worst_element >= 0 && !(quality < diagnosis_.worst_quality)) return;
    diagnosis_.worst_element = element;
    diagnosis_.worst_quality = quality;
  }

  void check_duplicate_elements() {
    find_duplicate_elements<E>(
        mesh_.elements, mesh_.node_count(),
        [this](Eigen::Index element) { return state(element) != State::broken; },
        [this](int element, int original) {
          diagnosis_.duplicate_elements.push_back({element, original});
        });
    for (const Duplicate& duplicate : diagnosis_.duplicate_elements) state(duplicate.number) = State::copy;
    std::sort(diagnosis_.duplicate_elements.begin(), diagnosis_.duplicate_elements.end(),
              [](const Duplicate& a, const Duplicate& b) { return a.number < b.number; });
  }

  // Copies are left out: each of their faces would be reported.
  void check_faces() {
    group_faces<E>(
        mesh_.elements, mesh_.node_count(),
        [this](Eigen::Index element) {
          return state(element) == State::usable || state(element) == State::healthy;
        },
        [this](auto uses) {
          if (uses.size() > 2) diagnosis_.non_manifold_faces.push_back(shared_face(uses));
          if (uses.size() != 2) return;
          if (state(uses[0].element) != State::healthy || state(uses[1].element) != State::healthy) return;
          if (same_side<E>(mesh_.elements, uses[0], uses[1]))
            diagnosis_.folded_faces.push_back(shared_face(uses));
        });
  }

  void count_components() {
    DisjointSets sets(mesh_.node_count());
    for (Eigen::Index element = 0; element < mesh_.elements.cols(); ++element) {
      if (state(element) == State::broken) continue;
      for (const int node : mesh_.elements.col(element)) sets.join(mesh_.elements(0, element), node);
    }
    std::vector<int> component_of_node(static_cast<std::size_t>(mesh_.node_count()), -1);
    for (Eigen::Index element = 0; element < mesh_.elements.cols(); ++element) {
      if (state(element) == State::broken) continue;
      int& component =
          component_of_node[static_cast<std::size_t>(sets.representative(mesh_.elements(0, element)))];
      if (component < 0) {
        component = static_cast<int>(diagnosis_.component_sizes.size());
        diagnosis_.component_sizes.push_back(0);
      }
      ++diagnosis_.component_sizes[static_cast<std::size_t>(component)];
    }
  }

  const Mesh<E, Scalar>& mesh_;
  const DiagnosisOptions& options_;
  std::vector<State> states_;
  Diagnosis diagnosis_;
};

}  // namespace detail::mesh

// Examines the mesh. Defects do not throw; a tolerance in the options that is negative or not finite is a
// ParameterError.
template <Element E, class Scalar>
Diagnosis diagnose(const Mesh<E, Scalar>& mesh, const DiagnosisOptions& options = {}) {
  return detail::mesh::Examination<E, Scalar>(mesh, options).diagnosis();
}

// Throws MeshError with the diagnosis as its reason unless a Solid can be built from the mesh.
template <Element E, class Scalar>
void require_usable(const Mesh<E, Scalar>& mesh) {
  const Diagnosis diagnosis = diagnose(mesh);
  if (!diagnosis.usable()) throw MeshError(diagnosis.message());
}

}  // namespace pliant
