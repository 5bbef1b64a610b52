// The main of a test program, with Catch2 v2; v3 brings its own.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

int main(int count, char** arguments) {
  if (Catch::Session().run(count, arguments) != 0) return 1;
  return pliant::test::skipped ? 4 : 0;
}
#endif
