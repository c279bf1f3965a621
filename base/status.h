// File: base/status.h
//
// Errors inside the library: absl::Status and absl::StatusOr, with two macros and the constructors
// that all code uses. The public surface turns a Status into swage::Error (runtime/error.h).
//
// The text of every error reads `[op or phase] what, got vs expected, how to fix`.
//   InvalidArgument   the user's fault: a shape, a dtype, a file, a flag
//   NotFound          a name that does not exist (the message lists the nearest names)
//   ResourceExhausted an allocation or a stated limit
//   Unimplemented     something Swage does not have yet; the message names it
//   Internal          ours: an invariant is broken
#ifndef SWAGE_BASE_STATUS_H_
#define SWAGE_BASE_STATUS_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace swage {

using Status = absl::Status;
template <typename T>
using StatusOr = absl::StatusOr<T>;

// Debian's Abseil has a string_view of its own; these convert without a copy.
inline absl::string_view ToAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view ToStd(absl::string_view s) { return {s.data(), s.size()}; }

inline Status OkStatus() { return absl::OkStatus(); }

template <typename... Args>
Status InvalidArgument(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}
template <typename... Args>
Status NotFound(const Args&... args) {
  return absl::NotFoundError(absl::StrCat(args...));
}
template <typename... Args>
Status ResourceExhausted(const Args&... args) {
  return absl::ResourceExhaustedError(absl::StrCat(args...));
}
template <typename... Args>
Status Unimplemented(const Args&... args) {
  return absl::UnimplementedError(absl::StrCat(args...));
}
template <typename... Args>
Status Internal(const Args&... args) {
  return absl::InternalError(absl::StrCat(args...));
}

// The same status with `suffix` appended to its message; Ok stays Ok.
Status Annotate(const Status& status, std::string_view suffix);

// Stops the process with `message`; only for invariants whose failure would corrupt memory.
[[noreturn]] void Fatal(const char* file, int line, std::string_view message);

}  // namespace swage

#define SWAGE_CONCAT_INNER_(a, b) a##b
#define SWAGE_CONCAT_(a, b) SWAGE_CONCAT_INNER_(a, b)

#define SWAGE_RETURN_IF_ERROR(expr)                     \
  do {                                                  \
    ::swage::Status swage_status_ = (expr);             \
    if (!swage_status_.ok()) return swage_status_;      \
  } while (false)

#define SWAGE_ASSIGN_OR_RETURN(lhs, expr) \
  SWAGE_ASSIGN_OR_RETURN_IMPL_(SWAGE_CONCAT_(swage_or_, __LINE__), lhs, expr)
#define SWAGE_ASSIGN_OR_RETURN_IMPL_(tmp, lhs, expr) \
  auto tmp = (expr);                                 \
  if (!tmp.ok()) return tmp.status();                \
  lhs = std::move(tmp).value()

// An internal invariant that is checked in release builds too and reported as an error of ours.
#define SWAGE_RET_CHECK(cond, ...)                                                              \
  do {                                                                                          \
    if (!(cond))                                                                                \
      return ::swage::Internal("[internal] ", #cond, " does not hold at ", __FILE__, ":",       \
                               __LINE__ __VA_OPT__(, ": ", ) __VA_ARGS__);                      \
  } while (false)

#define SWAGE_CHECK(cond)                                                       \
  do {                                                                          \
    if (!(cond)) ::swage::Fatal(__FILE__, __LINE__, "check failed: " #cond);    \
  } while (false)

#endif  // SWAGE_BASE_STATUS_H_
