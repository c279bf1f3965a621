// File: tools/library_build_id.h
//
// The build id of the libswage.so that was built with this command; its source is made by
// library_build_id.cmake.
#ifndef SWAGE_TOOLS_LIBRARY_BUILD_ID_H_
#define SWAGE_TOOLS_LIBRARY_BUILD_ID_H_

namespace swage::tools {

extern const char kLibraryBuildId[];  // hex digits

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_LIBRARY_BUILD_ID_H_
