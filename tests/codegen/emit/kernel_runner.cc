#include "tests/codegen/emit/kernel_runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "codegen/cpu/host_target.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/emit/generalise.h"
#include "codegen/gpu/gpu_target.h"
#include "codegen/gpu/ptx_emitter.h"
#include "compiler/analysis/in_place.h"
#include "compiler/cost/device_description.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

using ir::DType;
using ir::Literal;

std::vector<EmitOptions> TargetsHere() {
  std::vector<EmitOptions> targets = {EmitOptions::For(32, false)};
  const auto host = cpu::HostTarget::Get();
  if (host.ok() && (*host)->vector_bytes() == 64) {
    targets.push_back(EmitOptions::For(64, (*host)->Has("avx512bf16")));
  }
  targets.push_back(targets.back());
  targets.back().streaming_stores = true;
  return targets;
}

StatusOr<CompiledKernel> CompiledKernel::Compile(const ir::Computation& fusion,
                                                 const CompileOptions& options) {
  CompiledKernel compiled;
  SWAGE_ASSIGN_OR_RETURN(std::vector<Leaf> leaves, LeavesOf(fusion));
  for (const Leaf& leaf : leaves) {
    compiled.results_.push_back(leaf.shape);
    compiled.results_.back().clear_layout();
  }
  SWAGE_ASSIGN_OR_RETURN(GeneralisedFusion general, Generalise(fusion, options.baked));
  compiled.text_ = general.fusion->ToString();
  SWAGE_ASSIGN_OR_RETURN(KernelPlan plan, PlanKernel(*general.fusion, options.emit));
  compiled.plan_ = plan.ToString();
  compiled.schedule_ = plan.schedule;
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  SWAGE_ASSIGN_OR_RETURN(EmittedKernel emitted, EmitKernel(plan, &module, "kernel"));
  if (options.emit.is_gpu()) {
    SWAGE_RETURN_IF_ERROR(compiled.CompileForGpu(module, options));
  } else {
    SWAGE_RETURN_IF_ERROR(compiled.CompileForCpu(module, options));
  }

  if (const ir::Instruction* update = analysis::UpdateInPlace(fusion)) {
    compiled.updated_ = static_cast<int>(update->operand(0)->parameter_number());
  }
  for (const ir::Instruction* parameter : fusion.parameters()) {
    compiled.parameters_.push_back(parameter->shape());
  }
  SWAGE_RET_CHECK(emitted.dims == general.symbols);
  compiled.values_ = general.values;
  for (size_t i = 0; i < general.symbols.size(); ++i) {
    const std::optional<int64_t> value = general.values[i].static_value();
    compiled.symbolic_ = compiled.symbolic_ || !value.has_value();
    compiled.dims_.push_back(value.value_or(-1));
  }
  compiled.launch_ = RunTimeSizesOf(general, plan).launch;
  if (!compiled.symbolic_) {
    SWAGE_ASSIGN_OR_RETURN(compiled.tasks_, compiled.launch_.tasks.Evaluate({}));
  }
  return compiled;
}

Status CompiledKernel::CompileForCpu(llvm::Module& module, const CompileOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const cpu::HostTarget* host, cpu::HostTarget::Get());
  // Narrow vectors also mean an older CPU, so that nothing else of the wide one is used.
  const bool narrow = options.emit.vector_bytes < host->vector_bytes();
  static const StatusOr<cpu::HostTarget> old = cpu::HostTarget::Resolve("x86-64-v3");
  SWAGE_RETURN_IF_ERROR(old.status());
  cpu::EmitOptions emit;
  emit.keep_ir = emit.keep_assembly = options.keep_text;
  SWAGE_ASSIGN_OR_RETURN(cpu::EmittedObject object,
                         cpu::EmitObject(module, narrow ? *old : *host, emit));
  object_ = std::move(object.object);
  ir_ = std::move(object.ir_after);
  assembly_ = std::move(object.assembly);
  return Reload(object_);
}

Status CompiledKernel::CompileForGpu(llvm::Module& module, const CompileOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription device, cost::GpuNamed("a100"));
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuTarget target, gpu::GpuTarget::For(device));
  SWAGE_ASSIGN_OR_RETURN(gpu::EmittedPtx emitted, gpu::EmitPtx(module, target, options.keep_text));
  ir_ = std::move(emitted.ir);
  assembly_ = std::move(emitted.ptx);
  SWAGE_ASSIGN_OR_RETURN(emulated_, EmulatedKernel::Load(assembly_, "kernel"));
  return OkStatus();
}

Status CompiledKernel::Reload(const std::string& object) {
  SWAGE_ASSIGN_OR_RETURN(cpu::KernelLoader * loader, cpu::KernelLoader::Get());
  SWAGE_ASSIGN_OR_RETURN(kernel_, loader->Load(object, "kernel"));
  return OkStatus();
}

namespace {

// The launch that was not chosen, where the kernel has two: small dots have fine tiles, and here
// coarse ones; small transposes have no squares, and here they do.
StatusOr<gpu::Launch> OtherLaunch(gpu::Launch launch, const gpu::LaunchPlan& plan,
                                  const ir::SymbolBinding& sizes) {
  SWAGE_ASSIGN_OR_RETURN(const int64_t flat, plan.flat_tasks.Evaluate(sizes));
  if (flat == 0) return launch;
  SWAGE_ASSIGN_OR_RETURN(const int64_t tasks, plan.tasks.Evaluate(sizes));
  const bool to_flat = launch.threads_y != 1;
  if (plan.sharing == Sharing::kSquares) {
    const int64_t blocks = (flat + kBlockThreads - 1) / kBlockThreads;
    return to_flat ? gpu::Launch{blocks, kBlockThreads, 1}
                   : gpu::Launch{tasks, kWarp, kColumnShares};
  }
  return gpu::Launch{to_flat ? flat : tasks, kBlockThreads / (to_flat ? 1 : 2), to_flat ? 1 : 2};
}

}  // namespace

StatusOr<std::vector<Literal>> CompiledKernel::Run(absl::Span<const Literal> args, GuardSide side,
                                                   int64_t step) const {
  ir::SymbolBinding binding;
  std::vector<int64_t> dims = dims_;
  std::vector<ir::Shape> results = results_;
  int64_t tasks = tasks_;
  if (symbolic_) {
    for (size_t i = 0; i < args.size(); ++i) {
      for (int d = 0; d < parameters_[i].rank(); ++d) {
        SWAGE_RETURN_IF_ERROR(
            binding.Bind(parameters_[i].dim(d), *args[i].shape().dim(d).static_value()));
      }
    }
    dims.clear();
    for (ir::Dim value : values_) {
      SWAGE_ASSIGN_OR_RETURN(int64_t extent, value.Evaluate(binding));
      dims.push_back(extent);
    }
    for (ir::Shape& shape : results) {
      for (int d = 0; d < shape.rank(); ++d) {
        SWAGE_ASSIGN_OR_RETURN(int64_t value, shape.dim(d).Evaluate(binding));
        shape.set_dim(d, value);
      }
    }
    SWAGE_ASSIGN_OR_RETURN(tasks, launch_.tasks.Evaluate(binding));
  }
  if (emulated_ != nullptr) {
    SWAGE_ASSIGN_OR_RETURN(gpu::Launch launch, gpu::LaunchFor(launch_, binding));
    if (step % 2 == 1) {
      SWAGE_ASSIGN_OR_RETURN(launch, OtherLaunch(launch, launch_, binding));
    }
    return emulated_->Run(launch, args, results, dims, static_cast<int>(step), updated_);
  }
  std::vector<GuardedBuffer> buffers;
  for (const Literal& arg : args) {
    SWAGE_ASSIGN_OR_RETURN(
        GuardedBuffer buffer,
        GuardedBuffer::Create(arg.bytes().size(), ir::DTypeBytes(arg.dtype()), side));
    std::copy(arg.bytes().begin(), arg.bytes().end(), static_cast<uint8_t*>(buffer.data()));
    buffers.push_back(std::move(buffer));
  }
  for (const ir::Shape& shape : results) {
    SWAGE_ASSIGN_OR_RETURN(int64_t bytes, shape.ByteSize());
    SWAGE_ASSIGN_OR_RETURN(GuardedBuffer buffer,
                           GuardedBuffer::Create(bytes, ir::DTypeBytes(shape.dtype()), side));
    std::memset(buffer.data(), 0xa5, bytes);
    if (updated_ >= 0) std::memcpy(buffer.data(), buffers[updated_].data(), bytes);
    buffers.push_back(std::move(buffer));
  }
  std::vector<void*> pointers;
  for (const GuardedBuffer& buffer : buffers) pointers.push_back(buffer.data());
  const cpu::KernelArgs kernel_args{pointers.data(), dims.data()};
  if (step == 0) step = std::max<int64_t>(tasks, 1);
  for (int64_t begin = 0; begin < tasks; begin += step) {
    entry()(&kernel_args, begin, std::min(tasks, begin + step));
  }
  std::vector<Literal> outputs;
  for (size_t i = 0; i < buffers.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(buffers[i].Check());
    if (i < args.size()) continue;
    const ir::Shape& shape = results[i - args.size()];
    const auto* bytes = static_cast<const uint8_t*>(buffers[i].data());
    SWAGE_ASSIGN_OR_RETURN(Literal result, Literal::FromBytes(shape, {bytes, buffers[i].size()}));
    outputs.push_back(std::move(result));
  }
  return outputs;
}

Literal RandomLiteral(const ir::Shape& shape, uint64_t seed, bool special) {
  Literal literal = *Literal::Create(shape);
  std::mt19937_64 random(seed * 7919 + 17);
  std::normal_distribution<double> normal;
  const DType dtype = shape.dtype();
  const double specials[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 1.0};
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (dtype == DType::kPred) {
      literal.SetBits(i, random() & 1);
    } else if (ir::IsFloat(dtype)) {
      double x = normal(random);
      if (special && random() % 4 == 0) x = specials[random() % 8];
      literal.SetBits(i, Literal::Scalar(dtype, x).GetBits(0));
    } else {
      literal.SetBits(i, Literal::Scalar(dtype, static_cast<int64_t>(random())).GetBits(0));
    }
  }
  return literal;
}

namespace {

// Whether element i of two arrays is the same value.
bool SameElement(const Literal& a, const Literal& b, int64_t i) {
  if (a.GetBits(i) == b.GetBits(i)) return true;
  return ir::IsFloat(a.dtype()) && std::isnan(a.GetDouble(i)) && std::isnan(b.GetDouble(i));
}

}  // namespace

Status CompareLiterals(const std::vector<Literal>& got, const std::vector<Literal>& want,
                       double tolerance, const std::string& what) {
  SWAGE_RET_CHECK(got.size() == want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    double scale = 1;
    for (int64_t i = 0; tolerance > 0 && i < want[k].element_count(); ++i) {
      const double w = std::abs(want[k].GetDouble(i));
      if (std::isfinite(w)) scale = std::max(scale, w);
    }
    for (int64_t i = 0; i < got[k].element_count(); ++i) {
      if (SameElement(got[k], want[k], i)) continue;
      const double g = got[k].GetDouble(i), w = want[k].GetDouble(i);
      if (tolerance > 0 && std::abs(g - w) <= tolerance * scale) continue;
      return Internal(what, ": output ", k, " element ", i, ": got ", g, " (bits ",
                      got[k].GetBits(i), "), want ", w, " (bits ", want[k].GetBits(i), ")");
    }
  }
  return OkStatus();
}

Status CheckWithArgs(std::string_view hlo, const std::vector<Literal>& args, double tolerance) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo));
  SWAGE_ASSIGN_OR_RETURN(Literal expected, evaluator::Evaluate(*module, args));
  const std::vector<Literal> want = ir::Leaves(expected);
  std::vector<EmitOptions> targets = TargetsHere();
  targets.push_back(EmitOptions::ForGpu());
  for (const EmitOptions& target : targets) {
    std::vector<Literal> first;
    bool symbolic = false;
    for (const ir::Instruction* parameter : module->entry()->parameters()) {
      symbolic = symbolic || !parameter->shape().is_static();
    }
    for (bool baked : {false, true}) {
      if (symbolic && baked) continue;
      CompileOptions options;
      options.emit = target;
      options.baked = baked;
      SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel,
                             CompiledKernel::Compile(*module->entry(), options));
      const std::string what = absl::StrCat(target.ToString(), ", ",
                                            baked ? "baked" : "run-time dims", ", ", kernel.plan());
      for (GuardSide side : {GuardSide::kEnd, GuardSide::kStart}) {
        if (target.is_gpu() && side == GuardSide::kStart) continue;
        for (int64_t step : {0, 1}) {
          SWAGE_ASSIGN_OR_RETURN(std::vector<Literal> got, kernel.Run(args, side, step));
          SWAGE_RETURN_IF_ERROR(CompareLiterals(got, want, tolerance, what));
          if (first.empty()) first = got;
          SWAGE_RETURN_IF_ERROR(CompareLiterals(got, first, 0, what + " against itself"));
        }
      }
    }
  }
  return OkStatus();
}

Status CheckAgainstEvaluator(std::string_view hlo, double tolerance, bool special) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo));
  std::vector<Literal> args;
  for (const ir::Instruction* parameter : module->entry()->parameters()) {
    args.push_back(RandomLiteral(parameter->shape(), args.size(), special));
  }
  return CheckWithArgs(hlo, args, tolerance);
}

}  // namespace swage::emit
