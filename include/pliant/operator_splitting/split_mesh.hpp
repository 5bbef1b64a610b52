// A mesh in steps of operator splitting, with its prefactored matrix.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/operator_splitting/panels.hpp>

namespace pliant::detail::operator_splitting {

// A tetrahedron of mu |F - R|^2 + lambda / 2 (det F - 1)^2.
template <class Scalar>
struct SplitElement {
  std::array<int, 4> nodes;
  SmallMatrix<Scalar, 4, 3> gradients;  // of the shape functions [1/m]
  double volume;                        // at rest [m^3]
  double mu, lambda;                    // [Pa]
  double share = 1;                     // see volume_share
};

struct SplitNode {
  double mass;         // with the addition by mass damping in a step [kg]
  double kept;         // factor of a velocity by damping in a step
  bool fixed = false;  // held, or moved
};

// The source of the multipliers of the volume constraints at the start of a step.
enum class StartFrom {
  last,    // the end of the previous step
  again,   // the start of the last attempt at this step
  strain,  // the volumes at its start: k = -C / a, see VolumeConstraints
  zero,
};

// The force on a fixed node: it balances elements and loads, and accelerates the node against its mass and
// damping. `mass` and `kept` as in SplitNode; `elastic`: the force of the elements times dt^2; `way`: the
// displacement in the step.
template <class T>
PLIANT_INLINE T holding_force(const T& mass, const T& kept, const T& per_time, const T& way, const T& v,
                              const T& elastic, const T& load) {
  return per_time * (mass * (per_time * way - kept * v) - per_time * elastic) - load;
}

// The factorised matrix M + dt^2 L of the free nodes. Each node has a place, its index in the order of
// elimination; the fixed nodes come last.
template <class Scalar, Isa isa>
class SplitMesh {
 public:
  using Factor = Panels<Scalar, isa>;
  using Element = SplitElement<Scalar>;

  // An entry of M + dt^2 L that couples a fixed node with a free one.
  struct Coupling {
    int fixed, free;  // places
    Scalar value;     // [kg]
  };

  // Returns the elements, stored in processing order, with places in place of node numbers. Throws
  // ParameterError if the matrix overflows, or is singular to rounding.
  std::vector<Element> make(std::vector<Element> elements, const std::vector<SplitNode>& nodes, double dt) {
    // The free nodes, in this order.
    Numbering numbering{std::vector<int>(nodes.size(), -1), {}};
    std::vector<int> fixed;
    for (int i = 0; i < std::ssize(nodes); ++i) {
      if (nodes[at(i)].fixed) {
        fixed.push_back(i);
      } else {
        numbering.to_internal[at(i)] = static_cast<int>(numbering.to_user.size());
        numbering.to_user.push_back(i);
      }
    }
    factorise(elements, nodes, numbering, dt);
    node_.clear();
    for (int place = 0; place < factor_.node_count(); ++place)
      node_.push_back(numbering.to_user[at(factor_.node_at(place))]);
    node_.insert(node_.end(), fixed.begin(), fixed.end());
    place_nodes(nodes);
    place_elements(elements);
    find_couplings(elements, dt);
    return elements;
  }

  const Factor& factor() const { return factor_; }
  int free_count() const { return factor_.node_count(); }
  std::ptrdiff_t count() const { return std::ssize(node_); }  // places
  int node_at(std::ptrdiff_t place) const { return node_[at(place)]; }

  const std::vector<Coupling>& couplings() const { return couplings_; }

  // By place: masses with damping [kg]; their inverses, zero at fixed nodes [1/kg]; factors of velocities by
  // damping.
  const std::vector<Scalar>& masses() const { return masses_; }
  const std::vector<Scalar>& inverse_masses() const { return inverse_masses_; }
  const std::vector<Scalar>& kept() const { return kept_; }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // The entries of dt^2 L that an element adds, by pairs of its nodes [kg].
  template <class Add>
  static void for_each_entry(const Element& e, double dt, Add&& add) {
    const double weight = 2 * e.mu * e.volume * dt * dt;
    const SmallMatrix<double, 4, 3> gradients = e.gradients.template cast<double>();
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b)
        add(e.nodes[at(a)], e.nodes[at(b)], weight * gradients.row(a).dot(gradients.row(b)));
    }
  }

  void factorise(const std::vector<Element>& elements, const std::vector<SplitNode>& nodes,
                 const Numbering& numbering, double dt) {
    const std::vector<int>&number = numbering.to_internal, &free = numbering.to_user;
    ElementMatrix<Tet4> corners(4, std::ssize(elements));
    for (std::size_t e = 0; e < elements.size(); ++e) {
      for (int a = 0; a < 4; ++a) corners(a, static_cast<int>(e)) = elements[e].nodes[at(a)];
    }
    const BlockPattern pattern = BlockPattern::from_graph(
        assembly::renumbered(neighbours_of_nodes<Tet4>(corners, std::ssize(nodes)), numbering));
    std::vector<double> values(at(pattern.blocks()), 0);
    for (std::size_t i = 0; i < free.size(); ++i) values[at(pattern.row_begin[i])] = nodes[at(free[i])].mass;
    for (const Element& e : elements) {
      for_each_entry(e, dt, [&](int a, int b, double value) {
        const int i = number[at(a)], j = number[at(b)];
        if (i >= 0 && i <= j) values[at(pattern.slot(i, j))] += value;
      });
    }
    const linear_solver::FactorResult result = factor_.factorise(pattern, values);
    if (result != linear_solver::FactorResult::done) {
      throw ParameterError("OperatorSplitting::dt", dt,
                           result == linear_solver::FactorResult::not_finite
                               ? "the matrix M + dt^2 L overflows"
                               : "the masses M are below the rounding of dt^2 L");
    }
  }

  void place_nodes(const std::vector<SplitNode>& nodes) {
    masses_.clear();
    inverse_masses_.clear();
    kept_.clear();
    for (const int number : node_) {
      const SplitNode& node = nodes[at(number)];
      masses_.push_back(static_cast<Scalar>(node.mass));
      inverse_masses_.push_back(node.fixed ? Scalar(0) : static_cast<Scalar>(1 / node.mass));
      kept_.push_back(static_cast<Scalar>(node.kept));
    }
  }

  void place_elements(std::vector<Element>& elements) const {
    std::vector<int> place(node_.size());
    for (std::size_t k = 0; k < node_.size(); ++k) place[at(node_[k])] = static_cast<int>(k);
    for (Element& e : elements) {
      for (int& node : e.nodes) node = place[at(node)];
    }
    const auto key = [](const Element& e) {
      return std::ptrdiff_t{e.nodes[0]} + e.nodes[1] + e.nodes[2] + e.nodes[3];
    };
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const Element& a, const Element& b) { return key(a) < key(b); });
  }

  void find_couplings(const std::vector<Element>& elements, double dt) {
    std::map<std::array<int, 2>, double> values;  // of a free and a fixed place
    for (const Element& e : elements) {
      for_each_entry(e, dt, [&](int a, int b, double value) {
        if (a >= free_count() && b < free_count()) values[{b, a}] += value;
      });
    }
    couplings_.clear();
    for (const auto& [places, value] : values)
      couplings_.push_back({places[1], places[0], static_cast<Scalar>(value)});
  }

  Factor factor_;
  std::vector<int> node_;  // at each place
  std::vector<Coupling> couplings_;
  std::vector<Scalar> masses_, inverse_masses_, kept_;
};

}  // namespace pliant::detail::operator_splitting
