// Implicit Euler for corotated bodies with one prefactored matrix.
#pragma once

#include <limits>

#include <pliant/operator_splitting/split_bodies.hpp>
#include <pliant/potential/own_terms.hpp>

namespace pliant {

// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", with these corrections:
// the weight of an element is 2 mu V dt^2, and masses are those of the mesh.
//
// The energy of FixedCorotated is split. The stretch, mu |F - R|^2 with the rotation R of each element held,
// is a least-squares problem whose matrix M + dt^2 L is the same for x, y and z and in all steps:
//   (M + dt^2 L) d = M (p - x0) + sum_e (2 mu V dt^2 (R - F) + k cof F) grad N,    x1 = x0 + d,
// with p = x + dt v + dt^2 M^-1 f the predicted positions, F and R those of the positions x0. Then the volume
// term, lambda/2 (det F - 1)^2, is a compliant constraint of each element, which is relaxed
// `volume_iterations` times; k is its initial multiplier. v+ = (x+ - x) / dt.
//
// As published, x0 = p and k = 0: the two terms are coupled only through the positions, and the shape of a
// body at rest depends on dt. Here, if `incremental`, x0 = x + dt v and k is the final multiplier of the
// previous step, as in an incremental pressure correction of a flow: at rest the forces of a body are zero,
// as with implicit Euler. A part of the change of k in a step acts in the next step only, see volume_share. k
// starts at zero for elements that are inverted, have more than doubled their volume, or have a pressure
// lambda (J - 1) of more than 20 mu. After the state has been set, k starts from the pressures of its
// positions, up to 2 mu.
//
// A step always costs the same. It is not converged: rotations that are held during a solve resist change,
// like an added mass on rotating parts; smaller steps or more iterations reduce this. If a shear wave travels
// a large fraction of the thickness of a body in a step, undamped bodies can gain energy, more so as nu
// approaches 0.5, and elements can be inverted (StepReport::inverted_elements).
//
// Copies of a body are solved together, see SplitCopies: those of Copies, and pieces whose meshes differ by a
// rigid motion only, up to the rounding of their coordinates. If this rounding exceeds a tenth of an
// element's height they are not recognised (StepReport::copies).
//
// At the end of a step, nodes inside a collider are moved back to its surface and slowed down by friction and
// drag; this acts on the elements in the next step.
//
// Supports tetrahedra of FixedCorotated, of Arap, which has no volume term, or of another SplitEnergy, with
// nodes that are free, held or moved in all directions. The matrix is factorised in the first step and again
// when dt or the set of held nodes has changed (StepReport::factorisations).
struct OperatorSplitting {
  double dt = 0.01;             // [s]
  int volume_iterations = 2;    // relaxations of every volume constraint, 0: no resistance to volume changes
  int rotation_iterations = 1;  // steps by which each rotation follows its F, see follow_rotation
  int stretch_iterations = 1;   // rotations and solves; with many the stretch converges to implicit Euler
  bool incremental = true;      // see above; false: as published
  bool elastic_energy = false;  // whether the report has it, at the cost of another step; otherwise NaN

  static constexpr IntegratorAbilities abilities{.needs_solver = false, .knows_colliders = true};

  template <class SystemType, class FilterType>
  using Workspace = detail::operator_splitting::SplitBodies<SystemType, FilterType>;

  double time_step() const { return dt; }

  // Whether the solve of the stretch includes volume forces.
  bool feels_volumes() const { return incremental && volume_iterations > 0; }

  void check() const {
    detail::core::require_parameter(dt > 0, "OperatorSplitting::dt", dt, "must be positive (s)");
    detail::core::require_parameter(volume_iterations >= 0, "OperatorSplitting::volume_iterations",
                                    volume_iterations, "must not be negative");
    detail::core::require_parameter(rotation_iterations >= 1, "OperatorSplitting::rotation_iterations",
                                    rotation_iterations, "must be at least 1");
    detail::core::require_parameter(stretch_iterations >= 1, "OperatorSplitting::stretch_iterations",
                                    stretch_iterations, "must be at least 1");
  }

  template <class SystemType, class Bodies>
  void prepare(const SystemType& system, Bodies& bodies) const {
    static_assert(
        !detail::potential::has_terms<SystemType>,
        "OperatorSplitting takes no terms of a program's own, for its matrix is that of stretches alone: "
        "take another integrator, or the solid without them");
    static_assert(!SystemType::is_plastic,
                  "OperatorSplitting takes no plasticity, for its matrix is that of elastic stretches: take "
                  "another integrator, or the energy without Plastic");
    bodies.prepare(system);
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& bodies,
                  NewtonMonitor monitor) const {
    StepReport report = StepReport::without_residual();
    report.stop = StepStop::accepted;
    if (!monitor(detail::integrator::progress_without_residual(0))) {
      report.stop = StepStop::cancelled;
      return report;
    }
    report.factorisations = bodies.set_up(context.system, context.filter, dt, incremental);
    report.pieces = bodies.piece_count();
    report.copies = bodies.pieces_in_blocks();
    report.contacts = bodies.advance(*this, context, state);
    report.inverted_elements = bodies.inverted_elements();
    if (report.contacts < 0) {
      report.contacts = 0;
      report.stop = StepStop::penetration;
      return report;
    }
    state.time += dt;
    report.energies.elastic =
        elastic_energy ? context.system.energy(state.x) : std::numeric_limits<double>::quiet_NaN();
    return report;
  }
};

static_assert(Integrator<OperatorSplitting>);

}  // namespace pliant
