#include "codegen/gpu/cuda_target.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/build_id.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/version.h"
#include "codegen/cuda/blas.h"
#include "codegen/cuda/cublaslt.h"
#include "codegen/gpu/cuda_executable.h"
#include "codegen/gpu/kernels.h"
#include "codegen/gpu/ptx_emitter.h"
#include "compiler/pipelines/gpu.h"

namespace swage::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using codegen::CompiledKernel;

// What the arrays of a thread take: LLVM declares them together, as `__local_depot0[304]`.
int LocalArrayBytes(std::string_view ptx) {
  constexpr absl::string_view kDepot = "__local_depot0[";
  const size_t at = ToAbsl(ptx).find(kDepot);
  if (at == ptx.npos) return 0;
  const absl::string_view text = ToAbsl(ptx).substr(at + kDepot.size());
  int bytes = 0;
  return absl::SimpleAtoi(text.substr(0, text.find(']')), &bytes) ? bytes : 0;
}

}  // namespace

cost::DeviceDescription DescriptionOf(const cuda::DeviceProperties& card) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(card.name, absl::ByAnyChar(" -"), absl::SkipEmpty());
  for (const cost::DeviceDescription& known : cost::KnownGpus()) {
    for (const absl::string_view word : words) {
      if (absl::AsciiStrToLower(word) == known.name) return known;
    }
  }
  // By its generation, with the numbers that the driver has.
  const int capability = card.major * 10 + card.minor;
  cost::DeviceDescription device = *cost::GpuNamed(capability >= 90 ? "h100" : "a100");
  device.name = card.name;
  device.gpu.compute_capability = capability;
  device.cores = std::max(card.multiprocessors, 1);
  if (card.clock_ghz > 0) device.clock_ghz = card.clock_ghz;
  if (card.memory_gb_per_s > 0) device.dram_gb_per_s = card.memory_gb_per_s;
  device.dram_gb_per_s_core = device.dram_gb_per_s / device.cores;
  if (card.l2_bytes > 0) device.l2.bytes = card.l2_bytes;
  device.gpu.threads = card.threads_per_multiprocessor;
  device.gpu.registers = card.registers_per_multiprocessor;
  device.gpu.shared_bytes = card.shared_bytes_per_multiprocessor;
  device.gpu.shared_bytes_block = card.shared_bytes_per_block;
  device.gpu.memory_bytes = card.memory_bytes;
  return device;
}

LoadedPtx::~LoadedPtx() {
  queue_.WaitForAll().IgnoreError();  // of a lost device nothing is running
  const cuda::ContextScope scope(queue_.device());
  module_.reset();
}

namespace {

// Says once per process who computes large dots. Without the library every dot is emitted, which is
// right; a file that was named is expected to be there.
void LogLibraryOnce() {
  static const bool said = [] {
    const std::optional<std::string> given = GetEnv("SWAGE_LIBCUBLASLT");
    if (given == "off") return true;
    const StatusOr<const cuda::CublasLt*> library = cuda::CublasLt::Get();
    if (library.ok()) {
      Log(LogLevel::kInfo, absl::StrCat("[cuda] cuBLASLt ", (*library)->version(), ", ",
                                        (*library)->path(), ", computes large dots"));
    } else {
      Log(given.has_value() ? LogLevel::kWarn : LogLevel::kInfo,
          absl::StrCat(library.status().message(), "; all dots are emitted"));
    }
    return true;
  }();
  static_cast<void>(said);
}

}  // namespace

StatusOr<std::shared_ptr<const CudaTarget>> CudaTarget::Create(CudaQueue& queue) {
  cost::DeviceDescription description = DescriptionOf(queue.device().properties());
  const cuda::ContextScope scope(queue.device());
  SWAGE_RETURN_IF_ERROR(scope.status());
  LogLibraryOnce();
  description.gpu.matmul_library = cuda::Blas::Of(queue.device()).ok();
  SWAGE_ASSIGN_OR_RETURN(GpuTarget target, GpuTarget::For(description));
  return std::shared_ptr<const CudaTarget>(
      new CudaTarget(queue, std::move(target), std::move(description)));
}

Status CudaTarget::RunPasses(ir::Module* module, passes::PassContext& context) const {
  return pipelines::RunGpuPipeline(module, context);
}

std::optional<emit::EmitOptions> CudaTarget::Narrower(const emit::EmitOptions& options) const {
  constexpr int kOneElement = 4;  // bytes
  if (options.vector_bytes <= kOneElement) return std::nullopt;
  return emit::EmitOptions::ForGpu(kOneElement);
}

void CudaTarget::AddMachine(KeyMaterial* key) const { target_.AddTo(key); }

void CudaTarget::AddDecisions(KeyMaterial* key) const {
  key->Add("machine", description_.Fingerprint().ToHex());
}

KeyMaterial CudaTarget::CubinKey(const std::string& ptx) const {
  const cuda::DeviceProperties& card = queue_.device().properties();
  KeyMaterial key;
  key.Add("kind", "cubin");
  key.Add("format", kCacheFormatVersion);
  key.Add("build_id", BuildId());
  key.Add("card", absl::StrCat(card.name, " ", card.major, ".", card.minor));
  key.Add("driver", queue_.device().driver().version());
  key.Add("ptx", HashBytes(ptx).ToHex());
  return key;
}

Status CudaTarget::Load(const cuda::Cubin& cubin, CompiledKernel* kernel) const {
  const Clock::time_point start = Clock::now();
  SWAGE_ASSIGN_OR_RETURN(cuda::Module module, cuda::Module::LoadCubin(queue_.device(), cubin));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Function function, module.Find(kEntryName));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Function::Resources resources, function.ReadResources());
  kernel->load_ms = MillisecondsSince(start);
  kernel->spilled_bytes = std::max(0, resources.local_bytes - LocalArrayBytes(kernel->object));
  kernel->code = std::make_shared<LoadedPtx>(queue_, std::move(module), function);
  return OkStatus();
}

StatusOr<CompiledKernel> CudaTarget::Link(std::string ptx, codegen::EntryStore* store) const {
  const cuda::ContextScope scope(queue_.device());
  SWAGE_RETURN_IF_ERROR(scope.status());
  CompiledKernel kernel;
  kernel.object = std::move(ptx);
  std::string key;
  if (store != nullptr) {
    key = CubinKey(kernel.object).Serialise();
    StatusOr<std::string> stored = store->Get(codegen::EntryKind::kKernel, key);
    if (stored.ok() && Load({*std::move(stored), ""}, &kernel).ok()) return kernel;
    SWAGE_RETURN_IF_ERROR(queue_.device().Usable());
  }
  const Clock::time_point start = Clock::now();
  // A kernel that is too large for LLVM would be cut; of a full device that is no help.
  const auto no_room = [](const Status& status) {
    return absl::IsResourceExhausted(status) ? absl::UnavailableError(status.message()) : status;
  };
  const StatusOr<cuda::Cubin> linked = cuda::LinkPtx(queue_.device(), kernel.object);
  SWAGE_RETURN_IF_ERROR(no_room(linked.status()));
  const cuda::Cubin& cubin = *linked;
  kernel.link_ms = MillisecondsSince(start);
  SWAGE_RETURN_IF_ERROR(no_room(Load(cubin, &kernel)));
  if (store != nullptr) store->Put(codegen::EntryKind::kKernel, key, cubin.code);
  return kernel;
}

StatusOr<CompiledKernel> CudaTarget::Generate(const emit::KernelPlan& plan,
                                              const codegen::GenerateOptions& options) const {
  SWAGE_ASSIGN_OR_RETURN(EmittedPtx code, EmitPtxOf(plan, target_, options.keep_texts));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(code.ptx), options.store));
  kernel.emit_ms = code.emit_ms;
  kernel.llvm_ms = code.llvm_ms;
  if (options.keep_texts) {
    kernel.ir = std::move(code.ir);
    kernel.assembly = kernel.object;
  }
  return kernel;
}

StatusOr<std::shared_ptr<codegen::Executable>> CudaTarget::MakeExecutable(
    codegen::ProgramPlan plan, const codegen::CompileReport& report) const {
  SWAGE_ASSIGN_OR_RETURN(CudaProgram program, CudaProgram::Make(queue_, std::move(plan)));
  return std::make_shared<CudaExecutable>(queue_, std::move(program), report);
}

}  // namespace swage::gpu
