# The headers as files: each compiles by itself, includes only what it may, and is installed.
set(headers_alone all_verify_interface_header_sets)
if(PLIANT_PRECOMPILE)
  # With the core of Eigen precompiled, and no further than to errors and warnings: a third of the time. What a header
  # needs of the standard library and Eigen's core includes, it may then forget to include.
  set(headers_alone headers_alone)
  add_library(headers_alone OBJECT EXCLUDE_FROM_ALL)
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <@header@>\n" @ONLY)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fsyntax-only)
    target_sources(headers_alone PRIVATE ${source})
  endforeach()
  target_link_libraries(headers_alone PRIVATE pliant_dev)
  target_precompile_headers(headers_alone PRIVATE <Eigen/Core>)
endif()
add_test(NAME headers/compile_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${headers_alone})
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

# Both with this compiler, and with clang++ where that is another.
find_program(PLIANT_CLANG clang++)
mark_as_advanced(PLIANT_CLANG)
get_target_property(eigen_folder Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
set(compilers ${CMAKE_CXX_COMPILER})
if(PLIANT_CLANG AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND compilers ${PLIANT_CLANG})
endif()
foreach(compiler IN LISTS compilers)
  cmake_path(GET compiler FILENAME compiler_name)
  foreach(test IN ITEMS macros_of_others without_exceptions)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${test}_${compiler_name})
    add_test(NAME headers/${test}_${compiler_name}
      COMMAND ${CMAKE_COMMAND} -D compiler=${compiler} -D include_folder=${PROJECT_SOURCE_DIR}/include
        -D eigen_folder=${eigen_folder} -D folder=${folder} -P ${CMAKE_CURRENT_LIST_DIR}/${test}.cmake)
    set_tests_properties(headers/${test}_${compiler_name} PROPERTIES LABELS headers)
  endforeach()
endforeach()

# The public names, which clang lists.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(PLIANT_CLANG ${CMAKE_CXX_COMPILER})
endif()
if(PLIANT_CLANG)
  add_test(NAME headers/exported_names
    COMMAND ${CMAKE_COMMAND} -D compiler=${PLIANT_CLANG} -D include_folder=${PROJECT_SOURCE_DIR}/include
      -D eigen_folder=${eigen_folder} -D list=${CMAKE_CURRENT_LIST_DIR}/exported_names.txt
      -D folder=${CMAKE_CURRENT_BINARY_DIR}/exported_names -P ${CMAKE_CURRENT_LIST_DIR}/exported_names.cmake)
else()
  add_test(NAME headers/exported_names COMMAND ${CMAKE_COMMAND} -E echo "skipped: only clang++ lists the names")
  set_tests_properties(headers/exported_names PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
endif()
set_tests_properties(headers/exported_names PROPERTIES LABELS headers)

set_tests_properties(headers/compile_alone headers/include_rules headers/all_installed PROPERTIES LABELS headers)
set_tests_properties(headers/all_installed PROPERTIES FIXTURES_REQUIRED installed_package)
