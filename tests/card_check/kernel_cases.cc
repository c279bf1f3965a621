// Every kernel of the bundle: loaded from PTX and from a cubin, run, compared.
#include "tests/card_check/cases.h"
#include "tests/card_check/program_run.h"

namespace swage::card {
namespace {

// Runs what is loaded, and compares.
Status RunAndCompare(Context& context, ProgramRun& run) {
  SWAGE_RETURN_IF_ERROR(run.Reset());
  SWAGE_RETURN_IF_ERROR(run.Launch());
  SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
  SWAGE_ASSIGN_OR_RETURN(const std::string difference, run.Difference());
  return difference.empty() ? OkStatus() : Internal("[card check] ", difference);
}

Status CheckPtx(Context& context, ProgramRun& run, JsonLine* line) {
  SWAGE_RETURN_IF_ERROR(run.Load(/*cubins=*/false));
  line->Add("load_ms", run.load_ms());
  SWAGE_ASSIGN_OR_RETURN(const cuda::Function::Resources resources, run.Resources());
  line->Add("registers", resources.registers)
      .Add("local_bytes", resources.local_bytes)
      .Add("shared_bytes", resources.shared_bytes);
  return RunAndCompare(context, run);
}

// On the emulator what the linker gives is loaded, but runs the PTX once more.
Status CheckCubin(Context& context, ProgramRun& run, JsonLine* line) {
  SWAGE_RETURN_IF_ERROR(run.Load(/*cubins=*/true));
  line->Add("link_ms", run.load_ms()).Add("cubin_bytes", run.cubin_bytes());
  return context.is_emulator() ? OkStatus() : RunAndCompare(context, run);
}

Outcome CheckKernel(Context& context, const CardProgram& kernel) {
  Outcome outcome;
  if (context.SecondsSinceStart() > context.options().kernel_seconds) {
    return Outcome::Skipped("time: --kernel-seconds is over");
  }
  outcome.fields.Add("schedule", kernel.about);
  StatusOr<ProgramRun> run = ProgramRun::Create(context, kernel);
  if (!run.ok()) return Outcome::Failed(run.status());
  const auto add = [&](const char* what, const Status& status, const char* fine) {
    outcome.fields.Add(what, status.ok() ? std::string_view(fine) : ToStd(status.message()));
    if (!status.ok()) outcome.verdict = Verdict::kFailed;
  };
  add("ptx", CheckPtx(context, *run, &outcome.fields), "ok");
  if (!context.device().Usable().ok()) return outcome;
  add("cubin", CheckCubin(context, *run, &outcome.fields),
      context.is_emulator() ? "skipped: emulator" : "ok");
  return outcome;
}

}  // namespace

std::vector<Case> KernelCases(const Bundle& bundle) {
  std::vector<Case> cases;
  for (const CardProgram& kernel : bundle.kernels) {
    cases.push_back({"kernel/" + kernel.name,
                     [&kernel](Context& context) { return CheckKernel(context, kernel); }});
  }
  return cases;
}

}  // namespace swage::card
