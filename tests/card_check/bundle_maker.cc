#include "tests/card_check/bundle_maker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "codegen/emit/generalise.h"
#include "codegen/gpu/kernel_key.h"
#include "codegen/gpu/kernels.h"
#include "compiler/analysis/in_place.h"
#include "compiler/cost/device_description.h"
#include "compiler/cost/kernel_prediction.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/parser.h"
#include "compiler/pipelines/gpu.h"
#include "tests/card_check/program_lowering.h"
#include "tests/card_check/timing_programs.h"

namespace swage::card {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;

// Whose fusion decisions are taken.
constexpr char kCard[] = "h200";
// Of one kernel's inputs and results together.
constexpr int64_t kMaxKernelBytes = int64_t{3} << 19;
constexpr int64_t kMaxEvaluationMs = 20'000;

StatusOr<std::unique_ptr<ir::Module>> Compile(std::string_view hlo, bool fuse) {
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription device, cost::GpuNamed(kCard));
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo));
  passes::CompilerOptions options;
  if (!fuse) options.disable_passes = {"priority-fusion"};
  passes::PassContext context(options, &device);
  SWAGE_RETURN_IF_ERROR(pipelines::RunGpuPipeline(module.get(), context));
  return module;
}

StatusOr<gpu::GpuTarget> TargetOf(const char* card) {
  SWAGE_ASSIGN_OR_RETURN(const cost::DeviceDescription device, cost::GpuNamed(card));
  return gpu::GpuTarget::For(device);
}

std::string_view Text(const Literal& literal) {
  const auto bytes = literal.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool Has(const ir::Computation& fusion, absl::Span<const Opcode> opcodes) {
  for (const Instruction* op : fusion.Instructions()) {
    if (std::find(opcodes.begin(), opcodes.end(), op->opcode()) != opcodes.end()) return true;
  }
  return false;
}

double ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 1e-13;
    case DType::kF32:
      return 1e-5;
    case DType::kF16:
      return 4e-3;
    case DType::kBF16:
      return 3e-2;
    case DType::kF8E4M3FN:
    case DType::kF8E5M2:
      return 0.3;
    default:
      return 0;
  }
}

// Sums of floats that may be taken in any order: by the coarsest dtype on the way.
double ToleranceOf(const ir::Computation& computation) {
  bool sums = false;
  double coarsest = 0;
  for (const Instruction* op : computation.Instructions()) {
    if (op->shape().is_array()) coarsest = std::max(coarsest, ToleranceOf(op->shape().dtype()));
    sums = sums || (op->opcode() == Opcode::kDot && ir::IsFloat(op->shape().dtype()));
  }
  return sums ? coarsest : 0;
}

StatusOr<int64_t> TotalBytes(const std::vector<ir::Shape>& shapes) {
  int64_t total = 0;
  for (const ir::Shape& shape : shapes) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
    total += bytes;
  }
  return total;
}

std::vector<ir::Shape> ParametersOf(const ir::Computation& computation) {
  std::vector<ir::Shape> shapes;
  for (const Instruction* parameter : computation.parameters()) {
    shapes.push_back(parameter->shape());
    shapes.back().clear_layout();
  }
  return shapes;
}

Status SetInputs(const ir::Computation& computation, bool special, bool small_integers,
                 uint64_t seed, CardProgram* program, std::vector<Literal>* inputs) {
  const std::vector<ir::Shape> shapes = ParametersOf(computation);
  for (size_t i = 0; i < shapes.size(); ++i) {
    CardBuffer& buffer = program->buffers[i];
    SWAGE_ASSIGN_OR_RETURN(buffer.data, RandomBytes(shapes[i], seed + i, special, small_integers));
    buffer.fill = Fill::kData;
    const auto* bytes = reinterpret_cast<const uint8_t*>(buffer.data.data());
    SWAGE_ASSIGN_OR_RETURN(inputs->emplace_back(),
                           Literal::FromBytes(shapes[i], {bytes, buffer.data.size()}));
  }
  return OkStatus();
}

Status SetExpected(const ir::Computation& computation, const std::vector<Literal>& inputs,
                   CardProgram* program) {
  SWAGE_ASSIGN_OR_RETURN(
      const Literal expected,
      evaluator::Evaluate(computation, inputs, {.max_time_ms = kMaxEvaluationMs}));
  const std::vector<Literal> leaves = ir::Leaves(expected);
  SWAGE_RET_CHECK(leaves.size() == program->results.size());
  for (size_t i = 0; i < leaves.size(); ++i) {
    program->results[i].has_expected = true;
    program->results[i].expected = Text(leaves[i]);
  }
  return OkStatus();
}

// What every launch reads and writes.
double BytesOf(const CardProgram& program) {
  double bytes = 0;
  for (const CardLaunch& launch : program.launches) {
    for (const uint32_t buffer : launch.buffers) {
      bytes += static_cast<double>(program.buffers[buffer].bytes);
    }
  }
  return bytes;
}

void AddPredictions(const ir::Module& module, CardProgram* program) {
  for (const cost::DeviceDescription& card : cost::KnownGpus()) {
    double microseconds = 0;
    for (const Instruction* op : module.entry()->Instructions()) {
      if (op->opcode() != Opcode::kFusion) continue;
      const cost::KernelPrediction kernel = cost::PredictKernel(*op, card);
      microseconds +=
          static_cast<double>(kernel.time_ps) * 1e-6 + static_cast<double>(card.launch_ns) * 1e-3;
      if (card.name == kCard) program->flops += kernel.flops;
    }
    program->predicted_us.emplace_back(card.name, microseconds);
  }
}

}  // namespace

StatusOr<std::string> RandomBytes(const ir::Shape& shape, uint64_t seed, bool special,
                                  bool small_integers) {
  SWAGE_ASSIGN_OR_RETURN(Literal literal, Literal::Create(shape));
  std::mt19937_64 random(seed * 7919 + 17);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecials[] = {0.0,    -0.0, kInfinity, -kInfinity, std::nan(""), 1e-40,
                                  -1e-40, 1.0,  -1.0,      3.4e38,     1e-37,        88.7,
                                  -104.0, 0.5,  1e5,       16777217.0};
  const DType dtype = shape.dtype();
  // Sums of two draws: the distributions of <random> differ between libraries.
  const auto draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (dtype == DType::kPred) {
      literal.SetBits(i, random() & 1);
    } else if (ir::IsFloat(dtype)) {
      double x = draw() + draw();
      if (special && random() % 4 == 0) x = kSpecials[random() % std::size(kSpecials)];
      literal.SetBits(i, Literal::Scalar(dtype, x).GetBits(0));
    } else if (ir::IsComplex(dtype)) {
      return Unimplemented("[card check] inputs of ", shape.ToString(false));
    } else {
      const auto bits = static_cast<int64_t>(random());
      const auto shift = static_cast<int>(random() % 64);  // so that small ones come up too
      const int64_t value = small_integers ? shift - 2 : bits >> shift;
      literal.SetBits(i, Literal::Scalar(dtype, value).GetBits(0));
    }
  }
  return std::string(Text(literal));
}

StatusOr<CardLaunch> BundleMaker::LaunchOf(const Instruction& fusion, std::string* plan) {
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuTarget ampere, TargetOf("a100"));
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuTarget hopper, TargetOf(kCard));
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuKernel kernel, gpu::CompileKernel(fusion, hopper, {}));
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuKernel older, gpu::CompileKernel(fusion, ampere, {}));
  if (plan != nullptr) *plan = kernel.plan;
  const auto [found, is_new] =
      modules_.emplace(kernel.code->ptx, static_cast<uint32_t>(bundle_.modules.size()));
  if (is_new) bundle_.modules.push_back({older.code->ptx, kernel.code->ptx});
  SWAGE_ASSIGN_OR_RETURN(const gpu::Launch shape, gpu::LaunchFor(kernel.sizes.launch, {}));
  CardLaunch launch;
  launch.module = found->second;
  launch.blocks = static_cast<uint32_t>(shape.blocks);
  launch.threads_x = static_cast<uint32_t>(shape.threads_x);
  launch.threads_y = static_cast<uint32_t>(shape.threads_y);
  for (const ir::Dim& dim : kernel.sizes.dims) {
    SWAGE_ASSIGN_OR_RETURN(launch.extents.emplace_back(), dim.Evaluate({}));
  }
  return launch;
}

Status BundleMaker::AddKernelsOf(std::string_view hlo, const std::string& name) {
  StatusOr<std::unique_ptr<ir::Module>> module = Compile(hlo, /*fuse=*/true);
  if (!module.ok()) {
    left_out_.push_back(name + ": " + std::string(ToStd(module.status().message())));
    return module.status().code() == absl::StatusCode::kUnimplemented ? OkStatus()
                                                                      : module.status();
  }
  for (const ir::Computation* computation : (*module)->ExecutedComputations()) {
    for (const Instruction* op : computation->Instructions()) {
      if (op->opcode() != Opcode::kFusion) continue;
      const Status added = AddKernel(*op, name + "/" + op->name());
      if (added.ok()) continue;
      if (added.code() != absl::StatusCode::kUnimplemented &&
          added.code() != absl::StatusCode::kResourceExhausted) {
        return Annotate(added, absl::StrCat("; kernel ", name, "/", op->name()));
      }
      left_out_.push_back(name + "/" + op->name() + ": " + std::string(ToStd(added.message())));
    }
  }
  return OkStatus();
}

Status BundleMaker::AddKernel(const Instruction& fusion, const std::string& name) {
  const ir::Computation& body = *fusion.fused_computation();
  SWAGE_ASSIGN_OR_RETURN(const gpu::GpuTarget target, TargetOf(kCard));
  SWAGE_ASSIGN_OR_RETURN(const emit::GeneralisedFusion general, emit::Generalise(body));
  const std::string key =
      gpu::KernelKey(target, emit::EmitOptions::ForGpu(), *general.fusion).Serialise();
  if (kernels_.contains(key)) return OkStatus();
  const std::vector<ir::Shape> results = ir::PlainLeaves(fusion.shape());
  SWAGE_ASSIGN_OR_RETURN(const int64_t in, TotalBytes(ParametersOf(body)));
  SWAGE_ASSIGN_OR_RETURN(const int64_t out, TotalBytes(results));
  if (in + out > kMaxKernelBytes) {
    return ResourceExhausted(in + out, " bytes of data, at most ", kMaxKernelBytes);
  }
  CardProgram program;
  program.name = name;
  SWAGE_ASSIGN_OR_RETURN(CardLaunch launch, LaunchOf(fusion, &program.about));
  std::vector<ir::Shape> shapes = ParametersOf(body);
  shapes.insert(shapes.end(), results.begin(), results.end());
  for (const ir::Shape& shape : shapes) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
    launch.buffers.push_back(static_cast<uint32_t>(program.buffers.size()));
    program.buffers.push_back({std::string(ir::DTypeName(shape.dtype())), bytes});
  }
  const double tolerance = ToleranceOf(body);
  for (size_t i = ParametersOf(body).size(); i < shapes.size(); ++i) {
    program.results.push_back({.buffer = static_cast<uint32_t>(i),
                               .tolerance = ir::IsFloat(shapes[i].dtype()) ? tolerance : 0});
  }
  program.launches.push_back(std::move(launch));
  // One NaN or infinity would be all that is left of a sum.
  const bool special = !Has(body, {Opcode::kDot, Opcode::kReduce});
  const bool indices =
      Has(body, {Opcode::kGather, Opcode::kDynamicSlice, Opcode::kDynamicUpdateSlice});
  std::vector<Literal> inputs;
  SWAGE_RETURN_IF_ERROR(
      SetInputs(body, special, indices, bundle_.kernels.size() * 64, &program, &inputs));
  SWAGE_RETURN_IF_ERROR(SetExpected(body, inputs, &program));
  if (const Instruction* update = analysis::UpdateInPlace(body)) {
    // The kernel writes the update into what is there.
    CardBuffer& result = program.buffers.back();
    result.fill = Fill::kData;
    result.data = program.buffers[update->operand(0)->parameter_number()].data;
  }
  kernels_.insert(key);
  bundle_.kernels.push_back(std::move(program));
  return OkStatus();
}

StatusOr<CardProgram> BundleMaker::ProgramOf(const TimingProgram& timing, bool fuse, bool small) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, Compile(timing.hlo, fuse));
  SWAGE_ASSIGN_OR_RETURN(CardProgram program,
                         LowerProgram(*module, [this](const Instruction& fusion) {
                           return LaunchOf(fusion, nullptr);
                         }));
  program.name = timing.name;
  program.about = absl::StrCat(program.launches.size(), " launches");
  program.bytes = BytesOf(program);
  program.product = timing.product;
  AddPredictions(*module, &program);
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> source, ir::ParseHlo(timing.hlo));
  const double tolerance = ToleranceOf(*source->entry());
  for (CardResult& result : program.results) result.tolerance = tolerance;
  if (!small) return program;
  std::vector<Literal> inputs;
  SWAGE_RETURN_IF_ERROR(SetInputs(*source->entry(), false, false, 1, &program, &inputs));
  SWAGE_RETURN_IF_ERROR(SetExpected(*source->entry(), inputs, &program));
  return program;
}

Status BundleMaker::AddTimings(bool small) {
  for (const TimingProgram& timing : TimingPrograms(small)) {
    CardTiming made;
    made.small = small;
    const auto add = [&](bool fuse, CardProgram* to) -> Status {
      SWAGE_ASSIGN_OR_RETURN(*to, ProgramOf(timing, fuse, small));
      return OkStatus();
    };
    SWAGE_RETURN_IF_ERROR(Annotate(add(true, &made.fused), "; program " + timing.name));
    if (timing.pair) {
      SWAGE_RETURN_IF_ERROR(Annotate(add(false, &made.unfused), "; program " + timing.name));
    }
    bundle_.timings.push_back(std::move(made));
  }
  return OkStatus();
}

}  // namespace swage::card
