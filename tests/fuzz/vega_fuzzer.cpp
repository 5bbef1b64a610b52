// The bytes are the mesh file and up to three files to include, named a, b and c, with '|' between them.
#include "fuzz/check_cells.hpp"

#include <pliant/io/vega.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::as_text(data, size);
  std::array<std::string_view, 4> parts;
  for (std::string_view& part : parts) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto resolve = [&parts](const std::filesystem::path& name) -> std::optional<std::string> {
    const std::string text = name.string();
    if (text.size() != 1 || text[0] < 'a' || text[0] > 'c') return std::nullopt;
    return std::string(parts[static_cast<std::size_t>(text[0] - 'a') + 1]);
  };
  return fuzz::run([&] { return pliant::detail::io::parse_vega(parts[0], "folder/fuzz.veg", resolve); });
}
