// Solids as the integrators see them: energy, gradient and tangent as functions of the nodes' positions.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/elastic_elements.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/assembly/mass.hpp>
#include <pliant/solid/bodies.hpp>

namespace pliant {

// Works in an internal numbering that keeps neighbours together; `to_internal` and `to_user` translate.
// Results are the same to the last bit for any number of threads: each thread owns a range of rows and
// recomputes the few batches of elements on its border, so that every row is summed in the order of the
// elements.
template <class SolidType,  // a Solid or Bodies
          Isa isa = PLIANT_NATIVE_ISA>
class ElasticSystem {
 public:
  using Scalar = typename SolidType::Scalar;
  static constexpr int dim = SolidType::dim;
  using Vector = NodeVector<dim, Scalar, isa>;
  using Matrix = BlockMatrix<dim, Scalar, isa>;

  explicit ElasticSystem(const SolidType& solid) : ElasticSystem(solid, graph_of(solid)) {}

  std::ptrdiff_t node_count() const { return mass_.nodes(); }
  const Numbering& numbering() const { return numbering_; }
  const Vector& mass() const { return mass_; }  // lumped, each node's mass on each axis [kg]
  const Vector& rest() const { return rest_; }  // positions at rest [m]

  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(pattern_); }

  // Between the user's matrices (dim x #nodes, user's numbering) and internal vectors.
  template <class Derived>
  void to_internal(const Eigen::MatrixBase<Derived>& user, Vector& internal) const {
    internal.set_zero();  // the padding too, whatever was in it
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      internal.node(i) = user.col(user_number(i)).template cast<Scalar>();
    }
  }
  void to_user(const Vector& internal, NodeMatrix<Scalar, dim>& user) const {
    parallel_for(node_count(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const int* const number = numbering_.to_internal.data();
      const Scalar* const rows = internal.data();
      Scalar* const columns = user.data();
      // Whole rows, each of which overwrites the padding of that before it.
      for (std::ptrdiff_t i = begin; i + 1 < end; ++i)
        store(columns + dim * i, load<typename Vector::Row>(rows + Vector::stride * number[i]));
      user.col(end - 1) = internal.node(number[end - 1]);
    });
  }

  // Elastic energy [J] at the positions x [m]; not finite where the energy is not defined.
  double energy(const Vector& x) {
    double total = 0;
    for_each_set([&](auto& elements, std::size_t) { total += elements.energy(x); });
    return total;
  }

  // The same, and g = dE/dx [N].
  double gradient(const Vector& x, Vector& g) {
    return assemble<Evaluate::gradient, Projection::none>(x, Scales{}, g, nullptr);
  }

  // The same, and A = stiffness_scale * d2E/dx2 [N/m], the elements' Hessians projected as asked.
  double tangent(const Vector& x, Projection projection, Scalar stiffness_scale, Vector& g, Matrix& A) {
    Scales scales;
    scales.fill(stiffness_scale);
    return tangent(x, projection, scales, g, A);
  }

  // alpha M of the damping, each node's on each axis [kg/s]; without nodes where there is none.
  const Vector& mass_damping() const { return mass_damping_; }

  // beta of the damping beta K where it is the same for all elements [s].
  std::optional<Scalar> uniform_stiffness_damping() const {
    const bool uniform = std::all_of(beta_.begin(), beta_.end(), [&](Scalar b) { return b == beta_[0]; });
    return uniform ? std::optional<Scalar>(beta_[0]) : std::nullopt;
  }

  // As tangent, but A = scale * sum_e beta_e d2E_e/dx2, the damping of the elements [scale N s/m].
  double stiffness_damping(const Vector& x, Projection projection, Scalar scale, Vector& g, Matrix& A) {
    Scales scales = beta_;
    for (Scalar& s : scales) s *= scale;
    return tangent(x, projection, scales, g, A);
  }

  const BlockPattern& pattern() const { return *pattern_; }

  // Calls visit(point, energy) for each quadrature point, see ElasticElements.
  template <class Visit>
  void for_each_point(Visit&& visit) const {
    std::apply([&](const auto&... elements) { (elements.for_each_point(visit), ...); }, sets_);
  }

  // Which rigid motions are left where displacements along `directions` are held, see free_motion.hpp.
  std::string free_motion(const std::vector<HeldDirection<dim>>& directions, const Vector& x) const {
    return pliant::free_motion(*pattern_, directions, numbering_.to_user, x);
  }

  // Whether the elastic energy changes when a body turns as a whole. It never does when one moves along.
  bool feels_rotation() const { return feels_rotation_; }

  // The user's number of an element whose energy is not finite at x, or -1. The elements of several solids
  // are numbered solid after solid.
  int undefined_element(const Vector& x) {
    int found = -1;
    std::ptrdiff_t before = 0;
    for_each_set([&](const auto& elements, std::size_t) {
      const int element = found < 0 ? elements.undefined_element(x) : -1;
      if (element >= 0) found = static_cast<int>(before) + element;
      before += elements.element_count();
    });
    return found;
  }

 private:
  template <class Parts>
  struct SetsOf;
  template <class... Solids>
  struct SetsOf<std::tuple<SolidPart<Solids>...>> {
    using type = std::tuple<ElasticElements<Solids, isa>...>;
  };
  using Sets = typename SetsOf<decltype(parts_of(std::declval<const SolidType&>()))>::type;
  static constexpr std::size_t set_count = std::tuple_size_v<Sets>;
  using Scales = std::array<Scalar, set_count>;

  // One thread's part of an assembly: the rows it owns and the batches that touch them.
  struct Part {
    OwnedRows rows;
    std::array<std::vector<int>, set_count> batches;
  };

  std::ptrdiff_t user_number(std::ptrdiff_t i) const {
    return numbering_.to_user[static_cast<std::size_t>(i)];
  }

  ElasticSystem(const SolidType& solid, const Adjacency& graph)
      : numbering_(reverse_cuthill_mckee(graph)),
        pattern_(
            std::make_shared<const BlockPattern>(BlockPattern::from_graph(renumbered(graph, numbering_)))),
        sets_(make_sets(solid)),
        mass_(solid.node_count()),
        rest_(solid.node_count()) {
    to_internal(solid.nodes(), rest_);
    const auto parts = parts_of(solid);
    const bool damps_mass =
        std::apply([](const auto&... part) { return ((part.solid.damping().alpha > 0) || ...); }, parts);
    if (damps_mass) mass_damping_ = make_vector();
    std::apply([&](const auto&... part) { (add_mass(solid.nodes(), part), ...); }, parts);
    beta_ = std::apply(
        [](const auto&... part) { return Scales{static_cast<Scalar>(part.solid.damping().beta)...}; }, parts);
    for_each_set([&](const auto& elements, std::size_t) {
      feels_rotation_ = feels_rotation_ || elements.feels_rotation();
    });
  }

  // Which nodes share an element, in the user's numbers.
  static Adjacency graph_of(const SolidType& solid) {
    Adjacency graph;
    const auto add = [&]<class Part>(const SolidPart<Part>& part) {
      Adjacency own = neighbours_of_nodes<typename Part::Element>(part.elements, solid.node_count());
      graph = graph.begin.empty() ? std::move(own) : united(graph, own);
    };
    std::apply([&](const auto&... part) { (add(part), ...); }, parts_of(solid));
    return graph;
  }

  Sets make_sets(const SolidType& solid) const {
    NodeMatrix<Scalar, dim> nodes(dim, solid.node_count());
    for (std::ptrdiff_t i = 0; i < nodes.cols(); ++i) nodes.col(i) = solid.nodes().col(user_number(i));
    return std::apply(
        [&](const auto&... part) {
          return Sets{{part.solid, part.elements, nodes, numbering_, *pattern_}...};
        },
        parts_of(solid));
  }

  template <class PartType>
  void add_mass(const NodeMatrix<Scalar, dim>& nodes, const SolidPart<PartType>& part) {
    const auto& solid = part.solid;
    const auto mass = lumped_mass<typename PartType::Element>(
        nodes, part.elements, [&](std::ptrdiff_t e) { return solid.density(e) * solid.thickness().value; });
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      const double m = mass(user_number(i));
      mass_.node(i).array() += static_cast<Scalar>(m);
      if (mass_damping_.nodes() > 0) {
        mass_damping_.node(i).array() += static_cast<Scalar>(solid.damping().alpha * m);
      }
    }
  }

  // Calls visit(elements, number of the set) for each.
  template <class Visit>
  void for_each_set(Visit&& visit) {
    std::apply(
        [&](auto&... elements) {
          std::size_t set = 0;
          (visit(elements, set++), ...);
        },
        sets_);
  }

  // Cuts the rows so that each part has as many batches of its own as the others.
  void cut_parts(int count) {
    const auto rows = static_cast<int>(node_count());
    std::vector<std::ptrdiff_t> before(static_cast<std::size_t>(rows) + 1, 0);  // batches of the rows before
    for_each_set([&](const auto& elements, std::size_t) {
      for (int b = 0; b < elements.batch_count(); ++b) {
        ++before[static_cast<std::size_t>(elements.first_node(b)) + 1];
      }
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    const auto first_row = [&](int part) {
      if (part == count) return rows;
      const auto row = std::upper_bound(before.begin(), before.end(), before.back() * part / count);
      return part == 0 ? 0 : static_cast<int>(row - before.begin()) - 1;
    };
    parts_.assign(static_cast<std::size_t>(count), {});
    for (int p = 0; p < count; ++p) {
      auto& part = parts_[static_cast<std::size_t>(p)];
      const int begin = first_row(p), end = first_row(p + 1);
      part.rows = {begin, end, pattern_->row_begin[static_cast<std::size_t>(begin)],
                   pattern_->row_begin[static_cast<std::size_t>(end)]};
      for_each_set([&](const auto& elements, std::size_t set) {
        part.batches[set] = elements.batches_on(begin, end);
      });
    }
  }

  double tangent(const Vector& x, Projection projection, const Scales& scales, Vector& g, Matrix& A) {
    switch (projection) {
      case Projection::none:
        return assemble<Evaluate::tangent, Projection::none>(x, scales, g, &A);
      case Projection::clamp:
        return assemble<Evaluate::tangent, Projection::clamp>(x, scales, g, &A);
      case Projection::absolute:
        break;
    }
    return assemble<Evaluate::tangent, Projection::absolute>(x, scales, g, &A);
  }

  // Returns the energy.
  template <Evaluate evaluate, Projection projection>
  double assemble(const Vector& x, const Scales& scales, Vector& g, Matrix* A) {
    constexpr int batches_worth_a_thread = 64;
    int batches = 0;
    for_each_set([&](const auto& elements, std::size_t) { batches += elements.batch_count(); });
    const int count = std::clamp(batches / batches_worth_a_thread, 1, thread_count());
    if (static_cast<int>(parts_.size()) != count) cut_parts(count);
    parallel_parts(count, [&](int p) {
      const Part& part = parts_[static_cast<std::size_t>(p)];
      std::fill(g.data() + std::ptrdiff_t{part.rows.begin} * node_stride<dim>,
                g.data() + std::ptrdiff_t{part.rows.end} * node_stride<dim>, Scalar(0));
      Scalar* matrix = nullptr;
      if constexpr (evaluate == Evaluate::tangent) {
        matrix = A->values();
        std::fill(matrix + std::ptrdiff_t{part.rows.slot_begin} * Matrix::block_size,
                  matrix + std::ptrdiff_t{part.rows.slot_end} * Matrix::block_size, Scalar(0));
      }
      for_each_set([&](auto& elements, std::size_t set) {
        elements.template add<evaluate, projection>(part.batches[set], part.rows, x, scales[set], g.data(),
                                                    matrix);
      });
    });
    double total = 0;
    for_each_set([&](const auto& elements, std::size_t) { total += elements.last_energy(); });
    return total;
  }

  Numbering numbering_;
  std::shared_ptr<const BlockPattern> pattern_;
  Sets sets_;  // one for each solid
  Vector mass_;
  Vector rest_;
  Vector mass_damping_;
  Scales beta_;  // of each set [s]
  bool feels_rotation_ = false;
  std::vector<Part> parts_;
};

}  // namespace pliant
