// Implicit Euler for corotated bodies with one prefactored matrix.
#pragma once

#include <limits>

#include <pliant/operator_splitting/split_bodies.hpp>

namespace pliant {

// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", with these corrections:
// the weight of an element is 2 mu V dt^2, and masses are those of the mesh.
//
// The energy of FixedCorotated is split. The stretch, mu |F - R|^2 with the rotation R of each element held,
// is a least-squares problem whose matrix M + dt^2 L is the same for x, y and z and for all steps:
//   (M + dt^2 L) d = M (p - x0) + sum_e (2 mu V dt^2 (R - F) + k cof F) grad N,    x1 = x0 + d,
// with p = x + dt v + dt^2 M^-1 f the predicted positions, F and R those of the positions x0. Then the
// volume, lambda/2 (det F - 1)^2, is a compliant constraint of each element, relaxed some times; k is the
// multiplier with which that starts. v+ = (x+ - x) / dt.
//
// As published, x0 = p and k = 0: the two terms see each other only through the positions, and a body comes
// to rest in a shape that depends on dt. Here, if `incremental`, x0 = x + dt v and k is what the multiplier
// became in the step before, as in an incremental pressure correction of a flow: a body is at rest where its
// forces are zero, as with implicit Euler. What k changes by in a step is felt in part in the next one only,
// see volume_share. Elements whose volumes are off by more than themselves, inverted or more than doubled, or
// whose pressure, lambda (J - 1), is more than 20 mu, start with k = 0. A state that is set starts with the k
// of its pressures up to 2 mu.
//
// A step always costs the same. It is not converged: rotations that are held resist being changed, which is
// as if mass were added to what turns, and only smaller steps or more iterations make it less. Steps in which
// a shear wave goes a good part of a body's thickness can add energy to it, if it is not damped, the sooner
// the nearer nu is to 0.5, and invert elements (StepReport::inverted_elements).
//
// Bodies of which there are many copies are solved together, see SplitCopies: those of Copies, and any whose
// meshes differ in their place only, as far as the rounding of their coordinates tells. Where that is more
// than a tenth of an element's height they are not recognised (StepReport::copies).
//
// Nodes that would end in a collider are put back on its surface, and slowed down there by friction and drag,
// at the end of the step; the body feels it in the next one.
//
// Takes tetrahedra of FixedCorotated or Arap, which has no volume term, with nodes that are free, held or
// moved in all directions. The matrix is factorised in the first step and again when dt or the set of held
// nodes has changed (StepReport::factorisations).
struct OperatorSplitting {
  double dt = 0.01;             // [s]
  int volume_iterations = 2;    // relaxations of every volume constraint, 0: no resistance to volume changes
  int rotation_iterations = 1;  // steps by which each rotation follows its F, see follow_rotation
  int stretch_iterations = 1;   // rotations and solves; many converge to implicit Euler of the stretch energy
  bool incremental = true;      // see above; false: as published
  bool elastic_energy = false;  // whether the report tells it, which costs as much as the step; else NaN

  static constexpr bool needs_solver = false, knows_colliders = true;

  template <class SystemType, class FilterType>
  using Workspace = SplitBodies<SystemType, FilterType>;

  double time_step() const { return dt; }

  // Whether the solve of the stretch feels volume forces.
  bool feels_volumes() const { return incremental && volume_iterations > 0; }

  void check() const {
    detail::require_parameter(dt > 0, "OperatorSplitting::dt", dt, "must be positive (s)");
    detail::require_parameter(volume_iterations >= 0, "OperatorSplitting::volume_iterations",
                              volume_iterations, "must not be negative");
    detail::require_parameter(rotation_iterations >= 1, "OperatorSplitting::rotation_iterations",
                              rotation_iterations, "must be at least 1");
    detail::require_parameter(stretch_iterations >= 1, "OperatorSplitting::stretch_iterations",
                              stretch_iterations, "must be at least 1");
  }

  template <class SystemType, class Bodies>
  void prepare(const SystemType& system, Bodies& bodies) const {
    bodies.prepare(system);
  }

  template <class Context, class Monitor>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& bodies,
                  Monitor&& monitor) const {
    StepReport report = StepReport::without_residual();
    report.stop = StepStop::accepted;
    if (!monitor(detail::progress_without_residual(0))) {
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
