# The headers as files: each compiles by itself, includes only what it may, and is installed.
add_test(NAME headers/compile_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target all_verify_interface_header_sets)
add_test(NAME headers/include_rules
  COMMAND ${CMAKE_COMMAND} -D include_folder=${PROJECT_SOURCE_DIR}/include
    -P ${CMAKE_CURRENT_LIST_DIR}/include_rules.cmake)
add_test(NAME headers/all_installed
  COMMAND ${CMAKE_COMMAND} -D include_folder=${PROJECT_SOURCE_DIR}/include
    -D installed_folder=${package_test_prefix}/include -P ${CMAKE_CURRENT_LIST_DIR}/all_installed.cmake)
# Clang tells no stack usage before version 15, and unrolls with -O2 by itself.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT PLIANT_SANITIZE)
  get_target_property(eigen Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  list(GET eigen 0 eigen)
  add_test(NAME headers/in_registers
    COMMAND ${CMAKE_COMMAND} -D compiler=${CMAKE_CXX_COMPILER} -D source=${CMAKE_CURRENT_LIST_DIR}/in_registers.cpp
      -D eigen=${eigen} -D include_folder=${PROJECT_SOURCE_DIR}/include -D output_folder=${CMAKE_CURRENT_BINARY_DIR}
      -P ${CMAKE_CURRENT_LIST_DIR}/in_registers.cmake)
  set_tests_properties(headers/in_registers PROPERTIES LABELS headers)
endif()

set_tests_properties(headers/compile_alone headers/include_rules headers/all_installed PROPERTIES LABELS headers)
set_tests_properties(headers/all_installed PROPERTIES FIXTURES_REQUIRED installed_package)
