// A soft body and a mechanism that joints connect.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/rigid/joint/ball_to_face.hpp>
#include <pliant/rigid/joint/face_to_face.hpp>
#include <pliant/rigid/joint/weld_to_nodes.hpp>
#include <pliant/rigid/mechanism.hpp>

namespace pliant {

// A value: a Solid or Bodies in space, a Mechanism, and joints between nodes of the first and bodies of the
// second, or the world. Joints are added where the solid is at rest and the mechanism at its start; their
// numbers follow those of the mechanism.
//
//   Coupled arm(flesh, bones);
//   arm.add(WeldToNodes{.body = bone, .nodes = inner});
//   const int hook = arm.add(BallToFace{.body = tool, .face = {7, 9, 8}});
//   Simulation sim(arm, BackwardEuler{.dt = 0.01}, Condensed{}, Pinned(held));
template <class SolidType>
class Coupled {
  static_assert(detail::assembly::IsSolid<SolidType>,
                "the first argument of Coupled must be a Solid or Bodies");
  static_assert(SolidType::dim == 3 && std::is_same_v<typename SolidType::Scalar, double>,
                "Coupled takes a solid in space, in doubles");
  static_assert(!ElasticSystem<SolidType>::is_copies, "Coupled takes a Solid or Bodies, and no Copies");
  static_assert(!ElasticSystem<SolidType>::abilities.terms, "Coupled takes no solid with additional terms");

 public:
  static constexpr int world = world_body;

  Coupled(SolidType solid, Mechanism mechanism)
      : solid_(std::make_shared<const SolidType>(std::move(solid))),
        mechanism_(std::move(mechanism)),
        joints_(mechanism_.joints()) {}

  // `add` returns the number of the joint. It throws IndexError for a body or node that does not exist,
  // SizeError for a WeldToNodes without nodes, and ParameterError for a parameter out of range, for a
  // repeated body or node, for a joint that is not met at the start, for a face that is not on the surface,
  // and for a node of two WeldToNodes. The message begins with the number of the joint.
  template <Joint J>
  int add(const J& joint) {
    return joints_.add(std::vector<J>{joint}, mechanism_.frames(), solid_->nodes());
  }
  int add(const BallToFace& joint) {
    detail::rigid::JointList joints = joints_;
    const int number = joints.add(std::vector<BallToFace>{joint}, mechanism_.frames(), solid_->nodes());
    require_on_surface(number, "BallToFace::face", joint.face);
    joints_ = std::move(joints);
    return number;
  }
  int add(const FaceToFace& joint) {
    detail::rigid::JointList joints = joints_;
    const int number = joints.add(std::vector<FaceToFace>{joint}, mechanism_.frames(), solid_->nodes());
    require_on_surface(number, "FaceToFace::first.face", joint.first.face);
    require_on_surface(number, "FaceToFace::second.face", joint.second.face);
    joints_ = std::move(joints);
    return number;
  }
  int add(const WeldToNodes& weld) {
    const std::string name = "joint " + std::to_string(joints_.count());
    if (weld.nodes.empty()) throw SizeError(name + ": WeldToNodes::nodes", 0, 1);
    std::map<int, int> welded = welded_;
    for (const int node : weld.nodes) {
      const auto [other, is_new] = welded.insert({node, joints_.count()});
      if (is_new) continue;
      throw ParameterError(name + ": WeldToNodes: node", node,
                           "joint " + std::to_string(other->second) + " welds it already");
    }
    const int number = joints_.add(weld.parts(), mechanism_.frames(), solid_->nodes());
    welded_ = std::move(welded);
    return number;
  }

  // See Mechanism::add_collider, whose numbers these continue.
  template <class Shape>
  int add_collider(int body, const Shape& shape, const Surface& surface = {}) {
    return mechanism_.add_collider(body, shape, surface);
  }

  const SolidType& solid() const { return *solid_; }
  const std::shared_ptr<const SolidType>& shared_solid() const { return solid_; }
  const Mechanism& mechanism() const { return mechanism_; }
  const detail::rigid::JointList& joints() const { return joints_; }
  int joint_count() const { return joints_.count(); }

 private:
  void require_on_surface(int number, const std::string& name, const std::array<int, 3>& nodes) const {
    const std::size_t uses =
        std::apply([&](const auto&... part) { return (uses_of(part, nodes) + ...); }, parts_of(*solid_));
    if (uses == 1) return;
    throw ParameterError("joint " + std::to_string(number) + ": " + name + ": first node", nodes[0],
                         "it must be on the surface with the nodes " + std::to_string(nodes[1]) + " and " +
                             std::to_string(nodes[2]) + ", as those of a face");
  }

  // The number of elements of a part that have a face with the nodes.
  template <class Part>
  std::size_t uses_of(const SolidPart<Part>& part, const std::array<int, 3>& nodes) const {
    const auto has = [&](const auto& list) {
      return std::all_of(nodes.begin(), nodes.end(),
                         [&](int node) { return std::find(list.begin(), list.end(), node) != list.end(); });
    };
    std::size_t count = 0;
    detail::mesh::group_faces<typename Part::Element>(
        part.elements, solid_->node_count(), [&](Eigen::Index e) { return has(part.elements.col(e)); },
        [&](auto uses) { count += has(uses[0].nodes) ? uses.size() : 0; });
    return count;
  }

  std::shared_ptr<const SolidType> solid_;
  Mechanism mechanism_;
  detail::rigid::JointList joints_;
  std::map<int, int> welded_;  // the joint of each welded node
};

}  // namespace pliant
