# Without exceptions the compiler says one sentence of ours, and then nothing but that it stops. Arguments: compiler,
# include_folder, eigen_folder, folder.
cmake_minimum_required(VERSION 3.24)

file(WRITE ${folder}/without_exceptions.cpp "#include <pliant/pliant.hpp>\nint main() {}\n")
execute_process(
  COMMAND ${compiler} -std=c++20 -fno-exceptions -fsyntax-only -I ${include_folder} -isystem ${eigen_folder}
    ${folder}/without_exceptions.cpp
  RESULT_VARIABLE failed ERROR_VARIABLE log)
string(REGEX MATCHALL "error: [^\n]*" errors "${log}")
list(LENGTH errors count)
if(NOT failed OR NOT count EQUAL 2 OR
    NOT errors MATCHES "pliant reports bad input by exceptions: compile the files that include it without -fno-exceptions")
  message(FATAL_ERROR "${compiler} -fno-exceptions:\n${log}")
endif()
