// A path takes a rest position and a time, and gives a position.
// must say: the path of a PrescribedMotion must be callable with a rest position
// must say: must return a vector of as many numbers as the mesh has dimensions
// must say: the path of a PrescribedMotion must return a vector and not an expression
#include <pliant/constraint/prescribed_motion.hpp>

using namespace pliant;
using Vector = Eigen::Vector3d;

void describe(NodeConstraints<3>& nodes) {
#ifdef SHOULD_FAIL
  PrescribedMotion({0}, [](const Vector& X) -> Vector { return X; }).describe(nodes);
  PrescribedMotion({0}, [](double) -> Vector { return Vector::Zero(); }).describe(nodes);
  PrescribedVelocity({0}, [](Vector& X, double) -> Vector { return X; }).describe(nodes);
  PrescribedMotion({0}, [](const auto& X, double) -> Eigen::Vector2d { return X.head(2); }).describe(nodes);
  PrescribedMotion({0}, [](const Vector& X, double t) { return t * X; }).describe(nodes);
#else
  PrescribedMotion({0}, [](const Vector& X, double) -> Vector { return X; }).describe(nodes);
  PrescribedVelocity({0}, [](const auto& X, double t) -> Vector { return t * X; }).describe(nodes);
  PrescribedMotion({0}, [](Vector X, float) -> Eigen::VectorXd { return X; }).describe(nodes);
#endif
}
