// File: cache/policy/shape_trace.h
//
// A record of the shapes that functions were called with, and how often: what buckets are learned
// from. It holds sizes and times, never data, and it is bounded.
//
//   ShapeTrace trace;
//   trace.Record("encode", {{8, 128}, {8, 128}}, 41'000);   // the dims of each tensor argument, ns
//   trace.RecordCompile("encode", 12'000'000);
//   SWAGE_RETURN_IF_ERROR(trace.Save("encode.trace"));
//   SWAGE_ASSIGN_OR_RETURN(const TraceContent content, ShapeTrace::Load("encode.trace"));
//
// The file is text. `call` is followed by the number of calls, the time of all of them in ns (0:
// not measured), the function, and the dims of each argument; `compile` by the number of compiles
// and their time. Names are written with %20 for a blank, and so on.
//
//   swage shape trace 1
//   compile 1 12000000 encode
//   call 3 123000 encode [8,128] [8,128]
//   dropped 2
#ifndef SWAGE_CACHE_POLICY_SHAPE_TRACE_H_
#define SWAGE_CACHE_POLICY_SHAPE_TRACE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace swage::policy {

// Of one trace: different calls, and bytes of text. What comes after that is only counted.
inline constexpr size_t kMaxTraceCalls = 65'536;
inline constexpr int64_t kMaxTraceBytes = 16 << 20;
// A file may hold no larger number.
inline constexpr int64_t kMaxTraceNumber = int64_t{1} << 52;

struct TraceCall {
  std::string function;
  std::vector<std::vector<int64_t>> args;  // the dims of each tensor argument
  int64_t count = 0;
  int64_t nanoseconds = 0;  // of all of them; 0: not measured
};
struct TraceCompiles {
  std::string function;
  int64_t count = 0;
  int64_t nanoseconds = 0;
};

struct TraceContent {
  std::vector<TraceCall> calls;  // each function and dims once, in order of their text
  std::vector<TraceCompiles> compiles;
  int64_t dropped = 0;  // calls that the bound left out
};

// `path` names the text in errors: "encode.trace:3: error: ...". Lines that say the same are added
// up.
StatusOr<TraceContent> ParseTrace(std::string_view text, const std::string& path);

// Where the content of a trace comes from, by its path; a test or a fuzzer may have none.
using TraceReader = std::function<StatusOr<TraceContent>(const std::string& path)>;

// All methods may be called from any thread.
class ShapeTrace {
 public:
  using Dims = std::span<const int64_t>;

  void Record(std::string_view function, std::span<const Dims> args, int64_t nanoseconds = 0);
  void Record(std::string_view function, std::initializer_list<std::initializer_list<int64_t>> args,
              int64_t nanoseconds = 0);
  void RecordCompile(std::string_view function, int64_t nanoseconds);

  // The text of the file.
  std::string Text() const;
  // Appears whole or not at all. A symbolic link is followed; a device or a pipe is an error.
  Status Save(const std::string& path) const;
  static StatusOr<TraceContent> Load(const std::string& path);

 private:
  struct Total {
    int64_t count = 0;
    int64_t nanoseconds = 0;
  };
  // By the text that follows the numbers.
  using Totals = std::map<std::string, Total, std::less<>>;
  void Add(Totals& totals, std::string key, int64_t nanoseconds);

  mutable std::mutex mutex_;
  Totals calls_, compiles_;
  int64_t bytes_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_SHAPE_TRACE_H_
