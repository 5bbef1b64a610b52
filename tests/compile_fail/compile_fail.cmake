# Every file tests/compile_fail/<name>.cpp is built twice: as it is, which must succeed, and with SHOULD_FAIL defined,
# which must fail with the words that the file announces in a comment:   // must say: <words>
# There may be several such lines; the compiler's message must hold each. Adding a case is adding a file.
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
foreach(source IN LISTS cases)
  cmake_path(GET source STEM name)
  add_test(NAME compile_fail/${name}
    COMMAND ${CMAKE_COMMAND}
      -D source=${source}
      -D compiler=${CMAKE_CXX_COMPILER}
      -D standard=${CMAKE_CXX20_STANDARD_COMPILE_OPTION}
      -D "include_folders=$<TARGET_PROPERTY:pliant_dev,INTERFACE_INCLUDE_DIRECTORIES>"
      -P ${CMAKE_CURRENT_LIST_DIR}/build_twice.cmake)
  set_tests_properties(compile_fail/${name} PROPERTIES LABELS compile_fail)
endforeach()
