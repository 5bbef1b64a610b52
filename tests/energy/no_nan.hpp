// Random deformation gradients of every kind, in lanes: no energy may return NaN or an infinity where the
// true value is a number of the precision.
#pragma once

#include "energy/facts.hpp"

#include <functional>

#include <pliant/algebra/tensor.hpp>

namespace no_nan {

using namespace pliant;
using namespace pliant::simd;

// Where psi is a number.
enum class Domain {
  everywhere,
  positive_volume,  // J > 0; +infinity elsewhere
  nonzero_volume    // J != 0; +infinity elsewhere
};

inline constexpr int families = 12;

// Deformation gradients of one family each, all scales from 1e-6 to 1e6 among them.
template <class Scalar, int Dim>
class Deformations {
 public:
  using Matrix = SmallMatrix<Scalar, Dim, Dim>;
  using Vector = SmallVector<double, Dim>;

  explicit Deformations(unsigned seed) : engine_(seed) {}

  Matrix of_family(int family) {
    const double size = power(-6, 6);
    switch (family) {
      case 0:  // anything
        return rounded(size * entries());
      case 1:  // anything, each entry of its own size
        return rounded(entries().unaryExpr([this](double x) { return x * power(-6, 6); }));
      case 2:  // singular values of all sizes, inverted or not
        return turned(Vector::NullaryExpr([this] { return sign() * power(-6, 6); }));
      case 3:  // flat, with a determinant that is rounding
        return turned(size * with_last(0));
      case 4:  // flat, with a determinant that is zero: along the axes, in any order
        return rounded(permuted(size * with_last(0)));
      case 5: {  // rank one
        const Vector a = entries().col(0), b = entries().col(0);
        return rounded(size * a * b.transpose());
      }
      case 6:  // entries that are exactly zero, up to all of them
        return rounded(size *
                       entries().unaryExpr([this](double x) { return uniform(0, 1) < 0.5 ? 0.0 : x; }));
      case 7: {  // singular values equal and opposite, exactly or nearly
        Vector s = with_last(0);
        s(Dim - 1) = -s(Dim - 2) * (1 - (uniform(0, 1) < 0.2 ? 0.0 : power(-16, 0)));
        return uniform(0, 1) < 0.5 ? turned(size * s) : rounded(permuted(size * s));
      }
      case 8: {  // singular values equal, exactly or nearly, one of them inverted or not
        Vector s = Vector::Constant(1);
        s(Dim - 1) = sign() * (1 - (uniform(0, 1) < 0.2 ? 0.0 : power(-16, 0)));
        return uniform(0, 1) < 0.5 ? turned(size * s) : rounded(permuted(size * s));
      }
      case 9:  // close to rest
        return rounded(Square::Identity() + power(-16, -1) * entries());
      case 10:  // subnormal entries, alone
        return rounded(entries() * 30).unaryExpr([](Scalar x) { return x * Limits::denorm_min(); });
      default:  // subnormal entries and ones of moderate size
        return rounded(size * entries()).unaryExpr([this](Scalar x) {
          return uniform(0, 1) < 0.3 ? x * Limits::min() : x;
        });
    }
  }

 private:
  using Limits = std::numeric_limits<Scalar>;
  using Square = SmallMatrix<double, Dim, Dim>;

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / static_cast<double>(engine_.max());
  }
  double power(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  double sign() { return uniform(0, 1) < 0.5 ? -1 : 1; }

  Square entries() {
    return Square::NullaryExpr([this] { return uniform(-1, 1); });
  }

  static Matrix rounded(const Square& F) { return F.template cast<Scalar>(); }

  // Moderate singular values and a last one.
  Vector with_last(double last) {
    Vector s = Vector::NullaryExpr([this] { return uniform(0.1, 1); });
    s(Dim - 1) = last;
    return s;
  }

  Square permuted(const Vector& s) {
    Square F = Square::Zero();
    const int shift = static_cast<int>(engine_() % Dim);
    for (int i = 0; i < Dim; ++i) F(i, (i + shift) % Dim) = s(i);
    return F;
  }

  Square rotation() {
    Square Q = Square::Identity();
    for (int j = 1; j < Dim; ++j) {
      for (int i = 0; i < j; ++i) {
        const double angle = uniform(0, 6.283), c = std::cos(angle), d = std::sin(angle);
        for (int k = 0; k < Dim; ++k) {
          const double x = Q(k, i), y = Q(k, j);
          Q(k, i) = c * x + d * y;
          Q(k, j) = c * y - d * x;
        }
      }
    }
    return Q;
  }

  Matrix turned(const Vector& s) { return rounded(rotation() * s.asDiagonal() * rotation()); }

  std::mt19937 engine_;
};

// What is expected of an energy at F.
struct Expected {
  bool psi_finite, psi_infinite;  // both false: J is rounding, and either is right
  bool derivatives_finite;
};

// An energy in J has the stress psi' cof F and the Hessian psi'' cof F cof F^T + ...: with powers or
// logarithms of J they grow like (cof F / J)^2, and for BowerNeoHookean like |J|^(-2/Dim) |F|^2 times that.
// Where that leaves three decades below the largest number, results have to be finite. Where J is no more
// than the rounding of its products, it is taken for as small as a fused multiply-add can leave it.
template <class Scalar, int Dim>
Expected expected_at(Domain domain, const SmallMatrix<Scalar, Dim, Dim>& F) {
  if (domain == Domain::everywhere) return {true, false, true};
  using Limits = std::numeric_limits<Scalar>;
  const SmallMatrix<double, Dim, Dim> A = F.template cast<double>();
  const double area = cofactor<double, Dim>(A).cwiseAbs().maxCoeff(), size = A.cwiseAbs().maxCoeff();
  const double epsilon = static_cast<double>(Limits::epsilon());
  // In the order of operations of the energy: an exact zero is one there too.
  const Scalar J = determinant<Scalar, Dim>(F);
  const bool defined = domain == Domain::positive_volume ? J >= Limits::min() : std::abs(J) >= Limits::min();
  const bool is_rounding = J != 0 && std::abs(static_cast<double>(J)) <= 64 * epsilon * std::pow(size, Dim);
  if (!defined && !is_rounding) return {false, true, true};

  double volume = std::abs(static_cast<double>(J));
  if (is_rounding) volume = std::min(volume, epsilon * epsilon * std::pow(size, Dim));
  volume = std::max(volume, static_cast<double>(Limits::min()));
  double decades = 2 * std::log10(std::max(area / volume, 1.0)) + std::log10(1 + std::abs(std::log(volume)));
  double psi_decades = 0;
  if (domain == Domain::nonzero_volume) {
    psi_decades = std::log10(std::max(size * size, 1e-300)) - 2.0 / Dim * std::log10(volume);
    decades += std::max(psi_decades, 0.0);
  }
  const double most = std::log10(static_cast<double>(Limits::max())) - 3;
  return {defined && !is_rounding && psi_decades <= most, false, decades <= most};
}

// Zero in the lanes in which all the numbers are finite, NaN in the others.
template <class T, int Rows, int Columns>
T not_finite(const SmallMatrix<T, Rows, Columns>& A) {
  T result = A.data()[0] - A.data()[0];
  for (int k = 1; k < Rows * Columns; ++k) result += A.data()[k] - A.data()[k];
  return result;
}

template <int Dim>
std::string words(const char* what, int family, const SmallMatrix<double, Dim, Dim>& F) {
  std::ostringstream text;
  text.precision(17);
  text << what << " in family " << family << " at F (column by column) = " << F.reshaped().transpose();
  return text.str();
}

// What an energy has at lanes of F, with its type forgotten: psi, and zero in the lanes in which all entries
// of P and of the Hessians are finite.
template <class T, int Dim>
struct Numbers {
  using F = SmallMatrix<T, Dim, Dim>;

  template <class E>
  explicit Numbers(const E& energy)
      : psi([energy](const F& f) { return T(energy.psi(f)); }),
        P([energy](const F& f) { return not_finite(F(energy.pk1(f))); }),
        H([energy](const F& f, Projection projection) { return not_finite(energy.hessian(f, projection)); }) {
  }

  std::function<T(const F&)> psi, P;
  std::function<T(const F&, Projection)> H;
};

// At least `count` deformation gradients for T, a lane, and dimension Dim.
template <class T, int Dim>
void numbers_of(const Numbers<T, Dim>& energy, Domain domain, int count) {
  using Scalar = scalar_of<T>;
  constexpr int width = width_of<T>;
  Deformations<Scalar, Dim> deformations(1);
  int failures = 0, unrepresentable = 0, undefined = 0, evaluated = 0;
  std::string first_failure;
  for (; evaluated < count; evaluated += width) {
    // Families are mixed in a lane, so that a mask that leaks would show.
    SmallMatrix<T, Dim, Dim> F;
    Expected expected[width];
    for (int l = 0; l < width; ++l) {
      const auto one = deformations.of_family((evaluated / width + l) % families);
      for (int k = 0; k < Dim * Dim; ++k) set_lane(F.data()[k], l, one.data()[k]);
      expected[l] = expected_at<Scalar, Dim>(domain, one);
    }
    const T psi = energy.psi(F);
    const T P = energy.P(F);
    const T H[3] = {energy.H(F, Projection::none), energy.H(F, Projection::clamp),
                    energy.H(F, Projection::absolute)};
    for (int l = 0; l < width; ++l) {
      const char* what = nullptr;
      const Scalar value = lane(psi, l);
      const bool infinite = value == std::numeric_limits<Scalar>::infinity();
      if (!std::isfinite(value) && !infinite) what = "psi is NaN or -infinity";
      if (expected[l].psi_finite && !std::isfinite(value)) what = "psi is not finite";
      if (expected[l].psi_infinite && !infinite) what = "psi is not +infinity";
      undefined += infinite;
      unrepresentable += !expected[l].derivatives_finite;
      if (expected[l].derivatives_finite) {
        if (lane(P, l) != 0) what = "pk1 is not finite";
        if (lane(H[0], l) != 0) what = "hessian(F, none) is not finite";
        if (lane(H[1], l) != 0) what = "hessian(F, clamp) is not finite";
        if (lane(H[2], l) != 0) what = "hessian(F, absolute) is not finite";
      }
      if (what == nullptr) continue;
      if (failures++ == 0) {
        first_failure = words<Dim>(what, (evaluated / width + l) % families,
                                   facts::lane_of(F, l).template cast<double>());
      }
    }
  }
  INFO(Dim << "D, " << (sizeof(Scalar) == 4 ? "float" : "double") << ": " << first_failure);
  CHECK(failures == 0);
  // The test must not excuse itself. Fused products leave a remainder where others cancel: then more F are
  // rounding and fewer are flat.
  CHECK(unrepresentable <= (domain == Domain::everywhere ? 0 : 0.2 * evaluated));
  if (domain == Domain::everywhere) CHECK(undefined == 0);
  if (domain == Domain::positive_volume) CHECK(undefined > 0.3 * evaluated);
}

// All scalars and dimensions, with at least `count` deformation gradients in sum.
template <class E>
void only_numbers(Domain domain, int count) {
  const E energy(Lame::from_young_poisson(1, 0.45));
  numbers_of(Numbers<Lane<double, 4>, 2>(energy), domain, count / 4);
  numbers_of(Numbers<Lane<double, 4>, 3>(energy), domain, count / 4);
  numbers_of(Numbers<Lane<float, 8>, 2>(energy), domain, count / 4);
  numbers_of(Numbers<Lane<float, 8>, 3>(energy), domain, count / 4);
}

// With the largest entry s of F, results grow at most like its powers, times lambda + mu.
struct Growth {
  int psi, P, H;
};

// F of the largest entry `size`: flat, of rank one, inverted and not where psi is a number everywhere, and
// never flatter than one to ten elsewhere.
template <class Scalar, int Dim>
SmallMatrix<Scalar, Dim, Dim> large(Deformations<Scalar, Dim>& deformations, Domain domain, int n,
                                    double size) {
  SmallMatrix<double, Dim, Dim> F;
  for (;;) {
    F = deformations.of_family(n % 8).template cast<double>();
    const double largest = F.cwiseAbs().maxCoeff();
    if (!(largest > 0)) continue;
    F /= largest;
    const double J = determinant<double, Dim>(F);
    if (domain == Domain::everywhere || J > 0.01 || (domain == Domain::nonzero_volume && J < -0.01)) break;
    ++n;
  }
  return (size * F).template cast<Scalar>();
}

// All results are finite as long as 100 max(lambda + mu, 1 Pa) s^power is a number, and s is at most 1e12 in
// float and 1e100 in double; psi is not much farther than that.
template <class T, int Dim>
void finite_up_to(const std::function<Numbers<T, Dim>(const Lame&)>& energy_of, Domain domain,
                  const Growth& growth) {
  using Scalar = scalar_of<T>;
  constexpr bool single = sizeof(Scalar) == sizeof(float);
  for (const double young : {1.0, 8e4, 2e11}) {
    const Lame lame = Lame::from_young_poisson(young, 0.3);
    const Numbers<T, Dim> energy = energy_of(lame);
    const double stiffness = std::max(lame.lambda() + lame.mu(), 1.0);
    const auto bound = [&](int power) {
      const double of_numbers = single ? 1e12 : 1e100;
      if (power == 0) return of_numbers;
      const auto most = static_cast<double>(std::numeric_limits<Scalar>::max());
      return std::min(of_numbers, std::exp((std::log(most) - std::log(100 * stiffness)) / power));
    };
    Deformations<Scalar, Dim> deformations(3);
    const auto at = [&](double size, int n) {
      SmallMatrix<T, Dim, Dim> F;
      for (int l = 0; l < width_of<T>; ++l) {
        const auto one = large<Scalar, Dim>(deformations, domain, n + l, size);
        for (int k = 0; k < Dim * Dim; ++k) set_lane(F.data()[k], l, one.data()[k]);
      }
      return F;
    };
    const auto finite = [](const T& zeros) {
      for (int l = 0; l < width_of<T>; ++l) {
        if (lane(zeros, l) != 0) return false;
      }
      return true;
    };
    int failures[5] = {};
    for (int n = 0; n < 100; ++n) {
      const T psi = energy.psi(at(bound(growth.psi), n));
      failures[0] += !finite(psi - psi);
      failures[1] += !finite(energy.P(at(bound(growth.P), n)));
      const auto F = at(bound(growth.H), n);
      failures[2] += !finite(energy.H(F, Projection::none));
      failures[3] += !finite(energy.H(F, Projection::clamp));
      failures[4] += !finite(energy.H(F, Projection::absolute));
    }
    INFO(Dim << "D, " << (single ? "float" : "double") << ", E " << young
             << ": psi, P, H, clamped, absolute");
    for (const int count : failures) CHECK(count == 0);
    if (bound(growth.psi) < (single ? 1e12 : 1e100)) {
      const T beyond = energy.psi(at(100 * bound(growth.psi), 0));
      CHECK(!finite(beyond - beyond));
    }
  }
}

template <class T, int Dim, class E>
void finite_up_to(Domain domain, const Growth& growth) {
  finite_up_to<T, Dim>([](const Lame& lame) { return Numbers<T, Dim>(E(lame)); }, domain, growth);
}

template <class E>
void finite_as_documented(Domain domain, const Growth& space, const Growth& plane) {
  finite_up_to<Lane<double, 4>, 3, E>(domain, space);
  finite_up_to<Lane<float, 8>, 3, E>(domain, space);
  finite_up_to<Lane<double, 4>, 2, E>(domain, plane);
  finite_up_to<Lane<float, 8>, 2, E>(domain, plane);
}

inline constexpr int a_few = 20'000, a_million = 1'000'000;

}  // namespace no_nan
