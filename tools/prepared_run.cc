#include "tools/prepared_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check_mode.h"
#include "base/clock.h"
#include "codegen/run_on_literals.h"

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

Status PreparedRun::AllocateBetweenGuards() {
  for (const ir::Literal& input : inputs_) {
    const absl::Span<const uint8_t> bytes = input.bytes();
    SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer,
                           CheckMode::Get().Guarded(static_cast<int64_t>(bytes.size())));
    std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(buffer.data()));
    in_.push_back(buffer.data());
    guarded_.push_back(std::move(buffer));
  }
  for (const ir::Shape& shape : executable_->output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
    SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer, CheckMode::Get().Guarded(size));
    out_.push_back(buffer.data());
    guarded_.push_back(std::move(buffer));
  }
  return OkStatus();
}

Status PreparedRun::AllocateOnHost() {
  if (CheckMode::Get().memory) return AllocateBetweenGuards();
  for (const ir::Literal& input : inputs_) in_.push_back(input.bytes().data());
  for (const ir::Shape& shape : executable_->output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(results_.emplace_back(), ir::Literal::Create(shape));
  }
  for (ir::Literal& result : results_) out_.push_back(result.mutable_bytes().data());
  return OkStatus();
}

Status PreparedRun::AllocateIn(codegen::MemorySpace& space) {
  for (const ir::Literal& input : inputs_) {
    const auto size = static_cast<int64_t>(input.bytes().size());
    SWAGE_ASSIGN_OR_RETURN(auto block, codegen::SpaceBlock::Allocate(space, size));
    SWAGE_RETURN_IF_ERROR(space.CopyIn(block.data(), input.bytes().data(), size));
    in_.push_back(block.data());
    blocks_.push_back(std::move(block));
  }
  for (const ir::Shape& shape : executable_->output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size, shape.ByteSize());
    SWAGE_ASSIGN_OR_RETURN(auto block, codegen::SpaceBlock::Allocate(space, size));
    out_.push_back(block.data());
    blocks_.push_back(std::move(block));
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<PreparedRun>> PreparedRun::Create(
    std::shared_ptr<codegen::Executable> executable, std::vector<ir::Literal> inputs) {
  std::unique_ptr<PreparedRun> run(new PreparedRun(std::move(executable)));
  for (const ir::Literal& input : inputs) ir::AppendLeaves(input, &run->inputs_);
  codegen::MemorySpace* const space = run->executable_->memory();
  SWAGE_RETURN_IF_ERROR(space == nullptr ? run->AllocateOnHost() : run->AllocateIn(*space));
  return run;
}

Status PreparedRun::Run(int64_t times) {
  for (int64_t i = 0; i < times; ++i) SWAGE_RETURN_IF_ERROR(executable_->Run(in_, out_));
  codegen::MemorySpace* const space = executable_->memory();
  if (space == nullptr) return OkStatus();
  // A copy to the host is what waits for a device.
  for (size_t i = 0; i < out_.size(); ++i) {
    if (out_[i] == nullptr) continue;
    char first = 0;
    return space->CopyOut(&first, out_[i], 1);
  }
  return OkStatus();
}

Status PreparedRun::RunTimed(std::vector<codegen::StepTime>* times) {
  return executable_->RunTimed(in_, out_, times);
}

StatusOr<std::vector<ir::Literal>> PreparedRun::Results() const {
  for (const GuardedBuffer& buffer : guarded_) SWAGE_RETURN_IF_ERROR(buffer.Check());
  if (executable_->memory() == nullptr && guarded_.empty()) return results_;
  const std::vector<const void*> addresses(out_.begin(), out_.end());
  return codegen::LiteralsAt(executable_->memory(), executable_->output_shapes(), addresses);
}

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
