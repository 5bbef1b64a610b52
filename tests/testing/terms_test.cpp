#include "potential/terms.hpp"

#include "support/catch.hpp"

#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/solid/solid.hpp>
#include <pliant/testing/terms.hpp>

using namespace pliant;

namespace {

const auto solid = Solid(make_box<Tet4>(), LinearElastic(Lame::from_young_poisson(1e5, 0.3)), Density{1000});

// The property that fails, if there is exactly one.
std::string only_failure(const CheckReport& report) {
  std::string failed;
  for (const PropertyCheck& check : report.checks()) {
    if (!check.passed()) failed += failed.empty() ? check.property : " and " + check.property;
  }
  return failed;
}

// Two nodes that share an element.
const int first = solid.mesh().elements(0, 0), second = solid.mesh().elements(1, 0);

// Stretched and pressed.
const Strut strut{first, second, 300, (solid.nodes().col(first) - solid.nodes().col(second)).norm()};

// Its value depends on the displacement of the step.
struct Forgetful : Springs {
  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    return Springs::evaluate(at, sum) + at.displacement(0).x() - at.displacement(0).x() / 2;
  }
};

// A fraction that is more than all.
struct Bold : Floor {
  template <class At, class Step>
  double safe_fraction(const At&, const Step&) const {
    return 1.5;
  }
};

// A block that is not symmetric.
struct Skew : Springs {
  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    Eigen::Matrix3d H = Eigen::Matrix3d::Zero();
    H(0, 1) = 5;
    sum.add_hessian(0, 0, H);
    return Springs::evaluate(at, sum);
  }
};

}  // namespace

TEST_CASE("check_term: terms that are right") {
  CHECK(check_term(solid, strut, {.displacement = 0.1}));
  CHECK(check_term(solid, Springs{{{0, 50, {0.1, 0, 0}}, {7, 20, {1, 1, 2}}}}));
  CHECK(check_term(solid, LaggedDrag{{1, 2, 3}, {4, 5, 6}}));
  CHECK(check_term(solid, Floor{{0, 1, 2}, 3, 0.3}));
}

TEST_CASE("check_term: each mistake is told from the others") {
  Strut wrong = strut;
  wrong.gradient_factor = 1.01;
  CHECK(only_failure(check_term(solid, wrong, {.displacement = 0.1})) ==
        "gradient is the derivative of the value and hessian is the derivative of the gradient");
  wrong = strut;
  wrong.hessian_factor = 0.5;
  const CheckReport report = check_term(solid, wrong, {.displacement = 0.1});
  CHECK(only_failure(report) == "hessian is the derivative of the gradient");
  CHECK(report.message().find("it is 0.5 times that everywhere") != std::string::npos);
  wrong = strut;
  wrong.projects = false;
  CHECK(only_failure(check_term(solid, wrong, {.displacement = 0.1})) ==
        "projected hessian is positive semidefinite");
  const Springs springs{{{0, 50, {0.1, 0, 0}}}};
  CHECK(only_failure(check_term(solid, Forgetful{springs})) ==
        "gradient is the derivative of the value and stored energy depends on positions alone");
  CHECK(only_failure(check_term(solid, Bold{Floor{{0, 1}, 3, 0.3}})) == "safe fraction lies in [0, 1]");
  CHECK(only_failure(check_term(solid, Skew{springs})).find("hessian is symmetric") != std::string::npos);
}

TEST_CASE(
    "A term of two nodes that share no element is refused by name, and so is a node that does not exist") {
  int far = -1;
  for (int node = 0; node < solid.node_count(); ++node) {
    bool near = false;
    for (std::ptrdiff_t e = 0; e < solid.mesh().element_count(); ++e) {
      const auto nodes = solid.mesh().elements.col(e);
      near = near || ((nodes.array() == first).any() && (nodes.array() == node).any());
    }
    if (!near) far = node;
  }
  REQUIRE(far >= 0);
  const std::string names = "node " + std::to_string(first) + " and node = " + std::to_string(far);
  try {
    (void)check_term(solid, Strut{first, far, 1, 1});
    FAIL("not refused");
  } catch (const ParameterError& error) {
    CHECK(std::string(error.what()).find(names) != std::string::npos);
  }
  CHECK_THROWS_AS(check_term(solid, Springs{{{99999, 1, {0, 0, 0}}}}), IndexError);
  CHECK_THROWS_AS(check_term(solid, Springs{{{-1, 1, {0, 0, 0}}}}), IndexError);
}
