// Corrects the motion of whole bodies, which rounded elastic forces do not determine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include <pliant/algebra/orthonormal_basis.hpp>
#include <pliant/algebra/rotation.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant::detail::integrator {

// The bodies of a system, its components connected by elements, and their rigid motions.
//
// Elastic forces sum to zero over a body, and so do the rows of its stiffness. In rounded arithmetic they do
// not: the errors act as a spring of about epsilon E L [N/m] that holds the body in place, which in float
// exceeds the inertia m / dt^2 of a small and stiff body. A linear system then does not determine how such a
// body moves as a whole. But this motion follows from the other forces in closed form: they are summed in
// double, and the body is moved, without a change of shape, to the position at which they balance.
template <class VectorType,  // a NodeVector
          Isa isa = PLIANT_NATIVE_ISA>
class FreeBodies {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Square = SmallMatrix<double, dim, dim>;
  using Row = simd::Lane<double, Vector::stride, isa>;  // the numbers of a node

  // Finds the bodies, the components connected by elements.
  void find(const BlockPattern& of_matrix) {
    const BlockPattern& pattern = of_matrix.of_elements();
    const auto nodes = static_cast<int>(pattern.rows());
    detail::mesh::DisjointSets sets(nodes);
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
    pattern_ = nullptr;
  }

  // Finds the bodies that pairs of the pattern of matrices join to others, if it is another one than in the
  // last call. The forces between them are not included in a balance, so that these bodies are left as they
  // are.
  void follow_pattern(const std::shared_ptr<const BlockPattern>& of_matrix) {
    if (pattern_ == of_matrix) return;
    joined_.assign(bodies_.size(), 0);
    for (int i = 0; i < static_cast<int>(of_matrix->rows()); ++i) {
      const int body = body_of_[at(i)];
      for (int k = of_matrix->row_begin[at(i)]; k < of_matrix->row_begin[at(i) + 1]; ++k) {
        const int other = body_of_[at(of_matrix->columns[at(k)])];
        if (other != body) joined_[at(body)] = joined_[at(other)] = 1;
      }
    }
    pattern_ = of_matrix;
  }

  // Called after constraints have been replaced.
  void forget_constraints() { constraints_known_ = false; }

  // Finds the translations that the constraints leave to the bodies, if they are not known.
  template <class Filter>
  void follow_constraints(const Filter& filter) {
    if (constraints_known_) return;
    std::vector<algebra::OrthonormalBasis<dim>> held(bodies_.size());
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

  // Whether the constraints leave a translation to the body of a node.
  bool moves(std::ptrdiff_t node) const { return bodies_[at(body_of_[at(node)])].moves; }

  // Translates the bodies, without bounds, to the positions at which the forces on them balance; see below.
  template <class Weight, class Force>
  void translate(Weight&& weight, Force&& force, Vector& u) {
    if (!any_moves_) return;
    find_translations(weight, force, [](int, double, Sums&) {});
    for_each_run([&](const Run& run, Sums&) {
      typename Vector::Row translation(Scalar(0));
      for (int axis = 0; axis < dim; ++axis) {
        simd::set_lane(translation, axis, static_cast<Scalar>(bodies_[at(run.body)].translation[axis]));
      }
      for (int i = run.begin; i < run.end; ++i) u.set_row(i, u.row(i) + translation);
    });
  }

  // Moves the bodies to the positions at which the forces on them balance. At the displacement u the force on
  // a node i is -force(i) [N], a Row, without elastic forces and those of colliders; it changes by -weight(i)
  // [N/m] times a change of u_i. Bodies stay within the bounds of `contacts`, with friction acting for
  // `contact_time` [s] as far as normal forces are known. If `turns`, unconstrained bodies without contact
  // are also rotated until the moments balance. x are the positions at u = 0 [m]; the gradient g at u is
  // updated.
  template <class ContactStepType, class Weight, class Force>
  void balance(const Vector& x, const ContactStepType& contacts, double contact_time, bool turns,
               Weight&& weight, Force&& force, Vector& u, Vector& g) {
    if (!any_moves_) return;
    find_translations(weight, force, [&](int i, double w, Sums& sums) {
      sums.place = simd::multiply_add(Row(w), wide(x, i) + wide(u, i), sums.place);
    });
    for (Body& body : bodies_) {
      body.centre = point(body.sums.place) / body.divisor();
      body.touched = false;
      body.turn.setZero();
    }
    bounds_.clear();
    if constexpr (ContactStepType::takes_colliders) find_touched(contacts, contact_time, u);
    if (turns) {
      sum([&](int i, Sums& sums) {
        const Body& body = bodies_[at(body_of_[at(i)])];
        if (!body.turns()) return;
        const Row arm = wide(x, i) + wide(u, i) - row(body.centre), lever = Row(weight(i)) * arm - force(i);
        for (int j = 0; j < dim; ++j) sums.moment[j] = simd::multiply_add(lever, Row(arm[j]), sums.moment[j]);
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
      return Point(point(u, i) + body.translation + algebra::times<double, dim, dim, 1>(body.turn, arm));
    };
    if constexpr (ContactStepType::takes_colliders) stay_within_bounds(contacts, contact_time, u, displaced);
    for_each_run([&](const Run& run, Sums&) {
      const Body& body = bodies_[at(run.body)];
      const Row translation = row(body.translation), centre = row(body.centre);
      Row turn[dim];
      for (int j = 0; j < dim; ++j) turn[j] = row(Point(body.turn.col(j)));
      for (int i = run.begin; i < run.end; ++i) {
        const Row arm = wide(x, i) + wide(u, i) - centre;
        Row end = wide(u, i) + translation;
        for (int j = 0; j < dim; ++j) end = simd::multiply_add(turn[j], Row(arm[j]), end);
        const auto rounded = simd::convert<typename Vector::Row>(end);
        g.set_row(i, simd::multiply_add(typename Vector::Row(static_cast<Scalar>(weight(i))),
                                        rounded - u.row(i), g.row(i)));
        u.set_row(i, rounded);
      }
    });
    if constexpr (ContactStepType::takes_colliders) correct_pressures(contacts, u, g);
  }

 private:
  // Sums over the nodes of a run or of a body.
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

  // Consecutive nodes of one body.
  struct Run {
    int body, begin, end;
  };

  struct Body {
    bool restrained = false;               // by constraints
    bool moves = true;                     // constraints leave a translation
    bool joined = false;                   // to other bodies, by pairs of nodes
    bool touched = false;                  // by colliders
    Square may_move = Square::Identity();  // projection onto the translations that constraints leave
    Sums sums;
    Point force = Point::Zero();        // see balance [N]
    Point centre = Point::Zero();       // mean position, by weight [m]
    Point translation = Point::Zero();  // [m]
    Square turn = Square::Zero();       // R - I, with the rotation R about the centre

    // For the translation of a body in contact.
    Point step = Point::Zero();                // the last Newton step [m]
    double value = 0;                          // of the potential before that step [J]
    double friction_energy = 0;                // the potential of friction at `translation` [J]
    Point friction_gradient = Point::Zero();   // its derivative [N]
    Square friction_hessian = Square::Zero();  // its second derivative [N/m]
    bool settled = false;
    Point required = Point::Zero();  // total force of colliders that balances the other forces [N]
    Point lacking = Point::Zero();   // the part of `required` that is not in the gradient [N]
    double pressed = 0;              // the sum of the pressures in the gradient [N]
    Point supports = Point::Zero();  // sum of the normals of the bounds that nodes touch

    double weight() const { return sums.weight; }
    double divisor() const { return weight() > 0 ? weight() : 1; }
    bool turns() const { return !restrained && !joined && !touched; }
  };

  // A bound of the translation of a body: low <= normal . translation <= high.
  struct Bound {
    int body;
    Point normal;
    double low, high;  // [m]
    double rounding;   // [m]
    double push;       // its multiplier [N]
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  static Row wide(const Vector& vector, std::ptrdiff_t i) { return simd::convert<Row>(vector.row(i)); }
  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }
  static Point point(const Row& row) {
    Point result;
    for (int axis = 0; axis < dim; ++axis) result[axis] = simd::lane(row, axis);
    return result;
  }

  static Row row(const Point& value) {
    Row result(0);
    for (int axis = 0; axis < dim; ++axis) simd::set_lane(result, axis, value[axis]);
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

  // Calls use(run, sums of the run) for all runs, in parallel.
  template <class Use>
  void for_each_run(Use&& use) {
    core::parallel_parts(static_cast<int>(runs_.size()), [&](int r) { use(runs_[at(r)], sums_[at(r)]); });
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

  // Finds the translations of the bodies subject to the constraints only. Calls add(i, weight, sums) for
  // additional sums.
  template <class Weight, class Force, class Add>
  void find_translations(Weight&& weight, Force&& force, Add&& add) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      bodies_[b].sums = Sums{};
      bodies_[b].joined = pattern_ != nullptr && joined_[b] != 0;
    }
    sum([&](int i, Sums& sums) {
      const double w = weight(i);
      sums.weight += w;
      sums.force += force(i);
      add(i, w, sums);
    });
    for (Body& body : bodies_) {
      body.force = point(body.sums.force);
      if (body.joined) body.translation.setZero();
      else
        body.translation = algebra::times<double, dim, dim, 1>(body.may_move, body.force) / -body.divisor();
    }
  }

  // Finds the bodies with a node at one of its bounds, or with friction.
  void find_touched(const ContactStep<Vector>& contacts, double contact_time, const Vector& u) {
    if (contacts.bounds().empty()) return;
    for (const auto& bounded : contacts.bounds().nodes()) {
      const int number = body_of_[at(bounded.node)];
      for (int axis = 0; axis < bounded.axes; ++axis) {
        const Point normal = bounded.N.col(axis).template cast<double>();
        const double y = algebra::dot<double, dim>(normal, point(u, bounded.node));
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
    // The bounds are nearly always sorted already, like the nodes.
    const auto by_body = [](const Bound& a, const Bound& b) { return a.body < b.body; };
    if (!std::is_sorted(bounds_.begin(), bounds_.end(), by_body)) {
      std::sort(bounds_.begin(), bounds_.end(), by_body);
    }
  }

  // Limits the translations of the bodies by the colliders. A body in contact moves, without rotation, to the
  // minimum of the potential of the forces on it within its bounds: of a quadratic function without friction,
  // and by Newton's method with friction.
  template <class Displaced>
  void stay_within_bounds(const ContactStep<Vector>& contacts, double contact_time, const Vector& u,
                          Displaced&& displaced) {
    if (bounds_.empty()) return;
    for (const auto& bounded : contacts.bounds().nodes()) {
      Body& body = bodies_[at(body_of_[at(bounded.node)])];
      if (body.touched || body.joined) continue;
      const Point end = displaced(bounded.node);
      for (int axis = 0; axis < bounded.axes; ++axis) {
        const double y = algebra::dot<double, dim>(Point(bounded.N.col(axis).template cast<double>()), end);
        if (y < bounded.lower[axis] || y > bounded.upper[axis]) body.touched = true;
      }
    }
    for (Body& body : bodies_) {
      body.settled = !body.touched || body.joined || !(body.weight() > 0);
      if (body.touched) {
        body.turn.setZero();
        body.translation.setZero();
        body.step.setZero();
        body.value = std::numeric_limits<double>::infinity();
      }
    }
    constexpr int most_steps = 20;
    bool settled = false;
    for (int k = 0; k < most_steps && !settled; ++k) {
      for (Body& body : bodies_) {
        body.friction_energy = 0;
        body.friction_gradient.setZero();
        body.friction_hessian.setZero();
      }
      contacts.for_each_friction(
          contact_time,
          [&](int node) { return Point(point(u, node) + bodies_[at(body_of_[at(node)])].translation); },
          [&](int node, const auto& response) {
            Body& body = bodies_[at(body_of_[at(node)])];
            body.friction_energy += response.value;
            body.friction_gradient += response.gradient;
            body.friction_hessian += response.hessian;
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

  // A Newton step for the translation of a body, or half of the last step if that has not lowered the
  // potential; no new step in the last iteration.
  template <class Iterator>
  static void advance(Body& body, Iterator first, Iterator last, bool is_last) {
    const double w = body.weight();
    const double value =
        algebra::dot<double, dim>(body.translation, Point(body.force + w / 2 * body.translation)) +
        body.friction_energy;
    if (value > body.value) {
      body.step /= 2;
      if (is_last) body.step *= 2;
      body.translation -= body.step;
      return;
    }
    body.value = value;
    if (is_last) return;
    const Square& P = body.may_move;
    const Square stiffness = body.friction_hessian + w * Square::Identity();
    const Square allowed =
        algebra::times<double, dim, dim, dim>(algebra::times<double, dim, dim, dim>(P, stiffness), P);
    const Square inverse_of_all =
        algebra::inverse<double, dim>(Square(allowed + w * (Square::Identity() - P)));
    const Square compliance = algebra::times<double, dim, dim, dim>(P, inverse_of_all);
    const Point gradient = body.force + w * body.translation + body.friction_gradient;
    const Point start = body.translation;
    Point step = algebra::times<double, dim, dim, 1>(compliance, Point(-gradient));
    // Adds the multipliers of the bounds, one after the other, until none changes (Hildreth 1957).
    constexpr int most_sweeps = 100;
    for (auto bound = first; bound != last; ++bound) bound->push = 0;
    bool changes = first != last;
    for (int sweep = 0; changes && sweep < most_sweeps; ++sweep) {
      changes = false;
      for (auto bound = first; bound != last; ++bound) {
        const Point response = algebra::times<double, dim, dim, 1>(compliance, bound->normal);
        const double per_push = algebra::dot<double, dim>(bound->normal, response);
        if (!(per_push * w > 1e-9)) continue;  // the constraints allow no motion across the bound
        const double y = algebra::dot<double, dim>(bound->normal, Point(start + step));
        const double from_below = bound->push + (bound->low - y) / per_push,
                     from_above = bound->push + (bound->high - y) / per_push;
        const double push = from_below > 0 ? from_below : from_above < 0 ? from_above : 0;
        if (std::abs(push - bound->push) * per_push > 1e-3 * bound->rounding) changes = true;
        step += (push - bound->push) * response;
        bound->push = push;
      }
    }
    body.step = step;
    body.translation = start + step;
    constexpr double enough = 1e-9;
    body.settled = body.friction_hessian.isZero() ||
                   algebra::dot<double, dim>(step, step) <=
                       enough * enough * algebra::dot<double, dim>(body.translation, body.translation);
  }

  // The total force of the colliders on a body balances the other forces on it. The gradient contains
  // rounding errors, so that a part of this force is at free nodes. The missing force is distributed over the
  // pressures at the bounds, in proportion to them; if it is about as large as they are, the pressures are
  // unreliable, and the force is distributed equally over the nodes at bounds that can carry it.
  void correct_pressures(const ContactStep<Vector>& contacts, const Vector& u, Vector& g) {
    if (bounds_.empty()) return;
    const auto& bounds = contacts.bounds();
    // Calls use(body, axis, normal, pressure) for each bound of a node, with the pressure in the gradient.
    const auto for_each_axis = [&](const auto& bounded, auto&& use) {
      Body& body = bodies_[at(body_of_[at(bounded.node)])];
      if (!body.touched || body.restrained || body.joined) return;
      const auto pressures = bounds.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        use(body, axis, Point(bounded.N.col(axis).template cast<double>()),
            static_cast<double>(pressures[axis]));
      }
    };
    const auto supports = [&](const auto& bounded, int axis, double required) {
      const auto y = bounds.in_frame(bounded, u.node(bounded.node))[axis];
      return required > 0 ? y <= bounded.lower[axis] + bounded.rounding
                          : required < 0 && y >= bounded.upper[axis] - bounded.rounding;
    };
    for (Body& body : bodies_) {
      body.required = body.force + body.weight() * body.translation + body.friction_gradient;
      body.lacking = body.required;
      body.pressed = 0;
      body.supports.setZero();
    }
    for (const auto& bounded : bounds.nodes()) {
      for_each_axis(bounded, [&](Body& body, int axis, const Point& normal, double pressure) {
        const double required = algebra::dot<double, dim>(normal, body.required);
        body.pressed += std::abs(pressure);
        body.lacking -= pressure * normal;
        if (supports(bounded, axis, required)) body.supports += std::copysign(1.0, required) * normal;
      });
    }
    for (const auto& bounded : bounds.nodes()) {
      for_each_axis(bounded, [&](const Body& body, int axis, const Point& normal, double pressure) {
        double change = 0;
        if (4 * algebra::dot<double, dim>(body.lacking, body.lacking) <= body.pressed * body.pressed) {
          if (pressure == 0) return;
          change = std::abs(pressure) / body.pressed * algebra::dot<double, dim>(normal, body.lacking);
        } else {
          const double required = algebra::dot<double, dim>(normal, body.required);
          change = -pressure;
          if (supports(bounded, axis, required)) {
            const double square = algebra::dot<double, dim>(body.supports, body.supports);
            const double share =
                square > 0 ? std::max(algebra::dot<double, dim>(body.required, body.supports) / square, 0.0)
                           : 0;
            const auto along =
                algebra::transposed_times<Scalar, dim, dim, 1>(bounded.T, g.node(bounded.node));
            change = std::copysign(share, required) - static_cast<double>(along[axis]);
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
  std::shared_ptr<const BlockPattern> pattern_;  // for which joined_ was found
  std::vector<char> joined_;                     // whether pairs join a body to another
  bool constraints_known_ = false;
  bool any_moves_ = true;
};

// Whether rounding may determine the rigid motion of the bodies of a System: in double its effect is too
// small.
template <class System>
inline constexpr bool balances_bodies = System::abilities.free_bodies &&
                                        sizeof(typename System::Scalar) < sizeof(double);

// If it may not.
struct NoFreeBodies {
  void forget_constraints() {}
};

template <class System, bool balances = balances_bodies<System>>
struct FreeBodiesOfSystem {
  using Type = NoFreeBodies;
};
template <class System>
struct FreeBodiesOfSystem<System, true> {
  using Type = FreeBodies<typename System::Vector, System::Matrix::instruction_set>;
};

// The member of an integrator's workspace for it.
template <class System>
using FreeBodiesOf = typename FreeBodiesOfSystem<System>::Type;

}  // namespace pliant::detail::integrator
