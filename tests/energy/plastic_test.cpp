#include "support/catch.hpp"
#include "support/decompositions.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <pliant/algebra/rotation.hpp>
#include <pliant/energy/plastic_strain.hpp>

using namespace pliant;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const Lame material = Lame::from_young_poisson(3.0, 0.3);

template <int Dim>
using Square = SmallMatrix<double, Dim, Dim>;
template <int Dim>
using Hessian = Eigen::Matrix<double, Dim * Dim, Dim * Dim>;

template <int Dim>
Square<Dim> random_matrix(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  Square<Dim> A;
  for (int k = 0; k < Dim * Dim; ++k) A.data()[k] = number(random);
  return A;
}

template <int Dim>
Square<Dim> random_strain(std::mt19937& random, double size) {
  const Square<Dim> A = random_matrix<Dim>(random, size);
  return Square<Dim>(0.5 * (A + A.transpose()));
}

template <int Dim>
Square<Dim> random_rotation(std::mt19937& random) {
  const Eigen::Matrix<double, Dim, Dim> A = random_matrix<Dim>(random, 1);
  const Eigen::JacobiSVD<Eigen::Matrix<double, Dim, Dim>> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix<double, Dim, Dim> U = svd.matrixU();
  if ((U * svd.matrixV().transpose()).determinant() < 0) U.col(Dim - 1) *= -1;
  return U * svd.matrixV().transpose();
}

// The strain by Eigen's decomposition, and psi = mu el:el + lambda/2 tr(el)^2.
template <int Dim, class E>
double expected_psi(const E& energy, const Square<Dim>& F, const Square<Dim>& p) {
  Eigen::Matrix<double, Dim, Dim> strain = 0.5 * (F + F.transpose());
  if constexpr (std::is_same_v<E, Plastic<CorotatedLinear>>) {
    const Eigen::JacobiSVD<Eigen::Matrix<double, Dim, Dim>> svd(Eigen::Matrix<double, Dim, Dim>(F),
                                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix<double, Dim, 1> s = svd.singularValues();
    if (F.determinant() < 0) s(Dim - 1) *= -1;
    strain = svd.matrixV() * s.asDiagonal() * svd.matrixV().transpose();
  }
  const Eigen::Matrix<double, Dim, Dim> elastic = strain - Eigen::Matrix<double, Dim, Dim>::Identity() - p;
  const RawCoefficients& c = energy.template coefficients<Dim>();
  return c.mu * elastic.squaredNorm() + c.lambda / 2 * elastic.trace() * elastic.trace();
}

// The Hessian from its blocks: with unit vectors for gradients they are its entries.
template <Projection projection, int Dim, class E>
Hessian<Dim> hessian_of(const E& energy, const Square<Dim>& F, const Square<Dim>& p) {
  const auto tangent = detail::energy::energy_at(energy, F, p).template tangent<projection>();
  Hessian<Dim> H;
  for (int j = 0; j < Dim; ++j) {
    for (int l = 0; l < Dim; ++l) {
      const SmallVector<double, Dim> a = Square<Dim>::Identity().col(j), b = Square<Dim>::Identity().col(l);
      H.template block<Dim, Dim>(Dim * j, Dim * l) = tangent.block(tangent.at_node(a), tangent.at_node(b));
    }
  }
  return H;
}

template <int Dim>
double least_eigenvalue(const Hessian<Dim>& H) {
  return test::DenseEigenSolver(Eigen::MatrixXd(H)).eigenvalues()(0);
}

// Deformation gradients that are turned, sheared, compressed, flat and inverted, but no reflections.
template <int Dim>
std::vector<Square<Dim>> states(std::mt19937& random) {
  std::vector<Square<Dim>> result{Square<Dim>::Identity()};
  for (int k = 0; k < 20; ++k) {
    SmallVector<double, Dim> s;
    for (int i = 0; i < Dim; ++i) s(i) = std::uniform_real_distribution<double>(0.3, 1.6)(random);
    if (k % 4 == 1) s(0) = s(1);               // repeated
    if (k % 4 == 2) s(Dim - 1) = 0;            // flat
    if (k % 4 == 3) s(Dim - 1) = -0.1 * s(0);  // inverted
    result.push_back(random_rotation<Dim>(random) * s.asDiagonal() * random_rotation<Dim>(random));
  }
  return result;
}

template <class Function>
std::string refused(Function&& function) {
  try {
    function();
  } catch (const ParameterError& error) {
    return error.parameter();
  }
  return {};
}

template <class E, int Dim>
void is_consistent() {
  const Plastic<E> energy(E(material), {.creep = 1});
  std::mt19937 random(7);
  for (const Square<Dim>& F : states<Dim>(random)) {
    const Square<Dim> p = random_strain<Dim>(random, 0.4);
    INFO("F = " << F << "\np = " << p);
    const auto at = [&](const Square<Dim>& f) { return detail::energy::energy_at(energy, f, p); };
    CHECK(at(F).psi() == Approx(expected_psi<Dim>(energy, F, p)).epsilon(1e-12));

    constexpr double h = 1e-5;
    Square<Dim> P;
    Hessian<Dim> H;
    for (int k = 0; k < Dim * Dim; ++k) {
      Square<Dim> more = F, less = F;
      more.data()[k] += h;
      less.data()[k] -= h;
      P.data()[k] = (expected_psi<Dim>(energy, more, p) - expected_psi<Dim>(energy, less, p)) / (2 * h);
      const Square<Dim> change = (at(more).pk1() - at(less).pk1()) / (2 * h);
      for (int r = 0; r < Dim * Dim; ++r) H(r, k) = change.data()[r];
    }
    CHECK((at(F).pk1() - P).norm() <= 1e-8 * (1 + P.norm()));
    const Hessian<Dim> exact = hessian_of<Projection::none, Dim>(energy, F, p);
    CHECK((exact - H).norm() <= 1e-7 * H.norm());
    CHECK((exact - exact.transpose()).norm() <= 1e-13 * exact.norm());

    // A projection leaves a positive semidefinite Hessian as it is, and changes as many directions of another
    // as there are rotations.
    const double least = least_eigenvalue<Dim>(exact), rounding = 1e-11 * exact.norm();
    const Hessian<Dim> clamped = hessian_of<Projection::clamp, Dim>(energy, F, p),
                       absolute = hessian_of<Projection::absolute, Dim>(energy, F, p);
    CHECK(least_eigenvalue<Dim>(clamped) >= -rounding);
    CHECK(least_eigenvalue<Dim>(absolute) >= -rounding);
    if (least >= rounding) {
      CHECK((clamped - exact).norm() <= rounding);
      CHECK((absolute - exact).norm() <= rounding);
    } else if (least <= -rounding) {
      const test::DenseEigenSolver change(Eigen::MatrixXd(clamped - exact));
      constexpr int rotations = Dim * (Dim - 1) / 2;
      CHECK(change.eigenvalues().minCoeff() >= -rounding);
      CHECK(change.eigenvalues()(Dim * Dim - rotations - 1) <= rounding);
      CHECK(change.eigenvalues()(Dim * Dim - 1) >= -least / 2);
      CHECK((absolute - exact - 2 * (clamped - exact)).norm() <= 10 * rounding);
    }
  }
}

}  // namespace

TEST_CASE("Plasticity: parameters out of range are refused by name") {
  const CorotatedLinear energy(material);
  CHECK(refused([&] { Plastic(energy, {.yield = -1e-9, .creep = 1}); }) == "Plasticity::yield");
  CHECK(refused([&] { Plastic(energy, {.yield = not_a_number, .creep = 1}); }) == "Plasticity::yield");
  CHECK(refused([&] { Plastic(energy, {.yield = 0.1}); }) == "Plasticity::creep");
  CHECK(refused([&] { Plastic(energy, {.creep = -1}); }) == "Plasticity::creep");
  CHECK(refused([&] { Plastic(energy, {.creep = not_a_number}); }) == "Plasticity::creep");
  CHECK(refused([&] { Plastic(energy, {.creep = 1, .limit = -0.1}); }) == "Plasticity::limit");
  CHECK(refused([&] { Plastic(energy, {.creep = 1, .limit = not_a_number}); }) == "Plasticity::limit");
  CHECK(refused([&] { Plastic(energy, {.yield = infinity, .creep = infinity, .limit = 0}); }) == "");
  CHECK(refused([&] { Plastic(CorotatedLinear(RawCoefficients{3, -2}), {.creep = 1}); }) == "lambda");
  try {
    Plastic(energy, {.yield = -0.25, .creep = 1});
  } catch (const ParameterError& error) {
    CHECK(error.value() == -0.25);
  }
}

TEST_CASE("Plastic: without plastic strain it is the energy") {
  const CorotatedLinear energy(material);
  const Plastic plastic(energy, {.creep = 1});
  std::mt19937 random(1);
  for (const Square<3>& F : states<3>(random)) {
    CHECK(plastic.psi(F) == energy.psi(F));
    CHECK((plastic.pk1(F) == energy.pk1(F)));
    CHECK((plastic.hessian(F, Projection::clamp) == energy.hessian(F, Projection::clamp)));
    const Square<3> none = Square<3>::Zero();
    const Hessian<3> H = energy.hessian(F);
    CHECK(detail::energy::energy_at(plastic, F, none).psi() == Approx(energy.psi(F)).margin(1e-14));
    CHECK((detail::energy::energy_at(plastic, F, none).pk1() - energy.pk1(F)).norm() <= 1e-13);
    CHECK((hessian_of<Projection::none, 3>(plastic, F, none) - H).norm() <= 1e-12 * H.norm());
  }
  CHECK(detail::energy::is_small_strain<Plastic<LinearElastic>>);
  CHECK(!detail::energy::is_small_strain<Plastic<CorotatedLinear>>);
}

TEST_CASE("Plastic: stress and Hessian are derivatives of psi, projections are semidefinite, in space") {
  is_consistent<CorotatedLinear, 3>();
}
TEST_CASE("Plastic: stress and Hessian are derivatives of psi, projections are semidefinite, in the plane") {
  is_consistent<CorotatedLinear, 2>();
}
TEST_CASE("Plastic: the same with LinearElastic") {
  is_consistent<LinearElastic, 3>();
  is_consistent<LinearElastic, 2>();
}

TEMPLATE_TEST_CASE_SIG("Plastic: the plastic strain of CorotatedLinear is that of the unrotated material", "",
                       ((int Dim), Dim), 2, 3) {
  const Plastic energy(CorotatedLinear(material), {.creep = 1});
  std::mt19937 random(3);
  for (const Square<Dim>& F : states<Dim>(random)) {
    const Square<Dim> p = random_strain<Dim>(random, 0.4), Q = random_rotation<Dim>(random);
    const auto state = detail::energy::energy_at(energy, F, p);
    // A rotation of the body.
    const auto turned = detail::energy::energy_at(energy, Square<Dim>(Q * F), p);
    CHECK(turned.psi() == Approx(state.psi()).epsilon(1e-12));
    CHECK((turned.pk1() - Q * state.pk1()).norm() <= 1e-12);
    // A rotation of the axes of the material.
    const auto renamed =
        detail::energy::energy_at(energy, Square<Dim>(F * Q.transpose()), Square<Dim>(Q * p * Q.transpose()));
    CHECK(renamed.psi() == Approx(state.psi()).epsilon(1e-12));
    CHECK((renamed.pk1() - state.pk1() * Q.transpose()).norm() <= 1e-12);
    // The balance of moments.
    const Square<Dim> kirchhoff = state.pk1() * F.transpose();
    CHECK((kirchhoff - kirchhoff.transpose()).norm() <= 1e-13);
  }
}

TEST_CASE("Plastic: lanes compute what scalars do, and nothing is NaN at the poles") {
  const Plastic energy(CorotatedLinear(material), {.yield = 0.1, .creep = 1, .limit = 0.3});
  std::mt19937 random(5);
  using T = simd::Lane<double, 4>;
  std::vector<Square<3>> all = states<3>(random);
  all.push_back(Square<3>::Zero());
  all.push_back(Eigen::Vector3d(1, 1, -1).asDiagonal());
  all.push_back(Eigen::Vector3d(1, 0, 0).asDiagonal());
  all.push_back(Square<3>(-Square<3>::Identity()));
  all.erase(all.begin());
  REQUIRE(all.size() % 4 == 0);
  for (std::size_t first = 0; first < all.size(); first += 4) {
    SmallMatrix<T, 3, 3> F, p;
    Square<3> strains[4];
    for (int l = 0; l < 4; ++l) {
      strains[l] = random_strain<3>(random, 0.4);
      for (int k = 0; k < 9; ++k) {
        simd::set_lane(F.data()[k], l, all[first + static_cast<std::size_t>(l)].data()[k]);
        simd::set_lane(p.data()[k], l, strains[l].data()[k]);
      }
    }
    const auto lanes = detail::energy::energy_at(energy, F, p);
    const auto P = lanes.pk1();
    const auto e = detail::energy::strain_of(energy, F);
    auto after = p;
    const T flows = detail::energy::flow(energy.plasticity(), 0.5, e, after);
    const SmallVector<T, 3> g(constant<T>(0.3), constant<T>(-1), constant<T>(2));
    const auto tangent = lanes.template tangent<Projection::clamp>();
    const auto K = tangent.block(tangent.at_node(g), tangent.at_node(g));
    for (int l = 0; l < 4; ++l) {
      const Square<3>& f = all[first + static_cast<std::size_t>(l)];
      const auto one = detail::energy::energy_at(energy, f, strains[l]);
      CHECK(simd::lane(lanes.psi(), l) == Approx(one.psi()).epsilon(1e-13));
      Square<3> q = strains[l];
      CHECK(simd::lane(flows, l) ==
            detail::energy::flow(energy.plasticity(), 0.5, detail::energy::strain_of(energy, f), q));
      const double size = 1 + one.pk1().norm();
      for (int k = 0; k < 9; ++k) {
        CHECK(std::abs(simd::lane(P.data()[k], l) - one.pk1().data()[k]) <= 1e-12 * size);
        CHECK(std::abs(simd::lane(after.data()[k], l) - q.data()[k]) <= 1e-14);
        CHECK(std::isfinite(simd::lane(K.data()[k], l)));
      }
    }
  }
}

TEST_CASE("Plasticity: a held uniaxial strain flows as the recurrence says") {
  // p := p + min(1, dt creep) (e - p) while e - p > yield.
  const Plasticity clay{.yield = 0.05, .creep = 10};
  for (const double dt : {1.0 / 60, 1.0 / 240, 1.0 / 960, 1.0}) {
    Square<3> strain = Square<3>::Zero(), p = strain;
    strain(0, 0) = 0.1;
    double expected = 0;
    for (int step = 0; step < 0.5 / dt; ++step) {
      const bool flows = 0.1 - expected > 0.05;
      if (flows) expected += std::min(1.0, 10 * dt) * (0.1 - expected);
      CHECK(detail::energy::flow(clay, dt, strain, p) == flows);
      CHECK(p(0, 0) == Approx(expected).epsilon(1e-14));
    }
    CHECK((p - p(0, 0) * Square<3>(Eigen::Vector3d(1, 0, 0).asDiagonal())).norm() == 0);
  }
}

TEST_CASE("Plasticity: yield is a norm that does not depend on the axes") {
  // Uniaxial stretch of a material with nu = 0.3: |e| = e sqrt(1 + 2 nu^2) = 1.086278 e in every pose; with
  // engineering shears it would depend on the pose.
  const double e = 0.04, norm = e * std::sqrt(1.18);
  CHECK(norm / e == Approx(1.086278).epsilon(1e-6));
  std::mt19937 random(11);
  for (int k = 0; k < 20; ++k) {
    const Square<3> Q = random_rotation<3>(random);
    const Square<3> strain = Q * Eigen::Vector3d(e, -0.3 * e, -0.3 * e).asDiagonal() * Q.transpose();
    Square<3> p = Square<3>::Zero();
    CHECK(detail::energy::flow(Plasticity{.yield = norm * (1 + 1e-12), .creep = 1}, 0.1, strain, p) == 0);
    CHECK(p.norm() == 0);
    CHECK(detail::energy::flow(Plasticity{.yield = norm * (1 - 1e-12), .creep = 1}, 0.1, strain, p) == 1);
    CHECK((p - 0.1 * strain).norm() <= 1e-16);
  }
}

TEST_CASE("Plasticity: no rate diverges, and the limit holds") {
  // dt creep = 2.5 would diverge without its bound of 1.
  std::mt19937 random(13);
  const Square<3> strain = random_strain<3>(random, 0.5);
  Square<3> p = Square<3>::Zero();
  for (int k = 0; k < 30; ++k) (void)detail::energy::flow(Plasticity{.creep = infinity}, 2.5, strain, p);
  CHECK((p - strain).norm() <= 1e-16);
  p.setZero();
  for (int k = 0; k < 30; ++k) {
    (void)detail::energy::flow(Plasticity{.yield = 0.01, .creep = 1, .limit = 0.2}, 0.3, strain, p);
    CHECK(p.norm() <= 0.2 * (1 + 1e-15));
  }
  CHECK((p - 0.2 * strain / strain.norm()).norm() <= 1e-15);
  p.setZero();
  CHECK(detail::energy::flow(Plasticity{.creep = 1, .limit = 0}, 0.3, strain, p) == 1);
  CHECK(p.norm() == 0);
}
