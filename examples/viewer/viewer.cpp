// viewer: a soft body in a window, alone or on a chain of rigid links, to be grabbed and thrown.
//
// The problem: a body falls to the floor and is dragged about by some of its nodes, sixty frames a second.
//
//     M a = f(x) - beta K v + M g,   y >= 0 with friction,   v = v_hand where it is held
//
// Run:  viewer                   a ball that this program generates
//       viewer box               a box
//       viewer chain             a bar that hangs on a chain of rigid links
//       viewer hand.msh          tetrahedra of a Gmsh, Medit, TetGen, Vega or VTK file
//       viewer --frames 90 --screenshot falls.ppm [ball | box | chain | file]     without a window on the
//       screen viewer --frames 90 --drag 0.5 0.2 0.8 0.3 ...     and drag what is at a point of the picture
//       to another
//
// Left button: grab the body or a link, or turn the camera; right button: turn the camera; wheel: zoom. Keys:
// space pauses, N one frame, R restarts, E next energy, I next integrator, W edges, Esc quits. The title of
// the window shows the volume, the energy and the cost of a frame.
//
// Read before: 01_hello. Each energy is compiled separately (scene.hpp, scene_of.hpp); any_integrator.hpp
// chooses the integrator at run time, and picture.cpp draws.
#include "any_integrator.hpp"
#include "picture.hpp"
#include "scene.hpp"

#include <GLFW/glfw3.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/read_mesh.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/repair.hpp>

using namespace pliant;

namespace {

struct Arguments {
  std::string body = "ball";
  int frames = 0;  // 0: until the window is closed
  std::string screenshot;
  std::optional<std::array<double, 4>> drag;  // from and to, as parts of the width and height of the picture
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--frames" && k + 1 < argc) arguments.frames = std::atoi(argv[++k]);
    else if (word == "--screenshot" && k + 1 < argc) arguments.screenshot = argv[++k];
    else if (word == "--drag" && k + 4 < argc) {
      arguments.drag.emplace();
      for (double& part : *arguments.drag) part = std::atof(argv[++k]);
    } else if (word.starts_with("--")) throw std::runtime_error("unknown option " + std::string(word));
    else arguments.body = word;
  }
  return arguments;
}

// Step 1: a mesh, repaired if necessary, one metre long and half a metre above the floor.
Mesh<Tet4> make_body(const std::string& name) {
  Mesh<Tet4> mesh;
  if (name == "ball") {
    mesh = make_ball<Tet4>({.shells = 4});
  } else if (name == "box") {
    mesh = make_box<Tet4>({.lengths = {1, 0.5, 0.5}, .cells = {10, 5, 5}});
  } else if (name == "chain") {
    mesh = make_box<Tet4>({.lengths = {0.4, 1, 0.4}, .cells = {3, 8, 3}});
  } else {
    ReadReport report;
    mesh = read_mesh<Tet4>(name, report);
    if (!diagnose(mesh).usable()) {
      auto repair = drop_duplicate_elements(mesh);
      repair = repair.followed_by(drop_degenerate_elements(repair.mesh));
      repair = repair.followed_by(reorient(repair.mesh));
      repair = repair.followed_by(drop_unreferenced_nodes(repair.mesh));
      mesh = std::move(repair.mesh);
    }
  }
  const auto box = bounding_box(mesh);
  const Eigen::Vector3d foot((box.lower.x() + box.upper.x()) / 2, box.lower.y(),
                             (box.lower.z() + box.upper.z()) / 2);
  const double length = (box.upper - box.lower).maxCoeff();
  mesh.nodes = (mesh.nodes.colwise() - foot) / length;
  mesh.nodes.row(1).array() += 0.5;
  return mesh;
}

double seconds() { return SteadyClock{}(); }

class Viewer {
 public:
  Viewer(const Mesh<Tet4>& mesh, const std::vector<Choice>& choices, const FrameRate& rate,
         std::function<double()> clock)
      : mesh_(mesh),
        rest_(mesh.nodes),
        rest_volume_(total_volume(mesh)),
        surface_(boundary_faces(mesh).faces),
        frames_(rate, std::move(clock)),
        choices_(choices),
        scene_(choices[0].make(mesh)) {}

  bool paused = false, edges = true;
  Camera camera;

  // Step 2: a frame. The hand follows the mouse, with at most 3 m/s and not into the floor.
  void advance() {
    if (hand_ && hand_->body >= 0) {
      scene_->pull_body(hand_->target);
    } else if (hand_) {
      const Eigen::Vector3d at = scene_->positions().col(hand_->node);
      Eigen::Vector3d velocity = (hand_->target - at) / frames_.rate().frame;
      velocity *= std::min(1.0, 3 / std::max(velocity.norm(), 1e-9));
      scene_->move_hand(velocity);
    }
    report_ = scene_->advance(frames_);
    if (!report_) {
      std::printf("%s\n", report_.message().c_str());
      paused = true;
    }
  }

  // The camera follows the body.
  void follow() {
    const Eigen::Vector3d middle = scene_->positions().rowwise().mean();
    camera.target.x() += 0.05 * (middle.x() - camera.target.x());
    camera.target.z() += 0.05 * (middle.z() - camera.target.z());
  }

  void show(int pixels_wide, int pixels_high) {
    const double begin = seconds();
    draw(camera, scene_->positions(), surface_, scene_->bodies(), edges, pixels_wide, pixels_high);
    picture_cost_ = seconds() - begin;
  }

  // Step 3: the hand. It grabs the nodes near the one that is nearest to the point under the mouse, or the
  // point of a rigid body.
  bool grab(const Ray& ray) {
    const Points& x = scene_->positions();
    const auto [triangle, nearest] = first_hit(ray, x, surface_);
    const BodySnapshot bodies = scene_->bodies();
    const auto [on_body, distance] = first_hit(ray, bodies.positions, bodies.triangles);
    if (on_body >= 0 && distance < nearest) {
      const Eigen::Vector3d there = ray.origin + distance * ray.direction;
      hand_ = {.body = bodies.body_of[static_cast<std::size_t>(on_body)], .node = -1, .target = there};
      scene_->grab_body(hand_->body, there);
      return true;
    }
    if (triangle < 0) return false;
    const Eigen::Vector3d place = ray.origin + nearest * ray.direction;
    Hand hand{.body = -1, .node = surface_(0, triangle), .target = place};
    for (const int node : surface_.col(triangle)) {
      if ((x.col(node) - place).norm() < (x.col(hand.node) - place).norm()) hand.node = node;
    }
    std::vector<int> nodes;
    for (int node = 0; node < x.cols(); ++node) {
      if (node == hand.node || (rest_.col(node) - rest_.col(hand.node)).norm() < 0.2) nodes.push_back(node);
    }
    scene_->grab(nodes);
    hand_ = hand;
    return true;
  }

  bool holds() const { return hand_.has_value(); }

  // The hand keeps its distance from the eye.
  void point(const Ray& ray) {
    if (!hand_) return;
    const Eigen::Vector3d towards = camera.axes().col(2);
    const double depth = (hand_->target - ray.origin).dot(towards) / ray.direction.dot(towards);
    hand_->target = ray.origin + depth * ray.direction;
    hand_->target.y() = std::max(hand_->target.y(), 0.15);
  }

  void let_go() {
    if (hand_) scene_->grab({});
    scene_->let_body_go();
    hand_.reset();
  }

  void reset() {
    let_go();
    scene_->set_state(rest_, Points::Zero(3, rest_.cols()));
    paused = false;
  }

  // Another energy continues from the current state.
  void next_energy() {
    let_go();
    if (choices_.size() == 1) return;
    energy_ = (energy_ + 1) % choices_.size();
    auto next = choices_[energy_].make(mesh_);
    next->set_state(scene_->positions(), scene_->velocities());
    next->set_rule(rule());
    scene_ = std::move(next);
  }

  void next_integrator() {
    rule_ = (rule_ + 1) % static_cast<std::size_t>(scene_->rules());
    scene_->set_rule(rule());
  }

  std::string title() {
    mesh_.nodes = scene_->positions();
    const double volume = total_volume(mesh_) / rest_volume_;
    mesh_.nodes = rest_;
    char text[256];
    const Energies& energy = report_.last.energies;
    std::snprintf(text, sizeof text,
                  "pliant | %s, %s | volume %.1f %% | elastic %.0f J, kinetic %.0f J | %d steps of %.1f ms, "
                  "picture %.1f ms%s",
                  choices_[energy_].name, rule_names[rule_], 100 * volume, energy.elastic, energy.kinetic,
                  report_.substeps, 1e3 * report_.mean_substep, 1e3 * picture_cost_,
                  paused ? " | paused" : "");
    return text;
  }

 private:
  struct Hand {
    int body, node;          // that follows the mouse; -1 for none
    Eigen::Vector3d target;  // [m]
  };

  // The triangle that a ray hits first, -1 for none, and its distance [m].
  static std::pair<int, double> first_hit(const Ray& ray, const Points& x, const Triangles& triangles) {
    std::pair<int, double> first{-1, std::numeric_limits<double>::infinity()};
    for (int k = 0; k < triangles.cols(); ++k) {
      const double distance =
          hit(ray, x.col(triangles(0, k)), x.col(triangles(1, k)), x.col(triangles(2, k)));
      if (distance < first.second) first = {k, distance};
    }
    return first;
  }

  Rule rule() const { return static_cast<Rule>(rule_); }

  Mesh<Tet4> mesh_;
  Points rest_;
  double rest_volume_;
  Triangles surface_;
  AnyFrames frames_;
  std::vector<Choice> choices_;
  std::unique_ptr<Scene> scene_;
  FrameReport report_;
  std::optional<Hand> hand_;
  std::size_t energy_ = 0, rule_ = 0;
  double picture_cost_ = 0;  // [s]
};

// Step 4: the window.
struct Glfw {
  Glfw() {
    if (glfwInit() != GLFW_TRUE) fail();
  }
  ~Glfw() { glfwTerminate(); }
  Glfw(const Glfw&) = delete;
  Glfw& operator=(const Glfw&) = delete;

  [[noreturn]] static void fail() {
    const char* why = nullptr;
    glfwGetError(&why);
    throw std::runtime_error(std::string("no window: ") + (why ? why : "unknown reason"));
  }
};

Viewer& viewer_of(GLFWwindow* window) { return *static_cast<Viewer*>(glfwGetWindowUserPointer(window)); }

Ray ray_at_mouse(GLFWwindow* window) {
  double x = 0, y = 0;
  glfwGetCursorPos(window, &x, &y);
  return viewer_of(window).camera.ray(x, y);
}

bool pressed(GLFWwindow* window, int button) { return glfwGetMouseButton(window, button) == GLFW_PRESS; }

void listen(GLFWwindow* window) {
  glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int) {
    if (action != GLFW_PRESS) return;
    Viewer& viewer = viewer_of(w);
    switch (key) {
      case GLFW_KEY_SPACE:
        viewer.paused = !viewer.paused;
        break;
      case GLFW_KEY_N:
        viewer.paused = true;
        viewer.advance();
        break;
      case GLFW_KEY_R:
        viewer.reset();
        break;
      case GLFW_KEY_E:
        viewer.next_energy();
        break;
      case GLFW_KEY_I:
        viewer.next_integrator();
        break;
      case GLFW_KEY_W:
        viewer.edges = !viewer.edges;
        break;
      case GLFW_KEY_ESCAPE:
        glfwSetWindowShouldClose(w, GLFW_TRUE);
        break;
      default:
        break;
    }
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int) {
    if (button != GLFW_MOUSE_BUTTON_LEFT) return;
    if (action == GLFW_PRESS) (void)viewer_of(w).grab(ray_at_mouse(w));
    else viewer_of(w).let_go();
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
    static double last_x = x, last_y = y;
    Viewer& viewer = viewer_of(w);
    const bool turns =
        pressed(w, GLFW_MOUSE_BUTTON_RIGHT) || (pressed(w, GLFW_MOUSE_BUTTON_LEFT) && !viewer.holds());
    if (turns) viewer.camera.orbit(x - last_x, y - last_y);
    viewer.point(ray_at_mouse(w));
    last_x = x;
    last_y = y;
  });
  glfwSetScrollCallback(window,
                        [](GLFWwindow* w, double, double clicks) { viewer_of(w).camera.zoom(clicks); });
  glfwSetWindowSizeCallback(window, [](GLFWwindow* w, int width, int height) {
    viewer_of(w).camera.width = std::max(width, 1);
    viewer_of(w).camera.height = std::max(height, 1);
  });
}

// Advances when a frame is due, whatever the rate of the screen.
void interact(GLFWwindow* window, Viewer& viewer, double frame) {
  glfwSwapInterval(1);
  double due = seconds(), titled = 0;
  while (glfwWindowShouldClose(window) == GLFW_FALSE) {
    if (const double early = due - seconds(); early > 0) glfwWaitEventsTimeout(early);
    else glfwPollEvents();
    if (seconds() < due) continue;
    due = std::max(due + frame, seconds() - frame);  // what is too slow is not made up for
    if (!viewer.paused) viewer.advance();
    if (!viewer.holds()) viewer.follow();
    int wide = 0, high = 0;
    glfwGetFramebufferSize(window, &wide, &high);
    if (wide > 0 && high > 0) viewer.show(wide, high);
    glfwSwapBuffers(window);
    if (seconds() > titled + 0.25) {
      titled = seconds();
      glfwSetWindowTitle(window, viewer.title().c_str());
    }
  }
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  const bool hidden = arguments.frames > 0;
  // Without anybody who looks, the number of substeps must not depend on the machine.
  const FrameRate rate{.max_substeps = hidden ? 4 : 16};
  const bool chain = arguments.body == "chain";
  Viewer viewer(make_body(arguments.body), chain ? chains : energies, rate,
                hidden ? std::function<double()>([] { return 0.0; }) : SteadyClock{});

  if (chain) {
    viewer.camera.target.y() = 1.3;
    viewer.camera.distance = 4.5;
  }

  const Glfw glfw;
  glfwWindowHint(GLFW_VISIBLE, hidden ? GLFW_FALSE : GLFW_TRUE);
  glfwWindowHint(GLFW_SAMPLES, 4);
  const Camera& camera = viewer.camera;
  GLFWwindow* window = glfwCreateWindow(camera.width, camera.height, "pliant", nullptr, nullptr);
  if (window == nullptr) Glfw::fail();
  glfwMakeContextCurrent(window);
  glfwSetWindowUserPointer(window, &viewer);
  listen(window);
  if (!hidden) {
    interact(window, viewer, rate.frame);
    return 0;
  }

  if (arguments.drag) {
    const auto [from_x, from_y, to_x, to_y] = *arguments.drag;
    const auto ray = [&](double x, double y) { return camera.ray(x * camera.width, y * camera.height); };
    if (!viewer.grab(ray(from_x, from_y))) throw std::runtime_error("nothing to grab at this point");
    viewer.point(ray(to_x, to_y));
  }
  for (int frame = 0; frame < arguments.frames && !viewer.paused; ++frame) viewer.advance();
  int wide = 0, high = 0;
  glfwGetFramebufferSize(window, &wide, &high);
  viewer.show(wide, high);
  if (!arguments.screenshot.empty()) write_picture(arguments.screenshot, wide, high);
  std::printf("%s\n", viewer.title().c_str());
  return viewer.paused ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "viewer: %s\n", error.what());
    return 1;
  }
}
