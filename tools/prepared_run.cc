#include "tools/prepared_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "codegen/memory_space.h"

namespace swage::tools {
namespace {

constexpr int kLeastSamples = 3;
constexpr double kWarmUpShare = 0.2;     // of the time that is measured
constexpr double kLeastSampleMs = 0.05;  // beside which reading the clock is nothing

StatusOr<double> TimeOf(PreparedRun& run, int64_t times) {
  const auto start = std::chrono::steady_clock::now();
  SWAGE_RETURN_IF_ERROR(run.Run(times));
  return MillisecondsSince(start);
}

}  // namespace

StatusOr<std::unique_ptr<PreparedRun>> PreparedRun::Create(
    std::shared_ptr<codegen::Executable> executable, std::vector<ir::Literal> inputs) {
  std::vector<ir::Literal> leaves;
  for (const ir::Literal& input : inputs) ir::AppendLeaves(input, &leaves);
  SWAGE_ASSIGN_OR_RETURN(codegen::RunBuffers buffers,
                         codegen::RunBuffers::Create(*executable, leaves));
  return std::unique_ptr<PreparedRun>(
      new PreparedRun(std::move(executable), std::move(leaves), std::move(buffers)));
}

Status PreparedRun::Run(int64_t times) {
  for (int64_t i = 0; i < times; ++i)
    SWAGE_RETURN_IF_ERROR(executable_->Run(buffers_.in(), buffers_.out()));
  codegen::MemorySpace* const space = executable_->memory();
  if (space == nullptr) return OkStatus();
  // A copy to the host is what waits for a device.
  for (const void* result : buffers_.out()) {
    if (result == nullptr) continue;
    char first = 0;
    return space->CopyOut(&first, result, 1);
  }
  return OkStatus();
}

Status PreparedRun::RunTimed(std::vector<codegen::StepTime>* times) {
  return executable_->RunTimed(buffers_.in(), buffers_.out(), times);
}

StatusOr<std::vector<ir::Literal>> PreparedRun::Results() const { return buffers_.Results(); }

StatusOr<RunTime> TimeRuns(PreparedRun& run, double min_ms) {
  double warm = 0, last = 0;
  int64_t batch = 1;
  for (int i = 0; i < 2 || warm < kWarmUpShare * min_ms; ++i) {
    SWAGE_ASSIGN_OR_RETURN(last, TimeOf(run, batch));
    warm += last;
    if (last < kLeastSampleMs) batch *= 2;
  }
  std::vector<double> samples;
  RunTime time;
  for (double total = 0; total < min_ms || samples.size() < kLeastSamples; time.runs += batch) {
    SWAGE_ASSIGN_OR_RETURN(samples.emplace_back(), TimeOf(run, batch));
    total += samples.back();
  }
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  time.ms = *middle / static_cast<double>(batch);
  return time;
}

}  // namespace swage::tools
