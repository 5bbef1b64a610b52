# The package, from the install tree and from the build tree. Without pliant::compiled it belongs to no architecture,
# hence share/ and ARCH_INDEPENDENT. Before 1.0 a minor version may change the interface, hence SameMinorVersion.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_DATAROOTDIR}/cmake/pliant)

configure_package_config_file(cmake/pliant-config.cmake.in pliant-config.cmake INSTALL_DESTINATION ${package_dir})
set(architecture ARCH_INDEPENDENT)
if(PLIANT_COMPILED)
  set(architecture)
  install(TARGETS pliant_compiled EXPORT pliant-targets)
  install(FILES ${compiled_folder}/include/pliant/compiled.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pliant)
endif()
write_basic_package_version_file(pliant-config-version.cmake COMPATIBILITY SameMinorVersion ${architecture})

install(TARGETS pliant EXPORT pliant-targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${package_dir})
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/pliant-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/pliant-config-version.cmake
  cmake/pliant_dependencies.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/pliant)

# For find_package(pliant) with pliant_DIR set to the build tree.
export(EXPORT pliant-targets NAMESPACE pliant:: FILE pliant-targets.cmake)
configure_file(cmake/pliant_dependencies.cmake pliant_dependencies.cmake COPYONLY)
