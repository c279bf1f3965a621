#include "tools/program_text.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/gpu/cuda_executable.h"

namespace swage::tools {
namespace {

using codegen::BufferRef;

StatusOr<std::string> CodeOf(const codegen::KernelCache::KernelPtr& kernel) {
  SWAGE_RET_CHECK(kernel != nullptr && !kernel->object.empty(), "a kernel without its code");
  return HashBytes(kernel->object).ToHex();
}

std::string LayoutText(const codegen::ProgramLayout& layout) {
  std::string text = absl::StrCat("arena ", layout.arena_bytes, "\n");
  for (const codegen::ArenaSlice& slice : layout.slices) {
    absl::StrAppend(&text, "slice ", slice.offset, " ", slice.size, "\n");
  }
  for (const ir::Literal& constant : layout.constants) {
    const auto bytes = constant.bytes();
    const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    absl::StrAppend(&text, "constant ", HashBytes(view).ToHex(), "\n");
  }
  return text;
}

// Constants of a GPU lie on the device and are told apart by their sizes alone; their values do not
// change what is run.
std::string ConstantsText(const std::vector<std::shared_ptr<const codegen::SpaceBlock>>& blocks) {
  std::string text;
  for (const auto& block : blocks) absl::StrAppend(&text, "constant of ", block->bytes(), "\n");
  return text;
}

std::string BuffersText(const std::vector<BufferRef>& buffers) {
  return absl::StrJoin(buffers, " ", [](std::string* out, const BufferRef& buffer) {
    absl::StrAppend(out, buffer.base, "+", buffer.offset);
  });
}

// The steps are taken apart by all their members, so that a new one does not compile before it
// stands here.
StatusOr<std::string> KernelLine(const cpu::KernelVersion& version) {
  const auto& [fn, dims, tasks, grain, kernel] = version;
  SWAGE_ASSIGN_OR_RETURN(const std::string code, CodeOf(kernel));
  return absl::StrCat(code, " tasks ", tasks, " grain ", grain, " dims ", absl::StrJoin(dims, " "));
}

StatusOr<std::string> KernelLine(const gpu::CudaStep& step) {
  SWAGE_ASSIGN_OR_RETURN(const std::string code, CodeOf(step.kernel));
  return absl::StrCat(code, " blocks ", step.launch.blocks, " threads ", step.launch.threads_x, "x",
                      step.launch.threads_y, step.matmul != nullptr ? " library" : "", " dims ",
                      absl::StrJoin(step.dims, " "));
}

class Writer {
 public:
  StatusOr<ProgramText> Write(const codegen::Executable& executable) {
    SWAGE_RETURN_IF_ERROR(Add(executable));
    std::sort(result_.kernels.begin(), result_.kernels.end());
    return std::move(result_);
  }

 private:
  Status Add(const codegen::Executable& executable) {
    if (const auto* on_cpu = dynamic_cast<const cpu::CpuExecutable*>(&executable)) {
      result_.text += LayoutText(on_cpu->program());
      for (const cpu::Step& step : on_cpu->program().steps) SWAGE_RETURN_IF_ERROR(AddStep(step));
      return OkStatus();
    }
    const auto* on_gpu = dynamic_cast<const gpu::CudaExecutable*>(&executable);
    SWAGE_RET_CHECK(on_gpu != nullptr, "neither a CPU's program nor a GPU's");
    result_.text += LayoutText(on_gpu->program().layout);
    result_.text += ConstantsText(on_gpu->program().constants);
    for (const gpu::CudaStep& step : on_gpu->program().steps) SWAGE_RETURN_IF_ERROR(AddStep(step));
    return OkStatus();
  }

  Status AddStep(const cpu::Step& step) {
    const auto& [kind, buffers, kernel, library, bytes, callee, name] = step;
    absl::StrAppend(&result_.text, static_cast<int>(kind), " ", BuffersText(buffers), " ", bytes,
                    "\n");
    if (library != nullptr) AddKernel(library->ToString());
    if (kernel.first() != nullptr) {
      SWAGE_ASSIGN_OR_RETURN(const std::string line, KernelLine(*kernel.first()));
      AddKernel(line);
    }
    return callee == nullptr ? OkStatus() : Add(*callee);
  }

  Status AddStep(const gpu::CudaStep& step) {
    const auto& [kind, name, buffers, kernel, launch, dims, matmul, bytes, callee, called] = step;
    absl::StrAppend(&result_.text, static_cast<int>(kind), " ", BuffersText(buffers), " ", bytes,
                    "\n");
    if (kernel != nullptr) {
      SWAGE_ASSIGN_OR_RETURN(const std::string line, KernelLine(step));
      AddKernel(line);
    }
    return callee == nullptr ? OkStatus() : Add(*callee);
  }

  void AddKernel(const std::string& line) {
    absl::StrAppend(&result_.text, line, "\n");
    result_.kernels.push_back(HashBytes(line).ToHex());
  }

  ProgramText result_;
};

}  // namespace

StatusOr<ProgramText> TextOf(const codegen::Executable& executable) {
  return Writer().Write(executable);
}

}  // namespace swage::tools
