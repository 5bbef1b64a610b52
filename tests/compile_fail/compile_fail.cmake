# Every file tests/compile_fail/<name>.cpp is built twice: as it is, which must succeed, and with SHOULD_FAIL defined,
# which must fail with the words that the file announces in a comment:   // must say: <words>
# There may be several such lines; the compiler's message must hold each. Adding a case is adding a file.
set(include_folders $<TARGET_PROPERTY:pliant_dev,INTERFACE_INCLUDE_DIRECTORIES>)

# GCC takes <pliant/pliant.hpp> precompiled from a folder where it looks first, which halves the time of these tests.
set(precompiled)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompiled_folder ${CMAKE_CURRENT_BINARY_DIR}/compile_fail)
  set(precompiled_header ${precompiled_folder}/pliant/pliant.hpp.gch)
  file(MAKE_DIRECTORY ${precompiled_folder}/pliant)
  set(header ${PROJECT_SOURCE_DIR}/include/pliant/pliant.hpp)
  add_custom_command(OUTPUT ${precompiled_header}
    COMMAND ${CMAKE_CXX_COMPILER} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION}
      "-I$<JOIN:${include_folders},;-I>" -MD -MF ${precompiled_header}.d -MT ${precompiled_header}
      -x c++-header ${header} -o ${precompiled_header}
    DEPFILE ${precompiled_header}.d
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(compile_fail_precompiled ALL DEPENDS ${precompiled_header})
  set(precompiled -I${precompiled_folder})
endif()

file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
foreach(source IN LISTS cases)
  cmake_path(GET source STEM name)
  add_test(NAME compile_fail/${name}
    COMMAND ${CMAKE_COMMAND}
      -D source=${source}
      -D compiler=${CMAKE_CXX_COMPILER}
      -D standard=${CMAKE_CXX20_STANDARD_COMPILE_OPTION}
      -D "include_folders=${include_folders}"
      -D "precompiled=${precompiled}"
      -P ${CMAKE_CURRENT_LIST_DIR}/build_twice.cmake)
  set_tests_properties(compile_fail/${name} PROPERTIES LABELS compile_fail)
endforeach()
