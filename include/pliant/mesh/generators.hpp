// All generated shapes.
#pragma once

#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_cylinder.hpp>
#include <pliant/mesh/make_delaunay.hpp>
#include <pliant/mesh/make_rectangle.hpp>
