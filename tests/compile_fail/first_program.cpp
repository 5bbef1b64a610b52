// What first programs get wrong: each ends in one sentence that says what to write.
// must say: the third argument of Solid must be a density, in kg/m^3: Solid(mesh, energy, Density{1000})
// must say: an energy is constructed from a Lame, which names its parameters
// must say: the second argument of Copies must be a std::vector of poses
// must say: Pinned takes the numbers of nodes
// must say: the first argument of a PrescribedMotion or PrescribedVelocity must be the numbers of nodes
// must say: what is written must be a Simulation
// must say: write_vtu writes a mesh, or the state of a Simulation
#include <type_traits>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/io/vtk_series.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/solid/copies.hpp>
#include <pliant/solid/solid.hpp>

using namespace pliant;

const auto mesh = make_box<Tet4>();
const auto path = [](const Eigen::Vector3d& X, double) -> Eigen::Vector3d { return X; };
const std::vector<int> nodes{0, 1};

#ifdef SHOULD_FAIL
const StableNeoHookean energy(1e6, 0.45);
const Solid without_density(mesh, energy);
const Solid with_number(mesh, energy, 1000);
const Copies copies(Solid(mesh, energy, Density{1000}), 5);
const Pinned pinned(mesh);
const PrescribedMotion moved(path, nodes);
const PrescribedVelocity driven(mesh, path);
void write(VtkSeries& out) {
  out.write(with_number);
  write_vtu("solid.vtu", with_number);
}
#else
const StableNeoHookean energy(Lame::from_young_poisson(1e6, 0.45));
const Solid solid(mesh, energy, Density{1000});
const Copies copies(solid, std::vector<Pose<3>>(5)), two(solid, {Pose<3>(), Pose<3>()});
const Solid of_regions(mesh, energy, PerRegion<Density>{{0, Density{1000}}});
const Pinned pinned(nodes), listed({0, 1}), copied(pinned);
const PrescribedMotion moved(nodes, path), along({0}, path, Eigen::Vector3d::UnitX());
const PrescribedVelocity driven({0, 1}, path);
void write() { write_vtu("solid.vtu", solid.mesh()); }
#endif
