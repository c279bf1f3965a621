# What a user of Swage gets: libswage.so, its headers, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# swage_shared_library(HEADERS a.h ...)
# libswage.so from the objects of swage_runtime and all that it depends on, LLVM included. Only
# what is in namespace swage and marked SWAGE_API is visible outside. In the tree as installed,
# users say swage::swage and #include <swage/a.h>.
function(swage_shared_library)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  add_library(swage SHARED $<TARGET_OBJECTS:swage_runtime>)
  add_library(swage::swage ALIAS swage)
  target_link_libraries(swage PRIVATE swage_runtime)
  set(map ${CMAKE_SOURCE_DIR}/cmake/swage.map)
  # nodelete: its threads run on when a plugin that brought it is unloaded.
  target_link_options(swage PRIVATE -Wl,--version-script=${map} -Wl,-z,nodelete)
  set_target_properties(swage PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${map})
  target_compile_features(swage INTERFACE cxx_std_20)
  target_include_directories(swage INTERFACE $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

  # In the tree headers are "runtime/a.h"; users see them as "swage/a.h", in the build folder too.
  set(staged)
  foreach(header IN LISTS ARG_HEADERS)
    set(out ${CMAKE_BINARY_DIR}/include/swage/${header})
    add_custom_command(OUTPUT ${out} DEPENDS ${header} VERBATIM
      COMMAND sed "s|#include \"runtime/|#include \"swage/|" ${CMAKE_CURRENT_SOURCE_DIR}/${header} > ${out})
    list(APPEND staged ${out})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/swage)
  add_custom_target(swage_headers ALL DEPENDS ${staged})
  add_dependencies(swage swage_headers)

  install(TARGETS swage EXPORT swageTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${staged} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/swage)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/swage)
  install(EXPORT swageTargets NAMESPACE swage:: DESTINATION ${package})
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/swageConfig.cmake.in swageConfig.cmake
                                INSTALL_DESTINATION ${package})
  write_basic_package_version_file(swageConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/swageConfig.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/swageConfigVersion.cmake DESTINATION ${package})

  # Relative to the file itself, so that an installed tree can be moved.
  file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/swage.pc.in swage.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/swage.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
