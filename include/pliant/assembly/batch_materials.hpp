// The energy of each element of each batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant::detail::assembly {

// For a body of one energy.
template <class SolidType, Isa isa>
class BatchMaterials {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  using Energy = typename SolidType::Energy;
  using Kernel = ElementKernel<Element, Scalar, isa>;
  using Batches = typename Kernel::Batches;

  explicit BatchMaterials(const SolidType& solid) : energy_(solid.energy()) {
    viscosity_ = {energy_, solid.damping().beta, solid.strain_damping().shear, solid.strain_damping().bulk};
  }

  // Must be called before an evaluation.
  void arrange(const SolidType&, const Batches&) {}

  // The evaluator of a thread. It has its own copy of the energy, which the compiler can keep in registers.
  class Evaluator {
   public:
    explicit Evaluator(const BatchMaterials& materials) : energy_(materials.energy_) {}

    // See ElementKernel::run.
    template <Evaluate evaluate, Projection projection>
    Scalar run(const Batches& batches, int batch, const Scalar* positions, Scalar stiffness_scale,
               const OwnedRows& rows, Scalar* gradient, Scalar* matrix, const Scalar* plastic_strains) const {
      return Kernel::template run<evaluate, projection>(energy_, batches, batch, positions, stiffness_scale,
                                                        rows, gradient, matrix, {}, plastic_strains);
    }

   private:
    Energy energy_;
  };

  // See ElementKernel::flow.
  bool flow(const Batches& batches, int batch, const Scalar* positions, double dt,
            Scalar* plastic_strains) const {
    return Kernel::flow(energy_, batches, batch, positions, dt, plastic_strains);
  }

  // See ElementKernel::damp.
  template <Evaluate evaluate, Projection projection>
  Scalar damp(const Batches& batches, int batch, const Straining<const Scalar*>& straining,
              const OwnedRows& rows, Scalar* gradient, Scalar* matrix) const {
    return viscosity_.with_law([&](const auto& law) {
      return Kernel::template damp<evaluate, projection, energy::is_small_strain<Energy>>(
          law, batches, batch, straining, rows, gradient, matrix);
    });
  }

  const Energy& of_element(std::ptrdiff_t) const { return energy_; }

 private:
  Energy energy_;
  energy::Viscosity<Energy, Element::dim> viscosity_;
};

// For a body with an energy per region. A batch with elements of several regions is evaluated once for each
// region, without the elements of the others.
template <class SolidType, Isa isa>
requires solid::is_per_region<typename SolidType::Energy>
class BatchMaterials<SolidType, isa> {
 public:
  using Element = typename SolidType::Element;
  using Scalar = typename SolidType::Scalar;
  using Energy = typename solid::OneOf<typename SolidType::Energy>::type;
  using Kernel = ElementKernel<Element, Scalar, isa>;
  using Batches = typename Kernel::Batches;

  explicit BatchMaterials(const SolidType&) {}

  // Must be called before an evaluation.
  void arrange(const SolidType& solid, const Batches& batches) {
    std::map<int, int> material_of_region;
    for (const auto& [region, energy] : solid.energy().values()) {
      material_of_region[region] = static_cast<int>(energies_.size());
      energies_.push_back(energy);
      viscosities_.emplace_back();
      viscosities_.back() = {energy, solid.damping().beta, solid.strain_damping().shear,
                             solid.strain_damping().bulk};
    }
    for (std::ptrdiff_t e = 0; e < batches.element_count; ++e) {
      const int user = batches.to_user[static_cast<std::size_t>(e)];
      of_element_.push_back(material_of_region.at(solid.mesh().region(user)));
    }
    constexpr int width = Batches::width;
    first_share_.push_back(0);
    for (int b = 0; b < batches.count; ++b) {
      const std::ptrdiff_t begin = std::ptrdiff_t{b} * width;
      const auto material = [&](int lane) {  // the last batch is padded with its last element
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
               const OwnedRows& rows, Scalar* gradient, Scalar* matrix, const Scalar* plastic_strains) const {
      return materials_.sum_shares(batch, [&](int material, auto lanes) {
        return Kernel::template run<evaluate, projection>(
            materials_.energies_[static_cast<std::size_t>(material)], batches, batch, positions,
            stiffness_scale, rows, gradient, matrix, lanes, plastic_strains);
      });
    }

   private:
    const BatchMaterials& materials_;
  };

  // See ElementKernel::flow.
  bool flow(const Batches& batches, int batch, const Scalar* positions, double dt,
            Scalar* plastic_strains) const {
    const Scalar changes = sum_shares(batch, [&](int material, auto lanes) {
      return Scalar(Kernel::flow(energies_[static_cast<std::size_t>(material)], batches, batch, positions, dt,
                                 plastic_strains, lanes));
    });
    return changes > 0;
  }

  // See ElementKernel::damp.
  template <Evaluate evaluate, Projection projection>
  Scalar damp(const Batches& batches, int batch, const Straining<const Scalar*>& straining,
              const OwnedRows& rows, Scalar* gradient, Scalar* matrix) const {
    return sum_shares(batch, [&](int material, auto lanes) {
      return viscosities_[static_cast<std::size_t>(material)].with_law([&](const auto& law) {
        return Kernel::template damp<evaluate, projection, energy::is_small_strain<Energy>>(
            law, batches, batch, straining, rows, gradient, matrix, lanes);
      });
    });
  }

  // `element` in the order of the batches.
  const Energy& of_element(std::ptrdiff_t element) const {
    return energies_[static_cast<std::size_t>(of_element_[static_cast<std::size_t>(element)])];
  }

 private:
  // The elements of a batch with the same energy.
  struct Share {
    int material;
    bool whole;            // all elements of the batch
    std::ptrdiff_t marks;  // index of the first mark
  };

  // The sum of run(material, lanes) over the shares of a batch.
  template <class Run>
  Scalar sum_shares(int batch, Run&& run) const {
    Scalar total = 0;
    for (int s = first_share_[static_cast<std::size_t>(batch)];
         s < first_share_[static_cast<std::size_t>(batch) + 1]; ++s) {
      const Share& share = shares_[static_cast<std::size_t>(s)];
      total += share.whole ? run(share.material, typename Kernel::EveryLane{})
                           : run(share.material, typename Kernel::MarkedLanes{marks_.data() + share.marks});
    }
    return total;
  }

  std::vector<Energy> energies_;
  std::vector<energy::Viscosity<Energy, Element::dim>> viscosities_;  // of each energy
  std::vector<int> of_element_;
  std::vector<int> first_share_;  // of each batch, #batches + 1
  std::vector<Share> shares_;
  AlignedVector<Scalar> marks_;
};

}  // namespace pliant::detail::assembly
