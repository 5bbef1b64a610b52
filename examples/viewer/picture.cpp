#include "picture.hpp"

#include <GLFW/glfw3.h>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace {

void set_up(const Camera& camera, int pixels_wide, int pixels_high) {
  glViewport(0, 0, pixels_wide, pixels_high);
  glClearColor(0.93F, 0.95F, 0.98F, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  const double near = 0.05, size = near * std::tan(camera.opening / 2);
  const double ratio = static_cast<double>(pixels_wide) / pixels_high;
  glFrustum(-size * ratio, size * ratio, -size, size, near, 50);
  glMatrixMode(GL_MODELVIEW);
  glLoadMatrixd(camera.view().data());
}

void draw_floor() {
  glDisable(GL_LIGHTING);
  glColor3f(0.72F, 0.74F, 0.77F);
  glBegin(GL_LINES);
  for (int k = -40; k <= 40; ++k) {
    const float place = 0.25F * static_cast<float>(k);
    glVertex3f(place, 0, -10.0F);
    glVertex3f(place, 0, 10.0F);
    glVertex3f(-10.0F, 0, place);
    glVertex3f(10.0F, 0, place);
  }
  glEnd();
}

// The sum of the normals of the triangles around each node; OpenGL gives them length one.
Points normals_of(const Points& positions, const Triangles& surface) {
  Points normals = Points::Zero(3, positions.cols());
  for (const auto& triangle : surface.colwise()) {
    const Eigen::Vector3d a = positions.col(triangle(0)), b = positions.col(triangle(1)),
                          c = positions.col(triangle(2));
    const Eigen::Vector3d normal = (b - a).cross(c - a);
    for (const int node : triangle) normals.col(node) += normal;
  }
  return normals;
}

struct Colour {
  float red, green, blue;
};

void draw_body(const Camera& camera, const Points& positions, const Triangles& surface, const Colour& colour,
               bool edges) {
  glEnable(GL_LIGHTING);
  glEnable(GL_LIGHT0);
  glEnable(GL_NORMALIZE);
  glEnable(GL_COLOR_MATERIAL);
  const Eigen::Vector4f lamp = (camera.view().inverse() * Eigen::Vector4d(0.4, 0.7, 1, 0)).cast<float>();
  glLightfv(GL_LIGHT0, GL_POSITION, lamp.data());  // it moves with the eye

  const Points normals = normals_of(positions, surface);
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_NORMAL_ARRAY);
  glVertexPointer(3, GL_DOUBLE, 0, positions.data());
  glNormalPointer(GL_DOUBLE, 0, normals.data());
  const auto triangles = [&] {
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(surface.size()), GL_UNSIGNED_INT, surface.data());
  };
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1, 1);
  glColor3f(colour.red, colour.green, colour.blue);
  triangles();
  glDisable(GL_POLYGON_OFFSET_FILL);
  if (edges) {
    glDisable(GL_LIGHTING);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glColor3f(0.37F * colour.red, 0.27F * colour.green, 0.13F * colour.blue);
    triangles();
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  }
}

// A flattened copy of the body lies on the floor below it.
void draw_shadow(const Points& positions, const Triangles& surface) {
  const std::array<double, 16> flatten{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0.002, 0, 1};
  glPushMatrix();
  glMultMatrixd(flatten.data());
  glDisable(GL_LIGHTING);
  glColor3f(0.80F, 0.82F, 0.85F);
  glEnableClientState(GL_VERTEX_ARRAY);
  glVertexPointer(3, GL_DOUBLE, 0, positions.data());
  glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(surface.size()), GL_UNSIGNED_INT, surface.data());
  glPopMatrix();
}

}  // namespace

// Each triangle gets nodes of its own, so that flat faces look flat.
void draw_rigid(const Camera& camera, const pliant::BodySnapshot& bodies) {
  Points corners(3, bodies.triangles.size());
  Triangles triangles(3, bodies.triangles.cols());
  for (int k = 0; k < corners.cols(); ++k) {
    corners.col(k) = bodies.positions.col(bodies.triangles.data()[k]);
    triangles.data()[k] = k;
  }
  draw_body(camera, corners, triangles, {0.25F, 0.60F, 0.30F}, false);
}

void draw(const Camera& camera, const Points& positions, const Triangles& surface,
          const pliant::BodySnapshot& bodies, bool edges, int pixels_wide, int pixels_high) {
  set_up(camera, pixels_wide, pixels_high);
  draw_shadow(positions, surface);
  draw_shadow(bodies.positions, bodies.triangles);
  draw_floor();
  draw_body(camera, positions, surface, {0.95F, 0.45F, 0.15F}, edges);
  draw_rigid(camera, bodies);
}

void write_picture(const std::string& path, int pixels_wide, int pixels_high) {
  std::vector<char> pixels(static_cast<std::size_t>(3 * pixels_wide * pixels_high));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, pixels_wide, pixels_high, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << pixels_wide << ' ' << pixels_high << "\n255\n";
  for (int row = pixels_high - 1; row >= 0; --row) {  // OpenGL begins at the bottom
    file.write(pixels.data() + 3L * row * pixels_wide, 3L * pixels_wide);
  }
  if (!file) throw std::runtime_error("cannot write " + path);
}
