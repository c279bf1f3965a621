// File: runtime/shape_record.h
//
// Record mode: where SWAGE_RECORD_SHAPES names a file, the shapes of all calls of jit functions and
// loaded programs are counted there (cache/policy/shape_trace.h), and how long they take. Calls
// inside another jit function are not calls of their own.
//
//   const CallTimer timer;
//   ... run ...
//   timer.Record("encode", arguments);
#ifndef SWAGE_RUNTIME_SHAPE_RECORD_H_
#define SWAGE_RUNTIME_SHAPE_RECORD_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "cache/policy/shape_trace.h"
#include "runtime/tensor.h"

namespace swage::runtime {

// The file is written when the process ends, and every ten seconds before that, from a call; so a
// process that is killed loses little. Any thread.
class ShapeRecord {
 public:
  // Null: nothing is recorded.
  static ShapeRecord* Get();

  void AddCall(std::string_view function, absl::Span<const Tensor* const> arguments,
               int64_t nanoseconds);
  void AddCompile(std::string_view function, double ms);

 private:
  using Clock = std::chrono::steady_clock;

  explicit ShapeRecord(std::string path);
  void SaveIfDue();
  void Save();

  const std::string path_;
  const int64_t process_;  // a forked child does not write over its parent's file
  policy::ShapeTrace trace_;
  std::atomic<Clock::rep> next_save_;
  std::atomic<bool> failed_{false};
};

// A compile, where anything is recorded.
void RecordCompile(std::string_view function, double ms);

// Of a call that is under way.
class CallTimer {
 public:
  CallTimer() : record_(ShapeRecord::Get()) {
    if (record_ != nullptr) start_ = std::chrono::steady_clock::now();
  }
  void Record(std::string_view function, absl::Span<const Tensor* const> arguments) const;

 private:
  ShapeRecord* const record_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_SHAPE_RECORD_H_
