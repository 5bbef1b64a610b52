// The picture, by OpenGL 1.1, which every driver supports.
#pragma once

#include "camera.hpp"
#include "scene.hpp"

#include <string>

using Triangles = Eigen::Matrix<int, 3, Eigen::Dynamic, Eigen::DontAlign>;

// Draws the surface of a soft body, rigid bodies and the floor into the current window, of so many pixels.
void draw(const Camera& camera, const Points& positions, const Triangles& surface,
          const pliant::BodySnapshot& bodies, bool edges, int pixels_wide, int pixels_high);

// Writes the picture as a .ppm file; throws std::runtime_error if that is not possible.
void write_picture(const std::string& path, int pixels_wide, int pixels_high);
