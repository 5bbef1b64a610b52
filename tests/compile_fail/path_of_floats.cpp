// Paths are in double, also where the mesh is one of floats.
// must say: the path of a PrescribedMotion takes and returns vectors of doubles
#include <pliant/constraint/prescribed_motion.hpp>

#ifdef SHOULD_FAIL
using Vector = Eigen::Vector3f;
#else
using Vector = Eigen::Vector3d;
#endif

void describe(pliant::NodeConstraints<3>& nodes) {
  pliant::PrescribedMotion({0}, [](const Vector& X, double) -> Vector { return X; }).describe(nodes);
}
