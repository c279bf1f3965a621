#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "absl/strings/str_join.h"
#include "base/env.h"
#include "base/nearest.h"
#include "base/status.h"

namespace swage {
namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {"debug", "info", "warn", "error", "off"};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::warn;
}

// Never destroyed: other threads may log while the process ends.
struct LogState {
  std::atomic<LogLevel> level{LogLevel::kWarn};
  std::mutex mutex;  // guards callback
  LogCallback callback;
  std::shared_ptr<spdlog::logger> logger;
  std::string bad_level;  // SWAGE_LOG's value when it is no level

  LogState() {
    logger = std::make_shared<spdlog::logger>("swage",
                                              std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("[swage %H:%M:%S.%e %l] %v");
    logger->set_level(spdlog::level::trace);
    const std::string name = GetEnv("SWAGE_LOG").value_or("warn");
    for (size_t i = 0; i < kLevelNames.size(); ++i) {
      if (name == kLevelNames[i]) {
        level = static_cast<LogLevel>(i);
        return;
      }
    }
    bad_level = name;
  }
};

LogState& State() {
  static LogState* const state = new LogState;
  return *state;
}

}  // namespace

bool LogEnabled(LogLevel level) { return level >= State().level.load(std::memory_order_relaxed); }

void Log(LogLevel level, std::string_view text) {
  CheckEnvironmentOnce();
  if (!LogEnabled(level) || level == LogLevel::kOff) return;
  LogState& state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.callback) {
    state.callback(level, text);
  } else {
    state.logger->log(ToSpdlog(level), "{}", text);
  }
}

void CheckEnvironmentOnce() {
  static std::atomic<bool> done{false};
  if (done.load(std::memory_order_relaxed) || done.exchange(true)) return;
  if (const std::string& bad = State().bad_level; !bad.empty()) {
    LogWarning(absl::StrCat("[environment] SWAGE_LOG has no level '", bad,
                            "', expected off, error, warn, info or debug",
                            DidYouMean(bad, kLevelNames)));
  }
  for (const UnknownEnvVariable& variable : UnknownEnvVariables()) {
    std::string text =
        absl::StrCat("[environment] ", variable.name, " is set but Swage has no such variable");
    if (!variable.nearest.empty()) {
      absl::StrAppend(&text, "; did you mean ", absl::StrJoin(variable.nearest, ", "), "?");
    }
    LogWarning(text);
  }
}

void SetLogCallback(LogCallback callback) {
  LogState& state = State();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.callback = std::move(callback);
}

void SetLogLevel(LogLevel level) { State().level = level; }

}  // namespace swage
