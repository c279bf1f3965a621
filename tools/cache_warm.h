// File: tools/cache_warm.h
//
// swage cache warm: compiles programs into the cache before they are asked for.
//
//   swage cache warm attend.hlo --dims seq=1:512,batch=1,8
//
// A program with symbolic extents (f32[seq,64]) is compiled once for every combination of the sizes
// that --dims lists: numbers, and ranges FIRST:LAST or FIRST:LAST:STEP, separated by commas. It is
// the program of `swage run --cache` and of load_hlo on the same device and machine, by the library
// that was built with this command; a function that jit traces is warmed from C++, with warmup().
#ifndef SWAGE_TOOLS_CACHE_WARM_H_
#define SWAGE_TOOLS_CACHE_WARM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/command.h"

namespace swage::tools {

struct WarmOptions {
  std::string dir;  // "" = as configured
  std::vector<std::string> modules;
  std::string dims;
  std::string device = "cpu";
};

StatusOr<ExitCode> RunCacheWarm(const WarmOptions& options);

// "seq=1:3,batch=8" -> {seq: 1 2 3}, {batch: 8}. At most a million sizes; a name occurs once.
using SizeLists = std::vector<std::pair<std::string, std::vector<int64_t>>>;
StatusOr<SizeLists> ParseSizeLists(const std::string& text);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_CACHE_WARM_H_
