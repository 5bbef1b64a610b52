// compare_pictures before.ppm after.ppm: 0 where both show a ball in the viewer's colours, which has fallen
// from half a metre in the first to the floor in the second.
// compare_pictures links before.ppm after.ppm: 0 where both show rigid links above a soft body, which are
// dragged to the right in the second.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Where the body is in a picture: rows from the top, as parts of the height.
struct Sight {
  double share = 0;   // of all pixels
  double middle = 0;  // the mean row
  double lowest = 0;  // the last row
  double edges = 0;   // share of its pixels in the darker brown of the edges
  double links = 0;   // share of all pixels in the green of rigid links, and their mean row and column
  double links_row = 0, links_column = 0;
};

Sight look_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, most = 0;
  file >> magic >> width >> height >> most;
  file.get();
  if (!file || magic != "P6" || most != 255 || width <= 0 || height <= 0) {
    throw std::runtime_error(path + " is no picture");
  }
  std::vector<unsigned char> pixels(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  file.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size()));
  if (!file) throw std::runtime_error(path + " is too short");

  Sight sight;
  double count = 0, brown = 0, rows = 0;
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const unsigned char* pixel = &pixels[3 * static_cast<std::size_t>(row * width + column)];
      if (pixel[1] > 1.3 * pixel[0] && pixel[1] > 1.3 * pixel[2]) {
        sight.links += 1;
        sight.links_row += row;
        sight.links_column += column;
      }
      if (pixel[0] < 1.5 * pixel[2] || pixel[0] < 40) continue;  // the body is orange, all else bluish
      count += 1;
      rows += row;
      brown += pixel[1] < 0.41 * pixel[0];  // edges have 0.34, the lit faces 0.47
      sight.lowest = static_cast<double>(row + 1) / height;
    }
  }
  if (count == 0) throw std::runtime_error(path + " shows no body");
  if (sight.links > 0) {
    sight.links_row /= sight.links * height;
    sight.links_column /= sight.links * width;
    sight.links /= static_cast<double>(width) * height;
  }
  sight.share = count / (static_cast<double>(width) * height);
  sight.middle = rows / count / height;
  sight.edges = brown / count;
  return sight;
}

bool check(bool holds, const char* what) {
  if (!holds) std::printf("not so: %s\n", what);
  return holds;
}

int run(const std::string& first, const std::string& second) {
  const Sight before = look_at(first), after = look_at(second);
  for (const Sight& sight : {before, after}) {
    std::printf("%.3f of the pixels, middle %.3f, lowest %.3f of the height, %.2f of it edges\n", sight.share,
                sight.middle, sight.lowest, sight.edges);
  }
  bool right = true;
  for (const Sight& sight : {before, after}) {
    right &= check(sight.share > 0.05 && sight.share < 0.4, "the body fills 5 to 40 % of the picture");
    right &= check(sight.edges > 0.02 && sight.edges < 0.5, "its edges are drawn, and its faces");
  }
  // Half a metre of 2.3 m that the picture is high at the distance of the body.
  right &= check(after.middle > before.middle + 0.1, "the body has fallen");
  right &= check(after.lowest > 0.5 && after.lowest < 0.95, "and not out of the picture");
  return right ? 0 : 1;
}

int run_links(const std::string& first, const std::string& second) {
  const Sight before = look_at(first), after = look_at(second);
  bool right = true;
  for (const Sight& sight : {before, after}) {
    std::printf("links: %.4f of the pixels, column %.3f, row %.3f, that of the body %.3f\n", sight.links,
                sight.links_column, sight.links_row, sight.middle);
    right &= check(sight.links > 0.001 && sight.links < 0.02, "the links fill 0.1 to 2 % of the picture");
    right &= check(sight.links_row < sight.middle - 0.1, "they are above the body");
  }
  right &= check(after.links_column > before.links_column + 0.02, "the link that is dragged moves");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 4 && std::string(argv[1]) == "links") return run_links(argv[2], argv[3]);
    if (argc != 3) throw std::runtime_error("compare_pictures [links] before.ppm after.ppm");
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
