// A soft body on a chain of three rigid links, in one step (22_chain).
#include "any_integrator.hpp"
#include "scene.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <Eigen/Geometry>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/simulation/mechanisms.hpp>
#include <pliant/solid/solid.hpp>

namespace {

using namespace pliant;
using Vector = Eigen::Vector3d;
using Soft = Solid<Tet4, StableNeoHookean>;

constexpr double link = 0.3, thickness = 0.06, link_mass = 20;  // [m], [m], [kg]
constexpr int links = 3;

// The face of the surface whose lowest node is highest.
std::array<int, 3> highest_face(const Mesh<Tet4>& mesh) {
  const auto faces = boundary_faces(mesh).faces;
  const auto height = [&](Eigen::Index f) {
    return std::min({mesh.nodes(1, faces(0, f)), mesh.nodes(1, faces(1, f)), mesh.nodes(1, faces(2, f))});
  };
  Eigen::Index best = 0;
  for (Eigen::Index f = 1; f < faces.cols(); ++f) {
    if (height(f) > height(best)) best = f;
  }
  return {faces(0, best), faces(1, best), faces(2, best)};
}

Coupled<Soft> body_on_chain(const Mesh<Tet4>& mesh) {
  const std::array<int, 3> face = highest_face(mesh);
  const Vector hook = (mesh.nodes.col(face[0]) + mesh.nodes.col(face[1]) + mesh.nodes.col(face[2])) / 3;
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = links; k > 0; --k) {
    const Vector upper = hook + Vector(0, k * link, 0), middle = upper - Vector(0, link / 2, 0);
    const int next = chain.add(RigidBody::box({thickness, link, thickness}, Mass{link_mass}), Pose(middle));
    if (k == 2) chain.add(Hinge{.first = above, .second = next, .at = upper, .axis = {0, 0, 1}});
    else chain.add(Ball{.first = above, .second = next, .at = upper});
    above = next;
  }
  Coupled scene(Soft(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.45)), Density{300},
                     Rayleigh{.alpha = 0.2, .beta = 1e-3}),
                chain);
  scene.add(BallToFace{.body = above, .face = face});
  return scene;
}

class OnChain : public Scene {
 public:
  explicit OnChain(const Mesh<Tet4>& mesh)
      : face_(highest_face(mesh)),
        sim_(body_on_chain(mesh), BackwardEuler{.newton = Newton::linearised()}, Condensed{}, hand({})) {
    sim_.set_gravity({0, -9.81, 0});
    for (int b = 0; b < links; ++b) start_.push_back(sim_.pose(b));
    show();
  }

  FrameReport advance(AnyFrames& frames) override {
    const FrameReport report = frames.advance(*this);
    show();
    return report;
  }
  const Points& positions() const override { return positions_; }
  const Points& velocities() const override { return velocities_; }
  // The chain hangs straight again.
  void set_state(const Points& positions, const Points& velocities) override {
    for (int b = 0; b < links; ++b) {
      sim_.set_pose(b, start_[static_cast<std::size_t>(b)]);
      sim_.set_body_velocity(b, {});
    }
    Points all = sim_.positions(), rates = sim_.velocities();
    all.leftCols(positions.cols()) = positions;
    rates.leftCols(positions.cols()) = velocities;
    sim_.set_positions(all);
    sim_.set_velocities(rates);
    show();
  }
  int rules() const override { return 2; }
  void set_rule(Rule rule) override {
    BackwardEuler integrator = sim_.integrator();
    integrator.newton = rule == Rule::linearised ? Newton::linearised() : Newton{};
    sim_.set_integrator(integrator);
  }
  // The nodes of the hook are free: a joint acts on them.
  void grab(std::vector<int> nodes) override {
    std::erase_if(nodes, [&](int node) { return std::count(face_.begin(), face_.end(), node) > 0; });
    hand_velocity_.setZero();
    sim_.set_constraint(hand(std::move(nodes)));
  }
  void move_hand(const Vector& velocity) override { hand_velocity_ = velocity; }

  BodySnapshot bodies() const override { return sim_.bodies(); }
  void grab_body(int body, const Vector& at) override { grip_ = {body, sim_.pose(body).to_local(at), at}; }
  void pull_body(const Vector& target) override {
    if (grip_) grip_->target = target;
  }
  void let_body_go() override { grip_.reset(); }

  // What frames advance: before each step, the spring of the hand.
  StepReport step() {
    if (grip_ && pulled_at_ != sim_.time()) {
      pull();
      pulled_at_ = sim_.time();
    }
    return sim_.step();
  }
  double time() const { return sim_.time(); }
  void set_time(double time) { sim_.set_time(time); }
  const BackwardEuler& integrator() const { return sim_.integrator(); }
  void set_integrator(const BackwardEuler& integrator) { sim_.set_integrator(integrator); }

 private:
  using Velocity = std::function<Vector(const Vector& X, double t)>;
  using Hand = PrescribedVelocity<Velocity>;
  struct Grip {
    int body;
    Vector own, target;  // the point in the frame of the body, and where it is pulled [m]
  };

  Hand hand(std::vector<int> nodes) {
    return {std::move(nodes), [this](const Vector&, double) { return hand_velocity_; }};
  }

  // A damped spring. Its force is that at the start of the step, so that its stiffness is limited by the mass
  // that the end of a rod seems to have, a quarter of that of the rod.
  void pull() {
    const double dt = sim_.integrator().dt, mass = link_mass / 4;
    const BodyVelocity velocity = sim_.body_velocity(grip_->body);
    const Vector at = sim_.pose(grip_->body).to_world(grip_->own);
    const Vector centre = sim_.pose(grip_->body).translation(), turn = velocity.angular;
    const Vector moves = Vector(velocity.linear) + turn.cross(at - centre);
    sim_.add_force(grip_->body, at, 0.2 * mass / (dt * dt) * (grip_->target - at) - 0.6 * mass / dt * moves);
  }

  void show() {
    const auto soft = sim_.soft();
    positions_ = soft.positions();
    velocities_ = soft.velocities();
  }

  std::array<int, 3> face_;
  Vector hand_velocity_ = Vector::Zero();
  Simulation<detail::rigid::CoupledSystem<Soft>, BackwardEuler, Condensed<>, Hand> sim_;
  std::vector<Pose<3>> start_;
  Points positions_, velocities_;
  std::optional<Grip> grip_;
  double pulled_at_ = -1;  // [s]
};

}  // namespace

std::unique_ptr<Scene> on_chain(const pliant::Mesh<pliant::Tet4>& mesh) {
  return std::make_unique<OnChain>(mesh);
}
