// File: base/build_id.h
//
// Which build of Swage this is: part of every key of what outlives the process, so that code made
// by another build is never found, whatever its version says.
#ifndef SWAGE_BASE_BUILD_ID_H_
#define SWAGE_BASE_BUILD_ID_H_

#include <string>
#include <string_view>

namespace swage {

// Hex digits: the linker's build id of the library or program that holds this code, or, where it
// was linked without one, a hash of that file's bytes. Empty when neither can be had, or when
// SWAGE_BUILD_ID=none: then nothing is kept on disk. Found once per process.
// SWAGE_BUILD_ID=text adds the text to it: for keeping the entries of two set-ups apart.
const std::string& BuildId();

// For a program that is linked from the very archives that a library is linked from, as the `swage`
// command and libswage.so are: the linker's build id of that library, which is then this one's, so
// that either finds what the other kept. Before the first BuildId().
void UseBuildIdOf(std::string_view library);

}  // namespace swage

#endif  // SWAGE_BASE_BUILD_ID_H_
