#include "scene_of.hpp"

#include <pliant/energy/arap.hpp>

std::unique_ptr<Scene> arap(const pliant::Mesh<pliant::Tet4>& mesh) {
  return std::make_unique<SceneOf<pliant::Arap>>(mesh);
}
