// The non-elastic energies of a state.
#pragma once

#include <cstddef>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/integrator/step_report.hpp>

namespace pliant::detail {

// For the unknowns x with the rates v, relative to `rest`: M v.v / 2, and minus the work of the weights and
// of the external forces. `weight`: of a unit mass, for each axis, or zero [m/s^2].
template <SystemVector Vector, class Weight>
Energies energies_of_state(const Vector& mass, const Vector& rest, const Vector& x, const Vector& v,
                           const Weight& weight, const Vector& external) {
  Energies energies;
  for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
    for (int axis = 0; axis < Vector::dim; ++axis) {
      const auto entry = [&](const Vector& vector) { return static_cast<double>(vector.node(i)(axis)); };
      const double moved = entry(x) - entry(rest);
      energies.kinetic += entry(mass) * entry(v) * entry(v) / 2;
      energies.gravitational -= entry(mass) * weight[axis] * moved;
      energies.external -= entry(external) * moved;
    }
  }
  return energies;
}

// The same with SIMD, and the same bits for any number of threads.
template <int Dim, class Scalar, Isa isa>
Energies energies_of_state(const NodeVector<Dim, Scalar, isa>& mass, const NodeVector<Dim, Scalar, isa>& rest,
                           const NodeVector<Dim, Scalar, isa>& x, const NodeVector<Dim, Scalar, isa>& v,
                           const SmallVector<double, Dim>& weight,
                           const NodeVector<Dim, Scalar, isa>& external) {
  using Vector = NodeVector<Dim, Scalar, isa>;
  using Row = Lane<double, Vector::stride, isa>;
  const auto wide = [](const typename Vector::Row& row) { return convert<Row>(row); };
  Row gravity(0);
  for (int axis = 0; axis < Dim; ++axis) set_lane(gravity, axis, weight[axis]);
  return core::parallel_sum<Energies>(x.nodes(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    Row kinetic(0), gravitational(0), work(0);
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      const Row speed = wide(v.row(i)), m = wide(mass.row(i)), moved = wide(x.row(i) - rest.row(i));
      kinetic = multiply_add(m * speed, speed, kinetic);
      gravitational = multiply_add(m * gravity, moved, gravitational);
      work = multiply_add(wide(external.row(i)), moved, work);
    }
    return Energies{
        .kinetic = sum(kinetic) / 2, .gravitational = -sum(gravitational), .external = -sum(work)};
  });
}

}  // namespace pliant::detail
