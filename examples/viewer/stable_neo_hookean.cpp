#include "scene_of.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

std::unique_ptr<Scene> stable_neo_hookean(const pliant::Mesh<pliant::Tet4>& mesh) {
  return std::make_unique<SceneOf<pliant::StableNeoHookean>>(mesh);
}
