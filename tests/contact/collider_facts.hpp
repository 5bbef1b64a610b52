// What is true of every convex collider, judged by nothing but a predicate that says what is inside of it.
#pragma once

#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <pliant/contact/shape/concept.hpp>

namespace pliant::test {

template <int Dim>
using Vector = SmallVector<double, Dim>;

template <int Dim>
Vector<Dim> random_vector(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  Vector<Dim> v;
  for (int k = 0; k < Dim; ++k) v[k] = uniform(random);
  return v;
}

template <int Dim>
Vector<Dim> random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vector<Dim> v;
  for (int k = 0; k < Dim; ++k) v[k] = normal(random);
  return v / v.norm();
}

template <int Dim>
using Inside = std::function<bool(const Vector<Dim>&)>;

// Where the way from a point inside to one outside leaves.
template <int Dim>
Vector<Dim> boundary_between(const Inside<Dim>& inside, Vector<Dim> in, Vector<Dim> out) {
  for (int i = 0; i < 60; ++i) {
    const Vector<Dim> middle = (in + out) / 2;
    (inside(middle) ? in : out) = middle;
  }
  return (in + out) / 2;
}

// `centre` lies inside, all of the collider that counts within `size` of it.
template <int Dim, class C>
void check_nearest(const C& collider, const Inside<Dim>& inside, const Vector<Dim>& centre, double size) {
  std::mt19937_64 random(7);
  std::vector<Vector<Dim>> surface;
  while (surface.size() < 4000) {
    const Vector<Dim> far = centre + 4 * size * random_direction<Dim>(random);
    if (!inside(far)) surface.push_back(boundary_between<Dim>(inside, centre, far));
  }
  const auto box = collider.bounds();
  for (const Vector<Dim>& x : surface) {
    CHECK((x - box.lower).minCoeff() > -1e-9);
    CHECK((box.upper - x).minCoeff() > -1e-9);
  }
  for (int i = 0; i < 2000; ++i) {
    const Vector<Dim> x = centre + random_vector<Dim>(random, size);
    const auto near = collider.nearest(x, 1e9);
    REQUIRE(near);
    CHECK((near->distance < 0) == inside(x));
    CHECK(near->normal.norm() == Approx(1).epsilon(1e-12));
    CHECK(std::abs((x - near->point).norm() - std::abs(near->distance)) < 1e-12 * size);
    CHECK((near->point + near->distance * near->normal - x).norm() < 1e-12 * size);
    CHECK(inside(near->point - 1e-9 * size * near->normal));
    CHECK_FALSE(inside(near->point + 1e-9 * size * near->normal));
    double nearest_sample = 1e9;
    for (const Vector<Dim>& sample : surface) nearest_sample = std::min(nearest_sample, (x - sample).norm());
    CHECK(std::abs(near->distance) < nearest_sample + 1e-12);

    // The normal is the gradient of the distance.
    const double h = 1e-6 * size;
    Vector<Dim> gradient;
    bool smooth = true;
    for (int k = 0; k < Dim; ++k) {
      const auto ahead = collider.nearest(x + h * Vector<Dim>::Unit(k), 1e9),
                 behind = collider.nearest(x - h * Vector<Dim>::Unit(k), 1e9);
      gradient[k] = (ahead->distance - behind->distance) / (2 * h);
      smooth = smooth && (ahead->normal - behind->normal).norm() < 0.01;
    }
    if (smooth) CHECK((gradient - near->normal).norm() < 1e-7);

    // What is out of reach has no answer, but for points inside.
    const double distance = near->distance;
    CHECK(collider.nearest(x, std::abs(distance) * (1 + 1e-9)).has_value());
    CHECK(collider.nearest(x, std::abs(distance) * (1 - 1e-9)).has_value() == (distance < 0));
  }
  CHECK_FALSE(collider.nearest(Vector<Dim>::Constant(NAN), 1.0));
}

// The first point inside by steps along the segment, and then by halving.
template <int Dim, class C>
void check_first_hit(const C& collider, const Inside<Dim>& inside, const Vector<Dim>& centre, double size) {
  std::mt19937_64 random(8);
  int hits = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vector<Dim> from = centre + random_vector<Dim>(random, size),
                      to = centre + random_vector<Dim>(random, size);
    const auto hit = collider.first_hit(from, to);
    if (inside(from)) {
      CHECK_FALSE(hit);
      continue;
    }
    constexpr int steps = 1000;
    int first = 0;
    const auto at = [&](double fraction) -> Vector<Dim> { return from + fraction * (to - from); };
    while (first <= steps && !inside(at(static_cast<double>(first) / steps))) ++first;
    if (first <= steps) {
      REQUIRE(hit);
      const Vector<Dim> entry = boundary_between<Dim>(inside, at(static_cast<double>(first) / steps),
                                                      at(static_cast<double>(first - 1) / steps));
      CHECK((hit->point - entry).norm() < 1e-9 * size);
    }
    if (!hit) continue;
    ++hits;
    CHECK(hit->fraction >= 0);
    CHECK(hit->fraction <= 1);
    CHECK((at(hit->fraction) - hit->point).norm() < 1e-12 * size);
    CHECK(hit->normal.norm() == Approx(1).epsilon(1e-12));
    CHECK(hit->normal.dot(to - from) < 0);
    CHECK(inside(at(hit->fraction + 1e-9)));
    const auto near = collider.nearest(at(hit->fraction * (1 - 1e-7)), 1e9);
    CHECK((near->normal - hit->normal).norm() < 1e-3);
    // From the surface on: the same place, at once; and the way back leaves.
    const auto again = collider.first_hit(hit->point, to);
    REQUIRE(again);
    CHECK(again->fraction < 1e-9);
    CHECK_FALSE(collider.first_hit(hit->point, from));
  }
  CHECK(hits > 300);
  const Vector<Dim> out = centre + Vector<Dim>::Constant(5 * size);
  CHECK_FALSE(collider.first_hit(out, out));
  CHECK_FALSE(collider.first_hit(Vector<Dim>::Constant(NAN), out));
  CHECK_FALSE(collider.first_hit(out, Vector<Dim>::Constant(NAN)));
}

}  // namespace pliant::test
