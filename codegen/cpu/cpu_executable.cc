#include "codegen/cpu/cpu_executable.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "base/block_pool.h"
#include "base/check_mode.h"
#include "base/clock.h"
#include "base/guard_memory.h"
#include "base/parallel_for.h"
#include "codegen/cpu/mxcsr.h"

namespace swage::cpu {

using codegen::BaseTable;
using codegen::BufferRef;
using codegen::KernelCache;

// One slab for all slices, or (memory check) a guarded buffer for each, and for each constant.
class CpuExecutable::Arena {
 public:
  static StatusOr<std::unique_ptr<Arena>> Create(const CpuProgram& program) {
    auto arena = std::unique_ptr<Arena>(new Arena());
    if (CheckMode::Get().memory) {
      SWAGE_RETURN_IF_ERROR(arena->Guard(program));
      return arena;
    }
    arena->slab_ = static_cast<char*>(TakeBlock(program.arena_bytes));
    arena->slab_bytes_ = program.arena_bytes;
    if (arena->slab_ == nullptr) return TooLarge(program.arena_bytes);
    return arena;
  }
  // Whether a program runs without.
  static bool IsNeedless(const CpuProgram& program) {
    return program.slices.empty() && (program.constants.empty() || !CheckMode::Get().memory);
  }
  ~Arena() {
    if (slab_ != nullptr) GiveBlock(slab_, slab_bytes_);
  }

  void PutInto(const CpuProgram& program, char** bases) const {
    for (size_t i = 0; i < program.slices.size(); ++i) {
      bases[program.table.ArenaBase(static_cast<int>(i))] =
          slab_ != nullptr ? slab_ + program.slices[i].offset : At(slices_[i]);
    }
    for (size_t i = 0; i < constants_.size(); ++i) {
      bases[program.table.ConstantBase(static_cast<int>(i))] = At(constants_[i]);
    }
  }
  Status Check() const {
    for (const GuardedBuffer& buffer : slices_) SWAGE_RETURN_IF_ERROR(buffer.Check());
    for (const GuardedBuffer& buffer : constants_) SWAGE_RETURN_IF_ERROR(buffer.Check());
    return OkStatus();
  }

 private:
  static Status TooLarge(int64_t bytes) {
    return ResourceExhausted("[run] cannot allocate ", bytes, " bytes for intermediate values");
  }
  static char* At(const GuardedBuffer& buffer) { return static_cast<char*>(buffer.data()); }

  Status Guard(const CpuProgram& program) {
    for (const codegen::ArenaSlice& slice : program.slices) {
      StatusOr<GuardedBuffer> buffer = CheckMode::Get().Guarded(slice.size);
      if (!buffer.ok()) return TooLarge(program.arena_bytes);
      slices_.push_back(*std::move(buffer));
    }
    for (const ir::Literal& constant : program.constants) {
      const absl::Span<const uint8_t> bytes = constant.bytes();
      SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer,
                             CheckMode::Get().Guarded(static_cast<int64_t>(bytes.size())));
      std::copy(bytes.begin(), bytes.end(), static_cast<uint8_t*>(buffer.data()));
      constants_.push_back(std::move(buffer));
    }
    return OkStatus();
  }

  char* slab_ = nullptr;
  size_t slab_bytes_ = 0;
  std::vector<GuardedBuffer> slices_, constants_;
};

namespace {

constexpr size_t kInlineBases = 64;
constexpr size_t kInlineBuffers = 16;

using BufferPointers = absl::InlinedVector<void*, kInlineBuffers>;

// Runs on this thread until the next one that is timed. Read on every run, so without the detour of
// other thread-local variables. The distance varies: what runs in turns must not meet it in step.
__attribute__((tls_model("initial-exec"))) thread_local uint32_t runs_to_sample = 1;
__attribute__((tls_model("initial-exec"))) thread_local uint32_t sample_distance = 1;
__attribute__((tls_model("initial-exec"))) thread_local uint32_t sample_random = 1;

// How many runs this one stands for; 0: it is not timed.
inline int64_t SampledRuns() {
  if (--runs_to_sample != 0) return 0;
  const int64_t stands_for = sample_distance;
  sample_random = sample_random * 1664525 + 1013904223;
  runs_to_sample = sample_distance = 33 + (sample_random >> 26);
  return stands_for;
}

void RunKernel(const KernelVersion& kernel, const BufferPointers& buffers) {
  if (kernel.tasks == 0) return;  // nothing to compute: kernels expect a task
  const KernelArgs args{buffers.data(), kernel.dims.data()};
  if (kernel.tasks <= kernel.grain) {
    kernel.fn(&args, 0, kernel.tasks);
    return;
  }
  ParallelFor(kernel.tasks, kernel.grain, [&](int64_t begin, int64_t end) {
    // Another library may have set flush-to-zero on this worker thread.
    ScopedMxcsr ieee;
    kernel.fn(&args, begin, end);
  });
}

void CopyBytes(const void* from, void* to, int64_t bytes) {
  constexpr int64_t kSlice = 1 << 20;
  if (bytes == 0 || from == to) return;
  ParallelFor(bytes, kSlice, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                end - begin);
  });
}

Status RunStep(const Step& step, const LibraryDot* library, char** bases) {
  BufferPointers buffers;
  for (const BufferRef& ref : step.buffers) buffers.push_back(bases[ref.base] + ref.offset);
  switch (step.kind) {
    case Step::Kind::kKernel:
      if (library != nullptr) {
        const codegen::BufferRef& right = RightOf(step.buffers);
        Status status = library->Run(buffers[0], bases[right.base] + right.offset, buffers.back());
        return status.ok() ? status : Annotate(status, absl::StrCat(" (in ", step.name, ")"));
      }
      RunKernel(step.kernel.now(), buffers);
      break;
    case Step::Kind::kCopy:
      CopyBytes(buffers[0], buffers[1], step.bytes);
      break;
    case Step::Kind::kCall: {
      const size_t inputs = step.callee->input_shapes().size();
      Status status = step.callee->Run({buffers.data(), inputs},
                                       {buffers.data() + inputs, buffers.size() - inputs});
      if (!status.ok()) return Annotate(status, absl::StrCat(" (in ", step.name, ")"));
      break;
    }
  }
  return OkStatus();
}

const LibraryDot* LibraryOf(const CpuProgram& program, const CpuExecutable::Dots& dots, size_t i) {
  if (!dots.empty() && dots[i] != nullptr) return dots[i].get();
  return program.steps[i].library.get();
}

// A program some of whose weights are packed.
class PackedExecutable final : public codegen::Executable {
 public:
  PackedExecutable(std::shared_ptr<CpuExecutable> program, CpuExecutable::Dots dots)
      : program_(std::move(program)), dots_(std::move(dots)) {
    input_shapes_ = program_->input_shapes();
    output_shapes_ = program_->output_shapes();
    const auto donations = program_->donations();
    donations_.assign(donations.begin(), donations.end());
    report_ = program_->report();
  }

  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override {
    return RunTimed(inputs, outputs, nullptr);
  }
  Status RunTimed(absl::Span<const void* const> inputs, absl::Span<void* const> outputs,
                  std::vector<codegen::StepTime>* times) override {
    program_->use().Touch();
    return program_->RunWith(dots_, inputs, outputs, times);
  }
  // What is packed is kept with the weights.
  int64_t memory_bytes() const override {
    return static_cast<int64_t>(sizeof(*this) + dots_.size() * sizeof(dots_[0]));
  }

 private:
  const std::shared_ptr<CpuExecutable> program_;
  const CpuExecutable::Dots dots_;
};

int64_t BytesOf(const CpuProgram& program) {
  int64_t bytes = sizeof(CpuExecutable) + program.arena_bytes;
  for (const ir::Literal& constant : program.constants) {
    bytes += static_cast<int64_t>(sizeof(constant) + constant.bytes().size());
  }
  bytes += static_cast<int64_t>(program.slices.size() * sizeof(codegen::ArenaSlice));
  absl::flat_hash_set<const codegen::Executable*> callees;
  for (const Step& step : program.steps) {
    bytes += static_cast<int64_t>(sizeof(step) + step.buffers.size() * sizeof(BufferRef) +
                                  step.name.size());
    if (const KernelVersion* kernel = step.kernel.first()) {
      bytes += static_cast<int64_t>(sizeof(*kernel) + kernel->dims.size() * sizeof(int64_t));
    }
    if (step.library != nullptr) bytes += step.library->memory_bytes();
    if (step.callee != nullptr && callees.insert(step.callee.get()).second) {
      bytes += step.callee->memory_bytes();
    }
  }
  return bytes;
}

}  // namespace

CpuExecutable::CpuExecutable(CpuProgram program, codegen::CompileReport report)
    : program_(std::move(program)) {
  input_shapes_ = program_.input_shapes;
  output_shapes_ = program_.output_shapes;
  donations_ = program_.donations;
  report_ = report;
  memory_bytes_ = BytesOf(program_);
  if (program_.specialise != nullptr) {
    hot_ = HotSteps::Create(&program_.steps, *program_.specialise);
    if (hot_ != nullptr) memory_bytes_ += hot_->memory_bytes();
  }
}

CpuExecutable::~CpuExecutable() {
  if (hot_ != nullptr) hot_->Detach();
  // What only this program used was used when it was.
  for (const Step& step : program_.steps) {
    if (const KernelVersion* first = step.kernel.first()) {
      KernelCache::RaiseUse(step.kernel.now().kernel, use().value());
      KernelCache::RaiseUse(first->kernel, use().value());
    }
    if (step.callee != nullptr) step.callee->use().Raise(use().value());
  }
  delete spare_.load();
}

Status CpuExecutable::Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) {
  return RunWith({}, inputs, outputs);
}

Status CpuExecutable::RunWith(const Dots& dots, absl::Span<const void* const> inputs,
                              absl::Span<void* const> outputs,
                              std::vector<codegen::StepTime>* times) {
  const BaseTable& table = program_.table;
  SWAGE_RET_CHECK(static_cast<int32_t>(inputs.size()) == table.inputs);
  SWAGE_RET_CHECK(static_cast<int32_t>(outputs.size()) == table.outputs);
  absl::InlinedVector<char*, kInlineBases> bases(table.ArenaBase(program_.slices.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    bases[table.InputBase(i)] = static_cast<char*>(const_cast<void*>(inputs[i]));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    bases[table.OutputBase(i)] = static_cast<char*>(outputs[i]);
  }
  for (size_t i = 0; i < program_.constants.size(); ++i) {
    bases[table.ConstantBase(i)] =
        reinterpret_cast<char*>(const_cast<uint8_t*>(program_.constants[i].bytes().data()));
  }
  std::unique_ptr<Arena> arena;
  if (!Arena::IsNeedless(program_)) {
    arena.reset(spare_.exchange(nullptr));
    if (arena == nullptr) {
      SWAGE_ASSIGN_OR_RETURN(arena, Arena::Create(program_));
    }
    arena->PutInto(program_, bases.data());
  }
  Status status;
  if (times != nullptr) {
    status = RunTimedSteps(dots, bases.data(), times);
  } else if (const int64_t sampled = hot_ != nullptr ? SampledRuns() : 0;
             sampled > 0 && hot_->watching()) {
    status = RunSampled(dots, bases.data(), sampled);
  } else {
    status = RunSteps(dots, bases.data());
  }
  if (status.ok() && arena != nullptr) status = arena->Check();
  delete spare_.exchange(arena.release());
  return status;
}

StatusOr<std::shared_ptr<codegen::Executable>> CpuExecutable::PreparedFor(
    absl::Span<const codegen::UnchangingInput> inputs) {
  absl::flat_hash_map<int32_t, const codegen::UnchangingInput*> by_base;
  for (const codegen::UnchangingInput& input : inputs) {
    by_base.emplace(program_.table.InputBase(input.index), &input);
  }
  Dots dots(program_.steps.size());
  bool any = false;
  for (size_t i = 0; i < dots.size(); ++i) {
    const Step& step = program_.steps[i];
    if (step.library == nullptr || step.library->is_packed()) continue;
    const codegen::BufferRef& right = RightOf(step.buffers);
    const auto found = by_base.find(right.base);
    if (found == by_base.end()) continue;
    const codegen::UnchangingInput& input = *found->second;
    SWAGE_ASSIGN_OR_RETURN(
        dots[i],
        LibraryDot::Create(step.library->problem(),
                           static_cast<const char*>(input.data) + right.offset, input.forms));
    any = true;
  }
  if (!any) return shared_from_this();
  return std::make_shared<PackedExecutable>(
      std::static_pointer_cast<CpuExecutable>(shared_from_this()), std::move(dots));
}

Status CpuExecutable::RunSteps(const Dots& dots, char** bases) {
  ScopedMxcsr ieee;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(RunStep(program_.steps[i], LibraryOf(program_, dots, i), bases));
  }
  return OkStatus();
}

Status CpuExecutable::RunTimed(absl::Span<const void* const> inputs,
                               absl::Span<void* const> outputs,
                               std::vector<codegen::StepTime>* times) {
  return RunWith({}, inputs, outputs, times);
}

Status CpuExecutable::RunTimedSteps(const Dots& dots, char** bases,
                                    std::vector<codegen::StepTime>* times) {
  ScopedMxcsr ieee;
  times->resize(program_.steps.size());
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    SWAGE_RETURN_IF_ERROR(RunStep(program_.steps[i], LibraryOf(program_, dots, i), bases));
    (*times)[i].ms += MillisecondsSince(start);
    (*times)[i].step = program_.steps[i].name;
  }
  return OkStatus();
}

Status CpuExecutable::RunSampled(const Dots& dots, char** bases, int64_t runs) {
  ScopedMxcsr ieee;
  absl::InlinedVector<int64_t, 32> times;
  const int64_t start = hot_->Now();
  int64_t before = hot_->Now();
  const int64_t clock_ns = before - start;
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(RunStep(program_.steps[i], LibraryOf(program_, dots, i), bases));
    const int64_t after = hot_->Now();
    times.push_back(after - before);
    before = after;
  }
  hot_->Add(runs, clock_ns, times);
  return OkStatus();
}

}  // namespace swage::cpu
