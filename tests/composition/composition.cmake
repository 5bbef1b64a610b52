# The composition test: element x scalar x energy x integrator x solver x constraint. The program composition_rows
# chooses the combinations and writes a program for each of the parts.
set(PLIANT_COMPOSITION pairs CACHE STRING "Combinations to step: pairs (every two values together) or product (all)")
set_property(CACHE PLIANT_COMPOSITION PROPERTY STRINGS pairs product)
option(PLIANT_STEP_FEW_COMPOSITIONS
  "Step so many combinations that every value occurs; compile the others as far as to errors (with Clang)" OFF)
if(NOT TARGET test_composition)
  return()
endif()

add_executable(composition_rows composition/rows.cpp)
target_link_libraries(composition_rows PRIVATE pliant_dev)

# pliant_write_composition(<values|pairs|product> <number of parts> <variable>): sets the variable to the files that
# will hold the combinations, and <variable>_TABLE to their table.
function(pliant_write_composition choice parts variable)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/composition/${choice})
  file(MAKE_DIRECTORY ${folder})
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    list(APPEND part_files ${folder}/part_${part}.cpp)
  endforeach()
  add_custom_command(OUTPUT ${part_files} ${folder}/rows.tsv
    COMMAND composition_rows ${choice} ${parts} ${folder}
    DEPENDS composition_rows
    VERBATIM)
  set(${variable} ${part_files} PARENT_SCOPE)
  set(${variable}_TABLE ${folder}/rows.tsv PARENT_SCOPE)
endfunction()

set(parts 14)
if(PLIANT_TESTS_PER_UNIT GREATER 1)
  set(parts 6)
endif()
if(PLIANT_COMPOSITION STREQUAL "product")
  set(parts 62)  # one for each element, scalar and energy
endif()
pliant_write_composition(${PLIANT_COMPOSITION} ${parts} all_combinations)
set(stepped ${all_combinations})
if(PLIANT_STEP_FEW_COMPOSITIONS)
  pliant_write_composition(values 2 stepped)
  add_library(test_composition_compiled OBJECT ${all_combinations})
  set_source_files_properties(${all_combinations} PROPERTIES COMPILE_OPTIONS -fsyntax-only)
  target_link_libraries(test_composition_compiled PRIVATE test_support)
  target_precompile_headers(test_composition_compiled REUSE_FROM test_support)
endif()
target_sources(test_composition PRIVATE composition/reference_step.cpp ${stepped} ${all_combinations_TABLE})
target_compile_definitions(test_composition PRIVATE PLIANT_COMPOSITION_TABLE="${all_combinations_TABLE}")

if(PLIANT_TESTS_SYNTAX_ONLY)
  return()
endif()
add_test(NAME composition/steps COMMAND test_composition "[composition]")
set_tests_properties(composition/steps PROPERTIES
  LABELS composition
  TIMEOUT 900
  FAIL_REGULAR_EXPRESSION "No test cases matched")
