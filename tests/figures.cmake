# README.md and docs/performance.md say what docs/figures.json says.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME docs/figures COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/bench/figures.py --check)
  set_tests_properties(docs/figures PROPERTIES LABELS docs)
endif()
