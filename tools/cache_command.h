// File: tools/cache_command.h
//
// swage cache: what the disk cache holds, and its upkeep.
//
//   swage cache ls                     an entry per line, the one used last first
//   swage cache show 3f08              one entry: what it depends on, and its sizes
//   swage cache verify                 reads every entry; exit code 1 if one is bad
//   swage cache prune --bytes 500MB    drops what was not used for longest
//   swage cache warm attend.hlo --dims seq=1:512    compiles ahead (cache_warm.h)
//   swage cache pack FILE              all entries in one file, to ship
//   swage cache unpack FILE            into this cache
//
// --dir names another directory than the one that the configuration and the environment name.
#ifndef SWAGE_TOOLS_CACHE_COMMAND_H_
#define SWAGE_TOOLS_CACHE_COMMAND_H_

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "tools/command.h"

namespace CLI {
class App;
}

namespace swage::tools {

struct CacheOptions {
  std::string dir;   // "" = as configured
  std::string key;   // show: the first digits of a hash
  std::string file;  // pack, unpack
  int64_t bytes = 0;
};

StatusOr<ExitCode> RunCacheLs(const CacheOptions& options);
StatusOr<ExitCode> RunCacheShow(const CacheOptions& options);
StatusOr<ExitCode> RunCacheVerify(const CacheOptions& options);
StatusOr<ExitCode> RunCachePrune(const CacheOptions& options);
StatusOr<ExitCode> RunCachePack(const CacheOptions& options);
StatusOr<ExitCode> RunCacheUnpack(const CacheOptions& options);

void AddCacheCommand(CLI::App& app, Action* chosen);

// "12 s", "3 min", "5 h", "40 d": how long ago, for people; never negative.
std::string AgeText(time_t then, time_t now);
// The first line that has text, of at most `length` plain characters.
std::string FirstLine(std::string_view text, size_t length);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_CACHE_COMMAND_H_
