// The scenes of the paper: a net of ball joints with chains, a tree of hinges, a brick of tetrahedra.
#pragma once

#include "problem.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace paper {

// A mechanism that moves by steps of the paper: rows of velocities, c = -gap.
class Jointed {
 public:
  Jointed(const Mechanism& mechanism, double dt)
      : system_(mechanism), dt_(dt), x_(system_.make_vector()), v_(x_), end_(x_) {
    x_.set_sum(system_.rest(), 0, x_);
  }

  // The next step, under gravity [m/s^2].
  Step step(const Triple& gravity) {
    Step step(system_.node_count());
    system_.begin_rows(x_, dt_);
    step.rows = system_.rows();
    for (std::ptrdiff_t i = 0; i < step.p.nodes(); ++i) {
      step.mass.diagonal(i) = RowBlock::Block((system_.mass().node(i) / (dt_ * dt_)).asDiagonal());
      step.p.node(i) = dt_ * v_.node(i);
      if (i % 2 == 0) step.p.node(i) += dt_ * dt_ * gravity;
    }
    return step;
  }

  void move(const Vector& u) {
    system_.move(x_, u, end_);
    v_.set_zero();
    v_.add(1 / dt_, u);
    system_.turn_rates(x_, u, v_);
    std::swap(x_, end_);
  }

  double gap() const { return system_.joint_gap(x_); }
  double energy(double gravity) const {  // kinetic and of height [J]
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < x_.nodes(); ++i) {
      sum += system_.mass().node(i).dot(v_.node(i).cwiseAbs2()) / 2;
      if (i % 2 == 0)
        sum += system_.mass().node(i)(0) * gravity * (x_.node(i)(1) - system_.rest().node(i)(1));
    }
    return sum;
  }

 private:
  detail::rigid::MechanismSystem<> system_;
  double dt_;
  Vector x_, v_, end_;
};

// side x side balls of 1 kg and radius 0.5 m, neighbours by ball joints, the corners held; a chain of balls
// hangs from each. Alternate balls of the net are 0.3 m higher: a flat one would be taut. The joints of the
// net are springs of 1e5 N/m, because as rigid ones, as many as the net has freedoms, they are nearly
// redundant.
inline Mechanism net(int side, int chain) {
  Mechanism mechanism;
  const auto place = [](int i, int j) { return Triple(i, 0.3 * ((i + j) % 2), j); };
  const auto ball = [&](const Triple& at) {
    return mechanism.add(RigidBody::sphere(0.5, Mass{1}), Pose<3>(at));
  };
  std::vector<int> balls;
  for (int k = 0; k < side * side; ++k) balls.push_back(ball(place(k / side, k % side)));
  const auto join = [&](int a, int b, const Triple& at, const Compliance& compliance) {
    mechanism.add(Ball{.first = a, .second = b, .at = at, .compliance = compliance});
  };
  const Compliance spring{.stiffness = 1e5, .damping = 1e3};
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const int own = i * side + j;
      const Triple at = place(i, j);
      if (i + 1 < side) join(own, own + side, (at + place(i + 1, j)) / 2, spring);
      if (j + 1 < side) join(own, own + 1, (at + place(i, j + 1)) / 2, spring);
      if (i % (side - 1) == 0 && j % (side - 1) == 0) join(Mechanism::world, own, at, {});
      int above = balls[static_cast<std::size_t>(own)];
      for (int k = 0; k < chain; ++k) {
        const int next = ball(at - Triple(0, k + 1, 0));
        join(above, next, at - Triple(0, k + 0.5, 0), {});
        above = next;
      }
    }
  }
  return mechanism;
}

// A tree of boxes by hinges with limits and motors: ordinary joints with bounds.
inline Mechanism tree(int bodies) {
  Mechanism mechanism;
  std::vector<Triple> at;
  for (int b = 0; b < bodies; ++b) {
    const int above = b == 0 ? Mechanism::world : (b - 1) / 2;
    const Triple top =
        b == 0 ? Triple::Zero() : Triple(at[static_cast<std::size_t>(above)] - Triple(0, 0.1, 0));
    const Triple centre = top + Triple(0.05 * (b % 2 == 0 ? 1 : -1), -0.1, 0);
    at.push_back(centre);
    mechanism.add(RigidBody::box({0.1, 0.2, 0.05}, Mass{0.5}), Pose<3>(centre));
    mechanism.add(Hinge{.first = above,
                        .second = b,
                        .at = top,
                        .axis = b % 2 == 0 ? Triple(0, 0, 1) : Triple(1, 0, 0),
                        .limits = {-0.01, 0.01},
                        .motor = {.speed = b % 3 - 1.0, .force = 0.02}});
  }
  return mechanism;
}

// A brick of cubes of 12 tetrahedra around their centres, held at x = 0: its rows are the strains of the
// rotated elements. LinearElastic in axes that follow each element.
class Brick {
 public:
  struct Settings {
    int cells = 12;
    double edge = 0.1, density = 2200, young = 1e9, poisson = 0.35;  // [m], [kg/m^3], [Pa]
    double dt = 1. / 60, beta = 0;                                   // [s]
    bool as_printed = false;  // F = R^T k (x - x0) in place of R k (R^T x - x0), equation 37
  };

  explicit Brick(const Settings& settings) : set_(settings) {
    const int nx = set_.cells, ny = 2, nz = 1;
    const auto corner = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
    for (int i = 0; i <= nx; ++i)
      for (int j = 0; j <= ny; ++j)
        for (int k = 0; k <= nz; ++k) rest_.push_back(set_.edge * Triple(i, j, k));
    for (int i = 0; i < nx; ++i)
      for (int j = 0; j < ny; ++j)
        for (int k = 0; k < nz; ++k) {
          const int centre = static_cast<int>(rest_.size());
          rest_.push_back(set_.edge * Triple(i + 0.5, j + 0.5, k + 0.5));
          const auto at = [&](int code) {
            return corner(i + (code & 1), j + (code >> 1 & 1), k + (code >> 2));
          };
          for (int axis = 0; axis < 3; ++axis)
            for (int side = 0; side < 2; ++side) {
              const int a = 1 << axis, b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3, first = side * a;
              add(centre, at(first), at(first + b), at(first + b + c));
              add(centre, at(first), at(first + b + c), at(first + c));
            }
        }
    x_ = rest_;
    v_.assign(rest_.size(), Triple::Zero());
    mass_.assign(rest_.size(), 0);
    for (const Tet& tet : tets_)
      for (const int node : tet.node) mass_[static_cast<std::size_t>(node)] += set_.density * tet.volume / 4;
  }

  std::size_t tets() const { return tets_.size(); }

  // The next step under gravity along -y; `r` times the diagonal of J M^-1 J^T is added to the compliance.
  Step step(double r, double gravity = 9.81) {
    Step step(static_cast<std::ptrdiff_t>(rest_.size()));
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const bool held = rest_[i].x() < 1e-9;
      const auto at = static_cast<std::ptrdiff_t>(i);
      step.mass.diagonal(at) =
          RowBlock::Block::Identity() * (held ? 1e6 : 1) * mass_[i] / (set_.dt * set_.dt);
      if (!held) step.p.node(at) = set_.dt * v_[i] - Triple(0, gravity * set_.dt * set_.dt, 0);
    }
    const double mu = set_.young / (2 * (1 + set_.poisson));
    const double lambda = set_.young * set_.poisson / ((1 + set_.poisson) * (1 - 2 * set_.poisson));
    for (const Tet& tet : tets_) {
      RowBlock::Block F = RowBlock::Block::Zero();
      for (std::size_t a = 0; a < 4; ++a)
        F += x_[static_cast<std::size_t>(tet.node[a])] * tet.gradient[a].transpose();
      StrainElement element;
      element.rotation = polar<double, 3>(F).R;
      const RowBlock::Block R = element.rotation;
      // In axes of the element the displacement gradient is R^T F - 1; as printed, R^T (F - 1).
      auto strain = element.strain(set_.as_printed ? RowBlock::Block(F - RowBlock::Block::Identity())
                                                   : RowBlock::Block(F - R));
      const double stiffer = 1 + set_.beta / set_.dt;
      const Triple D = tet.volume * stiffer * Triple(3 * lambda + 2 * mu, 2 * mu, mu);
      RowBlock rows[2];
      for (int block = 0; block < 2; ++block) {
        RowBlock& row = rows[block];
        row.compliance = block == 0 ? Triple(1 / D[0], 1 / D[1], 1 / D[1]) : Triple::Constant(1 / D[2]);
        row.right_side = -(block == 0 ? strain.normal : strain.shear) / stiffer;
        for (std::size_t a = 0; a < 4; ++a) {
          row.node[a] = tet.node[a];
          for (int axis = 0; axis < 3; ++axis) {
            const auto unit = element.strain(Triple::Unit(axis) * tet.gradient[a].transpose());
            row.J[a].col(axis) = block == 0 ? unit.normal : unit.shear;
          }
        }
        Triple diagonal = Triple::Zero();
        row.for_each_node([&](int i, const RowBlock::Block& J) {
          const Triple inverse = step.mass.diagonal(i).diagonal().cwiseInverse();
          diagonal += J.cwiseAbs2() * inverse;
        });
        row.compliance += r * diagonal;
        step.rows.held.push_back(row);
      }
    }
    return step;
  }

  void move(const Vector& u) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      if (rest_[i].x() < 1e-9) continue;
      x_[i] += u.node(static_cast<std::ptrdiff_t>(i));
      v_[i] = u.node(static_cast<std::ptrdiff_t>(i)) / set_.dt;
    }
  }
  // Starts to bend with velocities along y that grow with the square of the distance.
  void strike(double speed) {
    const double length = set_.edge * set_.cells;
    for (std::size_t i = 0; i < x_.size(); ++i)
      v_[i] = Triple(0, speed * std::pow(rest_[i].x() / length, 2), 0);
  }
  void turn(double angle) {  // all nodes about z
    const Eigen::AngleAxisd rotation(angle, Eigen::Vector3d::UnitZ());
    for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = rotation * rest_[i];
  }

  double bend() const {  // of the free end [m]
    double lowest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) lowest = std::min(lowest, x_[i].y() - rest_[i].y());
    return -lowest;
  }
  double kinetic_energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += mass_[i] * v_[i].squaredNorm() / 2;
    return sum;
  }

 private:
  struct Tet {
    std::array<int, 4> node;
    std::array<Triple, 4> gradient;
    double volume;
  };

  void add(int a, int b, int c, int d) {
    Tet tet{{a, b, c, d}, {}, 0};
    RowBlock::Block edges;
    const auto set_edges = [&] {
      for (int k = 0; k < 3; ++k)
        edges.col(k) = rest_[static_cast<std::size_t>(tet.node[static_cast<std::size_t>(k + 1)])] -
                       rest_[static_cast<std::size_t>(a)];
    };
    set_edges();
    if (edges.determinant() < 0) {
      std::swap(tet.node[2], tet.node[3]);
      set_edges();
    }
    const RowBlock::Block inverse = edges.inverse();
    for (int k = 0; k < 3; ++k) tet.gradient[static_cast<std::size_t>(k + 1)] = inverse.row(k).transpose();
    tet.gradient[0] = -inverse.colwise().sum().transpose();
    tet.volume = edges.determinant() / 6;
    tets_.push_back(tet);
  }

  Settings set_;
  std::vector<Tet> tets_;
  std::vector<Triple> rest_, x_, v_;
  std::vector<double> mass_;
};

}  // namespace paper
