# The target validation_page: runs the validation tests and makes docs/validation_results.md from what they measure.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(TARGET test_validation AND NOT PLIANT_TESTS_SYNTAX_ONLY AND Python3_Interpreter_FOUND)
  set(records ${CMAKE_CURRENT_BINARY_DIR}/validation_records)
  add_custom_target(validation_page
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${records}
    COMMAND ${CMAKE_COMMAND} -E env PLIANT_VALIDATION_RECORD=${records} $<TARGET_FILE:test_validation>
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/docs/validation.py ${records}
    VERBATIM)
  add_dependencies(validation_page test_validation)
endif()
