# Builds `source` without and with SHOULD_FAIL, with the options `precompiled`; see compile_fail.cmake.
cmake_minimum_required(VERSION 3.24)

file(STRINGS ${source} announcements REGEX "^// must say: .+")
if(NOT announcements)
  message(FATAL_ERROR "${source} announces no message: it needs a line '// must say: <words>'")
endif()

list(TRANSFORM include_folders PREPEND "-I")
set(compile ${compiler} ${standard} -fsyntax-only ${precompiled} ${include_folders})

execute_process(COMMAND ${compile} ${source} RESULT_VARIABLE failed ERROR_VARIABLE message)
if(failed)
  message(FATAL_ERROR "Must compile without SHOULD_FAIL and does not:\n${message}")
endif()

execute_process(COMMAND ${compile} -DSHOULD_FAIL ${source} RESULT_VARIABLE failed ERROR_VARIABLE message)
if(NOT failed)
  message(FATAL_ERROR "Must not compile with SHOULD_FAIL and does.")
endif()

# Compilers quote the line that fails, and with it perhaps the comment: the words must stand elsewhere.
string(REGEX REPLACE "// must say: [^\n]*" "" message "${message}")
foreach(announcement IN LISTS announcements)
  string(REPLACE "// must say: " "" words "${announcement}")
  string(FIND "${message}" "${words}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "The message must say '${words}' and does not:\n${message}")
  endif()
endforeach()
