# cmake --install: library, headers, programs, and the package that find_package(meshgauge) reads; cpack: a Debian
# package of the same.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/meshgauge)

install(TARGETS meshgauge_core EXPORT meshgauge)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/meshgauge
  FILES_MATCHING PATTERN "*.hpp" PATTERN cmake EXCLUDE)
foreach(program meshgauge meshgauge-bench)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The library needs nothing but the standard library, so the list of targets is the whole package.
install(EXPORT meshgauge NAMESPACE meshgauge:: FILE meshgaugeConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(meshgaugeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/meshgaugeConfigVersion.cmake DESTINATION ${package_folder})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The meshgauge developers <meshgauge@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
if(TARGET meshgauge-bench)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin")  # meshgauge-bench starts its ranks by mpirun
endif()
include(CPack)
