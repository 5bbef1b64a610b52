#include "scene_of.hpp"

#include <pliant/energy/fixed_corotated.hpp>

std::unique_ptr<Scene> fixed_corotated(const pliant::Mesh<pliant::Tet4>& mesh) {
  return std::make_unique<SceneOf<pliant::FixedCorotated>>(mesh);
}
