// Declarations of the types that users name, for headers that only name them. The elements are complete
// types, because Mesh<Tet4, double> requires that Tet4 models Element; they include Eigen/Core and nothing
// else that is large. Default template arguments are in the definitions, so that every argument is written
// here.
#pragma once

#include <pliant/element/hex8.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/simd/isa.hpp>

namespace pliant {

// errors
class Error;
class ParameterError;
class SizeError;
class IndexError;
class MeshError;
class WriteError;

// meshes
template <Element ElementType, class ScalarType>
struct Mesh;
template <class ScalarType, Element First, Element... More>
struct MixedMesh;
struct Diagnosis;
struct ReadReport;
class VtkSeries;

// materials and solids
class Lame;
struct RawCoefficients;
class LinearElastic;
class StVenantKirchhoff;
class CorotatedLinear;
class FixedCorotated;
class Arap;
class StableNeoHookean;
class StableNeoHookeanBarrier;
class BonetWoodNeoHookean;
class OgdenNeoHookean;
class BowerNeoHookean;
template <class EnergyType>
class PlaneStress;
struct Plasticity;
template <class EnergyType>
class Plastic;
struct Density;
template <class ValueType>
class PerRegion;
struct Thickness;
struct Rayleigh;
struct StrainDamping;
template <Element ElementType, class EnergyType, class ScalarType>
class Solid;
struct Weld;
template <class... Solids>
class Bodies;
template <class SolidType>
class Copies;
template <class SolidType, class... Terms>
class WithTerms;
struct TermAbilities;

// constraints
struct Unconstrained;
class Pinned;
class Sliding;
template <class Path>
class PrescribedMotion;
template <class Velocity>
class PrescribedVelocity;
template <class... Constraints>
class Together;

// colliders
template <int Dim>
class HalfSpace;
template <int Dim>
class Sphere;
template <int Dim>
class Box;
template <int Dim>
class Capsule;
class TriangleMesh;
template <int Dim>
class Pose;

// systems
template <int Dim, class ScalarType>
class DenseVector;
template <int Dim, class ScalarType>
class DenseMatrix;
template <int Dim, class ScalarType>
class DenseSystem;

// solvers, integrators
struct NoSolver;
struct NoPreconditioner;
struct Jacobi;
struct BlockJacobi;
struct Automatic;
struct TwoLevel;
struct Prefactored;
template <class PreconditionerType>
struct Pcg;
struct Cholesky;
struct DenseCholesky;
struct Cholmod;  // complete for who links pliant::cholmod
template <class PreconditionerType>
struct Mprgp;
template <class Vector>
struct BoxConstraints;
struct NewtonDefaults;
template <class Defaults>
struct NewtonParameters;
using Newton = NewtonParameters<NewtonDefaults>;
struct BackwardEuler;
struct OptimizationEuler;
struct Newmark;
struct CentralDifferences;
struct OperatorSplitting;
struct QuasiStatic;

// simulation
struct Energies;
struct StepReport;
struct Progress;
template <class SolidType, class IntegratorType, class SolverType, class ConstraintType, Isa isa>
class Simulation;
template <class SolidType, class IntegratorType, class SolverType, Isa isa>
class SavedState;
struct FrameRate;
struct FrameReport;
template <class ClockType>
class Frames;

}  // namespace pliant
