#include "tests/card_check/program_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "compiler/ir/dtype.h"
#include "compiler/ir/float_bits.h"
#include "tests/card_check/compare.h"

namespace swage::card {
namespace {

constexpr char kEntryName[] = "swage_kernel";
constexpr int64_t kGuardBytes = 256;  // also keeps the alignment of buffers
constexpr uint8_t kPattern = 0xa5;
constexpr int64_t kRandomBlock = int64_t{4} << 20;

// Numbers in [-1, 1] of a float; else bytes below 2, which every other dtype has.
std::string RandomBlock(const std::string& dtype, int64_t bytes) {
  std::string block(static_cast<size_t>(bytes), '\0');
  uint64_t state = 0x9e3779b97f4a7c15;
  const auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  const std::optional<ir::DType> type = ir::ParseDType(dtype);
  if (!type.has_value() || !ir::IsFloat(*type)) {
    for (char& byte : block) byte = static_cast<char>(next() & 1);
    return block;
  }
  const auto width = static_cast<size_t>(ir::DTypeBytes(*type));
  for (size_t at = 0; at + width <= block.size(); at += width) {
    const double x = static_cast<double>(next() >> 40) * 0x1p-23 - 1;
    const uint64_t bits = ir::EncodeFloat(*type, x);
    std::memcpy(block.data() + at, &bits, width);
  }
  return block;
}

}  // namespace

int64_t ProgramRun::Guard() const { return context_->is_emulator() ? 0 : kGuardBytes; }

cuda::CUdeviceptr ProgramRun::Address(size_t buffer) const {
  return memory_[buffer].pointer() + static_cast<uint64_t>(Guard());
}

StatusOr<ProgramRun> ProgramRun::Create(Context& context, const CardProgram& program) {
  ProgramRun run(context, program);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const int64_t bytes = std::max<int64_t>(program.buffers[i].bytes, 1) + 2 * run.Guard();
    SWAGE_ASSIGN_OR_RETURN(cuda::DeviceMemory memory,
                           cuda::DeviceMemory::Allocate(context.stream(), bytes));
    run.memory_.push_back(std::move(memory));
    SWAGE_RETURN_IF_ERROR(context.stream().Fill(run.memory_[i].pointer(), kPattern, bytes));
    SWAGE_RETURN_IF_ERROR(run.FillBuffer(i));
  }
  for (const CardLaunch& launch : program.launches) {
    Parameters& parameters = run.parameters_.emplace_back();
    for (const uint32_t buffer : launch.buffers) parameters.values.push_back(run.Address(buffer));
    for (const int64_t extent : launch.extents) {
      parameters.values.push_back(static_cast<uint64_t>(extent));
    }
    for (uint64_t& value : parameters.values) parameters.pointers.push_back(&value);
  }
  // Blocks of the host are gone after this.
  SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
  return run;
}

Status ProgramRun::FillBuffer(size_t i) {
  const CardBuffer& buffer = program_->buffers[i];
  const cuda::Stream& stream = context_->stream();
  if (buffer.bytes == 0 || buffer.fill == Fill::kNothing) return OkStatus();
  if (buffer.fill == Fill::kData) {
    return stream.CopyIn(Address(i), buffer.data.data(), buffer.bytes);
  }
  // One block, then copies of what is there.
  int64_t done = std::min(buffer.bytes, kRandomBlock);
  const std::string block = RandomBlock(buffer.dtype, done);
  SWAGE_RETURN_IF_ERROR(stream.CopyIn(Address(i), block.data(), done));
  SWAGE_RETURN_IF_ERROR(stream.Synchronize());
  while (done < buffer.bytes) {
    const int64_t count = std::min(done, buffer.bytes - done);
    SWAGE_RETURN_IF_ERROR(stream.Copy(Address(i) + static_cast<uint64_t>(done), Address(i), count));
    done += count;
  }
  return OkStatus();
}

Status ProgramRun::Load(bool cubins) {
  functions_.clear();
  modules_.clear();
  load_ms_ = 0;
  cubin_bytes_ = 0;
  for (const CardLaunch& launch : program_->launches) {
    if (modules_.contains(launch.module)) continue;
    const std::string& ptx = context_->PtxOf(context_->bundle().modules[launch.module]);
    const auto start = std::chrono::steady_clock::now();
    const auto load = [&]() -> StatusOr<cuda::Module> {
      if (!cubins) return cuda::Module::LoadPtx(context_->device(), ptx);
      SWAGE_ASSIGN_OR_RETURN(const cuda::Cubin cubin, cuda::LinkPtx(context_->device(), ptx));
      cubin_bytes_ += static_cast<int64_t>(cubin.code.size());
      return cuda::Module::LoadCubin(context_->device(), cubin);
    };
    SWAGE_ASSIGN_OR_RETURN(cuda::Module module, load());
    load_ms_ +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    SWAGE_ASSIGN_OR_RETURN(const cuda::Function function, module.Find(kEntryName));
    if (launch.shared_bytes > (48 << 10)) {
      SWAGE_RETURN_IF_ERROR(function.AllowSharedBytes(static_cast<int>(launch.shared_bytes)));
    }
    functions_.emplace(launch.module, function);
    modules_.emplace(launch.module, std::make_unique<cuda::Module>(std::move(module)));
  }
  return OkStatus();
}

Status ProgramRun::Reset() {
  for (size_t i = 0; i < program_->buffers.size(); ++i) {
    const CardBuffer& buffer = program_->buffers[i];
    if (buffer.fill != Fill::kNothing || buffer.bytes == 0) continue;
    SWAGE_RETURN_IF_ERROR(context_->stream().Fill(Address(i), kPattern, buffer.bytes));
  }
  return OkStatus();
}

Status ProgramRun::Launch() {
  for (size_t i = 0; i < program_->launches.size(); ++i) {
    const CardLaunch& launch = program_->launches[i];
    const cuda::LaunchShape shape = {.grid = {launch.blocks},
                                     .block = {launch.threads_x, launch.threads_y},
                                     .shared_bytes = launch.shared_bytes};
    SWAGE_RETURN_IF_ERROR(
        functions_.at(launch.module).Launch(context_->stream(), shape, parameters_[i].pointers));
  }
  return OkStatus();
}

StatusOr<std::string> ProgramRun::Read(const CardResult& result, int64_t limit) const {
  std::string bytes(static_cast<size_t>(std::min(limit, program_->buffers[result.buffer].bytes)),
                    '\0');
  if (bytes.empty()) return bytes;
  SWAGE_RETURN_IF_ERROR(context_->stream().CopyOut(bytes.data(), Address(result.buffer),
                                                   static_cast<int64_t>(bytes.size())));
  SWAGE_RETURN_IF_ERROR(context_->stream().Synchronize());
  return bytes;
}

StatusOr<std::string> ProgramRun::Difference() {
  for (size_t i = 0; i < program_->results.size(); ++i) {
    const CardResult& result = program_->results[i];
    if (!result.has_expected) continue;
    SWAGE_ASSIGN_OR_RETURN(const std::string got, Read(result, kMaxBufferBytes));
    const std::string difference = FirstDifference(program_->buffers[result.buffer].dtype, got,
                                                   result.expected, result.tolerance);
    if (!difference.empty()) return "result " + std::to_string(i) + ", " + difference;
  }
  for (size_t i = 0; i < memory_.size() && Guard() > 0; ++i) {
    const auto bytes = static_cast<uint64_t>(std::max<int64_t>(program_->buffers[i].bytes, 1));
    std::string around(static_cast<size_t>(2 * Guard()), '\0');
    SWAGE_RETURN_IF_ERROR(context_->stream().CopyOut(around.data(), memory_[i].pointer(), Guard()));
    SWAGE_RETURN_IF_ERROR(
        context_->stream().CopyOut(around.data() + Guard(), Address(i) + bytes, Guard()));
    SWAGE_RETURN_IF_ERROR(context_->stream().Synchronize());
    if (around.find_first_not_of(static_cast<char>(kPattern)) != std::string::npos) {
      return "buffer " + std::to_string(i) + ": a write outside of it";
    }
  }
  return "";
}

StatusOr<cuda::Function::Resources> ProgramRun::Resources() const {
  cuda::Function::Resources most;
  for (const auto& [module, function] : functions_) {
    SWAGE_ASSIGN_OR_RETURN(const cuda::Function::Resources one, function.ReadResources());
    most.registers = std::max(most.registers, one.registers);
    most.local_bytes = std::max(most.local_bytes, one.local_bytes);
    most.shared_bytes = std::max(most.shared_bytes, one.shared_bytes);
    most.max_threads = std::max(most.max_threads, one.max_threads);
  }
  return most;
}

}  // namespace swage::card
