// Two tets and a state of them, for the writers.
#pragma once

#include <pliant/element/tet4.hpp>
#include <pliant/io/snapshot.hpp>

template <class Scalar>
pliant::Mesh<pliant::Tet4, Scalar> sample_mesh() {
  pliant::Mesh<pliant::Tet4, Scalar> mesh;
  mesh.nodes.resize(3, 5);
  mesh.nodes << 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 1;
  mesh.elements.resize(4, 2);
  mesh.elements << 0, 1, 1, 2, 2, 3, 3, 4;
  mesh.regions = {3, 8};
  return mesh;
}

template <class Scalar>
struct SampleSnapshot {
  pliant::Mesh<pliant::Tet4, Scalar> body = sample_mesh<Scalar>();
  pliant::NodeMatrix<Scalar, 3> x = body.nodes;
  pliant::NodeMatrix<Scalar, 3> v = pliant::NodeMatrix<Scalar, 3>::Zero(3, 5);
  double t = 0;

  const auto& mesh() const { return body; }
  const auto& positions() const { return x; }
  auto velocities() const { return v; }
  double time() const { return t; }
};

static_assert(pliant::Snapshot<SampleSnapshot<double>>);
static_assert(!pliant::Snapshot<pliant::Mesh<pliant::Tet4>>);
