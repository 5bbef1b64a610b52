// Functions that need a certain kind of element say which.
// must say: make_ball<E>: balls are made of Tet4 only
// must say: make_rectangle<E>: rectangles are made of Tri3 only
// must say: make_triangle_mesh needs a mesh in space
// must say: make_box<E>: boxes are made of Tet4 or Hex8
// must say: make_cylinder<E>: cylinders are made of Tet4 only
#include <pliant/io/make_triangle_mesh.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_cylinder.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;

#ifdef SHOULD_FAIL
const auto ball = make_ball<Hex8>();
const auto rectangle = make_rectangle<Tet4>();
const auto surface = make_triangle_mesh(make_rectangle<Tri3>());
const auto box = make_box<Tri3>();
const auto cylinder = make_cylinder<Tri3>();
#else
const auto ball = make_ball<Tet4>();
const auto rectangle = make_rectangle<Tri3>();
const auto surface = make_triangle_mesh(ball);
const auto box = make_box<Hex8>();
const auto cylinder = make_cylinder<Tet4>();
#endif
