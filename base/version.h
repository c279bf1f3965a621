// File: base/version.h
//
// The versions of what outlives a process: text that others wrote and entries on disk. Swage's own
// version is the CMake project's (runtime/version.h).
#ifndef SWAGE_BASE_VERSION_H_
#define SWAGE_BASE_VERSION_H_

namespace swage {

// Raised when the printer writes, or the parser accepts, something that an older Swage would not.
inline constexpr int kHloDialectVersion = 1;

// Raised when the bytes of a cache entry, or the meaning of a key, change. Entries of another
// version are misses.
inline constexpr int kCacheFormatVersion = 1;

}  // namespace swage

#endif  // SWAGE_BASE_VERSION_H_
