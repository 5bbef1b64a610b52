// The elements of one solid within a system: their contribution to its energy, gradient and tangent.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <pliant/assembly/batch_materials.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/plastic_strains.hpp>

namespace pliant::detail::assembly {

// Whether the material of a solid flows, see Plasticity.
template <class SolidType>
inline constexpr bool flows = energy::is_plastic<typename solid::OneOf<typename SolidType::Energy>::type>;

template <class SolidType, Isa isa>
class ElasticElements {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  using Vector = NodeVector<Element::dim, Scalar, isa>;

  // `elements` contain the user's node numbers of the system; `nodes` are rest positions in internal numbers
  // [m].
  template <class Positions>
  ElasticElements(const SolidType& solid, const ElementMatrix<Element>& elements, const Positions& nodes,
                  const Numbering& numbering, const BlockPattern& pattern)
      : materials_(solid),
        batches_(make_batches<Element, Scalar, isa>(order_elements<Element>(elements, numbering), nodes,
                                                    pattern, solid.thickness().value)),
        batch_energy_(static_cast<std::size_t>(batches_.count)),
        plastic_strains_(batches_),
        damps_(solid.damping().beta > 0 || solid.strain_damping().any()) {
    materials_.arrange(solid, batches_);
  }

  // Sets the pattern of the matrices, which must contain the blocks of all elements.
  void set_pattern(const BlockPattern& pattern) { batches_.find_slots(pattern); }

  int batch_count() const { return batches_.count; }
  std::ptrdiff_t element_count() const { return batches_.element_count; }

  // The lowest node of a batch; ascending.
  int first_node(int batch) const { return batches_.first_node(batch); }

  // The batches that touch the rows [begin, end).
  std::vector<int> batches_on(int begin, int end) const {
    constexpr int stride = node_stride<Element::dim>;
    std::vector<int> result;
    for (int b = 0; b < batches_.count && begin < end && batches_.first_node(b) < end; ++b) {
      const int* const offsets = batches_.offsets_of(b);
      if (std::any_of(offsets, offsets + Element::nodes * batches_.width,
                      [&](int offset) { return offset >= begin * stride && offset < end * stride; })) {
        result.push_back(b);
      }
    }
    return result;
  }

  // Whether the energy changes if a body is rotated as a whole, as energies of small strain do; computed for
  // a deformed state of the first element, before and after a rotation.
  bool rotation_changes_energy() const {
    constexpr int dim = Element::dim;
    if (batches_.element_count == 0) return false;
    SmallMatrix<Scalar, dim, dim> F = SmallMatrix<Scalar, dim, dim>::Identity(), turn = F;
    F(0, 0) = Scalar(1.25);
    F(0, 1) = Scalar(0.25);
    turn(0, 0) = turn(1, 1) = Scalar(0.6);
    turn(1, 0) = Scalar(0.8);
    turn(0, 1) = Scalar(-0.8);
    const auto& energy = materials_.of_element(0);
    const auto before = static_cast<double>(energy.psi(F));
    const auto after = static_cast<double>(energy.psi(algebra::times<Scalar, dim, dim, dim>(turn, F)));
    return !(std::abs(after - before) <= 1e-3 * std::abs(before));
  }

  // A quadrature point of an element.
  struct Point {
    std::array<int, std::size_t{Element::nodes}> nodes;           // ascending, regardless of the orientation
    SmallMatrix<Scalar, Element::nodes, Element::dim> gradients;  // dN_a/dX of each node a, a row [1/m]
    Scalar volume;                                                // at rest [m^3]
  };

  // Calls visit(point, energy) for each quadrature point of each element.
  template <class Visit>
  void for_each_point(Visit&& visit) const {
    for (std::ptrdiff_t e = 0; e < batches_.element_count; ++e) {
      for (int q = 0; q < Element::quadrature_points; ++q) visit(point_of(e, q), materials_.of_element(e));
    }
  }

  // Elastic energy [J] at the positions x [m]; not finite if the energy is not defined. The sum is equal to
  // last_energy(), to the last bit.
  double energy(const Vector& x) const {
    const core::Chunks chunks(batches_.count, energy_grain);
    Scalar energies[energy_grain];
    double total = 0;
    for (int chunk = 0; chunk < chunks.count(); ++chunk) {
      double partial = 0;
      for (std::ptrdiff_t first = chunks.begin(chunk); first < chunks.end(chunk); first += energy_grain) {
        const std::ptrdiff_t count = std::min(energy_grain, chunks.end(chunk) - first);
        core::parallel_for(count, 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          const Evaluator evaluator(materials_);
          for (std::ptrdiff_t b = begin; b < end; ++b) {
            energies[b] = energy_of(evaluator, static_cast<int>(first + b), x);
          }
        });
        for (std::ptrdiff_t b = 0; b < count; ++b) partial += energies[b];
      }
      total += partial;
    }
    return total;
  }

  // The inverted elements at the positions x [m].
  InvertedElements inverted_elements(const Vector& x) const {
    constexpr int width = Batches::width;
    const int count =
        core::parallel_sum<int>(batches_.count, 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          int inverted = 0;
          for (std::ptrdiff_t b = begin; b < end; ++b) {
            const std::ptrdiff_t used = std::min<std::ptrdiff_t>(width, batches_.element_count - b * width);
            inverted +=
                Materials::Kernel::inverted(batches_, static_cast<int>(b), static_cast<int>(used), x.data());
          }
          return inverted;
        });
    return {count, energy::is_small_strain<typename Materials::Energy> ? count : 0};
  }

  // Adds the gradient [N] and the tangent [N/m] of some batches to the owned rows.
  template <Evaluate evaluate, Projection projection>
  void add(const std::vector<int>& batches, const OwnedRows& rows, const Vector& x, Scalar stiffness_scale,
           Scalar* gradient, Scalar* matrix) {
    const Evaluator evaluator(materials_);
    for (const int b : batches) {
      const Scalar energy = evaluator.template run<evaluate, projection>(
          batches_, b, x.data(), stiffness_scale, rows, gradient, matrix, strains_of(b));
      const int first = batches_.first_node(b);
      if (first >= rows.begin && first < rows.end) batch_energy_[static_cast<std::size_t>(b)] = energy;
    }
  }

  // Whether the solid has a stiffness damping.
  bool damps() const { return damps_; }

  // The same as add, for the viscous stress of the damping.
  template <Evaluate evaluate, Projection projection>
  void add_damping(const std::vector<int>& batches, const OwnedRows& rows,
                   const Straining<const Vector*>& straining, Scalar* gradient, Scalar* matrix) {
    const auto numbers = [](const Vector* vector) { return vector != nullptr ? vector->data() : nullptr; };
    const Straining<const Scalar*> pointers{numbers(straining.start), numbers(straining.displacement),
                                            straining.time, numbers(straining.velocity), straining.factor};
    for (const int b : batches) {
      const Scalar potential =
          materials_.template damp<evaluate, projection>(batches_, b, pointers, rows, gradient, matrix);
      const int first = batches_.first_node(b);
      if (first >= rows.begin && first < rows.end) batch_energy_[static_cast<std::size_t>(b)] = potential;
    }
  }

  static constexpr bool is_plastic = flows<SolidType>;

  // The plastic flow of a step of dt [s] that ends at the positions x [m]. Returns whether any plastic strain
  // has changed.
  bool flow(const Vector& x, double dt) requires(is_plastic) {
    return plastic_strains_.update(
        [&](int b, Scalar* strains) { return materials_.flow(batches_, b, x.data(), dt, strains); });
  }

  // The plastic strains as the user sees them, see PlasticStrains::show.
  using UserStrains = NodeMatrix<Scalar, Element::dim * Element::dim>;
  UserStrains plastic_strains() const requires(is_plastic) {
    UserStrains user(Element::dim * Element::dim, batches_.element_count * Element::quadrature_points);
    plastic_strains_.show(batches_, user);
    return user;
  }
  void set_plastic_strains(const UserStrains& user) requires(is_plastic) {
    plastic_strains_.take(batches_, user);
  }

  // See core/history.hpp.
  using History = AlignedVector<Scalar>;
  void save(History& history) const {
    if constexpr (is_plastic) plastic_strains_.save(history);
  }
  void check(const History& history) const {
    if constexpr (is_plastic) plastic_strains_.check(history);
  }
  void restore(History&& history) {
    if constexpr (is_plastic) plastic_strains_.restore(std::move(history));
  }

  // The sum over the last evaluations of the batches [J].
  double last_energy() const {
    return core::parallel_sum<double>(batches_.count, energy_grain,
                                      [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                                        double total = 0;
                                        for (std::ptrdiff_t b = begin; b < end; ++b)
                                          total += batch_energy_[static_cast<std::size_t>(b)];
                                        return total;
                                      });
  }

  // The user's number of an element whose energy is not finite at x, or -1.
  int undefined_element(const Vector& x) const {
    const Evaluator evaluator(materials_);
    for (int b = 0; b < batches_.count; ++b) {
      if (std::isfinite(energy_of(evaluator, b, x))) continue;
      if (const int element = undefined_element_in(b, x); element >= 0) return element;
    }
    return -1;
  }

 private:
  using Materials = BatchMaterials<SolidType, isa>;
  using Evaluator = typename Materials::Evaluator;
  using Batches = typename Materials::Batches;
  static constexpr std::ptrdiff_t energy_grain = 4096;  // batches whose energies are added one by one

  // The plastic strains of a batch, null if there are none.
  const Scalar* strains_of([[maybe_unused]] int batch) const {
    if constexpr (is_plastic) return plastic_strains_.of_batch(batch);
    else return nullptr;
  }

  Scalar energy_of(const Evaluator& evaluator, int batch, const Vector& x) const {
    return evaluator.template run<Evaluate::energy, Projection::none>(
        batches_, batch, x.data(), Scalar(0), {}, nullptr, nullptr, strains_of(batch));
  }

  // The first element with an undefined energy within a batch whose energy is not finite; -1 if only their
  // sum is.
  int undefined_element_in(int batch, const Vector& x) const {
    constexpr int dim = Element::dim, width = Batches::width;
    const std::ptrdiff_t first = std::ptrdiff_t{batch} * width;
    for (std::ptrdiff_t e = first; e < std::min(first + width, batches_.element_count); ++e) {
      for (int q = 0; q < Element::quadrature_points; ++q) {
        const Point point = point_of(e, q);
        SmallMatrix<Scalar, dim, dim> F = SmallMatrix<Scalar, dim, dim>::Zero();
        for (int a = 1; a < Element::nodes; ++a) {
          const SmallVector<Scalar, dim> edge =
              x.node(point.nodes[static_cast<std::size_t>(a)]) - x.node(point.nodes[0]);
          for (int j = 0; j < dim; ++j) {
            for (int i = 0; i < dim; ++i) F(i, j) += edge(i) * point.gradients(a, j);
          }
        }
        // An overflow does not count as undefined: F is scaled so that the same shape does not overflow.
        const Scalar size = F.cwiseAbs().maxCoeff();
        if (size > 1 && std::isfinite(size)) F /= size;
        if (!std::isfinite(materials_.of_element(e).psi(F))) {
          return batches_.to_user[static_cast<std::size_t>(e)];
        }
      }
    }
    return -1;
  }

  Point point_of(std::ptrdiff_t element, int q) const {
    constexpr int dim = Element::dim, width = Batches::width;
    const int batch = static_cast<int>(element / width), lane = static_cast<int>(element % width);
    Point point;
    for (int a = 0; a < Element::nodes; ++a) {
      point.nodes[static_cast<std::size_t>(a)] =
          batches_.offsets_of(batch)[a * width + lane] / node_stride<dim>;
    }
    point.gradients.setZero();
    for (int a = 1; a < Element::nodes; ++a) {
      for (int j = 0; j < dim; ++j) {
        point.gradients(a, j) = batches_.gradients_of(batch, q)[((a - 1) * dim + j) * width + lane];
        point.gradients(0, j) -= point.gradients(a, j);
      }
    }
    point.volume = batches_.weights_of(batch, q)[lane];
    return point;
  }

  Materials materials_;
  Batches batches_;
  std::vector<Scalar> batch_energy_;
  using Kernel = typename Materials::Kernel;
  [[no_unique_address]] std::conditional_t<is_plastic, PlasticStrains<Kernel>, NoPlasticStrains<Kernel>>
      plastic_strains_;
  bool damps_;
};

}  // namespace pliant::detail::assembly
