// A solid as the integrators see it: energy, gradient and tangent as functions of the nodes' positions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <pliant/assembly/batch_materials.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/assembly/mass.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant {

// Works in an internal numbering that keeps neighbours together; `to_internal` and `to_user` translate.
// Results are the same to the last bit for any number of threads: each thread owns a range of rows and
// recomputes the few batches of elements on its border, so that every row is summed in the order of the
// elements.
template <class SolidType, Isa isa = PLIANT_NATIVE_ISA>
class ElasticSystem {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  static constexpr int dim = Element::dim;
  using Vector = NodeVector<dim, Scalar, isa>;
  using Matrix = BlockMatrix<dim, Scalar, isa>;

  explicit ElasticSystem(const SolidType& solid) : materials_(solid) {
    const auto& mesh = solid.mesh();
    numbering_ = reverse_cuthill_mckee(neighbours_of_nodes<Element>(mesh.elements, mesh.node_count()));
    const OrderedElements<Element> ordered = order_elements<Element>(mesh.elements, numbering_);
    pattern_ = std::make_shared<const BlockPattern>(
        BlockPattern::from_graph(neighbours_of_nodes<Element>(ordered.elements, mesh.node_count())));
    NodeMatrix<Scalar, dim> nodes(dim, mesh.node_count());
    for (std::ptrdiff_t i = 0; i < nodes.cols(); ++i) nodes.col(i) = mesh.nodes.col(user_number(i));
    const double thickness = solid.thickness().value;
    batches_ = make_batches<Element, Scalar>(ordered, nodes, *pattern_, thickness);
    batch_energy_.resize(static_cast<std::size_t>(batches_.count));
    materials_.arrange(solid, batches_);

    const auto mass = lumped_mass(mesh, [&](std::ptrdiff_t e) { return solid.density(e) * thickness; });
    mass_.resize(mesh.node_count());
    for (std::ptrdiff_t i = 0; i < nodes.cols(); ++i) {
      mass_.node(i).setConstant(static_cast<Scalar>(mass(user_number(i))));
    }
  }

  std::ptrdiff_t node_count() const { return mass_.nodes(); }
  const Numbering& numbering() const { return numbering_; }
  const Vector& mass() const { return mass_; }  // lumped, each node's mass on each axis [kg]

  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(pattern_); }

  // Between the user's matrices (dim x #nodes, user's numbering) and internal vectors.
  template <class Derived>
  void to_internal(const Eigen::MatrixBase<Derived>& user, Vector& internal) const {
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) {
      internal.node(i) = user.col(user_number(i)).template cast<Scalar>();
    }
  }
  void to_user(const Vector& internal, NodeMatrix<Scalar, dim>& user) const {
    for (std::ptrdiff_t i = 0; i < node_count(); ++i) user.col(user_number(i)) = internal.node(i);
  }

  // Elastic energy [J] at the positions x [m]; not finite where the energy is not defined.
  double energy(const Vector& x) {
    parallel_for(batches_.count, 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      const typename Materials::Evaluator evaluator(materials_);
      for (auto b = static_cast<int>(begin); b < static_cast<int>(end); ++b) {
        batch_energy_[static_cast<std::size_t>(b)] =
            evaluator.template run<Evaluate::energy, Projection::none>(batches_, b, x.data(), Scalar(0), {},
                                                                       nullptr, nullptr);
      }
    });
    return total_energy();
  }

  // The same, and g = dE/dx [N].
  double gradient(const Vector& x, Vector& g) {
    assemble<Evaluate::gradient, Projection::none>(x, Scalar(0), &g, nullptr);
    return total_energy();
  }

  // The same, and A = stiffness_scale * d2E/dx2 [N/m], the elements' Hessians projected as asked.
  double tangent(const Vector& x, Projection projection, Scalar stiffness_scale, Vector& g, Matrix& A) {
    switch (projection) {
      case Projection::none:
        assemble<Evaluate::tangent, Projection::none>(x, stiffness_scale, &g, &A);
        break;
      case Projection::clamp:
        assemble<Evaluate::tangent, Projection::clamp>(x, stiffness_scale, &g, &A);
        break;
      case Projection::absolute:
        assemble<Evaluate::tangent, Projection::absolute>(x, stiffness_scale, &g, &A);
        break;
    }
    return total_energy();
  }

  // Which rigid motions are left where the nodes `held` (internal numbering) are, see free_motion.hpp.
  std::string free_motion(const std::vector<int>& held, const Vector& x) const {
    return pliant::free_motion(*pattern_, held, numbering_.to_user, x);
  }

  // The user's number of an element whose energy is not finite at x, or -1.
  int undefined_element(const Vector& x) {
    const typename Materials::Evaluator evaluator(materials_);
    for (int b = 0; b < batches_.count; ++b) {
      const Scalar e = evaluator.template run<Evaluate::energy, Projection::none>(
          batches_, b, x.data(), Scalar(0), {}, nullptr, nullptr);
      if (std::isfinite(e)) continue;
      return undefined_element_in(b, x);
    }
    return -1;
  }

 private:
  using Kernel = ElementKernel<Element, Scalar, isa>;
  using Materials = BatchMaterials<SolidType, isa>;

  // One thread's part of an assembly: the rows it owns and the batches that touch them.
  struct Part {
    typename Kernel::Rows rows;
    std::vector<int> batches;
  };

  std::ptrdiff_t user_number(std::ptrdiff_t i) const {
    return numbering_.to_user[static_cast<std::size_t>(i)];
  }

  // Cuts the rows so that each part has as many batches of its own as the others.
  void cut_parts(int count) {
    parts_.assign(static_cast<std::size_t>(count), {});
    const auto rows = static_cast<int>(node_count());
    const auto first_row = [&](int part) {
      if (part == 0) return 0;
      if (part >= count) return rows;
      const auto batch = static_cast<int>(std::ptrdiff_t{batches_.count} * part / count);
      return batch < batches_.count ? batches_.first_node(batch) : rows;
    };
    for (int p = 0; p < count; ++p) {
      auto& part = parts_[static_cast<std::size_t>(p)];
      const int begin = first_row(p), end = std::max(begin, first_row(p + 1));
      part.rows = {begin, end, pattern_->row_begin[static_cast<std::size_t>(begin)],
                   pattern_->row_begin[static_cast<std::size_t>(end)]};
      for (int b = 0; b < batches_.count && begin < end; ++b) {
        if (batches_.first_node(b) >= end) break;
        const int* const offsets = batches_.offsets_of(b);
        const bool touches = std::any_of(offsets, offsets + Element::nodes * batches_.width, [&](int offset) {
          return offset >= begin * node_stride<dim> && offset < end * node_stride<dim>;
        });
        if (touches) part.batches.push_back(b);
      }
    }
  }

  template <Evaluate evaluate, Projection projection>
  void assemble(const Vector& x, Scalar stiffness_scale, Vector* g, Matrix* A) {
    constexpr int batches_worth_a_thread = 64;
    const int count = std::clamp(batches_.count / batches_worth_a_thread, 1, thread_count());
    if (static_cast<int>(parts_.size()) != count) cut_parts(count);
    parallel_parts(count, [&](int p) {
      const Part& part = parts_[static_cast<std::size_t>(p)];
      const typename Materials::Evaluator evaluator(materials_);
      std::fill(g->data() + std::ptrdiff_t{part.rows.begin} * node_stride<dim>,
                g->data() + std::ptrdiff_t{part.rows.end} * node_stride<dim>, Scalar(0));
      if constexpr (evaluate == Evaluate::tangent) {
        std::fill(A->values() + std::ptrdiff_t{part.rows.slot_begin} * Matrix::block_size,
                  A->values() + std::ptrdiff_t{part.rows.slot_end} * Matrix::block_size, Scalar(0));
      }
      Scalar* const matrix = evaluate == Evaluate::tangent ? A->values() : nullptr;
      for (const int b : part.batches) {
        const Scalar e = evaluator.template run<evaluate, projection>(batches_, b, x.data(), stiffness_scale,
                                                                      part.rows, g->data(), matrix);
        const int first = batches_.first_node(b);
        if (first >= part.rows.begin && first < part.rows.end) batch_energy_[static_cast<std::size_t>(b)] = e;
      }
    });
  }

  double total_energy() const {
    return parallel_sum<double>(batches_.count, 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      double total = 0;
      for (std::ptrdiff_t b = begin; b < end; ++b) total += batch_energy_[static_cast<std::size_t>(b)];
      return total;
    });
  }

  // Within a batch whose energy is not finite, the first element that is to blame; -1 where it is their sum.
  int undefined_element_in(int batch, const Vector& x) const {
    using E = Element;
    constexpr int width = ElementBatches<E, Scalar>::width;
    const int* const offsets = batches_.offsets_of(batch);
    for (int l = 0; l < width; ++l) {
      const std::ptrdiff_t element = std::ptrdiff_t{batch} * width + l;
      if (element >= batches_.element_count) break;
      for (int q = 0; q < E::quadrature_points; ++q) {
        SmallMatrix<Scalar, dim, dim> F = SmallMatrix<Scalar, dim, dim>::Zero();
        for (int a = 1; a < E::nodes; ++a) {
          for (int j = 0; j < dim; ++j) {
            const Scalar g = batches_.gradients_of(batch, q)[((a - 1) * dim + j) * width + l];
            for (int i = 0; i < dim; ++i) {
              F(i, j) += (x.data()[offsets[a * width + l] + i] - x.data()[offsets[l] + i]) * g;
            }
          }
        }
        if (!std::isfinite(materials_.of_element(element).psi(F))) {
          return batches_.to_user[static_cast<std::size_t>(element)];
        }
      }
    }
    return -1;
  }

  Materials materials_;
  Numbering numbering_;
  std::shared_ptr<const BlockPattern> pattern_;
  ElementBatches<Element, Scalar> batches_;
  Vector mass_;
  std::vector<Part> parts_;
  std::vector<Scalar> batch_energy_;
};

}  // namespace pliant
