// One solid at many poses.
#pragma once

#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/algebra/pose.hpp>
#include <pliant/solid/bodies.hpp>

namespace pliant {

// Copies (instances) of a solid, each at rest at its own pose. Integrators and constraints treat them as one
// body. Its nodes are those of the first copy, then those of the second, and so on:
//   auto cow = Solid(mesh, FixedCorotated(lame), Density{1000});
//   auto herd = Copies(cow, poses);                                  // std::vector<Pose<3>>
//   auto held = Pinned(herd.nodes(nodes_where(mesh, ...)));          // of every copy
//
// Rest shapes come from the one mesh, and a simulation computes with positions relative to the translation of
// each pose: shapes, motions and energies are as accurate at a distance of 1 km, in floats too, as at the
// origin. OperatorSplitting solves copies together, see SplitCopies, without comparing their shapes.
template <class SolidType>  // a Solid
class Copies {
  static_assert(detail::solid::is_solid<SolidType>, "the first argument of Copies must be a Solid");

 public:
  using Element = typename SolidType::Element;
  using Energy = typename SolidType::Energy;
  using Scalar = typename SolidType::Scalar;
  using Mesh = typename SolidType::Mesh;
  static constexpr int dim = SolidType::dim;
  using Pose = pliant::Pose<dim>;

  // Throws ParameterError if there is no pose, or if the number of nodes or elements exceeds the range of
  // int.
  Copies(SolidType original, std::vector<Pose> poses)
      : original_(std::move(original)), poses_(std::move(poses)) {
    const Mesh& one = original_.mesh();
    const double copies = static_cast<double>(poses_.size());
    detail::core::require_parameter(copies > 0, "Copies: number of poses", copies, "must be positive");
    for (const std::ptrdiff_t size : {one.node_count(), one.element_count()}) {
      const double all = copies * static_cast<double>(size);
      detail::core::require_parameter(all <= std::numeric_limits<int>::max() / 8, "Copies: nodes or elements",
                                      all, "are too many");
    }
    at_origin_.resize(dim, one.node_count() * count());
    mesh_.nodes.resize(dim, at_origin_.cols());
    mesh_.elements.resize(Element::nodes, one.element_count() * count());
    mesh_.region_names = one.region_names;
    for (int copy = 0; copy < count(); ++copy) {
      for (int i = 0; i < one.node_count(); ++i) {
        const SmallVector<double, dim> turned = pose(copy).rotated(one.nodes.col(i).template cast<double>());
        at_origin_.col(node(copy, i)) = turned.template cast<Scalar>();
        mesh_.nodes.col(node(copy, i)) = (turned + pose(copy).translation()).template cast<Scalar>();
      }
      mesh_.elements.middleCols(copy * one.element_count(), one.element_count()) =
          one.elements.array() + node(copy, 0);
      mesh_.regions.insert(mesh_.regions.end(), one.regions.begin(), one.regions.end());
    }
    for (const auto& [name, set] : one.node_sets) mesh_.node_sets[name] = nodes(set);
  }

  template <class Other>
  Copies(SolidType original, const Other&) requires(!std::is_convertible_v<const Other&, std::vector<Pose>>)
      : original_(std::move(original)) {
    static_assert(
        detail::core::always_false<Other>,
        "the second argument of Copies must be a std::vector of poses, of as many dimensions as the "
        "solid has");
  }

  const SolidType& original() const { return original_; }
  int count() const { return static_cast<int>(poses_.size()); }
  const Pose& pose(int copy) const { return poses_[static_cast<std::size_t>(copy)]; }

  // The mesh of all copies at their poses.
  const Mesh& mesh() const { return mesh_; }
  const NodeMatrix<Scalar, dim>& nodes() const { return mesh_.nodes; }  // rest positions [m], dim x #nodes
  std::ptrdiff_t node_count() const { return mesh_.node_count(); }

  // The same without the translations of the poses [m].
  const NodeMatrix<Scalar, dim>& nodes_at_origin() const { return at_origin_; }

  // The number in the whole of a node of a copy.
  int node(int copy, int number) const { return copy * static_cast<int>(original_.node_count()) + number; }

  // The numbers in the whole of nodes of one copy, and of the same nodes of every copy. They throw IndexError
  // for a copy or a node that does not exist.
  std::vector<int> nodes(int copy, const std::vector<int>& numbers) const {
    std::vector<int> result;
    append(copy, numbers, result);
    return result;
  }
  std::vector<int> nodes(const std::vector<int>& numbers) const {
    std::vector<int> result;
    for (int copy = 0; copy < count(); ++copy) append(copy, numbers, result);
    return result;
  }

  const Energy& energy() const { return original_.energy(); }
  double density(std::ptrdiff_t element) const {  // of an element [kg/m^3]
    return original_.density(element % original_.mesh().element_count());
  }
  const Rayleigh& damping() const { return original_.damping(); }
  const StrainDamping& strain_damping() const { return original_.strain_damping(); }
  Thickness thickness() const { return original_.thickness(); }

  // The same with additional terms, see potential/concept.hpp; they use the node numbers of all copies.
  template <class... Terms>
  WithTerms<Copies, Terms...> with(Terms... terms) const {
    return {*this, std::tuple<Terms...>(std::move(terms)...)};
  }

 private:
  void append(int copy, const std::vector<int>& numbers, std::vector<int>& result) const {
    if (copy < 0 || copy >= count()) throw IndexError("copy", copy, count());
    for (const int number : numbers) {
      if (number < 0 || number >= original_.node_count())
        throw IndexError("node of a copy", number, original_.node_count());
      result.push_back(node(copy, number));
    }
  }

  SolidType original_;
  std::vector<Pose> poses_;
  Mesh mesh_;
  NodeMatrix<Scalar, dim> at_origin_;
};

template <Element E, class Energy, class Scalar>
Copies(Solid<E, Energy, Scalar>, std::vector<Pose<E::dim>>) -> Copies<Solid<E, Energy, Scalar>>;

// The solids of Copies: itself, because its elements are of one type.
template <class SolidType>
std::tuple<SolidPart<Copies<SolidType>>> parts_of(const Copies<SolidType>& copies) {
  return {{copies, copies.mesh().elements}};
}

}  // namespace pliant
