// Chooses a preconditioner by the iterations of the last solves.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>

namespace pliant {

// Uses BlockJacobi, whose iterations are cheap, as long as few suffice. Switches to TwoLevel, whose
// iterations cost three times as much but are many times fewer, for the next matrix after a solve with more
// than `switch_above` iterations of BlockJacobi, extrapolated to a reduction of the residual by 1e6. Switches
// back if TwoLevel takes at most `switch_below` iterations, so few that BlockJacobi is sure to suffice. A
// body of more than `start_above` nodes starts with TwoLevel, because most large bodies need it. The choice
// depends on counts, never on measured times, so that results are reproducible.
struct Automatic {
  int switch_above = 70;     // iterations of BlockJacobi
  int switch_below = 10;     // iterations of TwoLevel
  int start_above = 20'000;  // nodes

  static constexpr PreconditionerAbilities abilities{.checks = true,
                                                     .corrects = true,
                                                     .observes = true,
                                                     .sometimes_nodewise = true,
                                                     .takes_positions = true,
                                                     .follows_steps = true};

  template <class Matrix>
  struct Workspace {
    BlockJacobi::Workspace<Matrix> simple;
    TwoLevel::Workspace<Matrix> two_level;
    std::optional<bool> two_levels;  // empty before the first matrix

    struct History {  // see core/history.hpp
      std::optional<bool> two_levels;
      detail::core::HistoryOf<TwoLevel::Workspace<Matrix>> two_level;
    };
    void save(History& h) const {
      h.two_levels = two_levels;
      two_level.save(h.two_level);
    }
    void restore(History&& h) {
      two_levels = h.two_levels;
      two_level.restore(std::move(h.two_level));
    }

    void set_positions(const typename Matrix::Vector& x) { two_level.set_positions(x); }

    void begin_step() {
      had_two_levels = two_levels;
      two_level.begin_step();
    }
    void step_undone() {
      two_levels = had_two_levels;
      two_level.step_undone();
    }

    std::optional<bool> had_two_levels;  // before the step
  };

  void check() const {
    detail::core::require_parameter(switch_above >= 0, "Automatic::switch_above", switch_above,
                                    "must not be negative");
    detail::core::require_parameter(switch_below >= 0 && switch_below < 0.5 * (switch_above + 1),
                                    "Automatic::switch_below", switch_below,
                                    "must not be negative, and less than half of switch_above");
    detail::core::require_parameter(start_above >= 0, "Automatic::start_above", start_above,
                                    "must not be negative");
  }

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& w) const {
    if (!w.two_levels) w.two_levels = A.rows() > start_above;
    return *w.two_levels ? TwoLevel{}.prepare(A, w.two_level) : BlockJacobi{}.prepare(A, w.simple);
  }

  // Whether the current preconditioner is nodewise, and its application to a node.
  template <class W>
  bool nodewise(const W& w) const {
    return !w.two_levels.value_or(false);
  }
  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& w) const {
    return BlockJacobi{}.at(i, r, w.simple);
  }

  // For the current preconditioner if it is not nodewise.
  template <class Vector, class W>
  bool correct(const Vector& r, Vector& x, W& w) const {
    return w.two_levels.value_or(false) && TwoLevel{}.correct(r, x, w.two_level);
  }
  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, double norm, Vector& z, W& w) const {
    return TwoLevel{}.apply(r, norm, z, w.two_level);
  }

  template <class W>
  void observe(const LinearReport& report, W& w) const {
    const double digits = std::log10(report.first_residual / report.residual);
    // A small reduction is no reliable sample: the first iterations reduce more, or less, than later ones.
    if (!(digits > 1) && report.iterations <= switch_above) return;
    const double iterations = 6 * report.iterations / std::max(digits, 1.0);
    w.two_levels = iterations > (w.two_levels.value_or(false) ? switch_below : switch_above);
  }
};

}  // namespace pliant
