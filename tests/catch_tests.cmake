# The unit tests. Catch2 3 is preferred, the packaged 2.13 serves as well; support/catch.hpp hides the difference.
find_package(Catch2 3 QUIET)
if(NOT Catch2_FOUND)
  find_package(Catch2 2.13 REQUIRED)
endif()

# The main function, and one precompiled header that all test programs share. With PLIANT_PRECOMPILE it holds the
# library too, and then a test does not show whether it includes all that it uses.
add_library(test_support OBJECT support/main.cpp support/decompositions.cpp)
target_include_directories(test_support PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(test_support PUBLIC PLIANT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(test_support PUBLIC pliant_dev $<TARGET_NAME_IF_EXISTS:pliant_compiled>
  $<IF:$<TARGET_EXISTS:Catch2::Catch2WithMain>,Catch2::Catch2WithMain,Catch2::Catch2>)
target_precompile_headers(test_support PRIVATE <Eigen/Dense> <map> <string> <vector> support/catch.hpp
  support/decompositions.hpp
  $<$<BOOL:${PLIANT_PRECOMPILE}>:<pliant/pliant.hpp$<ANGLE-R>>)
# main.cpp tells catch.hpp to define main and so must not see it precompiled; optimised, it takes half a minute.
set_source_files_properties(support/main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-O1>)

include(together.cmake)
set(choices compile_fail)  # what PLIANT_TEST_FOLDERS may name
file(GLOB test_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.cpp */*_test.cpp)
foreach(file IN LISTS test_files)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET file STEM file_name)
  string(REGEX REPLACE "_test$" "" name ${file_name})
  if(NOT folder)
    set(folder pliant)
  endif()

  list(APPEND choices ${folder} ${folder}/${name})
  set(test ${folder}/${name})
  if(PLIANT_TEST_FOLDERS AND NOT folder IN_LIST PLIANT_TEST_FOLDERS AND NOT test IN_LIST PLIANT_TEST_FOLDERS)
    continue()
  endif()

  # Each file of tests/optional is a program by itself and needs the target of its name, as pliant::metis.
  set(program test_${folder})
  if(folder STREQUAL "optional")
    set(program test_optional_${name})
    if(NOT TARGET pliant::${name})
      continue()
    endif()
  endif()
  if(NOT TARGET ${program})
    if(PLIANT_TESTS_SYNTAX_ONLY)
      add_library(${program} OBJECT)
      target_compile_options(${program} PRIVATE -fsyntax-only)
    else()
      add_executable(${program})
    endif()
    target_link_libraries(${program} PRIVATE test_support)
    if(folder STREQUAL "optional")
      target_link_libraries(${program} PRIVATE pliant::${name})
    else()
      target_precompile_headers(${program} REUSE_FROM test_support)
    endif()
  endif()
  if(NOT program IN_LIST programs)
    list(APPEND programs ${program})
  endif()
  list(APPEND files_of_${program} ${file})

  if(PLIANT_TESTS_SYNTAX_ONLY)
    continue()
  endif()

  # Catch2 tags each case with the name of its file and runs what a test specification selects.
  set(cases "[#${file_name}]")
  if(PLIANT_SKIP_SLOW_TESTS)
    string(APPEND cases "~[slow]")
  endif()
  add_test(NAME ${test} COMMAND ${program} --filenames-as-tags ${cases})
  set_tests_properties(${test} PROPERTIES
    LABELS ${folder}
    TIMEOUT 900
    SKIP_RETURN_CODE 4
    FAIL_REGULAR_EXPRESSION "No test cases matched")
endforeach()
foreach(choice IN LISTS PLIANT_TEST_FOLDERS)
  if(NOT choice IN_LIST choices)
    message(FATAL_ERROR "PLIANT_TEST_FOLDERS: there is neither a folder of tests nor a test '${choice}'")
  endif()
endforeach()
foreach(program IN LISTS programs)
  pliant_compile_together(${program} ${files_of_${program}})
endforeach()
