// File: base/log.h
//
// What Swage tells while it works: one line per event on stderr, as SWAGE_LOG=off|error|warn|info|
// debug allows (default warn).
//
//   if (LogEnabled(LogLevel::kInfo)) Log(LogLevel::kInfo, absl::StrCat("[compile] ", name));
//   LogWarning("[jit] ...");
//
// The first line of a process is preceded by a warning for every SWAGE_* variable that does not
// exist. Any thread may log.
#ifndef SWAGE_BASE_LOG_H_
#define SWAGE_BASE_LOG_H_

#include <functional>
#include <string>
#include <string_view>

namespace swage {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

// Whether a line of this level goes anywhere; cheap.
bool LogEnabled(LogLevel level);
void Log(LogLevel level, std::string_view text);
inline void LogWarning(std::string_view text) { Log(LogLevel::kWarn, text); }

// Warns about unknown SWAGE_* variables and a bad SWAGE_LOG, once per process. Whatever starts to
// use the environment calls it.
void CheckEnvironmentOnce();

// Lines go to `callback` instead of stderr until it is set to null. For tests and embedders.
using LogCallback = std::function<void(LogLevel level, std::string_view text)>;
void SetLogCallback(LogCallback callback);
// Overrides SWAGE_LOG.
void SetLogLevel(LogLevel level);

}  // namespace swage

#endif  // SWAGE_BASE_LOG_H_
