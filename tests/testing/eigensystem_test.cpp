#include "support/catch.hpp"

#include <Eigen/Dense>

#include <pliant/algebra/svd.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/testing/eigensystem.hpp>

using namespace pliant;

namespace {

const Lame lame = Lame::from_young_poisson(2.5e5, 0.3);

enum class Mistake {
  none,
  not_projected,     // the projected Hessian is the Hessian
  swapped_modes,     // twists and flips the wrong way round: the Hessian of F^T
  half_the_scaling,  // eigenvectors of the scaling block divided by sqrt 2
  lost_when_equal,   // a mode is lost where two singular values coincide
  lost_when_flat,    // a mode is lost where one vanishes
  slightly_off,      // by 1e-10 of it
  not_finite,        // NaN for inverted F
  takes_none_for_clamp
};

// StableNeoHookean with a mistake put into its projections on purpose.
template <Mistake mistake>
struct Spoiled {
  StableNeoHookean right{lame};

  template <class Derived>
  auto psi(const Eigen::MatrixBase<Derived>& F) const {
    return right.psi(F);
  }
  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    return right.pk1(F);
  }
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    return right.hessian(F);
  }

  template <int Dim>
  SmallMatrix<double, Dim * Dim, Dim * Dim> hessian(const Eigen::MatrixBase<SmallMatrix<double, Dim, Dim>>& F,
                                                    Projection projection) const {
    const SmallMatrix<double, Dim, Dim> A = F;
    const Svd<double, Dim> frame = svd<double, Dim>(A);
    const auto& s = frame.sigma;
    SmallMatrix<double, Dim * Dim, Dim* Dim> H = right.hessian(A, projection);
    const auto lose_a_mode = [&] {
      SmallVector<double, Dim * Dim> mode;
      for (int j = 0; j < Dim; ++j) {
        for (int i = 0; i < Dim; ++i) mode(i + Dim * j) = frame.U(i, 0) * frame.V(j, 0);
      }
      H -= 0.5 * mode * mode.dot(H * mode) * mode.transpose();
    };
    if (mistake == Mistake::not_projected) H = right.hessian(A);
    if (mistake == Mistake::swapped_modes) H = right.hessian(A.transpose(), projection);
    if (mistake == Mistake::half_the_scaling) lose_a_mode();
    if (mistake == Mistake::lost_when_equal && s(Dim - 2) - s(Dim - 1) < 1e-8) lose_a_mode();
    if (mistake == Mistake::lost_when_flat && std::abs(s(Dim - 1)) < 1e-8) lose_a_mode();
    if (mistake == Mistake::slightly_off) H *= 1 + 1e-10;
    if (mistake == Mistake::not_finite && s(Dim - 1) < 0) H(0, 0) = std::nan("");
    if (mistake == Mistake::takes_none_for_clamp && projection == Projection::none) {
      H = right.hessian(A, Projection::clamp);
    }
    return H;
  }
};

// The properties that failed, in one line each.
template <int Dim, class E>
std::string failures(const E& energy) {
  const CheckReport report = check_eigensystem<Dim>(energy);
  std::string text;
  for (const PropertyCheck& check : report.checks()) {
    if (!check.passed()) text += check.property + ", worst at " + check.place + '\n';
  }
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("check_eigensystem: accepts eigensystems that are right", "", ((int Dim), Dim), 2, 3) {
  CHECK(failures<Dim>(Spoiled<Mistake::none>()).empty());
  CHECK(failures<Dim>(StableNeoHookean(lame)).empty());
  CHECK(failures<Dim>(BonetWoodNeoHookean(lame)).empty());
  CHECK(failures<Dim>(FixedCorotated(lame)).empty());
  CHECK(failures<Dim>(LinearElastic(lame)).empty());
}

TEMPLATE_TEST_CASE_SIG("check_eigensystem: catches mistakes and says where", "", ((int Dim), Dim), 2, 3) {
  const std::string not_projected = failures<Dim>(Spoiled<Mistake::not_projected>());
  CHECK(contains(not_projected, "hessian(F, clamp) is the numeric projection"));
  CHECK(contains(not_projected, "hessian(F, absolute) is the numeric projection"));
  CHECK(contains(not_projected, "hessian(F, clamp) has no negative eigenvalue"));
  CHECK(contains(failures<Dim>(Spoiled<Mistake::swapped_modes>()), "numeric projection"));
  CHECK(contains(failures<Dim>(Spoiled<Mistake::half_the_scaling>()), "numeric projection"));
  CHECK(contains(failures<Dim>(Spoiled<Mistake::lost_when_flat>()), "flat"));
  CHECK(contains(failures<Dim>(Spoiled<Mistake::slightly_off>()), "numeric projection"));
  CHECK(contains(failures<Dim>(Spoiled<Mistake::not_finite>()), "numeric projection"));
  CHECK(failures<Dim>(Spoiled<Mistake::takes_none_for_clamp>()).find("hessian(F, none) is hessian(F)") == 0);

  // What the random states would not show.
  const std::string lost = failures<Dim>(Spoiled<Mistake::lost_when_equal>());
  CHECK(contains(lost, "numeric projection"));
  CHECK_FALSE(contains(lost, "random"));
}

TEST_CASE("check_eigensystem: at one deformation gradient") {
  const SmallMatrix<double, 3, 3> squeezed = Eigen::Vector3d(1.2, 0.8, 0.3).asDiagonal();
  const CheckReport report = check_eigensystem<3>(Spoiled<Mistake::not_projected>(), squeezed);
  CHECK_FALSE(report);
  CHECK(contains(report.message(), "FAILED  hessian(F, clamp) is the numeric projection"));
  CHECK(contains(report.message(), "F = [1.2 0 0; 0 0.8 0; 0 0 0.3]"));
  CHECK(check_eigensystem<3>(Spoiled<Mistake::not_projected>(), Eigen::Matrix3d::Identity()));
}
