// A Simulation behind a run-time interface. Every energy has its own translation unit, which implements it
// (scene_of.hpp); the window and the keys use no template.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/io/body_snapshot.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/simulation/frame_rate.hpp>

enum class Rule;

using Points = pliant::NodeMatrix<double, 3>;
using AnyFrames = pliant::Frames<std::function<double()>>;

class Scene {
 public:
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  virtual ~Scene() = default;

  virtual pliant::FrameReport advance(AnyFrames& frames) = 0;
  virtual const Points& positions() const = 0;   // [m]
  virtual const Points& velocities() const = 0;  // [m/s]
  virtual void set_state(const Points& positions, const Points& velocities) = 0;
  virtual void set_rule(Rule rule) = 0;
  virtual int rules() const = 0;  // how many it has, the first of them

  // The nodes move with the velocity of the hand [m/s] only; an empty list releases them.
  virtual void grab(std::vector<int> nodes) = 0;
  virtual void move_hand(const Eigen::Vector3d& velocity) = 0;

  // Rigid bodies, if it has any. A point of a body [m] is pulled to another one, until it is let go.
  virtual pliant::BodySnapshot bodies() const { return {}; }
  virtual void grab_body(int, const Eigen::Vector3d&) {}
  virtual void pull_body(const Eigen::Vector3d&) {}
  virtual void let_body_go() {}
};

// A soft body of 1000 kg/m^3 and Young's modulus 3e4 Pa, above a floor at y = 0.
std::unique_ptr<Scene> stable_neo_hookean(const pliant::Mesh<pliant::Tet4>& mesh);
std::unique_ptr<Scene> fixed_corotated(const pliant::Mesh<pliant::Tet4>& mesh);
std::unique_ptr<Scene> arap(const pliant::Mesh<pliant::Tet4>& mesh);

// One of 300 kg/m^3 and 1e5 Pa that hangs on a chain of three rigid links, without a floor.
std::unique_ptr<Scene> on_chain(const pliant::Mesh<pliant::Tet4>& mesh);

struct Choice {
  const char* name;
  std::unique_ptr<Scene> (*make)(const pliant::Mesh<pliant::Tet4>& mesh);
};
inline const std::vector<Choice> energies{
    {"StableNeoHookean", stable_neo_hookean}, {"FixedCorotated", fixed_corotated}, {"Arap", arap}};
inline const std::vector<Choice> chains{{"StableNeoHookean on a chain", on_chain}};
