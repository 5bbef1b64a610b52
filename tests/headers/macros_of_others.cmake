# Writes, compiles and runs a program in which every name that windows.h, Xlib.h, Qt, Unreal or Arduino define is a macro
# before <pliant/pliant.hpp>: it compiles, and afterwards each has the value that it had. The value is a string, so that any
# use of the name in a header is an error. Arguments: compiler, include_folder, eigen_folder, folder.
cmake_minimum_required(VERSION 3.24)

set(names
  # windows.h and what it includes
  min max near far small hyper interface pascal cdecl IN OUT OPTIONAL ERROR NO_ERROR DOMAIN OVERFLOW UNDERFLOW ABSOLUTE RELATIVE
  ALTERNATE WINDING DIFFERENCE TRANSPARENT OPAQUE DELETE IGNORE INFINITE STRICT CONST VOID TRUE FALSE
  # X11
  None Bool Status True False Success Always Never Above Below Complex Convex Nonconvex Unsorted Data Select Mask Region
  Rotation Expose FocusIn FocusOut KeyPress KeyRelease CursorShape GrayScale
  # Qt
  signals slots emit foreach forever
  # Unreal, and AssertMacros.h of macOS
  check checkf checkSlow verify verifyf require ensure ensureMsgf TEXT PI INLINE FORCEINLINE RESTRICT DELTA SMALL_NUMBER
  # Arduino
  abs round sq bit bitRead bitSet radians degrees constrain F E B0 B1 D0 D1 D2 D3 A0 A1 INPUT OUTPUT DEFAULT INTERNAL EXTERNAL
  LOW HIGH CHANGE DEC HEX OCT BIN byte word boolean
  # others
  I complex index likely unlikely swap clamp sign lerp MIN MAX ABS SIGN CLAMP SWAP EPSILON ASSERT CHECK nil)

set(defined)
set(checked)
foreach(name IN LISTS names)
  string(APPEND defined "#define ${name} \"the macro ${name}\"\n")
  string(APPEND checked "static_assert(same(${name}, \"the macro \" \"${name}\"));\n")
endforeach()

file(WRITE ${folder}/macros.cpp "${defined}
#include <pliant/pliant.hpp>

constexpr bool same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}
${checked}
#if defined(PLIANT_MACROS_ARE_HIDDEN)
#error the macros of others are still hidden
#endif

// Single headers, between the two by hand; one that comes within the other's pair changes nothing.
#include <pliant/hide_macros.hpp>
#include <pliant/hide_macros.hpp>
#include <pliant/testing/derivatives.hpp>
#include <pliant/restore_macros.hpp>
#if defined(near)
#error hidden twice and restored once is hidden
#endif
#include <pliant/restore_macros.hpp>
${checked}
int main() {
  using namespace pliant;
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {1, 1, 1}});
  const auto held = Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 0.5; }));
  Simulation simulation(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                        BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, held);
  return simulation.step() ? 0 : 1;
}
")
execute_process(
  COMMAND ${compiler} -std=c++20 -O0 -I ${include_folder} -isystem ${eigen_folder} ${folder}/macros.cpp -o ${folder}/macros
  RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(failed OR log)
  string(SUBSTRING "${log}" 0 4000 log)
  message(FATAL_ERROR "${compiler} with the macros of others:\n${log}")
endif()
execute_process(COMMAND ${folder}/macros COMMAND_ERROR_IS_FATAL ANY)
