# Compiles in_registers.cpp with -O2 for the least instruction set, and fails where a function keeps lanes in memory.
# Needs compiler, source, eigen (its include folder), include_folder and output_folder.
execute_process(
  COMMAND ${compiler} -std=c++20 -O2 -fstack-usage -I ${include_folder} -isystem ${eigen} -c ${source}
    -o ${output_folder}/in_registers.o
  RESULT_VARIABLE result ERROR_VARIABLE errors)
if(result)
  message(FATAL_ERROR "in_registers.cpp does not compile:\n${errors}")
endif()
file(STRINGS ${output_folder}/in_registers.su functions)
if(NOT functions)
  message(FATAL_ERROR "the compiler tells of no function")
endif()
foreach(function IN LISTS functions)
  string(REGEX MATCH "\t([0-9]+)\t" found "${function}")
  if(CMAKE_MATCH_1 GREATER 16)  # bytes; 8 hold the return address
    message(SEND_ERROR "lanes are in memory: ${function}")
  endif()
endforeach()
