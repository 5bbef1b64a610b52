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
