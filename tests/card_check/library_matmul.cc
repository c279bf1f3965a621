#include "tests/card_check/library_matmul.h"

#include <optional>

#include "codegen/cuda/blas.h"
#include "codegen/cuda/matmul.h"
#include "tests/card_check/compare.h"
#include "tests/card_check/timing.h"

namespace swage::card {
namespace {

StatusOr<cuda::MatmulProblem> ProblemOf(const CardProgram& program) {
  const std::optional<ir::DType> dtype = ir::ParseDType(program.buffers[0].dtype);
  if (!dtype.has_value()) {
    return InvalidArgument("[card check] no dtype '", program.buffers[0].dtype, "'");
  }
  return cuda::MatmulProblem{
      .dtype = *dtype, .m = program.product[0], .n = program.product[1], .k = program.product[2]};
}

}  // namespace

Status TimeLibraryMatmul(Context& context, const CardProgram& program, Outcome* outcome) {
  const StatusOr<cuda::Blas*> blas = cuda::Blas::Of(context.device());
  if (blas.status().code() == absl::StatusCode::kUnavailable) {
    *outcome = Outcome::Skipped(absl::StrCat("cublasLt not found: ", blas.status().message()));
    return OkStatus();
  }
  SWAGE_RETURN_IF_ERROR(blas.status());
  SWAGE_ASSIGN_OR_RETURN(const cuda::MatmulProblem problem, ProblemOf(program));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Matmul matmul, cuda::Matmul::Create(**blas, problem));
  SWAGE_ASSIGN_OR_RETURN(const cuda::DeviceMemory workspace,
                         cuda::DeviceMemory::Allocate(context.stream(), matmul.workspace_bytes()));
  SWAGE_ASSIGN_OR_RETURN(ProgramRun run, Prepare(context, program));
  const CardResult& result = program.results[0];
  SWAGE_ASSIGN_OR_RETURN(const std::string emitted, run.Read(result, kMaxBufferBytes));
  SWAGE_ASSIGN_OR_RETURN(const Times emitted_times, Time(context, [&] { return run.Launch(); }));
  SWAGE_RETURN_IF_ERROR(run.Reset());
  const auto multiply = [&] {
    return matmul.Run(context.stream(), run.Address(0), run.Address(1), run.Address(result.buffer),
                      workspace.pointer());
  };
  SWAGE_ASSIGN_OR_RETURN(const Times times, Time(context, multiply));
  SWAGE_ASSIGN_OR_RETURN(const std::string got, run.Read(result, kMaxBufferBytes));
  const std::string difference =
      FirstDifference(program.buffers[result.buffer].dtype, got, emitted, result.tolerance);
  if (!difference.empty()) {
    return Internal("[card check] cublasLt and the emitted kernel differ: ", difference);
  }
  times.AddTo(outcome->fields);
  emitted_times.AddTo(outcome->fields, "emitted_");
  outcome->fields.Add("library", (*blas)->library().path())
      .Add("version", (*blas)->library().version())
      .Add("tflops", times.median > 0 ? program.flops / times.median * 1e-6 : 0.0)
      .Add("share_of_library",
           emitted_times.median > 0 ? times.median / emitted_times.median : 0.0);
  return OkStatus();
}

}  // namespace swage::card
