# The package seen from outside: a two-unit program takes it in every way there is, is compiled with no flag of ours,
# and runs; a request for another version is refused.
set(package_test_folder ${CMAKE_CURRENT_BINARY_DIR}/package)
set(package_test_prefix ${package_test_folder}/prefix)

add_test(NAME package/install
  COMMAND ${CMAKE_COMMAND} -D build=${PROJECT_BINARY_DIR} -D prefix=${package_test_prefix}
    -P ${CMAKE_CURRENT_LIST_DIR}/install_package.cmake)
set_tests_properties(package/install PROPERTIES FIXTURES_SETUP installed_package LABELS package)

# pliant_add_package_test(<name> <definition>...): configures the program with the definitions, builds and runs it.
function(pliant_add_package_test name)
  list(TRANSFORM ARGN PREPEND "-D" OUTPUT_VARIABLE definitions)
  add_test(NAME package/${name}
    COMMAND ${CMAKE_COMMAND}
      -D source=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer
      -D build=${package_test_folder}/${name}
      -D generator=${CMAKE_GENERATOR}
      -D compiler=${CMAKE_CXX_COMPILER}
      -D nm=${CMAKE_NM}
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_consumer.cmake -- ${definitions})
  set_tests_properties(package/${name} PROPERTIES FIXTURES_REQUIRED installed_package LABELS package)
endfunction()

set(from_install take_pliant_by=find_package CMAKE_PREFIX_PATH=${package_test_prefix} pliant_version=0.1)
set(from_source pliant_source=${PROJECT_SOURCE_DIR})
# With -O1 GCC 12 inlines just enough to warn of what never happens, in the headers of a system too.
pliant_add_package_test(from_install_tree ${from_install} with_ten_lines=ON "CMAKE_CXX_FLAGS=-O1 -Wall -Werror")
pliant_add_package_test(from_build_tree
  take_pliant_by=find_package pliant_DIR=${PROJECT_BINARY_DIR} pliant_version=0.1)
pliant_add_package_test(from_subdirectory take_pliant_by=add_subdirectory ${from_source})
pliant_add_package_test(from_fetch_content take_pliant_by=FetchContent ${from_source})

get_target_property(eigen_folder Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
pliant_add_package_test(own_eigen_target ${from_install} eigen_folder=${eigen_folder})
pliant_add_package_test(own_eigen_target_in_subdirectory
  take_pliant_by=add_subdirectory ${from_source} eigen_folder=${eigen_folder})

pliant_add_package_test(without_openmp ${from_install} CMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON)
pliant_add_package_test(without_openmp_by_option ${from_install} PLIANT_USE_OPENMP=OFF)

# The programs are not compiled for the instruction set of this machine.
if(TARGET pliant::compiled AND NOT PLIANT_NATIVE)
  pliant_add_package_test(with_compiled ${from_install} with_compiled=ON)
  pliant_add_package_test(with_compiled_of_other_instructions
    ${from_install} with_compiled=other_instructions CMAKE_CXX_FLAGS=-mavx)
elseif(NOT TARGET pliant::compiled)
  pliant_add_package_test(compiled_refused ${from_install} with_compiled=refused)
endif()
if(TARGET pliant::metis)
  pliant_add_package_test(with_metis ${from_install} with_optional=metis PLIANT_USE_CHOLMOD=OFF)
endif()
if(TARGET pliant::cholmod)
  pliant_add_package_test(with_cholmod
    take_pliant_by=add_subdirectory ${from_source} with_optional=cholmod PLIANT_USE_METIS=OFF)
endif()

pliant_add_package_test(other_version_refused
  take_pliant_by=find_package CMAKE_PREFIX_PATH=${package_test_prefix} pliant_version=99)

# The examples are a project of their own.
add_test(NAME package/examples
  COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${PROJECT_SOURCE_DIR}/examples ${package_test_folder}/examples
    --build-generator ${CMAKE_GENERATOR} --build-target 02_custom_energy
    --build-options -D CMAKE_PREFIX_PATH=${package_test_prefix} -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -D CMAKE_BUILD_TYPE=Debug)
set_tests_properties(package/examples PROPERTIES FIXTURES_REQUIRED installed_package LABELS package)

# The script that installs what is missing waits for apt's lock.
find_program(PLIANT_BASH bash)
mark_as_advanced(PLIANT_BASH)
if(PLIANT_BASH)
  add_test(NAME package/install_waits
    COMMAND ${PLIANT_BASH} ${CMAKE_CURRENT_LIST_DIR}/install_waits.sh ${PROJECT_SOURCE_DIR}/cmake/install_missing.sh)
  set_tests_properties(package/install_waits PROPERTIES LABELS package)
endif()
