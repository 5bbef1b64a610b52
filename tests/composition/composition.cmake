# The composition test: element x scalar x energy x integrator x solver x constraint. The program composition_rows
# chooses the combinations and writes a program for each of the parts.
set(PLIANT_COMPOSITION pairs CACHE STRING "Combinations to step: pairs (every two values together) or product (all)")
set_property(CACHE PLIANT_COMPOSITION PROPERTY STRINGS pairs product)
if(NOT TARGET test_composition)
  return()
endif()

set(parts 14)
if(PLIANT_TESTS_PER_UNIT GREATER 1)
  set(parts 6)
endif()
if(PLIANT_COMPOSITION STREQUAL "product")
  set(parts 62)  # one for each element, scalar and energy
endif()
set(folder ${CMAKE_CURRENT_BINARY_DIR}/composition)
file(MAKE_DIRECTORY ${folder})
set(table ${folder}/rows.tsv)
math(EXPR last "${parts} - 1")
foreach(part RANGE ${last})
  list(APPEND part_files ${folder}/part_${part}.cpp)
endforeach()

add_executable(composition_rows composition/rows.cpp)
target_link_libraries(composition_rows PRIVATE pliant_dev)
add_custom_command(OUTPUT ${part_files} ${table}
  COMMAND composition_rows ${PLIANT_COMPOSITION} ${parts} ${folder}
  DEPENDS composition_rows
  VERBATIM)
target_sources(test_composition PRIVATE composition/reference_step.cpp ${part_files} ${table})
target_compile_definitions(test_composition PRIVATE PLIANT_COMPOSITION_TABLE="${table}")

if(PLIANT_TESTS_SYNTAX_ONLY)
  return()
endif()
add_test(NAME composition/steps COMMAND test_composition "[composition]")
set_tests_properties(composition/steps PROPERTIES
  LABELS composition
  TIMEOUT 900
  FAIL_REGULAR_EXPRESSION "No test cases matched")
