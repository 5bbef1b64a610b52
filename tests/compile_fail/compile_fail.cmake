# Every file tests/compile_fail/<name>.cpp is built twice: as it is, which must succeed, and with SHOULD_FAIL defined,
# which must fail with the words that the file announces in a comment:   // must say: <words>
# There may be several such lines; the compiler's message must hold each. Adding a case is adding a file.
set(include_folders $<TARGET_PROPERTY:pliant_dev,INTERFACE_INCLUDE_DIRECTORIES>)

# Both compilers take <pliant/pliant.hpp> precompiled, GCC from a folder where it looks first: half the time.
set(precompiled)
if(CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/compile_fail)
  set(header ${folder}/pliant/pliant.hpp.gch)
  set(precompiled -I${folder})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(precompiled -include-pch ${header})
  endif()
  file(MAKE_DIRECTORY ${folder}/pliant)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_CXX_COMPILER} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION} "-I$<JOIN:${include_folders},;-I>"
      -w -MD -MF ${header}.d -MT ${header} -x c++-header ${PROJECT_SOURCE_DIR}/include/pliant/pliant.hpp -o ${header}
    DEPFILE ${header}.d
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(compile_fail_precompiled ALL DEPENDS ${header})
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
