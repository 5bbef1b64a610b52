#include "support/catch.hpp"

#include <functional>
#include <limits>
#include <string>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/solid/solid.hpp>

using namespace pliant;

namespace {

const LinearElastic energy(Lame::from_young_poisson(1e6, 0.3));

// The reason a box with one fault is refused for.
std::string refused(const std::function<void(Mesh<Tet4>&)>& spoil) {
  Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  spoil(mesh);
  try {
    Solid(mesh, energy, Density{1000});
  } catch (const MeshError& error) {
    return error.reason();
  }
  return {};
}

std::string refused_parameter(double density, Rayleigh damping = {}) {
  try {
    Solid(make_box<Tet4>(), energy, Density{density}, damping);
  } catch (const ParameterError& error) {
    return error.parameter();
  }
  return {};
}

}  // namespace

TEST_CASE("Solid: keeps what it is given") {
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 1, 1}});
  const Solid solid(mesh, energy, Density{900}, Rayleigh{.alpha = 0.5, .beta = 0.01});
  static_assert(std::is_same_v<decltype(solid), const Solid<Tet4, LinearElastic, double>>);
  CHECK(solid.mesh().nodes == mesh.nodes);
  CHECK(solid.mesh().elements == mesh.elements);
  CHECK(solid.density(0) == 900);
  CHECK(solid.damping().alpha == 0.5);
  CHECK(solid.damping().beta == 0.01);
  const Solid single(make_box<Tet4, float>(), energy, Density{900});
  static_assert(std::is_same_v<decltype(single)::Scalar, float>);
  CHECK(single.damping().alpha == 0);
}

TEST_CASE("Solid: a plane body is 1 m thick unless it says otherwise") {
  const Mesh<Tri3> mesh = make_rectangle<Tri3>();
  CHECK(Solid(mesh, energy, Density{900}).thickness().value == 1);
  CHECK(Solid(mesh, energy, Density{900}, Rayleigh{.alpha = 2}).thickness().value == 1);
  CHECK(Solid(make_box<Tet4>(), energy, Density{900}).thickness().value == 1);
  const Solid sheet(mesh, energy, Density{900}, Thickness{0.002}, Rayleigh{.alpha = 2});
  static_assert(std::is_same_v<decltype(sheet), const Solid<Tri3, LinearElastic, double>>);
  CHECK(sheet.thickness().value == 0.002);
  CHECK(sheet.damping().alpha == 2);
  CHECK(Solid(mesh, energy, Density{900}, Thickness{3}).damping().alpha == 0);
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    try {
      Solid(mesh, energy, Density{900}, Thickness{bad});
      FAIL("accepted");
    } catch (const ParameterError& error) {
      CHECK(error.parameter() == "thickness");
    }
  }
}

TEST_CASE("Solid: a mesh that cannot be simulated is refused with a reason") {
  CHECK(refused([](Mesh<Tet4>&) {}) == "");
  const std::pair<const char*, std::function<void(Mesh<Tet4>&)>> faults[] = {
      {"flipped", [](Mesh<Tet4>& mesh) { std::swap(mesh.elements(0, 3), mesh.elements(1, 3)); }},
      {"unreferenced",
       [](Mesh<Tet4>& mesh) {
         mesh.nodes.conservativeResize(3, mesh.node_count() + 1);
         mesh.nodes.rightCols<1>().setConstant(9);
       }},
      {"", [](Mesh<Tet4>& mesh) { mesh.nodes.col(1) = mesh.nodes.col(0); }},
      {"", [](Mesh<Tet4>& mesh) { mesh.nodes.row(2).setZero(); }},
      {"", [](Mesh<Tet4>& mesh) { mesh.elements.col(1) = mesh.elements.col(0); }},
      {"", [](Mesh<Tet4>& mesh) { mesh.elements(2, 0) = static_cast<int>(mesh.node_count()); }},
      {"", [](Mesh<Tet4>& mesh) { mesh.elements(2, 0) = -1; }},
      {"finite", [](Mesh<Tet4>& mesh) { mesh.nodes(1, 4) = std::numeric_limits<double>::quiet_NaN(); }},
      {"finite", [](Mesh<Tet4>& mesh) { mesh.nodes(1, 4) = std::numeric_limits<double>::infinity(); }},
      {"", [](Mesh<Tet4>& mesh) { mesh.elements.resize(4, 0); }},
      {"", [](Mesh<Tet4>& mesh) { mesh = {}; }}};
  for (std::size_t k = 0; k < std::size(faults); ++k) {
    INFO("fault " << k);
    const std::string reason = refused(faults[k].second);
    CHECK(!reason.empty());
    CHECK(reason.find(faults[k].first) != std::string::npos);
  }
}

TEST_CASE("Solid: a density or damping out of range is refused by name") {
  CHECK(refused_parameter(1000) == "");
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(refused_parameter(bad) == "density");
  }
  CHECK(refused_parameter(1000, {.alpha = -1}) == "alpha");
  CHECK(refused_parameter(1000, {.beta = -1}) == "beta");
}
