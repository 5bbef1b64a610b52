# Who may include whom:
#   1. a folder of include/pliant includes only itself and the folders above it in the list below;
#   2. our own headers are included as <pliant/...> and exist;
#   3. beyond them only Eigen's modules, the standard library and a few headers are included, of the system and, where a
#      target asks for them, of METIS and CHOLMOD;
#   4. threads start in core/parallel.hpp alone, where they are watched;
#   5. whoever includes pliant.hpp has every header but those of testing/, which only tests want, and cholmod.hpp, which
#      not everybody has.
cmake_minimum_required(VERSION 3.24)

set(folders core simd algebra element mesh contact/shape io energy solid assembly constraint contact/response
            linear_solver linear_solver/direct linear_solver/preconditioner linear_solver/krylov linear_solver/bounded
            linear_solver/rows
            nonlinear_solver potential integrator operator_splitting rigid/joint rigid/contact rigid simulation testing)

file(GLOB_RECURSE headers RELATIVE ${include_folder} ${include_folder}/pliant/*.hpp)
if(NOT headers)
  message(FATAL_ERROR "no headers in ${include_folder}")
endif()

# place_of(<header> <variable>): the folder's place in the list; empty for the headers at the top.
function(place_of header variable)
  set(place "")
  if(header MATCHES "^pliant/(.+)/[^/]+$")
    list(FIND folders ${CMAKE_MATCH_1} place)
    if(place EQUAL -1)
      message(SEND_ERROR "${header}: the folder ${CMAKE_MATCH_1} has no place in the list of folders")
    endif()
  endif()
  set(${variable} "${place}" PARENT_SCOPE)
endfunction()

foreach(header IN LISTS headers)
  place_of(${header} place)
  file(STRINGS ${include_folder}/${header} lines REGEX "^ *# *(include|pragma once)")
  if(NOT "#pragma once" IN_LIST lines AND NOT header MATCHES "^pliant/(hide|restore)_macros\\.hpp")  # these come in pairs
    message(SEND_ERROR "${header}: no #pragma once")
  endif()

  file(STRINGS ${include_folder}/${header} threads REGEX "pragma omp (parallel|task)|omp_[a-z_]+\\(|std::j?thread")
  if(threads AND NOT header MATCHES "^pliant/core/(parallel|team)\\.hpp$")
    message(SEND_ERROR "${header}: threads start in core/parallel.hpp: ${threads}")
  endif()

  foreach(line IN LISTS lines)
    # needs_exceptions is there to be missing, CMake writes compiled.hpp.
    if(line MATCHES "pragma once|pliant/needs_exceptions|pliant/compiled")
      continue()
    elseif(NOT line MATCHES "^ *# *include <([^>]+)>")
      message(SEND_ERROR "${header}: ${line}: write <pliant/...>")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})

    if(NOT included MATCHES "^pliant/")
      if(NOT included MATCHES "^(Eigen/[A-Za-z]+|[a-z_]+|(omp|immintrin|sys/mman|sys/stat|metis|cholmod)\\.h)$")
        message(SEND_ERROR "${header}: includes <${included}>, which is neither Eigen nor standard")
      endif()
      continue()
    endif()

    place_of(${included} included_place)
    if(NOT EXISTS ${include_folder}/${included})
      message(SEND_ERROR "${header}: includes <${included}>, which does not exist")
    elseif(included STREQUAL "pliant/pliant.hpp")
      message(SEND_ERROR "${header}: includes the whole library")
    elseif(NOT place STREQUAL "" AND NOT included_place STREQUAL "" AND included_place GREATER place)
      message(SEND_ERROR "${header}: includes <${included}> from a folder below its own")
    endif()
  endforeach()
endforeach()

# What pliant.hpp reaches, directly or through others.
set(reached)
set(to_visit pliant/pliant.hpp)
while(to_visit)
  list(POP_FRONT to_visit header)
  list(APPEND reached ${header})
  file(STRINGS ${include_folder}/${header} lines REGEX "^#include <pliant/")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#include <([^>]+)>.*" "\\1" included "${line}")
    if(EXISTS ${include_folder}/${included} AND NOT included IN_LIST reached AND NOT included IN_LIST to_visit)
      list(APPEND to_visit ${included})
    endif()
  endforeach()
endwhile()
foreach(header IN LISTS headers)
  if(NOT header IN_LIST reached AND NOT header MATCHES "^pliant/(testing/|linear_solver/direct/cholmod\\.hpp)")
    message(SEND_ERROR "${header} is not reached from pliant.hpp")
  endif()
endforeach()
