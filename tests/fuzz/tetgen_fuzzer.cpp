// The bytes are the .node, the .ele, the .face and the .edge file, with '|' between them.
#include "fuzz/check_cells.hpp"

#include <pliant/io/tetgen.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::as_text(data, size);
  const auto next = [&rest] {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
  };
  const pliant::detail::io::NamedBytes nodes{next(), "fuzz.node"};
  const pliant::detail::io::NamedBytes cells{next(), "fuzz.ele"};
  std::optional<pliant::detail::io::NamedBytes> faces;
  std::optional<pliant::detail::io::NamedBytes> edges;
  if (!rest.empty()) faces = {next(), "fuzz.face"};
  if (!rest.empty()) edges = {next(), "fuzz.edge"};
  return fuzz::run([&] { return pliant::detail::io::parse_tetgen(nodes, cells, faces, edges); });
}
