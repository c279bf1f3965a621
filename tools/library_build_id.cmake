# Writes OUT, a C++ source with the linker's build id of LIBRARY, as READELF shows it.
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${READELF} --notes ${LIBRARY}
                OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
  message(FATAL_ERROR "${LIBRARY} has no build id, expected one of -Wl,--build-id (cmake/Options.cmake)")
endif()
file(WRITE ${OUT} "#include \"tools/library_build_id.h\"\n
namespace swage::tools {\n
const char kLibraryBuildId[] = \"${CMAKE_MATCH_1}\";\n
}  // namespace swage::tools\n")
