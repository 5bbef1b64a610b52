// Stiffness damping as the system gives it: against a plain assembly of its potential, and what must be true
// of it whatever the state of the body.
#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <functional>
#include <memory>

#include <pliant/assembly/system.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/plane_stress.hpp>
#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;
using Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr double beta = 0.3, E = 7, nu = 0.3;
const Lame lame = Lame::from_young_poisson(E, nu);

// A material with fibres along (1, 1, ...): mu (|F|^2 - dim) / 2 - mu log J + k/2 (|F a|^2 - 1)^2, as a user
// would write it, with a Hessian from J's derivatives.
struct Fibres {
  double mu = 2, k = 5;

  template <class Derived>
  EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F0) const {
    using std::log;
    const auto F = deformation_gradient(F0);
    using T = EnergyDensity<Derived>;
    const T J = determinant(F), fibre = stretch(F);
    const T size = constant<T>(0.5 * mu) * (double_dot(F, F) - constant<T>(double(F.rows())));
    return size - constant<T>(mu) * log(J) + constant<T>(0.5 * k) * fibre * fibre;
  }

  template <class Derived>
  DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F0) const {
    const auto F = deformation_gradient(F0);
    using T = EnergyDensity<Derived>;
    const auto inverse_F = detail::algebra::inverse(F);
    const T fibre = stretch(F);
    DeformationGradient<Derived> P = F;
    for (int i = 0; i < F.rows(); ++i) {
      for (int j = 0; j < F.rows(); ++j) {
        P(i, j) = constant<T>(mu) * (F(i, j) - inverse_F(j, i)) + constant<T>(2 * k) * fibre * along(F, i, j);
      }
    }
    return P;
  }

  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F0) const {
    const auto F = deformation_gradient(F0);
    using T = EnergyDensity<Derived>;
    const auto B = detail::algebra::inverse(F);
    const T fibre = stretch(F);
    const int d = static_cast<int>(F.rows());
    EnergyHessian<Derived> H;
    for (int l = 0; l < d; ++l) {
      for (int m = 0; m < d; ++m) {
        for (int j = 0; j < d; ++j) {
          for (int i = 0; i < d; ++i) {
            T entry =
                constant<T>(mu) * B(l, i) * B(j, m) + constant<T>(4 * k) * along(F, i, j) * along(F, m, l);
            if (i == m) entry += constant<T>(2 * k / d) * fibre;
            if (i == m && j == l) entry += constant<T>(mu);
            H(i + d * j, m + d * l) = entry;
          }
        }
      }
    }
    return H;
  }

 private:
  // |F a|^2 - 1 and (F a)_i a_j
  template <class T, int d>
  static T stretch(const SmallMatrix<T, d, d>& F) {
    T sum = constant<T>(-1);
    for (int i = 0; i < d; ++i) {
      T row = F(i, 0);
      for (int j = 1; j < d; ++j) row += F(i, j);
      sum += row * row * constant<T>(1.0 / d);
    }
    return sum;
  }
  template <class T, int d>
  static T along(const SmallMatrix<T, d, d>& F, int i, int) {
    T row = F(i, 0);
    for (int j = 1; j < d; ++j) row += F(i, j);
    return row * constant<T>(1.0 / d);
  }
};
static_assert(Energy<Fibres, 3>);

// A quadrature point as the test computes with it.
struct Point {
  std::vector<int> nodes;
  MatrixXd gradient;  // of the shape functions, #nodes x dim
  double volume;
};

// A damped body in the user's numbering.
struct Damped {
  MatrixXd nodes;  // at rest, dim x #nodes
  bool small_strain;
  MatrixXd hooke;  // the Hessian at rest
  std::vector<Point> points;

  // ElasticSystem::add_damping to nothing: returns the potential, the force in g, and its derivative in H
  // where that is given. Displacement and velocity may be empty.
  std::function<double(const MatrixXd& start, const MatrixXd& displacement, double T,
                       const MatrixXd& velocity, double factor, Projection projection, MatrixXd& g,
                       MatrixXd* H)>
      add_damping;
  Eigen::Index dim() const { return nodes.rows(); }
  MatrixXd noise(double size, std::mt19937& random) const {
    return brute_force::perturbed(MatrixXd::Zero(dim(), nodes.cols()), size, random);
  }

  // The damping force of velocities v at x, against its direction.
  MatrixXd drag(const MatrixXd& x, const MatrixXd& v) const {
    MatrixXd g;
    add_damping(x, {}, 1, v, 1, Projection::none, g, nullptr);
    return g;
  }

  // The matrix of that.
  MatrixXd matrix(const MatrixXd& x) const {
    MatrixXd g, D;
    add_damping(x, {}, 1, {}, 1, Projection::clamp, g, &D);
    CHECK(g.isZero(0));
    return D;
  }

  // Of a body at rest, and of a linear one everywhere.
  MatrixXd stiffness() const {
    MatrixXd K = MatrixXd::Zero(nodes.size(), nodes.size());
    for (const Point& point : points) {
      MatrixXd G = MatrixXd::Zero(dim() * dim(), nodes.size());  // vec(dF) = G dx
      for (std::size_t a = 0; a < point.nodes.size(); ++a) {
        for (Eigen::Index k = 0; k < dim() * dim(); ++k) {
          G(k, dim() * point.nodes[a] + k % dim()) = point.gradient(static_cast<Eigen::Index>(a), k / dim());
        }
      }
      K += point.volume * G.transpose() * hooke * G;
    }
    return K;
  }

  // T/2 sum_e w G':beta C:G' the slow and obvious way: G' is the difference of Green's strains at x + u and
  // x, over T, less sym(F^T grad c) / T.
  double potential(const MatrixXd& x, const MatrixXd& u, const MatrixXd& c, double T) const {
    double total = 0;
    for (const Point& point : points) {
      const auto gradient_of = [&](const MatrixXd& y) {
        MatrixXd result = MatrixXd::Zero(dim(), dim());
        for (std::size_t a = 0; a < point.nodes.size(); ++a) {
          result += y.col(point.nodes[a]) * point.gradient.row(static_cast<Eigen::Index>(a));
        }
        return result;
      };
      const MatrixXd F = gradient_of(x), U = gradient_of(u), S = gradient_of(c), end = F + U;
      MatrixXd rate = (end.transpose() * end - F.transpose() * F) - (F.transpose() * S + S.transpose() * F);
      if (small_strain) rate = (U - S) + (U - S).transpose();
      const VectorXd r = rate.reshaped() / (2 * T);
      total += point.volume * T / 2 * beta * r.dot(hooke * r);
    }
    return total;
  }
};

template <class Body>
Damped damped(const Body& body) {
  using Element = typename Body::Element;
  using System = ElasticSystem<Body>;
  constexpr int d = Body::dim;
  const auto& mesh = body.mesh();
  Damped result{
      mesh.nodes.template cast<double>(),
      pliant::detail::energy::is_small_strain<typename Body::Energy>,
      MatrixXd(body.energy().hessian(SmallMatrix<double, d, d>(SmallMatrix<double, d, d>::Identity()))),
      {},
      {}};
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    const std::vector<int> nodes(mesh.elements.col(e).begin(), mesh.elements.col(e).end());
    for (int q = 0; q < Element::quadrature_points; ++q) {
      const MatrixXd reference = Element::shape_gradient(q), J = result.nodes(Eigen::all, nodes) * reference;
      result.points.push_back({nodes, reference * J.inverse(),
                               Element::quadrature_weight(q) * J.determinant() * body.thickness().value});
    }
  }
  const auto system = std::make_shared<System>(body);
  const auto internal = [system](const MatrixXd& x) {
    auto vector = system->make_vector();
    if (x.size() > 0) system->to_internal(x, vector);
    return vector;
  };
  const auto dense = [system](const typename System::Matrix& A) {
    return MatrixXd(eigen_view::sparse(A, system->numbering().to_user));
  };
  result.add_damping = [=, count = body.node_count()](const MatrixXd& start, const MatrixXd& displacement,
                                                      double T, const MatrixXd& velocity, double factor,
                                                      Projection projection, MatrixXd& g, MatrixXd* H) {
    const auto x = internal(start), u = internal(displacement), w = internal(velocity);
    auto force = system->make_vector();
    auto A = system->make_matrix();
    const double value = system->add_damping(
        {&x, displacement.size() > 0 ? &u : nullptr, T, velocity.size() > 0 ? &w : nullptr, factor},
        projection, force, H != nullptr ? &A : nullptr);
    NodeMatrix<typename Body::Scalar, d> user(d, count);
    system->to_user(force, user);
    g = user.template cast<double>();
    if (H != nullptr) *H = dense(A);
    return value;
  };
  return result;
}

const Density density{1};
const Rayleigh rayleigh{.beta = beta};
const LinearElastic hooke(lame);
// The same law, and so the same forces.
const StrainDamping strain_damping{.shear = beta * lame.mu(),
                                   .bulk = beta * (lame.lambda() + 2 * lame.mu() / 3)};

const std::vector<Damped>& bodies() {
  static const std::vector<Damped> all = {
      damped(Solid(make_box<Tet4>({.cells = {2, 1, 1}}), StableNeoHookean(lame), density, rayleigh)),
      damped(Solid(make_box<Tet4>({.cells = {2, 1, 1}}), Fibres{}, density, rayleigh)),
      damped(Solid(make_box<Hex8>({.cells = {2, 1, 1}}), StVenantKirchhoff(lame), density, rayleigh)),
      damped(Solid(make_rectangle<Tri3>({.cells = {3, 2}}), StableNeoHookean(lame), density, Thickness{0.1},
                   rayleigh)),
      damped(Solid(make_box<Tet4>({.cells = {2, 1, 1}}), hooke, density, rayleigh)),
      damped(Solid(make_rectangle<Tri3>({.cells = {3, 2}}), PlaneStress(hooke), density, rayleigh)),
      damped(Solid(make_box<Tet4>({.cells = {2, 1, 1}}), StableNeoHookean(lame), density, strain_damping)),
      damped(Solid(make_rectangle<Tri3>({.cells = {3, 2}}), StableNeoHookean(lame), density, Thickness{0.1},
                   strain_damping)),
      damped(Solid(make_rectangle<Tri3>({.cells = {3, 2}}), PlaneStress(hooke), density, strain_damping))};
  return all;
}

double smallest_eigenvalue(const MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues()(0);
}

}  // namespace

// Positions and velocities of all kinds, inverted elements and all. The moments of what is linear are those
// about its positions at rest.
TEST_CASE("damping: forces and moments add up to nothing, and energy is only taken, in any state") {
  std::mt19937 random(3);
  for (const Damped& body : bodies()) {
    for (const double size : {0.0, 0.1, 2.0}) {
      CAPTURE(body.dim(), body.points.size(), size);
      const MatrixXd x = body.nodes + body.noise(size, random), v = body.noise(1, random),
                     f = body.drag(x, v), from = body.small_strain ? body.nodes : x,
                     moment = from * f.transpose();
      double all = 0;
      for (Eigen::Index i = 0; i < f.cols(); ++i) all += f.col(i).norm() * from.col(i).norm();
      CHECK(f.rowwise().sum().norm() <= 1e-12 * f.colwise().norm().sum());
      CHECK((moment - moment.transpose()).norm() <= 1e-12 * all);

      const MatrixXd D = body.matrix(x);
      CHECK((D - D.transpose()).norm() <= 1e-14 * D.norm());
      CHECK(smallest_eigenvalue(D) >= -1e-13 * D.norm());
      CHECK((D * v.reshaped() - f.reshaped()).norm() <= 1e-13 * D.norm() * v.norm());

      const MatrixXd any = brute_force::perturbed(MatrixXd::Zero(body.dim(), body.dim() + 1), 1, random),
                     spin = any.leftCols(body.dim()) - any.leftCols(body.dim()).transpose(),
                     rigid = (spin * from).colwise() + any.rightCols(1).col(0);
      CHECK((D * rigid.reshaped()).norm() <= 1e-13 * D.norm() * rigid.norm());
      CHECK(body.drag(x, rigid).norm() <= 1e-13 * D.norm() * rigid.norm());
    }
  }
}

TEST_CASE("damping: a turn within a step makes no force, however far it goes, and no moment anywhere") {
  std::mt19937 random(4);
  for (const Damped& body : bodies()) {
    if (body.small_strain) continue;
    CAPTURE(body.dim(), body.points.size());
    const auto force = [&](const MatrixXd& from, const MatrixXd& to) {
      MatrixXd g;
      body.add_damping(from, to - from, 0.01, {}, 0, Projection::none, g, nullptr);
      return g;
    };
    const auto turn = [&]() -> MatrixXd {
      const MatrixXd any = brute_force::perturbed(MatrixXd::Zero(body.dim(), body.dim()), 1, random);
      MatrixXd Q = Eigen::HouseholderQR<MatrixXd>(any).householderQ();
      if (Q.determinant() < 0) Q.col(0) *= -1;
      return Q;
    };
    const MatrixXd x = body.nodes + body.noise(0.2, random), y = x + body.noise(0.2, random), f = force(x, y);
    for (int k = 0; k < 5; ++k) {
      const MatrixXd Q = turn(), R = turn(), moment = R * y * force(x, R * y).transpose();
      CHECK(force(x, Q * x).norm() < 1e-13 * f.norm());
      CHECK((force(Q * x, R * y) - R * f).norm() < 1e-12 * f.norm());
      CHECK((moment - moment.transpose()).norm() < 1e-12 * y.norm() * f.norm());
    }
  }
}

TEST_CASE("damping: gradient and Hessian are those of the potential") {
  const double T = 0.2, h = 1e-4;
  std::mt19937 random(6);
  for (const Damped& body : bodies()) {
    CAPTURE(body.dim(), body.points.size());
    const MatrixXd x = body.nodes + body.noise(0.1, random), u = body.noise(0.2, random),
                   c = body.noise(0.1, random);
    const auto evaluate = [&](const MatrixXd& way, Projection projection, MatrixXd* H) {
      MatrixXd g;
      const double value = body.add_damping(x, way, T, c, -1 / T, projection, g, H);
      CHECK(value == Approx(body.potential(x, way, c, T)).epsilon(1e-12));
      return g;
    };
    MatrixXd H, projected, still, still_projected;
    const MatrixXd gradient = evaluate(u, Projection::none, &H);
    CHECK(evaluate(u, Projection::absolute, &projected) == gradient);
    MatrixXd slope(gradient.rows(), gradient.cols()), curvature(H.rows(), H.cols());
    for (Eigen::Index k = 0; k < u.size(); ++k) {
      MatrixXd ahead = u, behind = u;
      ahead.data()[k] += h, behind.data()[k] -= h;
      slope.data()[k] = (body.potential(x, ahead, c, T) - body.potential(x, behind, c, T)) / (2 * h);
      curvature.col(k) =
          ((evaluate(ahead, Projection::none, nullptr) - evaluate(behind, Projection::none, nullptr)) /
           (2 * h))
              .reshaped();
    }
    // A polynomial of fourth degree: differences are off by h^2 / 6 of its third derivative.
    CHECK((slope - gradient).norm() < 1e-6 * gradient.norm());
    CHECK((curvature - H).norm() < 1e-6 * H.norm());
    CHECK((H - H.transpose()).norm() < 1e-14 * H.norm());
    CHECK(smallest_eigenvalue(projected) > -1e-13 * H.norm());
    // Where nothing is strained within the step the projection leaves the Hessian as it is.
    MatrixXd g;
    body.add_damping(x, {}, T, {}, 0, Projection::none, g, &still);
    body.add_damping(x, {}, T, {}, 0, Projection::clamp, g, &still_projected);
    CHECK(still == still_projected);
  }
}

TEST_CASE("damping: it is beta K at rest, and of a linear body everywhere") {
  std::mt19937 random(5);
  for (const Damped& body : bodies()) {
    CAPTURE(body.dim(), body.points.size());
    const MatrixXd x = body.nodes + body.noise(body.small_strain ? 0.3 : 0, random),
                   expected = beta * body.stiffness();
    CHECK((body.matrix(x) - expected).norm() < 1e-13 * expected.norm());
  }
}

TEST_CASE("damping: that of strain adds to that of stiffness, whatever the energy") {
  std::mt19937 random(6);
  const auto mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  const auto check = [&](const auto& energy) {
    const Damped stiffness = damped(Solid(mesh, energy, density, rayleigh)),
                 strain = damped(Solid(mesh, energy, density, strain_damping)),
                 both = damped(Solid(mesh, energy, density, rayleigh, strain_damping)),
                 other = damped(Solid(mesh, StableNeoHookean(lame), density, strain_damping));
    const MatrixXd x = mesh.nodes + both.noise(0.3, random), v = both.noise(1, random),
                   force = both.drag(x, v);
    CHECK((force - stiffness.drag(x, v) - strain.drag(x, v)).norm() < 1e-12 * force.norm());
    CHECK((strain.drag(x, v) - other.drag(x, v)).norm() < 1e-13 * force.norm());
    CHECK((both.matrix(x) * v.reshaped() - force.reshaped()).norm() < 1e-12 * force.norm());
  };
  check(StableNeoHookean(lame));
  check(Fibres{});
  const Fibres broken{.mu = std::numeric_limits<double>::quiet_NaN()};  // no Hessian at rest is needed
  CHECK_NOTHROW(damped(Solid(mesh, broken, density, strain_damping)));
}

TEST_CASE("damping: shear and changes of volume are damped separately") {
  const auto mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  const auto of = [&](const StrainDamping& damping) {
    return damped(Solid(mesh, StableNeoHookean(lame), density, damping));
  };
  const Damped shear = of({.shear = 2}), bulk = of({.bulk = 2});
  const MatrixXd swelling = mesh.nodes,
                 shearing = Eigen::Matrix3d{{0, 1, 2}, {1, 3, 0}, {2, 0, -3}} * mesh.nodes;
  CHECK(shear.drag(mesh.nodes, swelling).norm() < 1e-14);
  CHECK(bulk.drag(mesh.nodes, shearing).norm() < 1e-13);
  // The power in a unit volume: bulk tr^2 and 2 shear |dev|^2.
  const double volume = 1;
  CHECK(swelling.cwiseProduct(bulk.drag(mesh.nodes, swelling)).sum() == Approx(2 * 9 * volume));
  CHECK(shearing.cwiseProduct(shear.drag(mesh.nodes, shearing)).sum() == Approx(2 * 2 * 28 * volume));

  CHECK_THROWS_WITH(of({.shear = -1}), "StrainDamping::shear = -1: must not be negative (Pa s)");
  CHECK_THROWS_WITH(of({.bulk = std::numeric_limits<double>::infinity()}),
                    Catch::Contains("StrainDamping::bulk = infinite"));
}

TEST_CASE("damping: regions have that of their own materials, in double and in float") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) mesh.regions.push_back(e % 3 == 0 ? 1 : 2);
  const StableNeoHookean soft(Lame::from_young_poisson(1, 0.2)), stiff(Lame::from_young_poisson(20, 0.4));
  const auto part = [&](const StableNeoHookean& energy, int region) {
    Damped result = damped(Solid(mesh, energy, density, rayleigh));
    std::vector<Point> points;
    for (std::size_t e = 0; e < result.points.size(); ++e) {
      if (mesh.regions[e] == region) points.push_back(result.points[e]);
    }
    result.points = points;
    return result;
  };
  const Damped one = part(soft, 1), two = part(stiff, 2);
  const PerRegion<StableNeoHookean> materials{{1, soft}, {2, stiff}};
  std::mt19937 random(8);
  const MatrixXd x = one.nodes + one.noise(0.1, random), u = one.noise(0.1, random),
                 c = one.noise(0.1, random);
  const double T = 0.1, h = 1e-4;
  const auto potential = [&](const MatrixXd& way) {
    return one.potential(x, way, c, T) + two.potential(x, way, c, T);
  };
  MatrixXd slope(u.rows(), u.cols());
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    MatrixXd ahead = u, behind = u;
    ahead.data()[k] += h, behind.data()[k] -= h;
    slope.data()[k] = (potential(ahead) - potential(behind)) / (2 * h);
  }
  const auto check = [&](const auto& body, double tolerance) {
    using System = ElasticSystem<std::remove_cvref_t<decltype(body)>>;
    System system(body);
    auto from = system.make_vector(), moved = from, still = from, g = from;
    system.to_internal(x, from), system.to_internal(u, moved), system.to_internal(c, still);
    const double value = system.add_damping({&from, &moved, T, &still, -1 / T}, Projection::none, g);
    NodeMatrix<typename System::Scalar, 3> force(3, x.cols());
    system.to_user(g, force);
    CHECK(value == Approx(potential(u)).epsilon(tolerance));
    CHECK((force.template cast<double>() - slope).norm() < tolerance * slope.norm());
  };
  check(Solid(mesh, materials, density, rayleigh), 1e-6);
  auto single = brute_force::with_scalar<float>(mesh);
  single.regions = mesh.regions;
  check(Solid(single, materials, density, rayleigh), 1e-5);
}

TEST_CASE("damping: an energy that has no Hessian at rest is refused, unless it has nothing to damp") {
  const Fibres broken{.mu = std::numeric_limits<double>::quiet_NaN()};
  const auto mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  CHECK_THROWS_WITH(damped(Solid(mesh, broken, density, rayleigh)),
                    Catch::Contains("Rayleigh::beta = 0.29999999999999999: "));
  CHECK_NOTHROW(damped(Solid(mesh, broken, density)));
}

TEST_CASE("damping: the same bits on any number of threads") {
  const auto mesh = make_box<Tet4>({.cells = {12, 12, 12}});
  const Solid body(mesh, StableNeoHookean(lame), density, rayleigh);
  std::mt19937 random(1);
  const MatrixXd shape = brute_force::perturbed(mesh.nodes, 0.01, random),
                 way = brute_force::perturbed(MatrixXd::Zero(3, mesh.node_count()), 0.01, random);
  const auto run = [&](int threads) {
    const WithThreads set(threads);
    ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system(body);
    auto x = system.make_vector(), u = x, g = x;
    auto A = system.make_matrix();
    system.to_internal(shape, x), system.to_internal(way, u);
    const double value = system.add_damping({&x, &u, 0.1}, Projection::none, g, &A);
    return std::tuple(value, g, A);
  };
  const auto [value, g, A] = run(1);
  for (const int threads : thread_counts) {
    const auto [other_value, other_g, other_A] = run(threads);
    CHECK(eigen_view::same_bits(other_value, value));
    CHECK(eigen_view::same_bits(other_g, g));
    CHECK(eigen_view::same_bits(other_A, A));
  }
}
