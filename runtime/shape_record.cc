#include "runtime/shape_record.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/env.h"
#include "base/log.h"
#include "base/status.h"
#include "compiler/ir/shape.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {
namespace {

constexpr std::chrono::seconds kBetweenSaves(10);

}  // namespace

ShapeRecord* ShapeRecord::Get() {
  static ShapeRecord* const record = []() -> ShapeRecord* {
    const std::optional<std::string> path = GetEnv("SWAGE_RECORD_SHAPES");
    if (!path.has_value()) return nullptr;
    std::atexit([] { Get()->Save(); });
    const std::string file = absl::StrReplaceAll(*path, {{"%p", absl::StrCat(::getpid())}});
    // A program that changes its folder later does not move the file.
    std::error_code error;
    const std::string absolute = std::filesystem::absolute(file, error).string();
    return new ShapeRecord(error ? file : absolute);
  }();
  return record;
}

ShapeRecord::ShapeRecord(std::string path)
    : path_(std::move(path)),
      process_(::getpid()),
      next_save_((Clock::now() + kBetweenSaves).time_since_epoch().count()) {}

void ShapeRecord::AddCall(std::string_view function, absl::Span<const Tensor* const> arguments,
                          int64_t nanoseconds) {
  if (::getpid() != process_) return;  // the trace's lock may be held by a thread that is not here
  std::vector<std::vector<int64_t>> sizes;
  for (const Tensor* argument : arguments) {
    std::vector<int64_t>& dims = sizes.emplace_back();
    for (const ir::Dim dim : argument->impl()->shape().dims()) {
      dims.push_back(dim.static_value().value_or(0));
    }
  }
  const std::vector<policy::ShapeTrace::Dims> spans(sizes.begin(), sizes.end());
  trace_.Record(function, spans, nanoseconds);
  SaveIfDue();
}

void ShapeRecord::AddCompile(std::string_view function, double ms) {
  if (::getpid() != process_) return;
  trace_.RecordCompile(function, static_cast<int64_t>(ms * 1e6));
}

void ShapeRecord::SaveIfDue() {
  const Clock::time_point now = Clock::now();
  Clock::rep due = next_save_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < due) return;
  const Clock::rep next = (now + kBetweenSaves).time_since_epoch().count();
  if (next_save_.compare_exchange_strong(due, next, std::memory_order_relaxed)) Save();
}

void ShapeRecord::Save() {
  if (::getpid() != process_) return;
  const Status saved = trace_.Save(path_);
  if (saved.ok() || failed_.exchange(true)) return;
  Log(LogLevel::kError, absl::StrCat("[record] shapes are not recorded in SWAGE_RECORD_SHAPES='",
                                     path_, "': ", saved.message()));
}

void RecordCompile(std::string_view function, double ms) {
  ShapeRecord* const record = ShapeRecord::Get();
  if (record != nullptr) record->AddCompile(function, ms);
}

void CallTimer::Record(std::string_view function, absl::Span<const Tensor* const> arguments) const {
  if (record_ == nullptr) return;
  const auto took = std::chrono::steady_clock::now() - start_;
  record_->AddCall(function, arguments,
                   std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
}

}  // namespace swage::runtime
