# What pliant needs, found by the same lines in the source tree and in the installed package: Eigen, unless the
# target Eigen3::Eigen is there already, and OpenMP where there is one. Without OpenMP every loop runs on one thread.
if(NOT TARGET Eigen3::Eigen)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 5 QUIET NO_MODULE)  # Eigen went from 3.4 to 5, which refuses a request for 3.4
  endif()
  if(NOT TARGET Eigen3::Eigen)
    set(pliant_NOT_FOUND_MESSAGE "pliant needs Eigen 3.4 or newer: install it (Debian: libeigen3-dev), \
set Eigen3_DIR, or make a target Eigen3::Eigen before.")
  endif()
endif()

if(NOT DEFINED PLIANT_USE_OPENMP OR PLIANT_USE_OPENMP)
  if(NOT TARGET OpenMP::OpenMP_CXX)
    find_package(OpenMP QUIET COMPONENTS CXX)
  endif()
  if(TARGET OpenMP::OpenMP_CXX AND NOT TARGET pliant::openmp)
    add_library(pliant::openmp INTERFACE IMPORTED)
    target_link_libraries(pliant::openmp INTERFACE OpenMP::OpenMP_CXX)
  endif()
endif()

# METIS and CHOLMOD are for who links pliant::metis or pliant::cholmod, which are there where these are found; nothing
# of them reaches who links pliant::pliant alone. Neither need have a package of its own: METIS_LIBRARY,
# METIS_INCLUDE_DIR, CHOLMOD_LIBRARY and CHOLMOD_INCLUDE_DIR can be set, the libraries as lists where they are static.
macro(pliant_add_optional name package)
  if(EXISTS "${${package}_INCLUDE_DIR}" AND ${package}_LIBRARY AND NOT TARGET pliant::${name})
    add_library(pliant::${name} INTERFACE IMPORTED GLOBAL)  # a parent project links it, too
    target_link_libraries(pliant::${name} INTERFACE pliant::pliant ${${package}_LIBRARY})
    target_include_directories(pliant::${name} INTERFACE ${${package}_INCLUDE_DIR})
    target_compile_definitions(pliant::${name} INTERFACE PLIANT_USE_${package})
  endif()
endmacro()

if(NOT DEFINED PLIANT_USE_METIS OR PLIANT_USE_METIS)
  find_path(METIS_INCLUDE_DIR metis.h)
  find_library(METIS_LIBRARY metis)
  mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)
  pliant_add_optional(metis METIS)
endif()

if(NOT DEFINED PLIANT_USE_CHOLMOD OR PLIANT_USE_CHOLMOD)
  find_path(CHOLMOD_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  mark_as_advanced(CHOLMOD_INCLUDE_DIR CHOLMOD_LIBRARY)
  pliant_add_optional(cholmod CHOLMOD)
endif()
