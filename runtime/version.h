// File: runtime/version.h
//
// Which Swage this is.
//
//   std::puts(swage::Version());              // 0.1.0
//   std::cout << swage::BuildInfo();          // several lines; what `swage --version` prints
//
// Both may be called from any thread at any time.
#ifndef SWAGE_RUNTIME_VERSION_H_
#define SWAGE_RUNTIME_VERSION_H_

#include <string>

#include "runtime/export.h"

namespace swage {

// The version of the library that is running, such as "0.1.0".
SWAGE_API const char* Version();

// Version, HLO dialect, cache format, LLVM, oneDNN and the features of this CPU, a line for each.
SWAGE_API std::string BuildInfo();

}  // namespace swage

#endif  // SWAGE_RUNTIME_VERSION_H_
