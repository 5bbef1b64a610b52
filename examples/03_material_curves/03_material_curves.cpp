// 03_material_curves: stress curves of the energies far from rest, beyond the range of Young's modulus.
//
// The problem: a cube of a material with the given E and nu is deformed homogeneously, and P = dpsi/dF is the
// necessary force per rest area. At small strains all the energies are Hooke's law:
//
//     uniaxial stretch         equibiaxial stretch        simple shear
//     F = diag(s, t, t)        F = diag(s, s, t)          F = I + gamma e1 e2^T
//     P22 = P33 = 0            P33 = 0
//     P11 = E (s - 1) + ...    P11 = E/(1 - nu) (s - 1)   P12 = mu gamma + ...
//
//       +----------+             +----------+               +-----+
//     <-|          |->         <-|          |->            /     /  ->
//       +----------+             +----------+             +-----+
//       sides free: t            thickness free: t
//
// Run:  03_material_curves                    E = 1e6 Pa, nu = 0.45, into material_curves.svg
//       03_material_curves 1e5 0.3 soft.svg
//
// The program draws one panel per experiment, in units of E, and prints the slope of each curve at rest. It
// returns 0 if for every energy this slope is that of Hooke's law.
//
// Read before: 01_hello, and the pages docs/energies.md and docs/materials.md.
#include "../support/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

using Matrix = SmallMatrix<double, 3, 3>;

// Step 1: the experiments. `deformed(x, t)` is F for the prescribed stretch or shear x and the free stretch t
// of the axes `free`, which follows from zero stress on these axes.
struct Experiment {
  const char* name;
  const char* abscissa;
  double rest, low, high;  // x at rest, at the begin and at the end of the curve
  std::vector<int> free;   // axes
  Matrix (*deformed)(double x, double t);
  int row, column;                     // the entry of P that is drawn
  double (*slope_at_rest)(double nu);  // dP/dx of Hooke's law, in units of E
};

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all{
      {"uniaxial stretch, sides free",
       "stretch s",
       1,
       0.4,
       2,
       {1, 2},
       [](double s, double t) { return Matrix(Eigen::Vector3d(s, t, t).asDiagonal()); },
       0,
       0,
       [](double) { return 1.0; }},
      {"equibiaxial stretch, thickness free",
       "stretch s",
       1,
       0.6,
       1.8,
       {2},
       [](double s, double t) { return Matrix(Eigen::Vector3d(s, s, t).asDiagonal()); },
       0,
       0,
       [](double nu) { return 1 / (1 - nu); }},
      {"simple shear",
       "shear",
       0,
       0,
       2,
       {},
       [](double gamma, double) {
         Matrix F = Matrix::Identity();
         F(0, 1) = gamma;
         return F;
       },
       0,
       1,
       [](double nu) { return 0.5 / (1 + nu); }}};
  return all;
}

// Step 2: the free stretch. One equation with one unknown,
//   sum of P_ii(x, t) over the free axes = 0,
// by Newton's method from the solution at a neighbouring x; its derivative is a sum of entries of the
// Hessian. Nothing is returned if the material has no such state: with some energies the cube collapses.
template <class EnergyModel>
std::optional<double> free_stretch(const EnergyModel& energy, const Experiment& experiment, double x,
                                   double t) {
  if (experiment.free.empty()) return t;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Matrix F = experiment.deformed(x, t);
    const auto P = energy.pk1(F);
    const auto H = energy.hessian(F);
    double stress = 0, stiffness = 0;
    for (const int i : experiment.free) {
      stress += P(i, i);
      for (const int j : experiment.free) stiffness += H(i + 3 * i, j + 3 * j);
    }
    const double change = -stress / stiffness;
    if (!(stiffness > 0) || t + change < 0.02) return std::nullopt;
    t += change;
    if (std::abs(change) <= 1e-14 * t) return t;
  }
  return std::nullopt;
}

// Step 3: the curve, from rest in both directions in small steps, so that the state is that of a test
// machine.
struct Point {
  double x, stress;  // stress in units of E
};

template <class EnergyModel>
std::vector<Point> curve(const EnergyModel& energy, const Experiment& experiment, double young) {
  constexpr int steps = 40;
  const auto from_rest_to = [&](double end) {
    std::vector<Point> points;
    double t = 1;
    for (int k = 0; k <= steps; ++k) {
      const double x = experiment.rest + (end - experiment.rest) * k / steps;
      const std::optional<double> solved = free_stretch(energy, experiment, x, t);
      if (!solved) break;
      t = *solved;
      const Matrix P = energy.pk1(experiment.deformed(x, t));
      points.push_back({x, P(experiment.row, experiment.column) / young});
    }
    return points;
  };
  std::vector<Point> points;
  if (experiment.low < experiment.rest) {
    points = from_rest_to(experiment.low);
    std::reverse(points.begin(), points.end());
    points.pop_back();
  }
  for (const Point& point : from_rest_to(experiment.high)) points.push_back(point);
  return points;
}

// dP/dx at rest, in units of E, with the solution for the free stretches.
template <class EnergyModel>
double slope_at_rest(const EnergyModel& energy, const Experiment& experiment, double young) {
  constexpr double step = 1e-5;
  const auto stress_at = [&](double x) {
    const std::optional<double> t = free_stretch(energy, experiment, x, 1);
    if (!t) throw std::runtime_error(std::string("no free stretch near rest: ") + experiment.name);
    return energy.pk1(experiment.deformed(x, *t))(experiment.row, experiment.column) / young;
  };
  return (stress_at(experiment.rest + step) - stress_at(experiment.rest - step)) / (2 * step);
}

// Step 4: the energies. Each has its own type, so that they form a list of types.
struct Material {
  const char* name;
  const char* colour;
  const char* dashes;  // of SVG: lengths of strokes and gaps
  std::vector<std::vector<Point>> curves;
  std::vector<double> slopes;  // at rest, in units of E
};

template <class EnergyModel>
Material measure(const char* name, const char* colour, const char* dashes, const Lame& lame) {
  const EnergyModel energy(lame);
  const double young = lame.young_modulus();
  Material material{name, colour, dashes, {}, {}};
  for (const Experiment& experiment : experiments()) {
    material.curves.push_back(curve(energy, experiment, young));
    material.slopes.push_back(slope_at_rest(energy, experiment, young));
  }
  return material;
}

std::vector<Material> measure_all(const Lame& lame) {
  return {measure<LinearElastic>("LinearElastic", "#888888", "2 3", lame),
          measure<StVenantKirchhoff>("StVenantKirchhoff", "#e15759", "", lame),
          measure<CorotatedLinear>("CorotatedLinear", "#f28e2b", "", lame),
          measure<FixedCorotated>("FixedCorotated", "#b07aa1", "", lame),
          measure<Arap>("Arap", "#9c755f", "7 3", lame),
          measure<StableNeoHookean>("StableNeoHookean", "#4e79a7", "", lame),
          measure<StableNeoHookeanBarrier>("StableNeoHookeanBarrier", "#4e79a7", "5 3", lame),
          measure<BonetWoodNeoHookean>("BonetWoodNeoHookean", "#59a14f", "", lame),
          measure<OgdenNeoHookean>("OgdenNeoHookean", "#59a14f", "5 3", lame),
          measure<BowerNeoHookean>("BowerNeoHookean", "#000000", "3 2", lame)};
}

// Step 5: the drawing, in panels.

// The part of a curve between two stresses, up to where it crosses them.
std::vector<Point> between(double low, double high, const std::vector<Point>& points) {
  std::vector<Point> part;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k > 0) {
      const Point &a = points[k - 1], &b = points[k];
      for (const double limit : {low, high}) {
        if ((a.stress < limit) == (b.stress < limit)) continue;
        part.push_back({a.x + (b.x - a.x) * (limit - a.stress) / (b.stress - a.stress), limit});
      }
    }
    if (points[k].stress >= low && points[k].stress <= high) part.push_back(points[k]);
  }
  return part;
}

// One panel. The ordinate covers the curves, but at most twice the range of Hooke's law.
void draw_panel(Drawing& drawing, std::size_t number, const std::vector<Material>& materials, double nu,
                double left) {
  constexpr double top = 64, width = 290, height = 300;
  const Experiment& experiment = experiments()[number];
  const double slope = experiment.slope_at_rest(nu);
  double low = 0, high = 0;
  for (const Material& material : materials) {
    for (const Point& point : material.curves[number]) {
      low = std::min(low, point.stress);
      high = std::max(high, point.stress);
    }
  }
  low = std::max(low, 2 * slope * (experiment.low - experiment.rest));
  high = std::min(high, 2 * slope * (experiment.high - experiment.rest));
  const auto at_x = [&](double x) {
    return left + width * (x - experiment.low) / (experiment.high - experiment.low);
  };
  const auto at_y = [&](double stress) { return top + height * (high - stress) / (high - low); };

  drawing.text(left + width / 2, top - 14, "middle", experiment.name);
  drawing.text(left + width / 2, top + height + 36, "middle", experiment.abscissa);
  for (double x = experiment.low; x <= experiment.high + 1e-9; x += (experiment.high - experiment.low) / 4) {
    drawing.line(at_x(x), top, at_x(x), top + height, "#dddddd");
    drawing.text(at_x(x), top + height + 18, "middle", Drawing::format("%.3g", x));
  }
  const double tick = high - low > 3 ? 1 : high - low > 1.2 ? 0.5 : 0.2;
  for (double stress = std::ceil(low / tick) * tick; stress <= high; stress += tick) {
    drawing.line(left, at_y(stress), left + width, at_y(stress),
                 std::abs(stress) < 1e-9 ? "#777777" : "#dddddd");
    drawing.text(left - 6, at_y(stress) + 4, "end",
                 Drawing::format("%.3g", std::abs(stress) < 1e-9 ? 0 : stress));
  }
  for (const Material& material : materials) {
    std::vector<Drawing::Point> points;
    for (const Point& point : between(low, high, material.curves[number])) {
      points.push_back({at_x(point.x), at_y(point.stress)});
    }
    drawing.polyline(points, material.colour, material.dashes);
  }
}

void draw(const std::vector<Material>& materials, const Lame& lame, const std::string& file) {
  Drawing drawing(1080, 484);
  for (std::size_t number = 0; number < experiments().size(); ++number) {
    draw_panel(drawing, number, materials, lame.poisson_ratio(), 60 + 345 * static_cast<double>(number));
  }
  drawing.text(60, 20, "start", Drawing::format("P / E, nu = %.4g", lame.poisson_ratio()));
  for (std::size_t k = 0; k < materials.size(); ++k) {
    const double x = 60 + 205 * static_cast<double>(k % 5), y = 432 + 24 * static_cast<double>(k / 5);
    drawing.polyline({{x, y}, {x + 30, y}}, materials[k].colour, materials[k].dashes);
    drawing.text(x + 36, y + 4, "start", materials[k].name);
  }
  drawing.write(file);
}

int run(int argc, char** argv) {
  const double young = argc > 1 ? std::atof(argv[1]) : 1e6, nu = argc > 2 ? std::atof(argv[2]) : 0.45;
  const std::string file = argc > 3 ? argv[3] : "material_curves.svg";
  const auto lame = Lame::from_young_poisson(young, nu);  // throws unless E > 0 and -1 < nu < 0.5
  const std::vector<Material> materials = measure_all(lame);
  draw(materials, lame, file);

  // Step 6: the contract. The slopes at rest are those of Hooke's law; for Arap, of one with the same mu and
  // no lambda, that is with E = 2 mu and nu = 0.
  bool kept = true;
  std::printf("slope of P/E at rest   %10s %12s %8s\n", "uniaxial", "equibiaxial", "shear");
  for (const Material& material : materials) {
    std::printf("%-23s", material.name);
    const bool arap = std::string(material.name) == "Arap";
    for (std::size_t number = 0; number < experiments().size(); ++number) {
      const Experiment& experiment = experiments()[number];
      const double expected = arap ? experiment.slope_at_rest(0) / (1 + nu) : experiment.slope_at_rest(nu);
      kept = kept && std::abs(material.slopes[number] - expected) <= 1e-6 * expected;
      std::printf(number == 0 ? "%10.6f" : number == 1 ? " %12.6f" : " %8.6f", material.slopes[number]);
    }
    std::printf("\n");
  }
  std::printf("%s\nthe curves: %s\n", kept ? "All are Hooke's law." : "NOT Hooke's law.", file.c_str());
  return kept ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "03_material_curves: %s\n", error.what());
    return 1;
  }
}
