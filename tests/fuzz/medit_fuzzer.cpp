#include "fuzz/check_cells.hpp"

#include <pliant/io/medit.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run([&] { return pliant::detail::io::parse_medit(fuzz::as_text(data, size), "fuzz"); });
}
