// Several solids, of any elements and energies, simulated as one.
#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/mesh/coincident.hpp>
#include <pliant/mesh/mixed_mesh.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant {

// Connects several solids: nodes of different solids are merged if their distance is at most this tolerance.
// Merging is transitive: two nodes with a larger distance are merged too if a third one lies between them.
struct Weld {
  double tolerance = 0;  // [m]
};

// Bodies can replace a Solid in integrators and constraints. Its nodes are those of the first solid, then
// those of the second, and so on; `nodes<i>(numbers)` translates node numbers of the i-th solid:
//   auto bone = Solid(hexes, StVenantKirchhoff(stiff), Density{1900});
//   auto flesh = Solid(tets, StableNeoHookean(soft), Density{1000});
//   auto arm = Bodies(Weld{1e-6}, bone, flesh);
//   auto held = Pinned(arm.nodes<0>(nodes_where(hexes, ...)));
template <class... Solids>
class Bodies {
  static_assert(sizeof...(Solids) >= 1, "Bodies needs at least one Solid");
  static_assert((detail::solid::is_solid<Solids> && ...), "each argument of Bodies must be a Solid");
  template <std::size_t i>
  using SolidAt = std::tuple_element_t<i, std::tuple<Solids...>>;

 public:
  using Scalar = typename SolidAt<0>::Scalar;
  static constexpr int dim = SolidAt<0>::dim;
  static constexpr std::size_t count = sizeof...(Solids);
  using Mesh = MixedMesh<Scalar, typename Solids::Element...>;
  static_assert(((Solids::dim == dim) && ...), "all solids of Bodies must have the same dimension");
  static_assert((std::is_same_v<typename Solids::Scalar, Scalar> && ...),
                "all solids of Bodies must have the same scalar type");

  // Unconnected.
  explicit Bodies(Solids... solids) : solids_(std::move(solids)...) {
    std::vector<int> own(static_cast<std::size_t>(total_nodes()));
    std::iota(own.begin(), own.end(), 0);
    join(own);
  }

  // Welded; a merged node has the position of that of the earlier solid. Nodes that coincide within one
  // solid, as at a crack, are not merged. Throws ParameterError if the tolerance is negative, if it leaves a
  // solid unconnected, or if it would merge two nodes of one solid with a node of another; MeshError if an
  // element becomes unusable by the move.
  Bodies(Weld weld, Solids... solids) : solids_(std::move(solids)...) {
    NodeMatrix<Scalar, dim> all(dim, total_nodes());
    for_each(
        [&](const auto& solid, auto i) { all.middleCols(first(i), solid.node_count()) = solid.nodes(); });
    join(across_solids(coincident_nodes<Scalar, dim>(all, weld.tolerance)));
    for_each([&](const auto& solid, auto i) { require_weld<i>(solid, weld.tolerance); });
  }

  // The i-th solid as given.
  template <std::size_t i>
  const auto& solid() const {
    return std::get<i>(solids_);
  }

  const Mesh& mesh() const { return mesh_; }
  const NodeMatrix<Scalar, dim>& nodes() const { return mesh_.nodes; }  // rest positions [m], dim x #nodes
  std::ptrdiff_t node_count() const { return mesh_.node_count(); }

  // The number in the whole of a node of the i-th solid. Throws IndexError if that solid has no such node.
  template <std::size_t i>
  int node(int number) const {
    const auto& numbers = numbers_[i];
    if (number < 0 || number >= std::ssize(numbers)) {
      throw IndexError("solid " + std::to_string(i) + ": node", number, std::ssize(numbers));
    }
    return numbers[static_cast<std::size_t>(number)];
  }

  // The same for a set of nodes, e.g. one of nodes_where(solid's mesh, ...).
  template <std::size_t i>
  std::vector<int> nodes(const std::vector<int>& numbers) const {
    std::vector<int> result;
    result.reserve(numbers.size());
    for (const int number : numbers) result.push_back(node<i>(number));
    return result;
  }

  // All nodes of the i-th solid.
  template <std::size_t i>
  const std::vector<int>& nodes() const {
    return numbers_[i];
  }

  // The same with additional terms, see potential/concept.hpp; they use the node numbers of all bodies.
  template <class... Terms>
  WithTerms<Bodies, Terms...> with(Terms... terms) const {
    return {*this, std::tuple<Terms...>(std::move(terms)...)};
  }

 private:
  // Calls use(solid, its index as a constant) for each solid.
  template <class Use>
  void for_each(Use&& use) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (use(std::get<i>(solids_), std::integral_constant<std::size_t, i>{}), ...);
    }
    (std::index_sequence_for<Solids...>{});
  }

  std::ptrdiff_t total_nodes() const {
    return std::apply([](const auto&... solid) { return (solid.node_count() + ...); }, solids_);
  }

  // The number of nodes of the solids before the i-th.
  std::ptrdiff_t first(std::size_t i) {
    std::ptrdiff_t before = 0;
    for_each([&](const auto& solid, std::size_t j) { before += j < i ? solid.node_count() : 0; });
    return before;
  }

  // `representative` without the sets whose nodes all belong to one solid.
  std::vector<int> across_solids(std::vector<int> representative) {
    constexpr int none = -1, several = -2;
    std::vector<int> solid_of(representative.size(), none);  // of the nodes of a representative
    std::size_t node = 0;
    for_each([&](const auto& solid, std::size_t i) {
      for (std::ptrdiff_t k = 0; k < solid.node_count(); ++k, ++node) {
        int& owner = solid_of[static_cast<std::size_t>(representative[node])];
        const int own = static_cast<int>(i);
        owner = owner == none || owner == own ? own : several;
      }
    });
    for (node = 0; node < representative.size(); ++node) {
      if (solid_of[static_cast<std::size_t>(representative[node])] != several) {
        representative[node] = static_cast<int>(node);
      }
    }
    return representative;
  }

  // `representative`: for each node of all solids the node with which it is merged.
  void join(const std::vector<int>& representative) {
    std::vector<int> number(representative.size(), -1);
    std::ptrdiff_t node = 0;
    int used = 0;
    mesh_.nodes.resize(dim, total_nodes());
    for_each([&](const auto& solid, auto i) {
      auto& numbers = numbers_[i];
      for (std::ptrdiff_t k = 0; k < solid.node_count(); ++k, ++node) {
        int& of_place = number[static_cast<std::size_t>(representative[static_cast<std::size_t>(node)])];
        if (of_place < 0) {
          mesh_.nodes.col(used) = solid.nodes().col(k);
          of_place = used++;
        }
        numbers.push_back(of_place);
      }
      auto& part = std::get<i>(mesh_.parts);
      part.elements = solid.mesh().elements.unaryExpr(
          [&](int corner) { return numbers[static_cast<std::size_t>(corner)]; });
      part.regions = solid.mesh().regions;
      part.region_names = solid.mesh().region_names;
    });
    mesh_.nodes.conservativeResize(dim, used);
  }

  template <std::size_t i, class SolidType>
  void require_weld(const SolidType& solid, double tolerance) const {
    const std::string name = "solid " + std::to_string(i);
    std::vector<int> own(static_cast<std::size_t>(node_count()), -1);
    for (int k = 0; k < std::ssize(numbers_[i]); ++k) {
      int& other = own[static_cast<std::size_t>(numbers_[i][static_cast<std::size_t>(k)])];
      if (other >= 0) {
        const bool coincide = solid.nodes().col(other) == solid.nodes().col(k);
        throw ParameterError("Weld::tolerance", tolerance,
                             (coincide ? "cannot weld " : "must be smaller (m): ") + std::string("nodes ") +
                                 std::to_string(other) + " and " + std::to_string(k) + " of " + name +
                                 (coincide ? ", which coincide with each other and with a node of "
                                             "another solid: merge them first, see merge_duplicate_nodes"
                                           : " would be merged"));
      }
      other = k;
    }
    bool touches = false;
    for (std::size_t j = 0; j < count; ++j) {
      for (const int node : numbers_[j])
        touches = touches || (j != i && own[static_cast<std::size_t>(node)] >= 0);
    }
    if (!touches && count > 1) {
      throw ParameterError("Weld::tolerance", tolerance,
                           "must be larger (m): no node of " + name + " coincides with one of another solid");
    }
    auto moved = solid.mesh();
    for (int k = 0; k < std::ssize(numbers_[i]); ++k) {
      moved.nodes.col(k) = mesh_.nodes.col(numbers_[i][static_cast<std::size_t>(k)]);
    }
    if (moved.nodes != solid.mesh().nodes) require_usable(moved);
  }

  std::tuple<Solids...> solids_;
  Mesh mesh_;
  std::array<std::vector<int>, count> numbers_;  // of each solid's nodes
};

template <class... Solids>
Bodies(Weld, Solids...) -> Bodies<Solids...>;

// A solid of Bodies, or a single Solid, with its elements in the node numbers of the whole.
template <class SolidType>
struct SolidPart {
  const SolidType& solid;
  const ElementMatrix<typename SolidType::Element>& elements;
};

// The solids of a Solid or Bodies; the references are to its members.
template <Element E, class Energy, class Scalar>
std::tuple<SolidPart<Solid<E, Energy, Scalar>>> parts_of(const Solid<E, Energy, Scalar>& solid) {
  return {{solid, solid.mesh().elements}};
}
template <class... Solids>
std::tuple<SolidPart<Solids>...> parts_of(const Bodies<Solids...>& bodies) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple<SolidPart<Solids>...>{
        SolidPart<Solids>{bodies.template solid<i>(), std::get<i>(bodies.mesh().parts).elements}...};
  }
  (std::index_sequence_for<Solids...>{});
}

}  // namespace pliant
