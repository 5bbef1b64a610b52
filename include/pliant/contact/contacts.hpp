// Contact of the nodes of a body with colliders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <pliant/constraint/filter.hpp>
#include <pliant/contact/any_collider.hpp>
#include <pliant/contact/bounded_nodes.hpp>
#include <pliant/contact/friction.hpp>
#include <pliant/contact/pose.hpp>
#include <pliant/contact/surface.hpp>
#include <pliant/core/parallel.hpp>

namespace pliant {

// A collider pressing on a node.
template <int Dim>
struct Contact {
  int node;
  int collider;                     // as add_collider called it
  SmallVector<double, Dim> normal;  // of its surface, unit, towards the node
  SmallVector<double, Dim> force;   // on the node, friction included [N]
};

// The colliders of a simulation, and what they do to the nodes in a step. In each step every node has the
// planes of the colliders that it could meet: of the surface it rests on, of the place where its way to where
// it would go without contact enters one, or else of the nearest surface there. What a step makes of that is
// checked against the colliders themselves (`find_missed`), so that no node passes through one whatever its
// speed. Colliders are where they are at the end of the step; on their way they are taken to move evenly.
//
// Friction is that of Hold (friction.hpp), with normal forces known from the last pass.
template <class VectorType>  // a NodeVector
class Contacts {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Square = SmallMatrix<double, dim, dim>;
  using Path = std::function<Pose<dim>(double time)>;
  using Bounds = BoundedNodes<Vector>;

  // `spacing` [m]: the mean distance between nodes; `size` [m]: of the coordinates at rest.
  void prepare(std::ptrdiff_t node_count, double spacing, double size) {
    spacing_ = spacing;
    size_ = size;
    restrained_.assign(static_cast<std::size_t>(node_count), free);
    grips_.assign(static_cast<std::size_t>(node_count), Grips{});
    saved_grips_ = grips_;
    planes_.resize(static_cast<std::size_t>(node_count));
  }

  // Which nodes cannot move freely.
  template <class Filter>
  void set_constraints(const Filter& filter) {
    std::fill(restrained_.begin(), restrained_.end(), int{free});
    projections_.clear();
    filter.for_each_restrained([&](int node, const auto& S) {
      restrained_[static_cast<std::size_t>(node)] = static_cast<int>(projections_.size());
      projections_.push_back(S.template cast<double>());
    });
  }

  // Throws ParameterError for what is wrong with the collider or its surface, and for a path that is not
  // finite now. Returns its number, which is never given again.
  int add(AnyCollider<dim> shape, const Surface& surface, Path path, double time) {
    shape.check();
    surface.check();
    Collider collider{std::move(shape), surface, std::move(path), {}, {}, true};
    if (collider.path) collider.from = collider.to = collider.path(time);
    colliders_.push_back(std::move(collider));
    ++count_;
    return static_cast<int>(colliders_.size()) - 1;
  }

  // The next step takes a collider from where it is to a pose, where it stays.
  void move(int number, const Pose<dim>& pose) {
    Collider& collider = existing(number);
    collider.path = nullptr;
    collider.to = pose;
  }

  void remove(int number) {
    Collider& collider = existing(number);
    collider.present = false;
    collider.path = nullptr;
    --count_;
    for (Grips& grips : grips_) {
      for (Grip& grip : grips) {
        if (grip.collider == number) grip = {};
      }
    }
  }

  const Pose<dim>& pose(int number) const { return existing(number).from; }

  bool empty() const { return count_ == 0; }

  // Nothing touches any more.
  void clear() {
    bounds_.clear(std::ssize(restrained_));
    holds_.clear();
    found_.clear();
  }

  // Nodes have been put elsewhere: they hold on to nothing.
  void let_go() { std::fill(grips_.begin(), grips_.end(), Grips{}); }

  const Bounds& bounds() const { return bounds_; }
  Bounds& bounds() { return bounds_; }

  // ---- one step, in this order ----

  // Colliders move from where they are at `time` [s] to where they are `dt` [s] later. Nodes that are inside
  // one at the start are put on its surface, which gives them no velocity (the position alteration of Baraff
  // and Witkin 1998).
  // Returns whether there were any.
  bool start(double time, double dt, Vector& x) {
    saved_grips_ = grips_;
    for (Collider& collider : colliders_) {
      if (!collider.present || !collider.path) continue;
      collider.from = collider.path(time);
      collider.to = collider.path(time + dt);
    }
    missed_.assign(static_cast<std::size_t>(x.nodes()), 0);
    for_each_node(x, [&](std::ptrdiff_t i) {
      if (push_out(i, x)) missed_[static_cast<std::size_t>(i)] = 1;
    });
    return any_missed();
  }

  // The part of a step between two times [s]: colliders on a path are where it has them then; those moved by
  // hand go all their way in the first part.
  void part(double begin, double end, bool first) {
    for (Collider& collider : colliders_) {
      if (!collider.present) continue;
      if (collider.path) {
        collider.from = collider.path(begin);
        collider.to = collider.path(end);
      } else if (!first) {
        collider.from = collider.to;
      }
    }
  }

  // The planes of the nodes for the step from x, which `ahead` would lead to x + ahead without contact.
  // `prescribed`: the displacements that constraints ask for [m].
  void find(const Vector& x, const Vector& ahead, const Vector& prescribed) {
    for_each_node(x, [&](std::ptrdiff_t i) {
      Planes& planes = planes_[static_cast<std::size_t>(i)];
      planes.count = 0;
      if (immovable(i)) return;
      const Point from = x.node(i).template cast<double>(), way = ahead.node(i).template cast<double>();
      planes.size = std::max({size_, largest(from), largest(way)});
      const double reach = std::sqrt(dot<double, dim>(way, way)) + spacing_;
      for (std::size_t c = 0; c < colliders_.size(); ++c) {
        if (colliders_[c].present) meet(static_cast<int>(c), from, way, reach, planes);
      }
    });
    rebuild(x, prescribed);
  }

  // Planes that the displacement u crosses although no plane told: gives them to the nodes, and puts these on
  // them. True where there were any.
  bool find_missed(const Vector& x, const Vector& prescribed, Vector& u) {
    missed_.assign(static_cast<std::size_t>(x.nodes()), 0);
    for_each_node(x, [&](std::ptrdiff_t i) {
      if (immovable(i)) return;
      Planes& planes = planes_[static_cast<std::size_t>(i)];
      const Point from = x.node(i).template cast<double>(), way = u.node(i).template cast<double>();
      for (std::size_t c = 0; c < colliders_.size(); ++c) {
        if (!colliders_[c].present) continue;
        const auto plane = crossed(static_cast<int>(c), from, way);
        if (!plane || plane->least - dot<double, dim>(plane->normal, way) <=
                          8 * tolerance(std::max(planes.size, largest(way))))
          continue;
        planes.insist(*plane, way);
        missed_[static_cast<std::size_t>(i)] = 1;
      }
    });
    if (!any_missed()) return false;
    keep_holds(x, [](const auto&, const Hold<dim>& hold) { return std::pair(hold.anchor(), hold.slid()); });
    rebuild(x, prescribed);
    for (const auto& bounded : bounds_.nodes()) {
      if (missed_[static_cast<std::size_t>(bounded.node)] == 0) continue;
      auto y = Bounds::in_frame(bounded, u.node(bounded.node));
      for (int k = 0; k < bounded.axes; ++k) y[k] = std::clamp(y[k], bounded.lower[k], bounded.upper[k]);
      u.node(bounded.node) = times<Scalar, dim, dim, 1>(bounded.T, y);
    }
    return true;
  }

  // Whether a step is one linear system, which takes friction without its corner.
  void set_linear(bool linear) { linear_ = linear; }

  // The potential of friction at the displacement u in a step of `dt` [s] [J]; adds its gradient to g.
  double friction(const Vector& u, double dt, Vector& g) const {
    double value = 0;
    for_each_hold(*this, [&](const auto& bounded, int, const Hold<dim>& hold) {
      const auto response = response_of(hold, displacement(bounded, u), dt);
      value += response.value;
      g.node(bounded.node) += response.gradient.template cast<Scalar>();
    });
    return value;
  }

  // Adds its Hessian to A; g is the gradient of all.
  template <class Matrix>
  void friction_stiffness(const Vector& u, double dt, const Vector& g, Matrix& A) const {
    for_each_hold(*this, [&](const auto& bounded, int, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u), residual = displacement(bounded, g);
      const auto response = linear_ ? hold.linear_law(at, dt) : hold.law(at, dt, residual);
      A.diagonal(bounded.node) += response.hessian.template cast<Scalar>();
    });
  }

  bool rubs() const {
    return std::any_of(colliders_.begin(), colliders_.end(), [](const Collider& collider) {
      return collider.present && (collider.surface.friction > 0 || collider.surface.viscosity > 0);
    });
  }

  // By how much the forces of friction of a linear step are not those of Coulomb's law at its end u, relative
  // to all that friction can do [-].
  double friction_error(const Vector& u, double dt) const {
    double wrong = 0, all = 0;
    for_each_hold(*this, [&](const auto& bounded, int, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u);
      const Point off = hold.linear_law(at, dt).gradient - hold.law(at, dt).gradient;
      wrong += dot<double, dim>(off, off);
      all += hold.limit() * hold.limit();
    });
    return all > 0 ? std::sqrt(wrong / all) : 0;
  }

  // Notes which nodes slide at u, for a linear step.
  void note_sliding(const Vector& u) {
    for_each_hold(*this,
                  [&](const auto& bounded, int, Hold<dim>& hold) { hold.note(displacement(bounded, u)); });
  }

  // Learns the normal forces from the gradient g at the end of a pass, or a part of what they changed.
  // Returns the norm of the change of the forces of friction that this makes, and what they are now, in
  // newtons.
  struct FrictionChange {
    double change = 0, force = 0;
  };
  FrictionChange update_normal_forces(const Vector& x, const Vector& u, const Vector& g, double dt,
                                      double part) {
    FrictionChange result;
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const Point at = displacement(bounded, u);
      const auto pressures = bounds_.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        Hold<dim>& hold = holds_[m][static_cast<std::size_t>(axis)];
        hold.set_acted(hold.acts() ? response_of(hold, at, dt).gradient : Point(Point::Zero()));
        const int number = pressing_collider(bounded, axis, pressures[axis]);
        if (number >= 0 && number != hold.collider()) {  // it is the other side that presses
          hold = hold_of(bounded, axis, number, x, grip_at_start(number, x, bounded.node));
        }
        const double force = std::abs(static_cast<double>(pressures[axis])), last = hold.normal_force();
        const double friction = surface_of(hold.collider()).friction;
        if (hold.drags() && (force > 0) != (last > 0))
          result.change = std::numeric_limits<double>::infinity();
        result.change += friction * friction * (force - last) * (force - last);
        result.force += friction * friction * force * force;
        hold.set_normal_force(force == 0 ? 0 : last + part * (force - last));
      }
    }
    result.change = std::sqrt(result.change);
    result.force = std::sqrt(result.force);
    return result;
  }

  // The step ends at the displacement u with the gradient g: adds to `forces` those of the colliders on the
  // nodes [N] and lists them. Returns how many nodes press on a collider.
  int add_forces(const Vector& u, const Vector& g, Vector& forces) {
    found_.clear();
    int nodes = 0;
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const auto pressures = bounds_.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      if (!pressures.isZero()) ++nodes;
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const Point normal = (pressures[axis] > 0 ? 1 : -1) * bounded.N.col(axis).template cast<double>();
        Point force = std::abs(static_cast<double>(pressures[axis])) * normal;
        force -= holds_[m][static_cast<std::size_t>(axis)].acted();
        forces.node(bounded.node) += force.template cast<Scalar>();
        found_.push_back({bounded.node, pressing_collider(bounded, axis, pressures[axis]), normal, force});
      }
    }
    return nodes;
  }

  // What presses at the end of the present step, and what did at the end of the last one that was accepted;
  // nodes in the internal numbering.
  const std::vector<Contact<dim>>& found() const { return found_; }
  const std::vector<Contact<dim>>& pressing() const { return pressing_; }

  // Where the forces found are not yet those of the step, but this part of them is.
  void scale_forces(double part) {
    for (Contact<dim>& contact : found_) contact.force *= part;
  }

  // Nodes that press on colliders move with them along the normals, and those that stick in every direction:
  // takes the rest out of the velocities v [m/s] at the end x + u of a step of `dt` [s] with the gradient g.
  void follow(const Vector& x, const Vector& u, const Vector& g, double dt, Vector& v) const {
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const int i = bounded.node;
      const auto pressures = bounds_.pressures(bounded, u.node(i), g.node(i));
      if (pressures.isZero()) continue;
      const Point end = (x.node(i) + u.node(i)).template cast<double>();
      auto speed = Bounds::in_frame(bounded, v.node(i));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const Collider& collider =
            colliders_[static_cast<std::size_t>(pressing_collider(bounded, axis, pressures[axis]))];
        const Point way = end - collider.from.to_world(collider.to.to_local(end));
        const Hold<dim>& hold = holds_[m][static_cast<std::size_t>(axis)];
        if (hold.normal_force() > 0 && hold.sticks(displacement(bounded, u))) {
          speed = Bounds::in_frame(bounded, Point(way / dt).template cast<Scalar>());
          break;
        }
        const Point normal = bounded.N.col(axis).template cast<double>();
        speed[axis] = static_cast<Scalar>(dot<double, dim>(normal, way) / dt);
      }
      v.node(i) = times<Scalar, dim, dim, 1>(bounded.T, speed);
    }
  }

  // The step leads from x to x + u: what touches keeps its hold, which slides along where it gave way.
  void finish(const Vector& x, const Vector& u) {
    keep_holds(x, [&](const auto& bounded, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u), slip = hold.slip(at);
      return std::pair(hold.anchor_at(at), std::sqrt(dot<double, dim>(slip, slip)));
    });
  }

  // The step is over: accepted, or as if it had not been.
  void end(bool accepted) {
    if (accepted) std::swap(pressing_, found_);
    else std::swap(grips_, saved_grips_);
    for (Collider& collider : colliders_) {
      if (accepted) collider.from = collider.to;
    }
  }

 private:
  static constexpr int free = -1;
  static constexpr int most_planes = dim + 1;

  struct Collider {
    AnyCollider<dim> shape;
    Surface surface;
    Path path;           // empty where it is moved by hand
    Pose<dim> from, to;  // in this step
    bool present;
  };

  // The planes of a node, at most so many.
  struct Planes {
    int count = 0;
    double size = 0;  // of the coordinates and the displacement of the node [m]
    std::array<ContactPlane<dim>, std::size_t{most_planes}> list;

    auto begin() const { return list.begin(); }
    auto end() const { return list.begin() + count; }

    void add(const ContactPlane<dim>& plane) {
      if (count < most_planes) list[static_cast<std::size_t>(count++)] = plane;
    }

    // Adds a plane before the others; where there are too many, the one goes that u is farthest from.
    void insist(const ContactPlane<dim>& plane, const Point& u) {
      auto spare = list.begin() + count;
      if (count == most_planes) {
        const auto slack = [&](const ContactPlane<dim>& other) {
          return dot<double, dim>(other.normal, u) - other.least;
        };
        spare = std::max_element(list.begin(), list.end(),
                                 [&](const auto& a, const auto& b) { return slack(a) < slack(b); });
      } else {
        ++count;
      }
      std::move_backward(list.begin(), spare, spare + 1);
      list.front() = plane;
    }
  };

  // Where a node holds on to a collider, from one step to the next.
  struct Grip {
    int collider = -1;
    double normal_force = 0;       // [N]
    double slid = 0;               // in the last step [m]
    Point anchor = Point::Zero();  // in the frame of the collider [m]
  };
  using Grips = std::array<Grip, std::size_t{dim}>;

  Collider& existing(int number) { return const_cast<Collider&>(std::as_const(*this).existing(number)); }

  const Collider& existing(int number) const {
    if (number < 0 || number >= std::ssize(colliders_) ||
        !colliders_[static_cast<std::size_t>(number)].present) {
      throw IndexError("collider", number, std::ssize(colliders_));
    }
    return colliders_[static_cast<std::size_t>(number)];
  }

  template <class Run>
  static void for_each_node(const Vector& x, Run&& run) {
    parallel_for(x.nodes(), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) run(i);
    });
  }

  bool immovable(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place != free && projections_[static_cast<std::size_t>(place)].isZero();
  }

  Square free_directions(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place == free ? Square::Identity() : projections_[static_cast<std::size_t>(place)];
  }

  static double largest(const Point& x) {
    double result = 0;
    for (int axis = 0; axis < dim; ++axis) result = std::max(result, std::abs(x[axis]));
    return result;
  }

  // What rounding makes of distances between points with coordinates of a size [m].
  static double tolerance(double size) {
    return 256 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * size;
  }
  double tolerance(const Point& x) const { return tolerance(std::max(size_, largest(x))); }

  bool any_missed() const {
    return std::any_of(missed_.begin(), missed_.end(), [](char missed) { return missed != 0; });
  }

  bool push_out(std::ptrdiff_t i, Vector& x) const {
    if (immovable(i)) return false;
    bool moved = false;
    for (const Collider& collider : colliders_) {
      if (!collider.present) continue;
      const Point at = x.node(i).template cast<double>(), local = collider.from.to_local(at);
      const double thickness = collider.surface.thickness;
      if (apart(collider, local, local, thickness)) continue;
      const auto near = collider.shape.nearest(local, thickness);
      if (!near || near->distance >= thickness - tolerance(at)) continue;
      const Point out = (thickness - near->distance) * collider.from.rotated(near->normal);
      x.node(i) += times<double, dim, dim, 1>(free_directions(i), out).template cast<Scalar>();
      moved = true;
    }
    return moved;
  }

  // Whether a segment stays farther than `reach` from all of a collider, in its frame.
  static bool apart(const Collider& collider, const Point& from, const Point& to, double reach) {
    const auto box = collider.shape.bounds();
    for (int axis = 0; axis < dim; ++axis) {
      if (std::max(from[axis], to[axis]) < box.lower[axis] - reach ||
          std::min(from[axis], to[axis]) > box.upper[axis] + reach) {
        return true;
      }
    }
    return false;
  }

  ContactPlane<dim> plane_of(int number, const Point& x, const Point& point, const Point& normal) const {
    const Collider& collider = colliders_[static_cast<std::size_t>(number)];
    const Point n = collider.to.rotated(normal), p = collider.to.to_world(point);
    return {n, dot<double, dim>(n, Point(p - x)) + collider.surface.thickness, number};
  }

  void meet(int number, const Point& x, const Point& way, double reach, Planes& planes) const {
    const Collider& collider = colliders_[static_cast<std::size_t>(number)];
    const Point from = collider.from.to_local(x), to = collider.to.to_local(Point(x + way));
    const double thickness = collider.surface.thickness;
    if (apart(collider, from, to, reach + thickness)) return;
    const double close = 1.01 * thickness + tolerance(x);
    const auto here = collider.shape.nearest(from, close);
    const bool rests = here && here->distance <= close;
    if (rests) planes.add(plane_of(number, x, here->point, here->normal));
    const auto hit = collider.shape.first_hit(from, to);
    if (hit) planes.add(plane_of(number, x, hit->point, hit->normal));
    if (rests || hit) return;
    const auto there = collider.shape.nearest(to, reach + thickness);
    if (there) planes.add(plane_of(number, x, there->point, there->normal));
  }

  // A plane of a collider that a node has on its way, or behind it at its end.
  std::optional<ContactPlane<dim>> crossed(int number, const Point& x, const Point& way) const {
    const Collider& collider = colliders_[static_cast<std::size_t>(number)];
    const Point from = collider.from.to_local(x), to = collider.to.to_local(Point(x + way));
    const double thickness = collider.surface.thickness;
    if (apart(collider, from, to, thickness)) return {};
    if (const auto hit = collider.shape.first_hit(from, to))
      return plane_of(number, x, hit->point, hit->normal);
    const auto there = collider.shape.nearest(to, thickness);
    if (there && there->distance < thickness) return plane_of(number, x, there->point, there->normal);
    return {};
  }

  // Bounds and touches from the planes.
  void rebuild(const Vector& x, const Vector& prescribed) {
    bounds_.clear(x.nodes());
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      const Planes& planes = planes_[static_cast<std::size_t>(i)];
      if (planes.count == 0) continue;
      bounds_.add(static_cast<int>(i), planes, free_directions(i), prescribed.node(i).template cast<double>(),
                  planes.size);
    }
    holds_.resize(bounds_.nodes().size());
    for (std::size_t m = 0; m < holds_.size(); ++m) take_hold(bounds_.nodes()[m], x, holds_[m]);
  }

  using Holds = std::array<Hold<dim>, std::size_t{dim}>;

  // The collider that presses with a force of that sign; -1 for none.
  static int pressing_collider(const typename Bounds::Node& bounded, int axis, Scalar pressure) {
    const auto k = static_cast<std::size_t>(axis);
    return pressure > 0 ? bounded.below[k] : pressure < 0 ? bounded.above[k] : -1;
  }

  Grip grip_at_start(int number, const Vector& x, int node) const {
    const Point at = x.node(node).template cast<double>();
    return {.anchor = colliders_[static_cast<std::size_t>(number)].from.to_local(at)};
  }

  // Of each axis, on the collider that it held on to before or else on the one below.
  void take_hold(const typename Bounds::Node& bounded, const Vector& x, Holds& holds) const {
    const Grips& grips = grips_[static_cast<std::size_t>(bounded.node)];
    std::array<bool, std::size_t{dim}> used{};
    for (int axis = 0; axis < bounded.axes; ++axis) {
      const int below = bounded.below[static_cast<std::size_t>(axis)];
      const int above = bounded.above[static_cast<std::size_t>(axis)];
      int number = below >= 0 ? below : above;
      Grip grip = grip_at_start(number, x, bounded.node);
      for (std::size_t k = 0; k < grips.size(); ++k) {
        if (used[k] || grips[k].collider < 0) continue;
        if (grips[k].collider != below && grips[k].collider != above) continue;
        used[k] = true;
        grip = grips[k];
        number = grip.collider;
        break;
      }
      holds[static_cast<std::size_t>(axis)] = hold_of(bounded, axis, number, x, grip);
    }
  }

  Hold<dim> hold_of(const typename Bounds::Node& bounded, int axis, int number, const Vector& x,
                    const Grip& grip) const {
    const Point at = x.node(bounded.node).template cast<double>();
    const Collider& collider = colliders_[static_cast<std::size_t>(number)];
    const auto carried = [&](const Point& local) { return Point(collider.to.to_world(local) - at); };
    return Hold<dim>(number, collider.surface, stick_length(collider.surface),
                     bounded.N.col(axis).template cast<double>(), grip.normal_force,
                     carried(collider.from.to_local(at)), carried(grip.anchor),
                     Point(at - collider.from.to_world(grip.anchor)), grip.slid);
  }

  // Remembers each hold; `end` tells its anchor, as a displacement from x, and how far it slid.
  template <class End>
  void keep_holds(const Vector& x, End&& end) {
    std::fill(grips_.begin(), grips_.end(), Grips{});
    for_each_hold(*this, [&](const auto& bounded, int axis, const Hold<dim>& hold) {
      const int number = hold.collider();
      const auto [anchor, slid] = end(bounded, hold);
      const Point at = x.node(bounded.node).template cast<double>() + anchor;
      grips_[static_cast<std::size_t>(bounded.node)][static_cast<std::size_t>(axis)] = {
          number, hold.normal_force(), slid, colliders_[static_cast<std::size_t>(number)].to.to_local(at)};
    });
  }

  const Surface& surface_of(int number) const { return colliders_[static_cast<std::size_t>(number)].surface; }

  double stick_length(const Surface& surface) const {
    if (surface.stick_length > 0) return surface.stick_length;
    return (linear_ ? 1e-2 : 1e-4) * spacing_;
  }

  // Calls use(bounded node, axis, hold) for whatever presses, as far as is known, on a surface that rubs.
  template <class Self, class Use>
  static void for_each_hold(Self& self, Use&& use) {
    for (std::size_t m = 0; m < self.holds_.size(); ++m) {
      const auto& bounded = self.bounds_.nodes()[m];
      for (int axis = 0; axis < bounded.axes; ++axis) {
        auto& hold = self.holds_[m][static_cast<std::size_t>(axis)];
        if (hold.acts()) use(bounded, axis, hold);
      }
    }
  }

  static Point displacement(const typename Bounds::Node& bounded, const Vector& u) {
    return u.node(bounded.node).template cast<double>();
  }

  typename Hold<dim>::Response response_of(const Hold<dim>& hold, const Point& u, double dt) const {
    return linear_ ? hold.linear_law(u, dt) : hold.law(u, dt);
  }

  std::vector<Collider> colliders_;
  int count_ = 0;
  double spacing_ = 0, size_ = 0;  // [m]
  std::vector<int> restrained_;    // of each node: in projections_, or free
  std::vector<Square> projections_;
  std::vector<Planes> planes_;  // of each node
  std::vector<Grips> grips_, saved_grips_;
  std::vector<char> missed_;
  Bounds bounds_;
  std::vector<Contact<dim>> found_, pressing_;
  std::vector<Holds> holds_;  // of each bounded node, by axis
  bool linear_ = false;
};

}  // namespace pliant
