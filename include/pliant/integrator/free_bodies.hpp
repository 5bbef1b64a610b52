// What a step does to whole bodies, which their elastic forces cannot tell.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <vector>

#include <pliant/algebra/orthonormal_basis.hpp>
#include <pliant/algebra/rotation.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

// The bodies of a system, parts that no element joins, as they move as wholes.
//
// Elastic forces sum to zero over a body, and so do the rows of its stiffness. Rounded numbers do not: they
// tie it to where it is by a spring of about epsilon E L [N/m], which in floats exceeds the inertia m / dt^2
// of a small and stiff body. A linear system then says nothing about how such a body moves as a whole. But
// that follows from all other forces in closed form: they are summed in doubles, and the body is put, in the
// shape that it has, where they balance.
template <class VectorType,  // a NodeVector
          Isa isa = PLIANT_NATIVE_ISA>
class FreeBodies {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Square = SmallMatrix<double, dim, dim>;
  using Row = Lane<double, Vector::stride, isa>;  // the numbers of a node

  // The bodies are the connected parts of a pattern.
  void find(const BlockPattern& pattern) {
    const auto nodes = static_cast<int>(pattern.rows());
    detail::DisjointSets sets(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (int k = pattern.row_begin[at(i)]; k < pattern.row_begin[at(i) + 1]; ++k) {
        sets.join(i, pattern.columns[at(k)]);
      }
    }
    bodies_.clear();
    runs_.clear();
    body_of_.assign(at(nodes), 0);
    for (int i = 0; i < nodes; ++i) {
      const int lowest = sets.representative(i);
      if (lowest == i) {
        body_of_[at(i)] = static_cast<int>(bodies_.size());
        bodies_.emplace_back();
      }
      const int body = body_of_[at(i)] = body_of_[at(lowest)];
      constexpr int longest_run = 4096;  // small bodies stay serial
      if (runs_.empty() || runs_.back().body != body || i - runs_.back().begin == longest_run) {
        runs_.push_back({body, i, i});
      }
      runs_.back().end = i + 1;
    }
    sums_.resize(runs_.size());
    constraints_known_ = false;
  }

  // Constraints have been replaced.
  void forget_constraints() { constraints_known_ = false; }

  // Which translations the constraints leave to the bodies, where that is not known yet.
  template <class Filter>
  void follow_constraints(const Filter& filter) {
    if (constraints_known_) return;
    std::vector<OrthonormalBasis<dim>> held(bodies_.size());
    for (Body& body : bodies_) body = Body{};
    for (const auto& [node, along] : filter.directions()) {
      constexpr double parallel = 1e-6;
      const auto body = at(body_of_[at(node)]);
      held[body].extend(along, parallel);
      bodies_[body].restrained = true;
    }
    any_moves_ = false;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      for (const Point& along : held[b]) bodies_[b].may_move -= outer(along, along);
      bodies_[b].moves = std::distance(held[b].begin(), held[b].end()) < dim;
      if (!bodies_[b].moves) bodies_[b].may_move.setZero();
      any_moves_ = any_moves_ || bodies_[b].moves;
    }
    constraints_known_ = true;
  }

  // Whether constraints leave the body of a node a translation.
  bool moves(std::ptrdiff_t node) const { return bodies_[at(body_of_[at(node)])].moves; }

  // Moves the bodies, which nothing touches, along to where the forces on them balance; see below.
  template <class Weight, class Force>
  void translate(Weight&& weight, Force&& force, Vector& u) {
    if (!any_moves_) return;
    find_ways(weight, force, [](int, double, Sums&) {});
    for_each_run([&](const Run& run, Sums&) {
      typename Vector::Row way(Scalar(0));
      for (int axis = 0; axis < dim; ++axis) {
        set_lane(way, axis, static_cast<Scalar>(bodies_[at(run.body)].way[axis]));
      }
      for (int i = run.begin; i < run.end; ++i) u.set_row(i, u.row(i) + way);
    });
  }

  // Puts the bodies where the forces on them balance. At the displacement u the force on a node i is
  // -force(i) [N], a Row, elastic forces and those of colliders aside; it changes by -weight(i) [N/m] times a
  // change of u_i. Bodies stay within the bounds of `contacts` and rub for `contact_time` [s], as far as the
  // normal forces are known. Where `turns`, those that nothing touches or holds are also turned to where the
  // moments balance. x are the positions at u = 0 [m]; the gradient g at u follows.
  template <class Weight, class Force>
  void balance(const Vector& x, const Contacts<Vector>& contacts, double contact_time, bool turns,
               Weight&& weight, Force&& force, Vector& u, Vector& g) {
    if (!any_moves_) return;
    find_ways(weight, force, [&](int i, double w, Sums& sums) {
      sums.place = multiply_add(Row(w), wide(x, i) + wide(u, i), sums.place);
    });
    for (Body& body : bodies_) {
      body.centre = point(body.sums.place) / body.divisor();
      body.touched = false;
      body.turn.setZero();
    }
    find_touched(contacts, contact_time, u);
    if (turns) {
      sum([&](int i, Sums& sums) {
        const Body& body = bodies_[at(body_of_[at(i)])];
        if (!body.turns()) return;
        const Row arm = wide(x, i) + wide(u, i) - row(body.centre), lever = Row(weight(i)) * arm - force(i);
        for (int j = 0; j < dim; ++j) sums.moment[j] = multiply_add(lever, Row(arm[j]), sums.moment[j]);
      });
      for (Body& body : bodies_) {
        if (!body.turns()) continue;
        Square moment;
        for (int j = 0; j < dim; ++j) moment.col(j) = point(body.sums.moment[j]);
        body.turn = rotation_nearest_to(moment) - Square::Identity();
      }
    }
    const auto displaced = [&](int i) {
      const Body& body = bodies_[at(body_of_[at(i)])];
      const Point arm = point(x, i) + point(u, i) - body.centre;
      return Point(point(u, i) + body.way + times<double, dim, dim, 1>(body.turn, arm));
    };
    stay_within_bounds(contacts, contact_time, u, displaced);
    for_each_run([&](const Run& run, Sums&) {
      const Body& body = bodies_[at(run.body)];
      const Row way = row(body.way), centre = row(body.centre);
      Row turn[dim];
      for (int j = 0; j < dim; ++j) turn[j] = row(Point(body.turn.col(j)));
      for (int i = run.begin; i < run.end; ++i) {
        const Row arm = wide(x, i) + wide(u, i) - centre;
        Row end = wide(u, i) + way;
        for (int j = 0; j < dim; ++j) end = multiply_add(turn[j], Row(arm[j]), end);
        const auto rounded = convert<typename Vector::Row>(end);
        g.set_row(i, multiply_add(typename Vector::Row(static_cast<Scalar>(weight(i))), rounded - u.row(i),
                                  g.row(i)));
        u.set_row(i, rounded);
      }
    });
    correct_pressures(contacts, u, g);
  }

 private:
  // Over the nodes of a run or of a body.
  struct Sums {
    double weight = 0;  // [N/m]
    Row force = Row(0), place = Row(0);
    Row moment[dim];  // its columns [N m]

    Sums() {
      for (Row& column : moment) column = Row(0);
    }
    void operator+=(const Sums& other) {
      weight += other.weight;
      force += other.force;
      place += other.place;
      for (int j = 0; j < dim; ++j) moment[j] += other.moment[j];
    }
  };

  // Nodes in a row that belong to one body.
  struct Run {
    int body, begin, end;
  };

  struct Body {
    bool restrained = false;               // by constraints
    bool moves = true;                     // they leave it a translation
    bool touched = false;                  // by colliders
    Square may_move = Square::Identity();  // projects onto the translations that constraints leave
    Sums sums;
    Point force = Point::Zero();   // see balance [N]
    Point centre = Point::Zero();  // mean position, by weight [m]
    Point way = Point::Zero();     // that the body goes as a whole [m]
    Square turn = Square::Zero();  // R - I, with the rotation R about the centre

    // Of the translations of a body that colliders touch.
    Point step = Point::Zero();    // the last one on the way [m]
    double value = 0;              // of the potential before that step [J]
    double rubbing = 0;            // the potential of friction, with its gradient and Hessian, at `way` [J]
    Point rub = Point::Zero();     // [N]
    Square grip = Square::Zero();  // [N/m]
    bool settled = false;
    Point asked = Point::Zero();     // of colliders, to balance the other forces [N]
    Point missing = Point::Zero();   // of that in what the gradient tells [N]
    double pressed = 0;              // the sum of the pressures that it tells [N]
    Point supports = Point::Zero();  // sum of the normals of the bounds that nodes are at

    double weight() const { return sums.weight; }
    double divisor() const { return weight() > 0 ? weight() : 1; }
    bool turns() const { return !restrained && !touched; }
  };

  // What bounds the translation of a body: low <= normal . way <= high.
  struct Bound {
    int body;
    Point normal;
    double low, high;  // [m]
    double rounding;   // [m]
    double push;       // its multiplier [N]
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  static Row wide(const Vector& vector, std::ptrdiff_t i) { return convert<Row>(vector.row(i)); }
  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }
  static Point point(const Row& row) {
    Point result;
    for (int axis = 0; axis < dim; ++axis) result[axis] = lane(row, axis);
    return result;
  }

  static Row row(const Point& value) {
    Row result(0);
    for (int axis = 0; axis < dim; ++axis) set_lane(result, axis, value[axis]);
    return result;
  }

  static Square outer(const Point& a, const Point& b) {
    Square result;
    for (int j = 0; j < dim; ++j) {
      for (int i = 0; i < dim; ++i) result(i, j) = a[i] * b[j];
    }
    return result;
  }

  static Square rotation_nearest_to(const Square& F) {
    if constexpr (dim == 2) {
      const double angle = std::atan2(F(1, 0) - F(0, 1), F(0, 0) + F(1, 1));
      Square R;
      R << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
      return R;
    } else {
      auto q = UnitQuaternion<double>::identity();
      return follow_rotation<double>(F, q, 3);
    }
  }

  // Calls use(run, sums of the run) for each, side by side.
  template <class Use>
  void for_each_run(Use&& use) {
    parallel_parts(static_cast<int>(runs_.size()), [&](int r) { use(runs_[at(r)], sums_[at(r)]); });
  }

  // Sums over the nodes of each body, in the same order on any number of threads.
  template <class Add>
  void sum(Add&& add) {
    for_each_run([&](const Run& run, Sums& sums) {
      sums = Sums{};
      for (int i = run.begin; i < run.end; ++i) add(i, sums);
    });
    for (std::size_t r = 0; r < runs_.size(); ++r) bodies_[at(runs_[r].body)].sums += sums_[r];
  }

  // The ways of the bodies as nothing but constraints restrains them. Calls add(i, weight, sums) for more
  // sums.
  template <class Weight, class Force, class Add>
  void find_ways(Weight&& weight, Force&& force, Add&& add) {
    for (Body& body : bodies_) body.sums = Sums{};
    sum([&](int i, Sums& sums) {
      const double w = weight(i);
      sums.weight += w;
      sums.force += force(i);
      add(i, w, sums);
    });
    for (Body& body : bodies_) {
      body.force = point(body.sums.force);
      body.way = times<double, dim, dim, 1>(body.may_move, body.force) / -body.divisor();
    }
  }

  // Which bodies have a node at one of its bounds, or that rubs.
  void find_touched(const Contacts<Vector>& contacts, double contact_time, const Vector& u) {
    bounds_.clear();
    if (contacts.bounds().empty()) return;
    for (const auto& bounded : contacts.bounds().nodes()) {
      const int number = body_of_[at(bounded.node)];
      for (int axis = 0; axis < bounded.axes; ++axis) {
        const Point normal = bounded.N.col(axis).template cast<double>();
        const double y = dot<double, dim>(normal, point(u, bounded.node));
        const double rounding = bounded.rounding;
        // A node that is beyond a bound by rounding may stay there.
        const Bound bound{
            number,   normal, std::min(bounded.lower[axis] - y, 0.0), std::max(bounded.upper[axis] - y, 0.0),
            rounding, 0};
        if (bound.low >= -rounding || bound.high <= rounding) bodies_[at(number)].touched = true;
        bounds_.push_back(bound);
      }
    }
    contacts.for_each_friction(
        contact_time, [&](int node) { return point(u, node); },
        [&](int node, const auto&) { bodies_[at(body_of_[at(node)])].touched = true; });
    // Nearly always they are in order, as the nodes are.
    const auto by_body = [](const Bound& a, const Bound& b) { return a.body < b.body; };
    if (!std::is_sorted(bounds_.begin(), bounds_.end(), by_body)) {
      std::sort(bounds_.begin(), bounds_.end(), by_body);
    }
  }

  // Shortens the ways of the bodies to what colliders allow. A body that touches one goes, without turning,
  // to the minimum of the potential of the forces on it, within its bounds: that of a parabola where nothing
  // rubs, and by Newton's method where something does.
  template <class Displaced>
  void stay_within_bounds(const Contacts<Vector>& contacts, double contact_time, const Vector& u,
                          Displaced&& displaced) {
    if (bounds_.empty()) return;
    for (const auto& bounded : contacts.bounds().nodes()) {
      Body& body = bodies_[at(body_of_[at(bounded.node)])];
      if (body.touched) continue;
      const Point end = displaced(bounded.node);
      for (int axis = 0; axis < bounded.axes; ++axis) {
        const double y = dot<double, dim>(Point(bounded.N.col(axis).template cast<double>()), end);
        if (y < bounded.lower[axis] || y > bounded.upper[axis]) body.touched = true;
      }
    }
    for (Body& body : bodies_) {
      body.settled = !body.touched || !(body.weight() > 0);
      if (body.touched) {
        body.turn.setZero();
        body.way.setZero();
        body.step.setZero();
        body.value = std::numeric_limits<double>::infinity();
      }
    }
    constexpr int most_steps = 20;
    bool settled = false;
    for (int k = 0; k < most_steps && !settled; ++k) {
      for (Body& body : bodies_) {
        body.rubbing = 0;
        body.rub.setZero();
        body.grip.setZero();
      }
      contacts.for_each_friction(
          contact_time, [&](int node) { return Point(point(u, node) + bodies_[at(body_of_[at(node)])].way); },
          [&](int node, const auto& response) {
            Body& body = bodies_[at(body_of_[at(node)])];
            body.rubbing += response.value;
            body.rub += response.gradient;
            body.grip += response.hessian;
          });
      settled = true;
      for (auto first = bounds_.begin(); first != bounds_.end();) {
        const int number = first->body;
        const auto last =
            std::find_if(first, bounds_.end(), [&](const Bound& b) { return b.body != number; });
        Body& body = bodies_[at(number)];
        if (!body.settled) {
          advance(body, first, last, k + 1 == most_steps);
          settled = settled && body.settled;
        }
        first = last;
      }
    }
  }

  // A step of Newton's method on the translation of a body, or half of the last one where that has not
  // lowered its potential; none where it is the last.
  template <class Iterator>
  static void advance(Body& body, Iterator first, Iterator last, bool is_last) {
    const double w = body.weight();
    const double value = dot<double, dim>(body.way, Point(body.force + w / 2 * body.way)) + body.rubbing;
    if (value > body.value) {
      body.step /= 2;
      if (is_last) body.step *= 2;
      body.way -= body.step;
      return;
    }
    body.value = value;
    if (is_last) return;
    const Square& P = body.may_move;
    const Square stiffness = body.grip + w * Square::Identity();
    const Square allowed = times<double, dim, dim, dim>(times<double, dim, dim, dim>(P, stiffness), P);
    const Square inverse_of_all = inverse<double, dim>(Square(allowed + w * (Square::Identity() - P)));
    const Square compliance = times<double, dim, dim, dim>(P, inverse_of_all);
    const Point gradient = body.force + w * body.way + body.rub;
    const Point start = body.way;
    Point step = times<double, dim, dim, 1>(compliance, Point(-gradient));
    // The bounds by their multipliers, one after the other until none changes (Hildreth 1957).
    constexpr int most_sweeps = 100;
    for (auto bound = first; bound != last; ++bound) bound->push = 0;
    bool changes = first != last;
    for (int sweep = 0; changes && sweep < most_sweeps; ++sweep) {
      changes = false;
      for (auto bound = first; bound != last; ++bound) {
        const Point response = times<double, dim, dim, 1>(compliance, bound->normal);
        const double per_push = dot<double, dim>(bound->normal, response);
        if (!(per_push * w > 1e-9)) continue;  // the constraints leave it no way across the bound
        const double y = dot<double, dim>(bound->normal, Point(start + step));
        const double from_below = bound->push + (bound->low - y) / per_push,
                     from_above = bound->push + (bound->high - y) / per_push;
        const double push = from_below > 0 ? from_below : from_above < 0 ? from_above : 0;
        if (std::abs(push - bound->push) * per_push > 1e-3 * bound->rounding) changes = true;
        step += (push - bound->push) * response;
        bound->push = push;
      }
    }
    body.step = step;
    body.way = start + step;
    constexpr double enough = 1e-9;
    body.settled = body.grip.isZero() ||
                   dot<double, dim>(step, step) <= enough * enough * dot<double, dim>(body.way, body.way);
  }

  // What all colliders together press on a body with is what it does not balance by itself. The gradient is
  // in part rounding, which leaves some of that at nodes that are free. What is missing is added to the
  // pressures at the bounds, to each by its size; where it is about as large as they are, nothing is known of
  // them, and nodes at bounds that can press as it is asked share that alike.
  void correct_pressures(const Contacts<Vector>& contacts, const Vector& u, Vector& g) {
    if (bounds_.empty()) return;
    const auto& bounds = contacts.bounds();
    // Calls use(body, axis, normal, pressure) for each bound of a node, as the gradient tells.
    const auto for_each_axis = [&](const auto& bounded, auto&& use) {
      Body& body = bodies_[at(body_of_[at(bounded.node)])];
      if (!body.touched || body.restrained) return;
      const auto pressures = bounds.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        use(body, axis, Point(bounded.N.col(axis).template cast<double>()),
            static_cast<double>(pressures[axis]));
      }
    };
    const auto supports = [&](const auto& bounded, int axis, double asked) {
      const auto y = bounds.in_frame(bounded, u.node(bounded.node))[axis];
      return asked > 0 ? y <= bounded.lower[axis] + bounded.rounding
                       : asked < 0 && y >= bounded.upper[axis] - bounded.rounding;
    };
    for (Body& body : bodies_) {
      body.asked = body.force + body.weight() * body.way + body.rub;
      body.missing = body.asked;
      body.pressed = 0;
      body.supports.setZero();
    }
    for (const auto& bounded : bounds.nodes()) {
      for_each_axis(bounded, [&](Body& body, int axis, const Point& normal, double pressure) {
        const double asked = dot<double, dim>(normal, body.asked);
        body.pressed += std::abs(pressure);
        body.missing -= pressure * normal;
        if (supports(bounded, axis, asked)) body.supports += std::copysign(1.0, asked) * normal;
      });
    }
    for (const auto& bounded : bounds.nodes()) {
      for_each_axis(bounded, [&](const Body& body, int axis, const Point& normal, double pressure) {
        double change = 0;
        if (4 * dot<double, dim>(body.missing, body.missing) <= body.pressed * body.pressed) {
          if (pressure == 0) return;
          change = std::abs(pressure) / body.pressed * dot<double, dim>(normal, body.missing);
        } else {
          const double asked = dot<double, dim>(normal, body.asked);
          change = -pressure;
          if (supports(bounded, axis, asked)) {
            const double square = dot<double, dim>(body.supports, body.supports);
            const double share =
                square > 0 ? std::max(dot<double, dim>(body.asked, body.supports) / square, 0.0) : 0;
            const auto along = transposed_times<Scalar, dim, dim, 1>(bounded.T, g.node(bounded.node));
            change = std::copysign(share, asked) - static_cast<double>(along[axis]);
          }
        }
        g.node(bounded.node) += (change * normal).template cast<Scalar>();
      });
    }
  }

  std::vector<Body> bodies_;
  std::vector<int> body_of_;  // of each node
  std::vector<Run> runs_;     // cover all nodes
  std::vector<Sums> sums_;    // of each run
  std::vector<Bound> bounds_;
  bool constraints_known_ = false;
  bool any_moves_ = true;
};

}  // namespace pliant
