// A body, prefactored, as steps of operator splitting see it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/stretch_elements.hpp>
#include <pliant/integrator/volume_constraints.hpp>
#include <pliant/linear_solver/panels.hpp>

namespace pliant {

// A body of tetrahedra for steps of OperatorSplitting. Nodes are numbered by place: the free ones in the
// order in which the factor wants them, then the fixed ones, and one more, of no weight and at the origin,
// for lanes without an element.
template <class SystemType, class FilterType>
class SplitBody {
 public:
  using Vector = typename SystemType::Vector;
  using Scalar = typename SystemType::Scalar;

  const Vector& constraint_forces() const { return held_; }

  void prepare(const SystemType& system) {
    static_assert(SystemType::dim == 3, "OperatorSplitting takes bodies of tetrahedra");
    if (held_.nodes() == system.node_count()) return;
    held_ = moved_ = displacement_ = system.make_vector();
    const auto beta = system.uniform_stiffness_damping();
    detail::require_parameter(beta && *beta == Scalar(0), "Rayleigh::beta",
                              beta ? static_cast<double>(*beta) : 0,
                              "must be zero with OperatorSplitting, which has no tangent to damp with");
    take_elements(system);
    dt_ = 0;
  }

  // Makes what depends on dt [s] and on which nodes are fixed, where these have changed. Returns whether they
  // have.
  bool set_up(const SystemType& system, const FilterType& filter, const Vector& x, double dt) {
    fixed_now_.clear();
    filter.for_each_restrained([&](int node, const auto& S) {
      if (!S.isZero()) {
        throw ParameterError(
            "node", system.numbering().to_user[at(node)],
            "OperatorSplitting takes nodes that are free, or held or moved in all directions");
      }
      fixed_now_.push_back(node);
    });
    if (dt == dt_ && fixed_now_ == fixed_) return false;
    fixed_ = fixed_now_;
    dt_ = 0;
    find_masses(system, dt);
    factorise(system, x, dt);
    place_masses(system);
    place_elements(dt);
    for_each_place(
        [&](std::ptrdiff_t place, std::ptrdiff_t node) { set_row(positions_, place, x.row(node)); });
    elements_.find_rotations(positions_.data());
    dt_ = dt;
    return true;
  }

  // A step with the numbers of iterations of an integrator. Returns how many nodes touch colliders, -1 where
  // some could not be kept out.
  template <class Integrator, class Context>
  int advance(const Integrator& integrator, const Context& context, State<Vector>& state) {
    predict(context, state, integrator.stretch_iterations > 1);
    for (int k = 0; k < integrator.stretch_iterations; ++k) {
      solve_stretch(integrator.rotation_iterations, k > 0);
    }
    for (int k = 0; k < integrator.volume_iterations; ++k) relax_volumes(k == 0);
    find_constraint_forces(context, state, integrator.volume_iterations > 0);
    const int contacts = collide(context, state);
    finish(context, state);
    return contacts;
  }

 private:
  static constexpr Isa isa = SystemType::Matrix::instruction_set;
  using Factor = Panels<Scalar, isa>;
  using Row = Lane<Scalar, 4, isa>;
  static constexpr int stride = Factor::stride;
  static_assert(stride == Vector::stride);

  // An element as the system has it.
  struct Tetrahedron {
    std::array<int, 4> nodes;
    SmallMatrix<Scalar, 4, 3> gradients;  // of the shape functions [1/m]
    double volume;                        // at rest [m^3]
    double mu, lambda;                    // [Pa]
  };

  // Some of the elements; parts have no free node in common but those of the top of the factor.
  struct Part {
    std::ptrdiff_t elements_begin = 0, elements_end = 0;  // batches
    std::ptrdiff_t constraints_begin = 0, constraints_end = 0;
    AlignedVector<Scalar> right_side;  // a row for each place, of which only some are used
    AlignedVector<Scalar> scratch;
  };

  // The part of M + dt^2 L that a fixed node has in common with a free one.
  struct Coupling {
    int fixed, free;  // places
    int part;         // of the free one; where that is the top, the first
    Scalar value;     // [kg]
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  void take_elements(const SystemType& system) {
    tetrahedra_.clear();
    system.for_each_point([&](const auto& point, const auto& energy) {
      using Energy = std::remove_cvref_t<decltype(energy)>;
      constexpr bool takes = decltype(point.gradients)::RowsAtCompileTime == 4 &&
                             (std::is_same_v<Energy, FixedCorotated> || std::is_same_v<Energy, Arap>);
      static_assert(takes,
                    "OperatorSplitting takes tetrahedra of FixedCorotated or Arap: no other energy is "
                    "mu |F - R|^2 + lambda / 2 (det F - 1)^2");
      if constexpr (takes) {
        const RawCoefficients& c = energy.template coefficients<3>();
        detail::require_parameter(c.lambda >= 0, "lambda", c.lambda,
                                  "must not be negative (Pa) with OperatorSplitting");
        tetrahedra_.push_back(
            {point.nodes, point.gradients, static_cast<double>(point.volume), c.mu, c.lambda});
        // Right-handed, whatever order the system has the nodes in.
        Tetrahedron& e = tetrahedra_.back();
        if (determinant(SmallMatrix<Scalar, 3, 3>(e.gradients.template bottomRows<3>())) < 0) {
          std::swap(e.nodes[2], e.nodes[3]);
          e.gradients.row(2).swap(e.gradients.row(3));
        }
      }
    });
  }

  // Masses with what mass damping adds to them in a step.
  void find_masses(const SystemType& system, double dt) {
    const bool damps = system.mass_damping().nodes() > 0;
    mass_.assign(at(system.node_count()), 0);
    for (std::ptrdiff_t i = 0; i < system.node_count(); ++i) {
      const double drag = damps ? static_cast<double>(system.mass_damping().node(i)(0)) : 0;
      mass_[at(i)] = static_cast<double>(system.mass().node(i)(0)) + dt * drag;
    }
  }

  // Of the nodes at their places: inverse masses, zero for fixed nodes, and what damping leaves of
  // velocities.
  void place_masses(const SystemType& system) {
    inverse_mass_.assign(node_.size(), Scalar(0));
    kept_.assign(node_.size(), Scalar(1));
    for (std::size_t place = 0; place < at(factor_.node_count()); ++place) {
      const double mass = mass_[at(node_[place])];
      inverse_mass_[place] = static_cast<Scalar>(1 / mass);
      kept_[place] = static_cast<Scalar>(static_cast<double>(system.mass().node(node_[place])(0)) / mass);
    }
  }

  // The entries of dt^2 L that an element adds, by pairs of its nodes [kg].
  template <class Add>
  static void for_each_entry(const Tetrahedron& e, double dt, Add&& add) {
    const double weight = 2 * e.mu * e.volume * dt * dt;
    const SmallMatrix<double, 4, 3> gradients = e.gradients.template cast<double>();
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b)
        add(e.nodes[at(a)], e.nodes[at(b)], weight * gradients.row(a).dot(gradients.row(b)));
    }
  }

  void factorise(const SystemType& system, const Vector& x, double dt) {
    const auto count = system.node_count();
    // Free nodes by themselves, in the system's order.
    Numbering numbering{std::vector<int>(at(count), 0), {}};
    for (const int node : fixed_) numbering.to_internal[at(node)] = -1;
    for (int i = 0; i < static_cast<int>(count); ++i) {
      if (numbering.to_internal[at(i)] < 0) continue;
      numbering.to_internal[at(i)] = static_cast<int>(numbering.to_user.size());
      numbering.to_user.push_back(i);
    }
    const std::vector<int>&number = numbering.to_internal, &free = numbering.to_user;
    const BlockPattern pattern = BlockPattern::from_graph(renumbered(graph_of(system.pattern()), numbering));
    std::vector<double> values(at(pattern.blocks()), 0);
    for (std::size_t i = 0; i < free.size(); ++i) values[at(pattern.row_begin[i])] = mass_[at(free[i])];
    for (const Tetrahedron& e : tetrahedra_) {
      for_each_entry(e, dt, [&](int a, int b, double value) {
        const int i = number[at(a)], j = number[at(b)];
        if (i >= 0 && i <= j) values[at(pattern.slot(i, j))] += value;
      });
    }
    NodeMatrix<Scalar, 3> positions(3, std::ssize(free));
    for (std::size_t i = 0; i < free.size(); ++i) positions.col(static_cast<int>(i)) = x.node(free[i]);
    if (factor_.factorise(pattern, values, positions) != FactorResult::done) {
      throw ParameterError("OperatorSplitting::dt", dt, "the matrix M + dt^2 L overflows");
    }
    place_.assign(at(count), 0);
    node_.clear();
    for (int place = 0; place < factor_.node_count(); ++place)
      node_.push_back(free[at(factor_.node_at(place))]);
    node_.insert(node_.end(), fixed_.begin(), fixed_.end());
    for (std::size_t place = 0; place < node_.size(); ++place)
      place_[at(node_[place])] = static_cast<int>(place);
    positions_.assign(stride * (node_.size() + at(factor_.parts()) + 1), Scalar(0));
    predicted_ = positions_;
    couplings_.clear();
    for (const Tetrahedron& e : tetrahedra_) {
      for_each_entry(e, dt, [&](int a, int b, double value) {
        if (number[at(a)] < 0 && number[at(b)] >= 0) {
          couplings_.push_back({place_[at(a)], place_[at(b)], std::max(part_of(place_[at(b)]), 0),
                                static_cast<Scalar>(value)});
        }
      });
    }
  }

  // Batches of each part, and of the constraints that touch the top or, as all threads read them, fixed
  // nodes.
  void place_elements(double dt) {
    const int free = factor_.node_count();
    const auto nowhere = [&](int part) { return stride * (static_cast<int>(node_.size()) + part); };
    const int part_count = factor_.parts(), top = factor_.begin(part_count);
    std::vector<std::vector<StretchElement<Scalar>>> elements(at(part_count));
    std::vector<std::vector<VolumeConstraint<Scalar>>> constraints(at(part_count) + 1);
    for (const Tetrahedron& e : tetrahedra_by_place()) {
      std::array<int, 4> offsets{};
      int part = -1, highest = -1;
      bool shared = false;  // with another part
      for (std::size_t a = 0; a < 4; ++a) {
        const int place = place_[at(e.nodes[a])];
        offsets[a] = stride * place;
        shared = shared || place >= top;
        if (place >= free) continue;
        highest = std::max(highest, place);
        part = std::max(part, part_of(place));
      }
      if (highest < 0) continue;  // all fixed
      if (part < 0) {             // in the top alone: whoever has least to do
        const auto least = std::min_element(elements.begin(), elements.end(),
                                            [](const auto& x, const auto& y) { return x.size() < y.size(); });
        part = static_cast<int>(least - elements.begin());
      }
      elements[at(part)].push_back(
          {offsets, e.gradients, static_cast<Scalar>(2 * e.mu * e.volume * dt * dt)});
      if (e.lambda == 0) continue;
      constraints[at(shared ? part_count : part)].push_back(
          {offsets, static_cast<Scalar>(1 / (6 * e.volume)),
           static_cast<Scalar>(1 / (e.lambda * e.volume * dt * dt))});
    }
    elements_.clear();
    constraints_.clear();
    parts_.assign(at(part_count) + 1, Part{});
    for (int p = 0; p <= part_count; ++p) {
      Part& part = parts_[at(p)];
      if (p < part_count) {
        part.elements_begin = elements_.size();
        part.elements_end = elements_.append(elements[at(p)], nowhere(p));
        part.right_side.assign(positions_.size(), Scalar(0));
        part.scratch.assign(factor_.scratch_size(), Scalar(0));
      }
      part.constraints_begin = constraints_.size();
      part.constraints_end = constraints_.append(constraints[at(p)], stride * free, nowhere(p));
    }
  }

  // The part that a place of a free node belongs to; -1: the top.
  int part_of(int place) const {
    for (int p = 0; p < factor_.parts(); ++p) {
      if (place >= factor_.begin(p) && place < factor_.end(p)) return p;
    }
    return -1;
  }

  // Near in memory, near in time.
  std::vector<Tetrahedron> tetrahedra_by_place() const {
    std::vector<Tetrahedron> result = tetrahedra_;
    const auto key = [&](const Tetrahedron& e) {
      std::ptrdiff_t sum = 0;
      for (const int node : e.nodes) sum += place_[at(node)];
      return sum;
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const Tetrahedron& a, const Tetrahedron& b) { return key(a) < key(b); });
    return result;
  }

  template <class Run>
  void for_each_place(Run&& run) const {
    parallel_for(std::ssize(node_), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t place = begin; place < end; ++place) run(place, node_[at(place)]);
    });
  }

  PLIANT_INLINE static Row row(const AlignedVector<Scalar>& rows, std::ptrdiff_t place) {
    return load<Row>(rows.data() + stride * place);
  }
  PLIANT_INLINE static void set_row(AlignedVector<Scalar>& rows, std::ptrdiff_t place, const Row& value) {
    store(rows.data() + stride * place, value);
  }
  static void set_zero(AlignedVector<Scalar>& rows, std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::fill(rows.begin() + stride * begin, rows.begin() + stride * end, Scalar(0));
  }

  // Where all nodes would go without elasticity; fixed ones go where they have to.
  template <class Context>
  void predict(const Context& context, const State<Vector>& state, bool keep) {
    context.filter.prescribe(state.time + dt_, dt_, state.x, moved_);
    const auto h = static_cast<Scalar>(dt_);
    const std::ptrdiff_t free = factor_.node_count();
    for_each_place([&](std::ptrdiff_t place, std::ptrdiff_t node) {
      const Scalar inverse = inverse_mass_[at(place)];
      const Row way = place < free ? Row(h * kept_[at(place)]) * state.v.row(node) +
                                         Row(h * h * inverse) * context.loads.row(node)
                                   : moved_.row(node);
      const Row end = state.x.row(node) + way;
      if (keep) set_row(predicted_, place, end);
      set_row(positions_, place, end);
      positions_[at(stride * place + 3)] = inverse;  // for the volume constraints
    });
  }

  // positions += (M + dt^2 L)^-1 (sum 2 mu V dt^2 (R - F) grad N + M (predicted - positions)).
  void solve_stretch(int rotation_iterations, bool repeated) {
    const int part_count = factor_.parts();
    const std::ptrdiff_t top = factor_.begin(part_count), free = factor_.node_count(),
                         all = std::ssize(positions_) / stride;
    const auto add_inertia = [&](AlignedVector<Scalar>& y, std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t place = begin; place < end; ++place) {
        const Row mass(static_cast<Scalar>(mass_[at(node_[at(place)])]));
        set_row(y, place, row(y, place) + mass * (row(predicted_, place) - row(positions_, place)));
      }
    };
    parallel_parts(part_count, [&](int p) {
      Part& part = parts_[at(p)];
      auto& y = part.right_side;
      set_zero(y, factor_.begin(p), factor_.end(p));
      set_zero(y, top, all);
      if (repeated) add_inertia(y, factor_.begin(p), factor_.end(p));
      if (repeated && p == 0) add_inertia(y, top, free);
      elements_.pull(part.elements_begin, part.elements_end, rotation_iterations, positions_.data(),
                     y.data());
      factor_.sweep_forward(p, y.data());
    });
    auto& y = parts_.front().right_side;
    for (int p = 1; p < part_count; ++p) {
      for (std::ptrdiff_t place = top; place < all; ++place) {
        set_row(y, place, row(y, place) + row(parts_[at(p)].right_side, place));
      }
    }
    factor_.sweep_forward(part_count, y.data());
    factor_.sweep_backward(part_count, y.data(), parts_.front().scratch.data());
    parallel_parts(part_count, [&](int p) {
      auto& own = parts_[at(p)].right_side;
      if (p > 0) std::copy(y.begin() + stride * top, y.begin() + stride * free, own.begin() + stride * top);
      factor_.sweep_backward(p, own.data(), parts_[at(p)].scratch.data());
      move(own, factor_.begin(p), factor_.end(p));
    });
    move(y, top, free);
  }

  // The fourth numbers of both are left alone: those of the solution are zero.
  void move(const AlignedVector<Scalar>& solution, std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t place = begin; place < end; ++place) {
      set_row(positions_, place, row(positions_, place) + row(solution, place));
    }
  }

  void relax_volumes(bool first) {
    const int part_count = factor_.parts();
    const auto relax = [&](int p) {
      const Part& part = parts_[at(p)];
      constraints_.relax(part.constraints_begin, part.constraints_end, first, positions_.data());
    };
    parallel_parts(part_count, relax);
    relax(part_count);
  }

  // Takes nodes out of colliders; see Contacts::put_back.
  template <class Context>
  int collide(const Context& context, const State<Vector>& state) {
    if (context.contacts.empty()) {
      context.contacts.clear();
      return 0;
    }
    for_each_place([&](std::ptrdiff_t place, std::ptrdiff_t node) {
      positions_[at(stride * place + 3)] = 0;
      displacement_.set_row(node, row(positions_, place) - state.x.row(node));
    });
    const int contacts = context.contacts.put_back(
        state.x, moved_, dt_, [&](int node) { return mass_[at(node)]; }, displacement_, held_);
    for_each_place([&](std::ptrdiff_t place, std::ptrdiff_t node) {
      set_row(positions_, place, state.x.row(node) + displacement_.row(node));
    });
    return contacts;
  }

  // What holds a fixed node balances what the elements, whose rotations are those of the last solve, and the
  // loads do to it, and accelerates it.
  template <class Context>
  void find_constraint_forces(const Context& context, const State<Vector>& state, bool with_volumes) {
    held_.set_zero();
    if (fixed_.empty()) return;
    const std::ptrdiff_t free = factor_.node_count();
    const auto& pull = parts_.front().right_side;
    forces_.assign(stride * fixed_.size(), Scalar(0));  // by elements, times dt^2
    const auto force = [&](std::ptrdiff_t place) { return forces_.data() + stride * (place - free); };
    const auto add = [&](std::ptrdiff_t place, const Row& value) {
      store(force(place), load<Row>(force(place)) + value);
    };
    for (std::ptrdiff_t place = free; place < std::ssize(node_); ++place) add(place, row(pull, place));
    for (const Coupling& c : couplings_) {
      add(c.fixed, Row(-c.value) * row(parts_[at(c.part)].right_side, c.free));
    }
    if (with_volumes)
      constraints_.add_forces(stride * static_cast<int>(free), positions_.data(), forces_.data());
    const auto per_time = static_cast<Scalar>(1 / dt_), per_square = per_time * per_time;
    for (std::ptrdiff_t place = free; place < std::ssize(node_); ++place) {
      const std::ptrdiff_t node = node_[at(place)];
      const Row acceleration = Row(per_square) * moved_.row(node) - Row(per_time) * state.v.row(node);
      held_.set_row(node, Row(static_cast<Scalar>(mass_[at(node)])) * acceleration -
                              Row(per_square) * load<Row>(force(place)) - context.loads.row(node));
    }
  }

  template <class Context>
  void finish(const Context& context, State<Vector>& state) {
    const auto per_time = static_cast<Scalar>(1 / dt_);
    for_each_place([&](std::ptrdiff_t place, std::ptrdiff_t node) {
      positions_[at(stride * place + 3)] = 0;
      const Row end = row(positions_, place);
      state.v.set_row(node, Row(per_time) * (end - state.x.row(node)));
      state.x.set_row(node, end);
    });
    context.filter.follow_motions(state.time, state.time + dt_, state.v);
  }

  double dt_ = 0;                            // that everything was made for, 0: none yet [s]
  std::vector<int> fixed_, fixed_now_;       // nodes
  std::vector<Tetrahedron> tetrahedra_;      // nodes of the system
  std::vector<double> mass_;                 // of each node, with its damping [kg]
  std::vector<Scalar> inverse_mass_, kept_;  // at each place [1/kg]; what damping leaves of a velocity [-]
  std::vector<int> place_, node_;            // of each node; at each place
  Factor factor_;                            // of M + dt^2 L of the free nodes
  StretchElements<Scalar, isa> elements_;
  VolumeConstraints<Scalar, isa> constraints_;
  std::vector<Part> parts_;  // and the constraints that belong to none
  std::vector<Coupling> couplings_;
  AlignedVector<Scalar> positions_, predicted_;  // a row for each place [m]
  AlignedVector<Scalar> forces_;                 // a row for each fixed node
  Vector held_, moved_, displacement_;           // [N], [m]
};

}  // namespace pliant
