// Checks a custom joint.
//
//   const CheckReport report = check_joint(Rope{.first = 0, .second = 1, .from = a, .to = b});
//   if (!report) throw std::runtime_error(report.message());
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <pliant/algebra/rotation.hpp>
#include <pliant/rigid/joint/concept.hpp>
#include <pliant/testing/check_report.hpp>
#include <pliant/testing/deformations.hpp>
#include <pliant/testing/differentiate.hpp>

namespace pliant {

struct JointCheckOptions {
  double distance = 0.1;    // of random places from those at the start, along each axis [m]
  double angle = 0.5;       // of random rotations from those at the start [rad]
  double tolerance = 1e-7;  // of derivatives, relative to the largest of a row
  double balance = 1e-12;   // of forces and torques, relative to the sum of their magnitudes
  bool fits = true;         // whether held rows are zero at the start
  bool balanced = true;     // whether no row changes if everything moves together; false for a joint to a
                            // point or direction of the world that is not given by a body
  int random_places = 6;
  unsigned seed = 1;
};

namespace detail::testing {

// All rows of a joint, held ones first.
inline std::vector<JointRow> all_rows(const JointRows& rows) {
  std::vector<JointRow> result;
  for (const auto& held : rows.held()) result.push_back(held.row);
  for (const auto& coordinate : rows.coordinates()) result.push_back(coordinate.row);
  return result;
}

// A body after a translation and a rotation about its centre by a rotation vector in the world.
inline BodyFrame moved(const BodyFrame& body, const SmallVector<double, 3>& by,
                       const SmallVector<double, 3>& turn) {
  const double angle = turn.norm();
  const SmallVector<double, 3> unit =
      angle > 0 ? SmallVector<double, 3>(turn / angle) : SmallVector<double, 3>::UnitX();
  const double s = std::sin(angle / 2);
  const auto Q =
      rotation_matrix(UnitQuaternion<double>{s * unit[0], s * unit[1], s * unit[2], std::cos(angle / 2)});
  const SmallVector<double, 3> centre = body.centre + by, to_origin = body.origin - body.centre;
  return {centre + algebra::times<double, 3, 3, 1>(Q, to_origin),
          algebra::times<double, 3, 3, 3>(Q, body.axes), centre};
}

}  // namespace detail::testing

// Checks a joint whose bodies are all free, at random places:
//   that it has the same number of rows everywhere, that all are finite, and that held rows are zero at the
//   start; the derivatives against differences; that the forces of every row, and their torques about the
//   origin, sum to zero.
template <Joint J>
CheckReport check_joint(const J& joint, const JointCheckOptions& options = {}) {
  using namespace detail::testing;
  using Places = detail::rigid::PlacesOf<J>;
  using Vector = SmallVector<double, 3>;
  RandomDeformations random(options.seed);
  const auto random_vector = [&](double largest) {
    return Vector(random.uniform(-largest, largest), random.uniform(-largest, largest),
                  random.uniform(-largest, largest));
  };
  const auto moved_at_random = [&](Places places) {
    for (BodyFrame& body : places.bodies) {
      body = moved(body, random_vector(options.distance), random_vector(options.angle));
    }
    for (Vector& node : places.nodes) node += random_vector(options.distance);
    return places;
  };

  Places start;
  for (BodyFrame& body : start.bodies) {
    body.centre = random_vector(0.5);  // of a frame at the origin
    body = moved(body, random_vector(1), random_vector(2));
  }
  for (Vector& node : start.nodes) node = random_vector(1);
  joint.check();
  const auto attached = joint.attach(start);
  const auto rows_at = [&](const Places& places) {
    JointRows rows;
    attached.describe(places, rows);
    return rows;
  };

  CheckReport report;
  const JointRows first = rows_at(start);
  const std::size_t count = all_rows(first).size();
  report.see("the joint has rows", 0, count > 0 ? 0 : 1, "the start", "0 rows");
  if (options.fits) {
    for (const auto& held : first.held()) {
      report.see("held rows are zero at the start", 1e-12, std::abs(held.row.value), "the start",
                 "value " + std::to_string(held.row.value));
    }
  }
  for (int trial = 0; trial < options.random_places; ++trial) {
    const Places places = moved_at_random(start);
    const std::string place = "random place " + std::to_string(trial);
    const std::vector<JointRow> rows = all_rows(rows_at(places));
    report.see("the rows are the same everywhere", 0, rows.size() == count ? 0 : 1, place,
               std::to_string(rows.size()) + " rows, " + std::to_string(count) + " at the start");
    if (rows.size() != count) continue;
    const std::size_t triples = 2 * places.bodies.size() + places.nodes.size();

    // Differences by each number of each triple, of all rows at once.
    Eigen::MatrixXd differences(rows.size(), 3 * triples), derivatives(rows.size(), 3 * triples);
    for (std::size_t t = 0; t < triples; ++t) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto values = [&](double step) {
          Places shifted = places;
          const Vector by = step * Vector::Unit(axis);
          const std::size_t body = t / 2;
          if (body < places.bodies.size()) {
            BodyFrame& frame = shifted.bodies[body];
            frame = t % 2 == 0 ? moved(frame, by, Vector::Zero()) : moved(frame, Vector::Zero(), by);
          } else {
            shifted.nodes[t - 2 * places.bodies.size()] += by;
          }
          const std::vector<JointRow> there = all_rows(rows_at(shifted));
          Eigen::VectorXd result(there.size());
          for (std::size_t r = 0; r < there.size(); ++r)
            result(static_cast<Eigen::Index>(r)) = there[r].value;
          return result;
        };
        const auto column = static_cast<Eigen::Index>(3 * t) + axis;
        differences.col(column) = differentiate(values, 0.02).value;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          derivatives(static_cast<Eigen::Index>(r), column) = rows[r].derivative[t][axis];
        }
      }
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto k = static_cast<Eigen::Index>(r);
      const Eigen::MatrixXd given = derivatives.row(k), truth = differences.row(k);
      const std::string where = place + ", row " + std::to_string(r);
      const bool finite = std::isfinite(rows[r].value) && given.allFinite();
      report.see("values and derivatives are finite", 0, finite ? 0 : 1, where,
                 "value " + std::to_string(rows[r].value));
      const double scale = largest_or_infinity(truth), error = largest_or_infinity(given - truth);
      report.see("derivatives are those of the value", options.tolerance, error == 0 ? 0 : error / scale,
                 where, compared("derivative", given, "the difference of the value", truth));

      if (!options.balanced) continue;
      Vector force = Vector::Zero(), torque = Vector::Zero();
      double forces = 0, torques = 0;
      const auto act = [&](const Vector& at, const Vector& f) {
        const Vector moment = detail::algebra::cross<double>(at, f);
        force += f;
        torque += moment;
        forces += f.norm();
        torques += moment.norm();
      };
      for (std::size_t b = 0; b < places.bodies.size(); ++b) {
        act(places.bodies[b].centre, rows[r].derivative[2 * b]);
        torque += rows[r].derivative[2 * b + 1];
        torques += rows[r].derivative[2 * b + 1].norm();
      }
      for (std::size_t n = 0; n < places.nodes.size(); ++n) {
        act(places.nodes[n], rows[r].derivative[2 * places.bodies.size() + n]);
      }
      const auto relative = [](double sum, double size) { return sum == 0 ? 0 : sum / size; };
      report.see("forces sum to zero", options.balance, relative(force.norm(), forces), where,
                 "sum " + std::to_string(force.norm()));
      report.see("torques sum to zero", options.balance, relative(torque.norm(), torques), where,
                 "sum " + std::to_string(torque.norm()));
    }
  }
  return report;
}

}  // namespace pliant
