# cmake --install: library, headers, command line, and the package that find_package(meshgauge) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/meshgauge)

install(TARGETS meshgauge_core EXPORT meshgauge)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meshgauge
  FILES_MATCHING PATTERN "*.hpp" PATTERN cmake EXCLUDE)
if(TARGET meshgauge)
  install(TARGETS meshgauge)
endif()

# The library needs nothing but the standard library, so the list of targets is the whole package.
install(EXPORT meshgauge NAMESPACE meshgauge:: FILE meshgaugeConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(meshgaugeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/meshgaugeConfigVersion.cmake DESTINATION ${package_folder})
