# Every file tests/<folder>/<name>_fuzzer.cpp is a libFuzzer program, <name>_fuzzer, with AddressSanitizer and UBSan.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "PLIANT_BUILD_FUZZERS needs Clang (libFuzzer)")
endif()

file(GLOB fuzzer_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */*_fuzzer.cpp)
foreach(file IN LISTS fuzzer_files)
  cmake_path(GET file STEM fuzzer)
  add_executable(${fuzzer} ${file})
  target_include_directories(${fuzzer} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${fuzzer} PRIVATE pliant_dev)
  target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer,address,undefined)
endforeach()
