// All shapes that can be meshed without a file.
#pragma once

#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_cylinder.hpp>
#include <pliant/mesh/make_rectangle.hpp>
