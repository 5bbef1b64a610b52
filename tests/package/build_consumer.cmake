# Configures, checks, builds and runs the consumer; see package.cmake. The arguments behind -- are its definitions.
cmake_minimum_required(VERSION 3.24)

set(definitions)
set(behind_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(behind_dashes)
    list(APPEND definitions "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(behind_dashes TRUE)
  endif()
endforeach()

# No build type and no flags: what the compiler is then given comes from pliant.
file(REMOVE_RECURSE ${build})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${source} -B ${build} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_CXX_FLAGS= -D CMAKE_BUILD_TYPE= -D CMAKE_EXPORT_COMPILE_COMMANDS=ON
    -D CMAKE_FIND_USE_PACKAGE_REGISTRY=OFF ${definitions}
  RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)

if("-Dpliant_version=99" IN_LIST definitions)
  if(NOT failed)
    message(FATAL_ERROR "A request for version 99 was accepted:\n${log}")
  endif()
  if(NOT log MATCHES "requested version \"99\".*pliant-config.cmake, version: 0\\.")
    message(FATAL_ERROR "A request for version 99 failed for another reason than the version:\n${log}")
  endif()
  return()
endif()
if(failed)
  message(FATAL_ERROR "The consumer cannot be configured:\n${log}")
endif()

# The flags allowed are those that C++20, the include folders and OpenMP need.
set(allowed "^(-std=.*|-I.*|-isystem|-o|-c)$")
if(definitions MATCHES "CMAKE_CXX_FLAGS=-O1")  # of the test itself
  set(allowed "${allowed}|^-(O1|Wall|Werror)$")
endif()
if(NOT definitions MATCHES "CMAKE_DISABLE_FIND_PACKAGE_OpenMP|PLIANT_USE_OPENMP=OFF")
  set(allowed "${allowed}|^-fopenmp")
endif()
file(READ ${build}/compile_commands.json commands)
string(JSON command GET "${commands}" 0 command)
separate_arguments(arguments UNIX_COMMAND "${command}")
foreach(argument IN LISTS arguments)
  if(argument MATCHES "^-" AND NOT argument MATCHES "${allowed}")
    message(FATAL_ERROR "pliant leaks the flag ${argument} to its users:\n${command}")
  endif()
endforeach()

execute_process(COMMAND ${CMAKE_COMMAND} --build ${build}
  RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(failed OR log MATCHES "warning")
  message(FATAL_ERROR "The consumer cannot be built, or not without a warning:\n${log}")
endif()

set(programs consumer)
if("-Dwith_ten_lines=ON" IN_LIST definitions)
  list(APPEND programs ten_lines)
endif()
if(definitions MATCHES "-Dwith_optional=")
  list(APPEND programs optional)
endif()
foreach(program IN LISTS programs)
  execute_process(COMMAND ${build}/${program} ${source}/cube.mesh WORKING_DIRECTORY ${build}
    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(failed)
    message(FATAL_ERROR "The program ${program} fails (${failed}):\n${log}")
  endif()
endforeach()
