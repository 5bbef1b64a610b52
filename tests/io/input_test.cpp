#include "io/reading.hpp"
#include "support/catch.hpp"

#include <cfloat>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include <pliant/io/input.hpp>

using namespace pliant;
using detail::io::Input;

namespace {

double real(const std::string& text) { return Input(text, "f").real("a number"); }
std::int64_t integer(const std::string& text) { return Input(text, "f").integer("a number"); }

}  // namespace

TEST_CASE("numbers in every spelling that mesh files use") {
  CHECK(real("1") == 1);
  CHECK(real("-.5") == -0.5);
  CHECK(real("5.") == 5);
  CHECK(real("+2.5e-3") == 2.5e-3);
  CHECK(real("1.5D+02") == 150);
  CHECK(real("-1.5d-1") == -0.15);
  CHECK(real("+1.5D0") == 1.5);
  CHECK(real("0.1") == 0.1);
  CHECK(real("17976931348623157e292") == DBL_MAX);
  CHECK(real("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(integer("-12") == -12);
  CHECK(integer("+7") == 7);
  CHECK(integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("numbers too small for double become zero, those too large are refused") {
  CHECK(real("1e-400") == 0);
  CHECK(real("-1e-999999999999999999999") == 0);
  CHECK(real("0." + std::string(400, '0') + "1") == 0);
  for (const std::string text : {"1e400", "1e999999999999999999999", "1D999"}) {
    check_refused([&] { real(text); }, 1, "not a finite number");
  }
  check_refused([] { real(std::string(400, '9')); }, 1, "not a finite number");
}

TEST_CASE("what is not a number is refused, and the message shows it") {
  for (const std::string text :
       {"abc", "0.0.1", "0,5", "1e", "--1", "+-1", "++1", "0x10", "1-2", ".", "1_000"}) {
    check_refused([&] { real(text); }, 1, "expected a number, found '" + text + "'");
  }
  for (const std::string text : {"nan", "-NaN", "inf", "Infinity"}) {
    check_refused([&] { real(text); }, 1, "not a finite number");
  }
  for (const std::string text : {"1.5", "1e3", "x", "-"}) {
    check_refused([&] { integer(text); }, 1, "expected a number");
  }
  check_refused([] { integer("99999999999999999999"); }, 1, "too large");
  check_refused([] { real(" \n "); }, 2, "the file ends where a number should follow");
}

TEST_CASE("messages show no control characters and no long words") {
  check_refused([] { real(std::string("\x01\xff") + "x"); }, 1, "found '??x'");
  check_refused([] { real(std::string(1000, 'x')); }, 1, std::string(32, 'x') + "...'");
}

TEST_CASE("a failure names the line of the word, whatever ends the lines") {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = "1" + end + end + "2 x";
    Input in(text, "f");
    in.real("a number");
    in.real("a number");
    check_refused([&] { in.real("a number"); }, 3, "found 'x'");
  }
}

TEST_CASE("blanks, comments and separators") {
  Input in("\xEF\xBB\xBF \t# comment 9\n 1 # 2\n,3#4\n# end", "f", {.comment = '#', .separator = ','});
  CHECK(in.integer("a number") == 1);
  CHECK(in.at_line_end());
  CHECK(in.integer("a number") == 3);
  CHECK(in.peek_word().empty());
  CHECK(in.at_line_end());
}

TEST_CASE("lines") {
  Input in("one\r\n\ntwo\rthree", "f");
  CHECK(in.line() == "one");
  CHECK(in.line().empty());
  CHECK(in.line() == "two");
  CHECK(in.line() == "three");
  CHECK(in.line().empty());
  Input row("1 2 \n3", "f");
  row.integer("a number");
  check_refused([&] { row.expect_line_end("the count"); }, 1, "unexpected '2' after the count");
  row.integer("a number");
  CHECK_NOTHROW(row.expect_line_end("the count"));
}

TEST_CASE("binary numbers in both byte orders") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const std::string bytes = Binary(order).add<std::int32_t>({-7}).add({1.5}).add<std::uint8_t>({200}).bytes;
    Input in(bytes, "f");
    in.set_binary(order != std::endian::native);
    CHECK(in.number<std::int32_t>("a number") == -7);
    CHECK(in.finite_number<double>("a number") == 1.5);
    CHECK(in.number<std::uint8_t>("a number") == 200);
    check_refused([&] { in.number<std::uint8_t>("a number"); }, 0,
                  "ends where a number should follow (at byte 13)");
  }
  const std::string bytes = Binary().add({std::numeric_limits<double>::quiet_NaN()}).bytes;
  Input in(bytes, "f");
  in.set_binary(std::endian::native != std::endian::little);
  check_refused([&] { in.finite_number<double>("a number"); }, 0, "not a finite number (at byte 0)");
}

TEST_CASE("a count is believed only if the rest of the file has room for it") {
  const Input in("0123456789", "f");
  CHECK(in.count(5, 2, "nodes") == 5);
  CHECK(in.count(0, 100, "nodes") == 0);
  check_refused([&] { in.count(6, 2, "nodes"); }, 1,
                "6 nodes are declared, but the rest of the file has room for 5");
  check_refused([&] { in.count(-1, 2, "nodes"); }, 1, "the number of nodes is negative: -1");
  check_refused([&] { in.count(std::numeric_limits<std::uint64_t>::max(), 2, "nodes"); }, 1,
                "18446744073709551615 nodes");
}

TEST_CASE("where items are missing a message gives both numbers") {
  for (const std::string text : {"1", "-1", "+1", ".5", "nan", "Infinity"}) {
    const std::string bytes = "\n " + text;
    Input in(bytes, "f");
    CHECK_NOTHROW(in.expect_item(3, 5, "nodes"));
    CHECK(in.next_word() == text);
  }
  check_refused([] { Input("\n $EndNodes", "f").expect_item(3, 5, "nodes"); }, 2,
                "5 nodes are declared, but 3 are listed: '$EndNodes' follows");
  check_refused([] { Input("\n ", "f").expect_item(0, 5, "nodes"); }, 2,
                "5 nodes are declared, but 0 are listed: the file ends");
}

TEST_CASE("node indices and region numbers are checked") {
  const Input in("", "f");
  CHECK(in.node_index(1, 1, 4) == 0);
  CHECK(in.node_index(4, 1, 4) == 3);
  check_refused([&] { in.node_index(0, 1, 4); }, 1, "refers to node 0, but the nodes are 1 to 4");
  check_refused([&] { in.node_index(5, 1, 4); }, 1, "refers to node 5");
  check_refused([&] { in.node_index(0, 0, 0); }, 1, "the nodes are none");
  for (const std::int64_t extreme :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    check_refused([&] { in.node_index(extreme, 1, 4); }, 1, "refers to node");
    check_refused([&] { in.region_number(extreme); }, 1, "does not fit into an int");
  }
  CHECK(in.region_number(-2147483647) == -2147483647);
}

TEST_CASE("a failure in bytes of several files names the right one") {
  const std::string bytes = "1\n2\nx\ny\nz";
  Input in(bytes, {{0, "main", 0}, {4, "part", 0}, {6, "main", 3}});
  for (int i = 0; i < 2; ++i) in.integer("a number");
  const auto fails = [&](const std::string& file, std::size_t line) {
    try {
      in.integer("a number");
    } catch (const MeshError& error) {
      CHECK(error.file() == file);
      CHECK(error.line() == line);
    }
    in.next_word();
  };
  fails("part", 1);
  fails("main", 4);
  fails("main", 5);
}

TEST_CASE("a file that cannot be read") {
  const TemporaryFolder folder;
  check_refused([&] { detail::io::file_bytes(folder.path / "none.msh"); }, 0, "there is no such file");
  check_refused([&] { detail::io::file_bytes(folder.path); }, 0, "not a regular file");
  CHECK(detail::io::file_bytes(folder.write("a", std::string("\0\r\n", 3))) == std::string("\0\r\n", 3));
  // Larger than a piece of the reading.
  std::string large(std::size_t{5} << 20, 'x');
  large.back() = 'y';
  CHECK(detail::io::file_bytes(folder.write("b", large)) == large);
  CHECK(detail::io::file_bytes(folder.write("c", "")).empty());
}

TEST_CASE("a file of holes is refused after some of its zeros, whatever size it claims") {
  const TemporaryFolder folder;
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  const auto path = folder.write("holes.msh", head);
  constexpr std::uintmax_t size = std::uintmax_t{1} << 28;
  std::filesystem::resize_file(path, size);
  constexpr std::size_t most = std::size_t{1} << 21;
  check_refused([&] { detail::io::file_bytes(path, most); }, 0,
                "is a sparse file: of the 268435456 bytes that it claims, those from 35 to 4194304 are zero");
  // Fewer zeros may be data.
  std::filesystem::resize_file(path, std::uintmax_t{head.size() + most});
  CHECK(detail::io::file_bytes(path, most) == head + std::string(most, '\0'));
  CHECK(
      detail::io::file_bytes(folder.write("x", std::string(most, '\0') + "x" + std::string(most, '\0')), most)
          .size() == 2 * most + 1);
}

TEST_CASE("zeros that are written are data, however many they are") {
  const TemporaryFolder folder;
  constexpr std::size_t most = std::size_t{1} << 21;
  const std::string zeros = "x" + std::string(4 * most, '\0') + "x";
  const auto path = folder.write("zeros", zeros);
  if (detail::io::bytes_in_holes(path, zeros.size()) > most) {
    WARN("this file system stores zeros as holes");
    return;
  }
  CHECK(detail::io::file_bytes(path, most) == zeros);
  // Also where fewer than that are in a hole behind them.
  std::filesystem::resize_file(path, zeros.size() + most);
  CHECK(detail::io::file_bytes(path, most) == zeros + std::string(most, '\0'));
  std::filesystem::resize_file(path, zeros.size() + 2 * most);
  CHECK_THROWS_AS(detail::io::file_bytes(path, most), MeshError);
}
