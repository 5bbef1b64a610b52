// The System of solids: energy, gradient and tangent as functions of the nodes' positions.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/algebra/origins.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/elastic_elements.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/assembly/growing_pattern.hpp>
#include <pliant/assembly/mass.hpp>
#include <pliant/solid/copies.hpp>
#include <pliant/solid/with_terms.hpp>

namespace pliant {

template <int Dim, class Scalar, Isa isa>
class Filter;  // constraint/filter.hpp
template <class VectorType>
class Contacts;  // contact/response/contacts.hpp

namespace detail::assembly {

// Whether the material of any of these solids flows.
template <class Parts>
inline constexpr bool any_flows = false;
template <class... Solids>
inline constexpr bool any_flows<std::tuple<SolidPart<Solids>...>> = (flows<Solids> || ...);

}  // namespace detail::assembly

// The System of a solid. It uses an internal numbering in which neighbours have close numbers; `to_internal`
// and `to_user` translate. Results are the same to the last bit for any number of threads: each thread owns a
// range of rows and recomputes the few batches of elements on its border, so that every row is summed in the
// order of the elements.
//
// Positions of Copies are relative to the translations of their poses, see `origins`.
template <class SolidType,  // a Solid, Bodies or Copies
          Isa isa = PLIANT_NATIVE_ISA>
class ElasticSystem {
 public:
  using Scalar = typename SolidType::Scalar;
  static constexpr int dim = SolidType::dim;
  using Vector = NodeVector<dim, Scalar, isa>;
  using Matrix = BlockMatrix<dim, Scalar, isa>;
  using Filter = pliant::Filter<dim, Scalar, isa>;
  using Contacts = pliant::Contacts<Vector>;
  using Positions = NodeMatrix<Scalar, dim>;  // dim x #nodes, in the user's numbering
  static constexpr int space = dim;

  using Parts = decltype(parts_of(std::declval<const SolidType&>()));  // a SolidPart for each solid
  static constexpr std::size_t solid_count = std::tuple_size_v<Parts>;
  static constexpr bool is_copies = requires(const SolidType& solid) { solid.nodes_at_origin(); };
  using Terms = std::remove_cvref_t<decltype(detail::solid::terms_of(std::declval<const SolidType&>()))>;
  static constexpr SystemAbilities abilities{.exact_view = true,
                                             .constant_forces = true,
                                             .free_bodies = true,
                                             .origins = is_copies,
                                             .terms = std::tuple_size_v<Terms> != 0,
                                             .own_state = true};
  static constexpr bool is_plastic = detail::assembly::any_flows<Parts>;

  explicit ElasticSystem(const SolidType& solid) : ElasticSystem(solid, graph_of(solid)) {}

  std::ptrdiff_t node_count() const { return mass_.nodes(); }
  const Numbering& numbering() const { return numbering_; }
  const Vector& mass() const { return mass_; }  // lumped, each node's mass on each axis [kg]
  const Vector& rest() const { return rest_; }  // positions at rest [m]
  const Origins<dim>& origins() const { return origins_; }

  // The number of nodes of each instance in Copies, whose nodes come one instance after the other in the
  // user's numbering; otherwise 0.
  std::ptrdiff_t nodes_of_copy() const { return nodes_of_copy_; }

  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(matrix_pattern_.pattern()); }

  // The rest positions of a solid in the user's numbers, each relative to its origin [m].
  static const NodeMatrix<Scalar, dim>& rest_nodes(const SolidType& solid) {
    if constexpr (is_copies) return solid.nodes_at_origin();
    else return solid.nodes();
  }

  // Between the user's matrices (dim x #nodes, user's numbering) and internal vectors.
  template <class Derived>
  void to_internal(const Eigen::MatrixBase<Derived>& user, Vector& internal) const {
    internal.set_zero();  // including the padding
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      internal.node(i) = user.col(user_number(i)).template cast<Scalar>();
    }
  }
  void to_user(const Vector& internal, NodeMatrix<Scalar, dim>& user) const {
    for_each_row(internal, [to = user.data()](std::ptrdiff_t column, int, const auto& row, auto&& put) {
      put(to + dim * column, row);
    });
  }

  // The same for positions, which are in the world in the user's matrices, and relative to the origins
  // internally.
  void positions_to_internal(const NodeMatrix<Scalar, dim>& user, Vector& internal) const {
    if (origins_.all_zero()) return to_internal(user, internal);
    internal.set_zero();
    for (std::ptrdiff_t i = 0; i < node_count(); ++i)
      internal.node(i) =
          (user.col(user_number(i)).template cast<double>() - origins_.of(i)).template cast<Scalar>();
  }
  void positions_to_user(const Vector& internal, NodeMatrix<Scalar, dim>& world,
                         NodeMatrix<Scalar, dim>& relative) const {
    using Row = typename Vector::Row;
    using Wide = simd::Lane<double, Vector::stride, isa>;
    for_each_row(internal, [this, to = world.data(), also_to = relative.data()](
                               std::ptrdiff_t column, int node, const Row& row, auto&& put) {
      const auto origin = origins_.of(node);
      Wide far(0.0);
      PLIANT_UNROLL for (int axis = 0; axis < dim; ++axis) simd::set_lane(far, axis, origin[axis]);
      put(also_to + dim * column, row);
      put(to + dim * column, simd::convert<Row>(simd::convert<Wide>(row) + far));
    });
  }

  // The view of the user; see the System concept.
  std::ptrdiff_t visible_node_count() const { return node_count(); }
  int user_number(std::ptrdiff_t node) const { return numbering_.to_user[static_cast<std::size_t>(node)]; }
  int internal_number(int user) const { return numbering_.to_internal[static_cast<std::size_t>(user)]; }
  void show_positions(const Vector& x, Positions& positions) const { to_user(x, positions); }
  void show_velocities(const Vector&, const Vector& v, Positions& velocities) const {
    to_user(v, velocities);
  }
  void show_forces(const Vector&, const Vector& f, Positions& forces) const { to_user(f, forces); }
  void take_positions(const Positions& positions, Vector& x) const { positions_to_internal(positions, x); }
  void take_velocities(const Vector&, const Positions& velocities, Vector& v) const {
    to_internal(velocities, v);
  }
  void take_forces(const Vector&, const Positions& forces, Vector& f) const { to_internal(forces, f); }
  void add_gravity(const SmallVector<double, dim>& gravity, Vector& loads) const {
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      loads.node(i) += mass_.node(i).cwiseProduct(gravity.template cast<Scalar>());
    }
  }
  SystemIdentity identity() const {
    SystemIdentity result{.rest_shape = detail::assembly::fingerprint_of(rest_),
                          .masses = detail::assembly::fingerprint_of(mass_)};
    detail::core::Fingerprint mesh;
    mesh.add_all(pattern().row_begin);
    mesh.add_all(pattern().columns);
    result.mesh = mesh.value();
    if (!origins_.all_zero()) {
      detail::core::Fingerprint poses;
      for (std::ptrdiff_t i = 0; i < node_count(); ++i) poses.add_all(origins_.of(i));
      result.poses = poses.value();
    }
    return result;
  }

  // The positions after the displacement u [m] from x.
  void move(const Vector& x, const Vector& u, Vector& result) const { result.set_sum(x, Scalar(1), u); }

  // The terms of the program, a std::tuple; see potential/concept.hpp.
  auto& terms() { return terms_; }
  const auto& terms() const { return terms_; }

  // Elastic energy [J] at the positions x [m]; not finite if the energy is not defined.
  double energy(const Vector& x) const {
    return std::apply([&](const auto&... elements) { return (elements.energy(x) + ...); }, sets_);
  }

  // The inverted elements at the positions x [m].
  InvertedElements inverted_elements(const Vector& x) const {
    InvertedElements total;
    const auto add = [&](const InvertedElements& part) {
      total.all += part.all;
      total.small_strain += part.small_strain;
    };
    std::apply([&](const auto&... elements) { (add(elements.inverted_elements(x)), ...); }, sets_);
    return total;
  }

  // Returns the energy, and sets g = dE/dx [N].
  double gradient(const Vector& x, Vector& g) {
    return assemble<Evaluate::gradient, Projection::none>(x, Scalar(0), g, nullptr);
  }

  // The same, and sets A = stiffness_scale * d2E/dx2 [N/m], with the projection of the elements' Hessians.
  double tangent(const Vector& x, Projection projection, Scalar stiffness_scale, Vector& g, Matrix& A) {
    switch (projection) {
      case Projection::none:
        return assemble<Evaluate::tangent, Projection::none>(x, stiffness_scale, g, &A);
      case Projection::clamp:
        return assemble<Evaluate::tangent, Projection::clamp>(x, stiffness_scale, g, &A);
      case Projection::absolute:
        break;
    }
    return assemble<Evaluate::tangent, Projection::absolute>(x, stiffness_scale, g, &A);
  }

  // alpha M of the damping, for each node and axis [kg/s]; without nodes if there is none.
  const Vector& mass_damping() const { return mass_damping_; }

  // beta of the stiffness damping, the largest of the solids [s]; 0 if no solid damps strain, and 1 if those
  // that do have a StrainDamping alone.
  Scalar stiffness_damping() const { return stiffness_damping_; }

  // The number of solids with a StrainDamping.
  int strain_damped_solids() const { return strain_damped_solids_; }

  // Adds to g the negative damping force of a strain rate within a step [N], with the sign of dE/dx, and to
  // A, unless it is null, its derivative with respect to the displacement [N/m], with the projection. Returns
  // the potential of the force [J]. See Straining and viscosity.hpp.
  double add_damping(const Straining<const Vector*>& straining, Projection projection, Vector& g,
                     Matrix* A = nullptr) {
    if (A == nullptr) return damp<Evaluate::gradient, Projection::none>(straining, g, A);
    if (projection == Projection::none) return damp<Evaluate::tangent, Projection::none>(straining, g, A);
    return damp<Evaluate::tangent, Projection::clamp>(straining, g, A);
  }

  // The pattern of the elements.
  const BlockPattern& pattern() const { return *matrix_pattern_.elements(); }

  // The pattern of matrices, which contains the additional pairs of coupled nodes, in internal numbers, see
  // GrowingPattern. require_pairs returns true if the pattern is a new one; matrices of the old one get the
  // new layout when they are filled.
  const std::shared_ptr<const BlockPattern>& matrix_pattern() const { return matrix_pattern_.pattern(); }
  bool require_pairs(const std::vector<NodePair>& pairs) {
    const bool grows = matrix_pattern_.require(pairs);
    follow_pattern();
    return grows;
  }

  // The additional pairs of the pattern and, if any solid flows, its plastic strains; see core/history.hpp.
  // After restore the next tangent builds the pattern.
  struct PlasticHistory {
    GrowingPattern::History pairs;
    std::array<simd::AlignedVector<Scalar>, solid_count> strains;
  };
  using History = std::conditional_t<is_plastic, PlasticHistory, GrowingPattern::History>;
  void save(History& history) const {
    if constexpr (is_plastic) {
      matrix_pattern_.save(history.pairs);
      for_each_set([&](const auto& elements, std::size_t set) { elements.save(history.strains[set]); });
    } else {
      matrix_pattern_.save(history);
    }
  }
  void restore(History&& history) {
    if constexpr (is_plastic) {
      matrix_pattern_.restore(std::move(history.pairs));
      for_each_set(
          [&](auto& elements, std::size_t set) { elements.restore(std::move(history.strains[set])); });
    } else {
      matrix_pattern_.restore(std::move(history));
    }
  }
  void check(const History& history) const requires(is_plastic) {
    for_each_set([&](const auto& elements, std::size_t set) { elements.check(history.strains[set]); });
  }

  // The plastic flow of a step of dt [s] that ends at the positions x [m], see Plasticity. Returns whether
  // any plastic strain has changed.
  bool end_step(const Vector& x, const Vector&, double, double dt) {
    bool changed = false;
    for_each_set([&](auto& elements, std::size_t) {
      if constexpr (std::remove_cvref_t<decltype(elements)>::is_plastic) {
        if (elements.flow(x, dt)) changed = true;
      }
    });
    return changed;
  }

  // The plastic strains of the i-th solid: dim^2 x (#elements #points), a symmetric tensor for each
  // quadrature point of each element, in the order of the user's elements [-].
  template <std::size_t i = 0>
  auto plastic_strains() const {
    return std::get<i>(sets_).plastic_strains();
  }
  template <std::size_t i = 0>
  void set_plastic_strains(const NodeMatrix<Scalar, dim * dim>& strains) {
    std::get<i>(sets_).set_plastic_strains(strains);
  }

  // Calls visit(point, energy) for each quadrature point, see ElasticElements.
  template <class Visit>
  void for_each_point(Visit&& visit) const {
    std::apply([&](const auto&... elements) { (elements.for_each_point(visit), ...); }, sets_);
  }

  // The rigid motions that remain if displacements along `directions` are held, see free_motion.hpp.
  std::string free_motion(const std::vector<HeldDirection<dim>>& directions, const Vector& x) const {
    return pliant::detail::assembly::free_motion(pattern(), directions, numbering_.to_user, x);
  }

  // Whether the elastic energy changes if a body is rotated as a whole. A translation never changes it.
  bool rotation_changes_energy() const { return rotation_changes_energy_; }

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
    using type = std::tuple<detail::assembly::ElasticElements<Solids, isa>...>;
  };
  using Sets = typename SetsOf<Parts>::type;

  // The part of an assembly for one thread: its owned rows and the batches that touch them.
  struct Part {
    detail::assembly::OwnedRows rows;
    std::array<std::vector<int>, solid_count> batches;
  };

  // Calls use(user's number, node, its row, put) for all nodes; put(p, row) writes a row to p.
  template <class Use>
  void for_each_row(const Vector& internal, Use&& use) const {
    using Row = typename Vector::Row;
    detail::core::parallel_for(node_count(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const auto own = use;  // a copy, so that its pointers stay in registers
      const int* const number = numbering_.to_internal.data();
      const Scalar* const rows = internal.data();
      const auto row_of = [&](std::ptrdiff_t i) {
        return simd::load<Row>(rows + Vector::stride * number[i]);
      };
      // Writes whole rows; each overwrites the padding of the previous one.
      for (std::ptrdiff_t i = begin; i + 1 < end; ++i)
        own(i, number[i], row_of(i), [](Scalar* p, const Row& row) { simd::store(p, row); });
      own(end - 1, number[end - 1], row_of(end - 1), [](Scalar* p, const Row& row) {
        for (int axis = 0; axis < dim; ++axis) p[axis] = simd::lane(row, axis);
      });
    });
  }

  ElasticSystem(const SolidType& solid, const Adjacency& graph)
      : numbering_(detail::assembly::reverse_cuthill_mckee(graph)),
        matrix_pattern_(std::make_shared<const BlockPattern>(
            BlockPattern::from_graph(detail::assembly::renumbered(graph, numbering_)))),
        followed_(matrix_pattern()),
        sets_(make_sets(solid)),
        mass_(solid.node_count()),
        rest_(solid.node_count()),
        terms_(detail::solid::terms_of(solid)) {
    if constexpr (is_copies) {
      nodes_of_copy_ = solid.original().node_count();
      std::vector<typename Origins<dim>::Point> points;
      for (int copy = 0; copy < solid.count(); ++copy) points.push_back(solid.pose(copy).translation());
      std::vector<int> copy_of;
      for (const int user : numbering_.to_user) copy_of.push_back(user / static_cast<int>(nodes_of_copy_));
      origins_ = Origins<dim>(std::move(points), std::move(copy_of));
    }
    to_internal(rest_nodes(solid), rest_);
    const auto parts = parts_of(solid);
    const bool damps_mass =
        std::apply([](const auto&... part) { return ((part.solid.damping().alpha > 0) || ...); }, parts);
    if (damps_mass) mass_damping_ = make_vector();
    std::apply([&](const auto&... part) { (add_mass(rest_nodes(solid), part), ...); }, parts);
    stiffness_damping_ = static_cast<Scalar>(
        std::apply([](const auto&... part) { return std::max({part.solid.damping().beta...}); }, parts));
    strain_damped_solids_ = std::apply(
        [](const auto&... part) { return (0 + ... + int{part.solid.strain_damping().any()}); }, parts);
    if (stiffness_damping_ == 0 && strain_damped_solids_ > 0) stiffness_damping_ = 1;
    for_each_set([&](const auto& elements, std::size_t) {
      rotation_changes_energy_ = rotation_changes_energy_ || elements.rotation_changes_energy();
    });
  }

  // The graph of nodes that share an element, in the user's numbers.
  static Adjacency graph_of(const SolidType& solid) {
    Adjacency graph;
    const auto add = [&]<class Part>(const SolidPart<Part>& part) {
      Adjacency own = neighbours_of_nodes<typename Part::Element>(part.elements, solid.node_count());
      graph = graph.begin.empty() ? std::move(own) : detail::assembly::united(graph, own);
    };
    std::apply([&](const auto&... part) { (add(part), ...); }, parts_of(solid));
    return graph;
  }

  Sets make_sets(const SolidType& solid) const {
    NodeMatrix<Scalar, dim> nodes(dim, solid.node_count());
    for (std::ptrdiff_t i = 0; i < nodes.cols(); ++i) nodes.col(i) = rest_nodes(solid).col(user_number(i));
    return std::apply(
        [&](const auto&... part) {
          return Sets{{part.solid, part.elements, nodes, numbering_, pattern()}...};
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

  // Calls visit(elements, index of the set) for all sets.
  template <class Visit>
  void for_each_set(Visit&& visit) {
    visit_sets(sets_, visit);
  }
  template <class Visit>
  void for_each_set(Visit&& visit) const {
    visit_sets(sets_, visit);
  }
  template <class SetsType, class Visit>
  static void visit_sets(SetsType& sets, Visit& visit) {
    std::apply(
        [&](auto&... elements) {
          std::size_t set = 0;
          (visit(elements, set++), ...);
        },
        sets);
  }

  // Cuts the rows so that `count` parts have equal numbers of batches.
  std::vector<Part> cut_in(int count) {
    const auto rows = static_cast<int>(node_count());
    std::vector<std::ptrdiff_t> before(static_cast<std::size_t>(rows) + 1, 0);  // batches of earlier rows
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
    std::vector<Part> parts(static_cast<std::size_t>(count));
    for (int p = 0; p < count; ++p) {
      auto& part = parts[static_cast<std::size_t>(p)];
      const int begin = first_row(p), end = first_row(p + 1);
      const auto& row_begin = matrix_pattern()->row_begin;
      part.rows = {begin, end, row_begin[static_cast<std::size_t>(begin)],
                   row_begin[static_cast<std::size_t>(end)]};
      for_each_set([&](const auto& elements, std::size_t set) {
        part.batches[set] = elements.batches_on(begin, end);
      });
    }
    return parts;
  }

  // Makes the elements follow the pattern of matrices, if it is another one than in the last call.
  void follow_pattern() {
    matrix_pattern_.renew();
    if (followed_ == matrix_pattern()) return;
    followed_ = nullptr;  // until all elements follow, because an allocation may fail
    cuts_.clear();
    for_each_set([&](auto& elements, std::size_t) { elements.set_pattern(*matrix_pattern()); });
    followed_ = matrix_pattern();
  }

  // Returns the energy.
  template <Evaluate evaluate, Projection projection>
  double assemble(const Vector& x, Scalar stiffness_scale, Vector& g, Matrix* A) {
    if constexpr (evaluate == Evaluate::tangent) follow_pattern();
    if (A != nullptr && A->shared_pattern() != matrix_pattern()) *A = make_matrix();
    for_each_part([&](const Part& part) {
      std::fill(g.data() + std::ptrdiff_t{part.rows.begin} * node_stride<dim>,
                g.data() + std::ptrdiff_t{part.rows.end} * node_stride<dim>, Scalar(0));
      Scalar* matrix = nullptr;
      if constexpr (evaluate == Evaluate::tangent) {
        matrix = A->values();
        std::fill(matrix + std::ptrdiff_t{part.rows.slot_begin} * Matrix::block_size,
                  matrix + std::ptrdiff_t{part.rows.slot_end} * Matrix::block_size, Scalar(0));
      }
      for_each_set([&](auto& elements, std::size_t set) {
        elements.template add<evaluate, projection>(part.batches[set], part.rows, x, stiffness_scale,
                                                    g.data(), matrix);
      });
    });
    double total = 0;
    for_each_set([&](const auto& elements, std::size_t) { total += elements.last_energy(); });
    return total;
  }

  // Returns the potential.
  template <Evaluate evaluate, Projection projection>
  double damp(const Straining<const Vector*>& straining, Vector& g, Matrix* A) {
    for_each_part([&](const Part& part) {
      for_each_set([&](auto& elements, std::size_t set) {
        if (!elements.damps()) return;
        elements.template add_damping<evaluate, projection>(part.batches[set], part.rows, straining, g.data(),
                                                            A != nullptr ? A->values() : nullptr);
      });
    });
    double total = 0;
    for_each_set([&](const auto& elements, std::size_t) {
      if (elements.damps()) total += elements.last_energy();
    });
    return total;
  }

  auto find_cut(int count) const {
    return std::find_if(cuts_.begin(), cuts_.end(),
                        [&](const auto& parts) { return static_cast<int>(parts.size()) == count; });
  }

  // Calls run(part) for each part, in parallel. A single thread has one part, because batches on a border are
  // computed twice.
  template <class Run>
  void for_each_part(Run&& run) {
    constexpr int batches_worth_a_thread = 64;
    int batches = 0;
    for_each_set([&](const auto& elements, std::size_t) { batches += elements.batch_count(); });
    const int most = std::max(batches / batches_worth_a_thread, 1);
    const int count = std::min(most, detail::core::present_thread_count());
    // The cuts for all possible numbers of threads are computed at once, so that later steps do not allocate.
    if (find_cut(count) == cuts_.end()) {
      std::vector<int> counts{count};
      for (int team = thread_count(); team > 0; team /= 2) counts.push_back(std::min(most, team));
      std::sort(counts.begin(), counts.end());
      counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
      std::vector<std::vector<Part>> cuts;  // all or none, because an allocation may fail
      for (const int parts : counts) cuts.push_back(cut_in(parts));
      cuts_ = std::move(cuts);
    }
    const std::vector<Part>& parts = *find_cut(count);
    detail::core::parallel_parts(count, [&](int p) { run(parts[static_cast<std::size_t>(p)]); });
  }

  Numbering numbering_;
  GrowingPattern matrix_pattern_;
  std::shared_ptr<const BlockPattern> followed_;  // the pattern of the elements' slots
  Sets sets_;                                     // one for each solid
  Vector mass_;
  Vector rest_;
  Origins<dim> origins_;
  std::ptrdiff_t nodes_of_copy_ = 0;
  Vector mass_damping_;
  Scalar stiffness_damping_ = 0;  // [s]
  int strain_damped_solids_ = 0;
  bool rotation_changes_energy_ = false;
  std::vector<std::vector<Part>> cuts_;  // one for each number of parts
  Terms terms_;
};

namespace detail::assembly {

// Whether a type is a subject of ElasticSystem.
template <class S>
concept IsSolid = requires(const S& solid) {
  parts_of(solid);
};

template <class Subject, Isa isa>
struct SystemOfSubject {
  using Type = ElasticSystem<Subject, isa>;
};
template <System Subject, Isa isa>
struct SystemOfSubject<Subject, isa> {
  using Type = Subject;
};

}  // namespace detail::assembly

// The System of a Simulation: made from a solid, or the given System itself.
template <class Subject, Isa isa = PLIANT_NATIVE_ISA>
using SystemOf = typename detail::assembly::SystemOfSubject<Subject, isa>::Type;

// The System of a Solid, of Bodies or of Copies.
template <detail::assembly::IsSolid SolidType>
ElasticSystem<SolidType> system_of(const SolidType& solid) {
  return ElasticSystem<SolidType>(solid);
}

}  // namespace pliant
