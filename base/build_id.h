// File: base/build_id.h
//
// Which build of Swage this is: part of every key of what outlives the process, so that code made by
// another build is never found, whatever its version says.
#ifndef SWAGE_BASE_BUILD_ID_H_
#define SWAGE_BASE_BUILD_ID_H_

#include <string>

namespace swage {

// Hex digits: the linker's build id of the library or program that holds this code, or, where it was
// linked without one, a hash of that file's bytes. Empty when neither can be had, or when
// SWAGE_BUILD_ID=none: then nothing is kept on disk. Found once per process.
// SWAGE_BUILD_ID=text adds the text to it: for keeping the entries of two set-ups apart.
const std::string& BuildId();

}  // namespace swage

#endif  // SWAGE_BASE_BUILD_ID_H_
