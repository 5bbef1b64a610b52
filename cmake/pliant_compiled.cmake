# The library pliant::compiled: Simulations of common types, and functions of their meshes, compiled once. A program
# that links it beside pliant::pliant declares them as extern templates (pliant/compiled.hpp, which pliant.hpp then
# includes) and compiles all other types itself.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, ..." FORCE)
endif()

# Types of Simulations: element, energy, scalar; integrator; solver; constraint. Those of a solid are one unit.
set(tet4 "Tet4, StableNeoHookean, double")
set(corotated "Tet4, FixedCorotated, double")
set(PLIANT_COMPILED_TYPES
  "${tet4} | BackwardEuler | Pcg<BlockJacobi> | Unconstrained"
  "${tet4} | BackwardEuler | Pcg<BlockJacobi> | Pinned"
  "${tet4} | QuasiStatic | Pcg<BlockJacobi> | Pinned"
  "${tet4} | QuasiStatic | Cholesky | Pinned"
  "${tet4} | Newmark | Pcg<BlockJacobi> | Pinned"
  "${tet4} | CentralDifferences | NoSolver | Unconstrained"
  "${tet4} | CentralDifferences | NoSolver | Pinned"
  "Hex8, StableNeoHookean, double | BackwardEuler | Pcg<BlockJacobi> | Pinned"
  "${corotated} | BackwardEuler | Pcg<BlockJacobi> | Pinned"
  "${corotated} | OperatorSplitting | NoSolver | Unconstrained"
  "${corotated} | OperatorSplitting | NoSolver | Pinned"
  CACHE STRING "The types of Simulations in pliant::compiled: solid | integrator | solver | constraint")

# The instruction set of the library is part of the types that it contains. A program with another one has other types,
# to which the declarations do not apply.
set(compiled_flags)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
  if(PLIANT_NATIVE)
    set(compiled_flags -march=native)
  endif()
  set(probe ${PROJECT_BINARY_DIR}/compiled/instruction_set.cpp)
  file(CONFIGURE OUTPUT ${probe} CONTENT "#include <pliant/simd/isa.hpp>\nPLIANT_NATIVE_ISA\n")
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${compiled_flags} -I${PROJECT_SOURCE_DIR}/include -E -P ${probe}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "Isa::[a-z0-9_]+[ \n]*$" isa "${text}")
  string(STRIP "${isa}" isa)
else()
  set(isa Isa::plain)
endif()

set(declarations)
set(units)
foreach(composition IN LISTS PLIANT_COMPILED_TYPES)
  if(NOT composition MATCHES "^[^|]+ \\| [^|]+ \\| [^|]+ \\| [^|]+$")
    message(FATAL_ERROR "PLIANT_COMPILED_TYPES: '${composition}' is not of the form solid | integrator | solver | "
      "constraint")
  endif()
  string(REPLACE " | " ";" types "${composition}")
  list(GET types 0 solid)
  list(SUBLIST types 1 3 policies)
  list(JOIN policies ", " policies)
  list(GET types 1 integrator)
  list(GET types 2 solver)
  list(GET types 3 constraint)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "_" unit "${solid}")
  string(TOLOWER ${unit} unit)
  set(simulation "Simulation<Solid<${solid}>, ${policies}, ${isa}>")
  set(state "SavedState<Solid<${solid}>, ${integrator}, ${solver}, ${isa}>")
  set(functions
    "void detail::OutOfLine::prepare(${simulation}&)"
    "StepReport detail::OutOfLine::step(${simulation}&)"
    "Energies detail::OutOfLine::energies(const ${simulation}&)"
    "void detail::OutOfLine::copy_state(const ${simulation}&, ${state}&)"
    "void detail::OutOfLine::set_state(${simulation}&, ${state}&)"
    "void detail::OutOfLine::set_integrator(${simulation}&, ${integrator}&)"
    "void detail::OutOfLine::set_constraint(${simulation}&, ${constraint}&)")
  if(NOT unit IN_LIST units)
    list(APPEND units ${unit})
    set(definitions_of_${unit})
    list(PREPEND functions
      "ElasticSystem<Solid<${solid}>, ${isa}> detail::OutOfLine::make_system(const Solid<${solid}>&)")
  endif()
  foreach(function IN LISTS functions)
    string(APPEND declarations "extern template ${function};\n")
    string(APPEND definitions_of_${unit} "template ${function};\n")
  endforeach()
endforeach()

list(APPEND units meshes)
foreach(element IN ITEMS Tet4 Hex8)
  set(mesh "Mesh<${element}, double>")
  foreach(function IN ITEMS
      "${mesh} make_box<${element}, double>(const BoxShape&)"
      "${mesh} read_mesh<${element}, double>(const std::filesystem::path&)"
      "${mesh} read_mesh<${element}, double>(const std::filesystem::path&, ReadReport&)"
      "Diagnosis diagnose(const ${mesh}&, const DiagnosisOptions&)"
      "Repair<${mesh}> drop_duplicate_elements(const ${mesh}&)"
      "Repair<${mesh}> drop_degenerate_elements(const ${mesh}&)"
      "Repair<${mesh}> drop_unreferenced_nodes(const ${mesh}&)"
      "Repair<${mesh}> reorient(const ${mesh}&)"
      "BoundaryFaces<${element}> boundary_faces(const ${mesh}&)")
    string(APPEND declarations "extern template ${function};\n")
    string(APPEND definitions_of_meshes "template ${function};\n")
  endforeach()
endforeach()

set(compiled_folder ${PROJECT_BINARY_DIR}/compiled)
file(CONFIGURE OUTPUT ${compiled_folder}/include/pliant/compiled.hpp @ONLY CONTENT
"// The functions that pliant::compiled contains, for programs with its instruction set. Made by CMake.
#pragma once

#include <pliant/pliant.hpp>

namespace pliant {

@declarations@
}  // namespace pliant
")
foreach(unit IN LISTS units)
  set(definitions "${definitions_of_${unit}}")
  set(source ${compiled_folder}/${unit}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"#include <pliant/pliant.hpp>

namespace pliant {

static_assert(PLIANT_NATIVE_ISA == @isa@,
              \"pliant::compiled is compiled for another instruction set than it was configured for\");

@definitions@
}  // namespace pliant
")
  list(APPEND compiled_sources ${source})
endforeach()

add_library(pliant_compiled STATIC ${compiled_sources})
add_library(pliant::compiled ALIAS pliant_compiled)
set_target_properties(pliant_compiled PROPERTIES EXPORT_NAME compiled POSITION_INDEPENDENT_CODE ON)
target_link_libraries(pliant_compiled PUBLIC pliant)
target_compile_options(pliant_compiled PRIVATE ${compiled_flags})
target_compile_definitions(pliant_compiled INTERFACE PLIANT_COMPILED)
target_include_directories(pliant_compiled INTERFACE
  $<BUILD_INTERFACE:${compiled_folder}/include> $<INSTALL_INTERFACE:include>)
