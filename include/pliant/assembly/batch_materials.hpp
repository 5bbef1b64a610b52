// Which energy each element of each batch has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant {

// For a body of one energy.
template <class SolidType, Isa isa>
class BatchMaterials {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  using Energy = typename SolidType::Energy;
  using Kernel = ElementKernel<Element, Scalar, isa>;
  using Batches = typename Kernel::Batches;

  explicit BatchMaterials(const SolidType& solid) : energy_(solid.energy()) {}

  // Must come before an evaluation.
  void arrange(const SolidType&, const Batches&) {}

  // What a thread works with. It has an energy of its own, which the compiler can keep in registers.
  class Evaluator {
   public:
    explicit Evaluator(const BatchMaterials& materials) : energy_(materials.energy_) {}

    // See ElementKernel::run.
    template <Evaluate evaluate, Projection projection>
    Scalar run(const Batches& batches, int batch, const Scalar* positions, Scalar stiffness_scale,
               const OwnedRows& rows, Scalar* gradient, Scalar* matrix) const {
      return Kernel::template run<evaluate, projection>(energy_, batches, batch, positions, stiffness_scale,
                                                        rows, gradient, matrix);
    }

   private:
    Energy energy_;
  };

  const Energy& of_element(std::ptrdiff_t) const { return energy_; }

 private:
  Energy energy_;
};

// For a body with an energy per region. A batch whose elements are of several regions is evaluated once for
// each, with the other elements left out.
template <class SolidType, Isa isa>
requires detail::is_per_region<typename SolidType::Energy>
class BatchMaterials<SolidType, isa> {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  using Energy = typename detail::OneOf<typename SolidType::Energy>::type;
  using Kernel = ElementKernel<Element, Scalar, isa>;
  using Batches = typename Kernel::Batches;

  explicit BatchMaterials(const SolidType&) {}

  // Must come before an evaluation.
  void arrange(const SolidType& solid, const Batches& batches) {
    std::map<int, int> material_of_region;
    for (const auto& [region, energy] : solid.energy().values()) {
      material_of_region[region] = static_cast<int>(energies_.size());
      energies_.push_back(energy);
    }
    for (std::ptrdiff_t e = 0; e < batches.element_count; ++e) {
      const int user = batches.to_user[static_cast<std::size_t>(e)];
      of_element_.push_back(material_of_region.at(solid.mesh().region(user)));
    }
    constexpr int width = Batches::width;
    first_share_.push_back(0);
    for (int b = 0; b < batches.count; ++b) {
      const std::ptrdiff_t begin = std::ptrdiff_t{b} * width;
      const auto material = [&](int lane) {  // the last batch is filled up with its last element
        const std::ptrdiff_t e = std::min(begin + lane, batches.element_count - 1);
        return of_element_[static_cast<std::size_t>(e)];
      };
      for (int l = 0; l < width; ++l) {
        bool first = true;
        for (int before = 0; before < l; ++before) first = first && material(before) != material(l);
        if (!first) continue;
        Share share{material(l), true, static_cast<std::ptrdiff_t>(marks_.size())};
        for (int k = 0; k < width; ++k) {
          const bool same = material(k) == share.material;
          marks_.push_back(same ? Scalar(1) : Scalar(0));
          share.whole = share.whole && same;
        }
        shares_.push_back(share);
      }
      first_share_.push_back(static_cast<int>(shares_.size()));
    }
  }

  class Evaluator {
   public:
    explicit Evaluator(const BatchMaterials& materials) : materials_(materials) {}

    template <Evaluate evaluate, Projection projection>
    Scalar run(const Batches& batches, int batch, const Scalar* positions, Scalar stiffness_scale,
               const OwnedRows& rows, Scalar* gradient, Scalar* matrix) const {
      const BatchMaterials& m = materials_;
      Scalar total = 0;
      for (int s = m.first_share_[static_cast<std::size_t>(batch)];
           s < m.first_share_[static_cast<std::size_t>(batch) + 1]; ++s) {
        const Share& share = m.shares_[static_cast<std::size_t>(s)];
        const Energy& energy = m.energies_[static_cast<std::size_t>(share.material)];
        total += share.whole ? Kernel::template run<evaluate, projection>(
                                   energy, batches, batch, positions, stiffness_scale, rows, gradient, matrix)
                             : Kernel::template run<evaluate, projection>(
                                   energy, batches, batch, positions, stiffness_scale, rows, gradient, matrix,
                                   typename Kernel::MarkedLanes{m.marks_.data() + share.marks});
      }
      return total;
    }

   private:
    const BatchMaterials& materials_;
  };

  // `element` in the order of the batches.
  const Energy& of_element(std::ptrdiff_t element) const {
    return energies_[static_cast<std::size_t>(of_element_[static_cast<std::size_t>(element)])];
  }

 private:
  // The elements of a batch that have the same energy.
  struct Share {
    int material;
    bool whole;            // all elements of the batch
    std::ptrdiff_t marks;  // where theirs begin
  };

  std::vector<Energy> energies_;
  std::vector<int> of_element_;
  std::vector<int> first_share_;  // of each batch, #batches + 1
  std::vector<Share> shares_;
  AlignedVector<Scalar> marks_;
};

}  // namespace pliant
