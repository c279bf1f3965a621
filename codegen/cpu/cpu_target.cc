#include "codegen/cpu/cpu_target.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "base/parallel_for.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/cpu/kernel_loader.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/cpu/specialise.h"
#include "codegen/emit/kernel_emitter.h"
#include "compiler/pipelines/cpu.h"
#include "llvm/IR/LLVMContext.h"

namespace swage::cpu {
namespace {

using Clock = std::chrono::steady_clock;
using codegen::CompiledKernel;
using codegen::StepPlan;

constexpr char kEntryName[] = "swage_kernel";
// A slice of a kernel that is worth a thread.
constexpr double kSliceNanoseconds = 10000;
constexpr int64_t kSlicesPerThread = 4;

KernelVersion VersionOf(StepPlan&& step) {
  KernelVersion version;
  version.fn = static_cast<const LoadedKernel&>(*step.kernel->code).entry();
  version.kernel = std::move(step.kernel);
  version.dims = std::move(step.dims);
  version.tasks = *step.launch.tasks.static_value();
  const double per_task =
      step.nanoseconds / static_cast<double>(std::max<int64_t>(1, version.tasks));
  const int64_t worth_a_thread =
      static_cast<int64_t>(kSliceNanoseconds / std::max(per_task, 1e-3)) + 1;
  version.grain = std::max(worth_a_thread, version.tasks / (NumThreads() * kSlicesPerThread));
  return version;
}

// The right side of a dot, if it is a constant of the program.
const void* ConstantWeights(const codegen::BufferRef& ref, const codegen::ProgramLayout& layout) {
  const int32_t constant = ref.base - layout.table.ConstantBase(0);
  if (constant < 0 || constant >= layout.table.constants) return nullptr;
  return layout.constants[constant].bytes().data() + ref.offset;
}

// The library's part of a kernel that is a dot; null where the kernel itself runs.
StatusOr<std::shared_ptr<const LibraryDot>> LibraryDotOf(const StepPlan& plan,
                                                         const codegen::ProgramLayout& layout,
                                                         cost::LibraryDots how) {
  if (!plan.dot.has_value()) return nullptr;
  const codegen::BufferRef& right = RightOf(plan.buffers);
  const void* weights = ConstantWeights(right, layout);
  const bool unchanging = right.base < layout.table.inputs && layout.unchanging[right.base];
  const cost::DotSizes sizes = SizesOf(*plan.dot, weights != nullptr || unchanging);
  if (cost::LibrarySaving(sizes, cost::HostCpu(), how) <= 0) return nullptr;
  StatusOr<std::shared_ptr<const LibraryDot>> dot = LibraryDot::Create(*plan.dot, weights);
  if (dot.status().code() == absl::StatusCode::kUnimplemented) return nullptr;
  return dot;
}

StatusOr<Step> StepOf(StepPlan&& plan, const codegen::ProgramLayout& layout,
                      cost::LibraryDots library_dots) {
  Step step;
  step.kind = plan.kind;
  SWAGE_ASSIGN_OR_RETURN(step.library, LibraryDotOf(plan, layout, library_dots));
  step.name = std::move(plan.name);
  step.buffers = std::move(plan.buffers);
  step.bytes = plan.bytes;
  step.callee = std::move(plan.callee);
  if (step.kind == Step::Kind::kKernel && step.library == nullptr) {
    step.kernel = VersionedKernel(VersionOf(std::move(plan)));
  }
  return step;
}

}  // namespace

StatusOr<std::shared_ptr<const CpuTarget>> CpuTarget::Create(const Specialisation* specialise,
                                                             cost::LibraryDots library_dots) {
  SWAGE_ASSIGN_OR_RETURN(const HostTarget* host, HostTarget::Get());
  return std::make_shared<const CpuTarget>(*host, specialise, library_dots);
}

Status CpuTarget::RunPasses(ir::Module* module, passes::PassContext& context) const {
  return pipelines::RunCpuPipeline(module, context);
}

emit::EmitOptions CpuTarget::emit_options() const {
  return emit::EmitOptions::For(host_.vector_bytes(), host_.Has("avx512bf16"));
}

void CpuTarget::AddMachine(KeyMaterial* key) const {
  key->Add("cpu", host_.cpu());
  key->Add("cpu_features", host_.feature_string());
}

void CpuTarget::AddDecisions(KeyMaterial* key) const {
  // The threads apart, as what one meets most.
  cost::DeviceDescription machine = description();
  key->Add("num_threads", machine.cores);
  machine.cores = 1;
  machine.dram_gb_per_s = machine.dram_gb_per_s_core;  // which followed from the threads
  key->Add("machine", machine.Fingerprint().ToHex());
}

StatusOr<CompiledKernel> CpuTarget::Link(std::string object, codegen::EntryStore*) const {
  CompiledKernel kernel;
  const Clock::time_point start = Clock::now();
  SWAGE_ASSIGN_OR_RETURN(KernelLoader * loader, KernelLoader::Get());
  SWAGE_ASSIGN_OR_RETURN(kernel.code, loader->Load(object, kEntryName));
  kernel.link_ms = MillisecondsSince(start);
  kernel.object = std::move(object);
  return kernel;
}

StatusOr<CompiledKernel> CpuTarget::Generate(const emit::KernelPlan& plan,
                                             const codegen::GenerateOptions& options) const {
  const Clock::time_point start = Clock::now();
  llvm::LLVMContext context;
  llvm::Module module(kEntryName, context);
  SWAGE_RETURN_IF_ERROR(emit::EmitKernel(plan, &module, kEntryName).status());
  const double emit_ms = MillisecondsSince(start);
  EmitOptions emit_options;
  emit_options.level = options.level;
  emit_options.keep_ir = options.keep_texts;
  emit_options.keep_assembly = options.keep_texts;
  SWAGE_ASSIGN_OR_RETURN(EmittedObject object, EmitObject(module, host_, emit_options));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(object.object), options.store));
  kernel.emit_ms = emit_ms;
  kernel.llvm_ms = object.passes_ms + object.codegen_ms;
  kernel.ir = std::move(object.ir_after);
  kernel.assembly = std::move(object.assembly);
  return kernel;
}

std::string CpuTarget::SourceOf(const ir::Computation& fusion) const {
  return specialise_ != nullptr ? SourceText(fusion) : std::string();
}

StatusOr<std::shared_ptr<codegen::Executable>> CpuTarget::MakeExecutable(
    codegen::ProgramPlan plan, const codegen::CompileReport& report) const {
  CpuProgram program;
  static_cast<codegen::ProgramLayout&>(program) = std::move(plan.layout);
  program.steps.reserve(plan.steps.size());
  for (StepPlan& step : plan.steps) {
    SWAGE_ASSIGN_OR_RETURN(Step made, StepOf(std::move(step), program, library_dots_));
    program.steps.push_back(std::move(made));
  }
  // A stand-in is gone before it could be hot.
  program.specialise = report.quick_kernels > 0 ? nullptr : specialise_;
  return std::make_shared<CpuExecutable>(std::move(program), report);
}

}  // namespace swage::cpu
