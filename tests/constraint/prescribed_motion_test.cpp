#include "support/catch.hpp"

#include <functional>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/together.hpp>

using namespace pliant;

namespace {

const auto upwards = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
  return X + Eigen::Vector3d(0, t, 0);
};

}  // namespace

TEST_CASE("PrescribedMotion: moves the nodes given, repetitions once, along its path") {
  NodeConstraints<3> constraints(6);
  const PrescribedMotion motion({4, 1, 4}, upwards);
  CHECK(motion.nodes() == std::vector<int>{4, 1, 4});
  motion.describe(constraints);
  for (int i = 0; i < 6; ++i) CHECK(constraints.fixed(i) == (i == 1 || i == 4));
  REQUIRE(constraints.motions().size() == 1);
  CHECK(constraints.restraints().size() == 2);
  for (const auto& restraint : constraints.restraints().at(4)) CHECK(restraint.motion == 0);
  CHECK(constraints.motions()[0].path({1, 2, 3}, 0.5) == Eigen::Vector3d(1, 2.5, 3));
}

TEST_CASE("PrescribedMotion: a node that does not exist, or that is held twice, is named") {
  NodeConstraints<3> constraints(6);
  CHECK_THROWS_AS(PrescribedMotion({1, 6}, upwards).describe(constraints), IndexError);
  CHECK_THROWS_WITH(PrescribedMotion({-1}, upwards).describe(constraints), Catch::Contains("-1"));

  const PrescribedMotion motion({2, 3}, upwards);
  const auto refuses = [](const auto& constraint) {
    NodeConstraints<3> nodes(6);
    CHECK_THROWS_AS(constraint.describe(nodes), ParameterError);
    NodeConstraints<3> again(6);
    CHECK_THROWS_WITH(constraint.describe(again), Catch::Contains("node") && Catch::Contains("3"));
  };
  refuses(Together(Pinned({3}), motion));
  refuses(Together(motion, Pinned({5, 3})));
  refuses(Together(motion, PrescribedMotion({3}, upwards)));
}

TEST_CASE("Together: the sum of its constraints") {
  NodeConstraints<3> constraints(8);
  Together(Pinned({0, 1}), PrescribedMotion({2}, upwards), Pinned({1, 5})).describe(constraints);
  for (int i = 0; i < 8; ++i) CHECK(constraints.fixed(i) == (i <= 2 || i == 5));
  CHECK(constraints.motions().size() == 1);
}

TEST_CASE("PrescribedMotion, PrescribedVelocity: a function that is empty is refused at once") {
  using Function = std::function<Eigen::Vector3d(const Eigen::Vector3d&, double)>;
  using Pointer = Eigen::Vector3d (*)(const Eigen::Vector3d&, double);
  const Eigen::Vector3d along(0, 1, 0);
  const auto refuses = [&](const auto& empty) {
    CHECK_THROWS_AS(PrescribedMotion({1}, empty), ParameterError);
    CHECK_THROWS_WITH(PrescribedMotion({1}, empty, along), Catch::Contains("PrescribedMotion"));
    CHECK_THROWS_AS(PrescribedVelocity({1}, empty), ParameterError);
    CHECK_THROWS_WITH(PrescribedVelocity({1}, empty, along), Catch::Contains("PrescribedVelocity"));
    CHECK_NOTHROW(PrescribedMotion({}, empty));  // nobody asks it
  };
  refuses(Function());
  refuses(Pointer(nullptr));
  CHECK_NOTHROW(PrescribedMotion({1}, Function(upwards)));
  CHECK_NOTHROW(PrescribedMotion({1}, Pointer(upwards)));

  // A constraint of one's own.
  NodeConstraints<3> constraints(6);
  CHECK_THROWS_AS(constraints.move({1}, {.path = nullptr, .owner = "Mine"}), ParameterError);
  CHECK_THROWS_WITH(constraints.move_along({1}, along, {.path = nullptr, .owner = "Mine"}),
                    Catch::Contains("Mine"));
}
