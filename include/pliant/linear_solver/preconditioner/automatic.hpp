// The preconditioner that suits the last solves.
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

// BlockJacobi, cheap per iteration, as long as few iterations do; TwoLevel, whose iteration costs three of
// those and which needs many times fewer, from the next matrix on if a solve has taken more than
// `switch_above` iterations of BlockJacobi, counted as for a reduction of the residual by 1e6. It goes back
// if TwoLevel takes so few that BlockJacobi is sure to do. A body of more than `start_above` nodes begins
// with TwoLevel, as most large bodies need it. Numbers decide, never a clock: results can be reproduced.
struct Automatic {
  int switch_above = 70;     // iterations of BlockJacobi
  int switch_below = 10;     // iterations of TwoLevel
  int start_above = 20'000;  // nodes

  template <class Matrix>
  struct Workspace {
    BlockJacobi::Workspace<Matrix> simple;
    TwoLevel::Workspace<Matrix> two_level;
    std::optional<bool> two_levels;  // empty before the first matrix

    struct History {  // see core/history.hpp
      std::optional<bool> two_levels;
      detail::HistoryOf<TwoLevel::Workspace<Matrix>> two_level;
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
    detail::require_parameter(switch_above >= 0, "Automatic::switch_above", switch_above,
                              "must not be negative");
    detail::require_parameter(switch_below >= 0 && switch_below < 0.5 * (switch_above + 1),
                              "Automatic::switch_below", switch_below,
                              "must not be negative, and less than half of switch_above");
    detail::require_parameter(start_above >= 0, "Automatic::start_above", start_above,
                              "must not be negative");
  }

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& w) const {
    if (!w.two_levels) w.two_levels = A.rows() > start_above;
    return *w.two_levels ? TwoLevel{}.prepare(A, w.two_level) : BlockJacobi{}.prepare(A, w.simple);
  }

  // Whether it treats each node by itself at present, and how.
  template <class W>
  bool nodewise(const W& w) const {
    return !w.two_levels.value_or(false);
  }
  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& w) const {
    return BlockJacobi{}.at(i, r, w.simple);
  }

  // Where it does not.
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
    // A short way tells little: the first iterations gain more, or less, than those that follow.
    if (!(digits > 1) && report.iterations <= switch_above) return;
    const double iterations = 6 * report.iterations / std::max(digits, 1.0);
    w.two_levels = iterations > (w.two_levels.value_or(false) ? switch_below : switch_above);
  }
};

}  // namespace pliant
