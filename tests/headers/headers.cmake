# The headers as files: each compiles by itself, includes only what it may, and is installed.
add_test(NAME headers/compile_alone
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target all_verify_interface_header_sets)
add_test(NAME headers/include_rules
  COMMAND ${CMAKE_COMMAND} -D include_folder=${PROJECT_SOURCE_DIR}/include
    -P ${CMAKE_CURRENT_LIST_DIR}/include_rules.cmake)
add_test(NAME headers/all_installed
  COMMAND ${CMAKE_COMMAND} -D include_folder=${PROJECT_SOURCE_DIR}/include
    -D installed_folder=${package_test_prefix}/include -P ${CMAKE_CURRENT_LIST_DIR}/all_installed.cmake)

set_tests_properties(headers/compile_alone headers/include_rules headers/all_installed PROPERTIES LABELS headers)
set_tests_properties(headers/all_installed PROPERTIES FIXTURES_REQUIRED installed_package)
