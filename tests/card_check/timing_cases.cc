// What is timed: copies, programs, launches.
#include <algorithm>
#include <cctype>
#include <chrono>

#include "base/function_ref.h"
#include "codegen/cuda/graph.h"
#include "tests/card_check/cases.h"
#include "tests/card_check/compare.h"
#include "tests/card_check/hand_kernel.h"
#include "tests/card_check/library_matmul.h"
#include "tests/card_check/program_run.h"
#include "tests/card_check/ptx_texts.h"
#include "tests/card_check/timing.h"

namespace swage::card {
namespace {

constexpr int64_t kMaxCompared = int64_t{64} << 20;

// Of what is timed: whose clock it is.
Outcome Timed(const Context& context) {
  Outcome outcome{Verdict::kRecorded, {}};
  outcome.fields.Add("clock", context.is_emulator() ? "emulator: no card's times"
                                                    : context.device().properties().name);
  return outcome;
}

// Runs a case that may stop half way.
Outcome Attempt(Context& context, FunctionRef<Status(Outcome*)> run) {
  Outcome outcome = Timed(context);
  const Status status = run(&outcome);
  return status.ok() ? outcome : Outcome::Failed(status);
}

int64_t CopyBytes(const Context& context) {
  return context.options().small ? int64_t{1} << 14 : int64_t{1} << 28;
}

void AddBandwidth(Context& context, double bytes, const Times& times, Outcome* outcome) {
  if (times.median <= 0) return;
  const double gb_per_s = bytes / times.median * 1e-3;
  outcome->fields.Add("bytes", bytes).Add("gb_per_s", gb_per_s);
  if (context.copy_gb_per_s > 0) {
    outcome->fields.Add("share_of_copy", gb_per_s / context.copy_gb_per_s);
  }
}

Status TimeCopy(Context& context, bool by_kernel, Outcome* outcome) {
  const int64_t bytes = CopyBytes(context);
  SWAGE_ASSIGN_OR_RETURN(HandKernel kernel, HandKernel::Create(context, CopyText(), "", bytes));
  SWAGE_RETURN_IF_ERROR(context.stream().Fill(kernel.input(), 1, bytes));
  SWAGE_ASSIGN_OR_RETURN(const Times times, Time(context, [&] {
                           if (by_kernel)
                             return kernel.Launch(static_cast<unsigned>(bytes / 16 / 256), 256);
                           return context.stream().Copy(kernel.output(), kernel.input(), bytes);
                         }));
  times.AddTo(outcome->fields);
  AddBandwidth(context, 2.0 * static_cast<double>(bytes), times, outcome);
  if (times.median > 0) {
    const double gb_per_s = 2e-3 * static_cast<double>(bytes) / times.median;
    context.copy_gb_per_s = std::max(context.copy_gb_per_s, gb_per_s);
  }
  return OkStatus();
}

// What the cost model predicts for this card, where it knows it by name.
void AddPrediction(const Context& context, const CardProgram& program, Outcome* outcome) {
  std::string word;
  for (const char c : context.device().properties().name + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    for (const auto& [card, us] : program.predicted_us) {
      if (word == card) outcome->fields.Add("predicted_us", us);
    }
    word.clear();
  }
}

Status TimeProgram(Context& context, const CardProgram& program, Outcome* outcome) {
  SWAGE_ASSIGN_OR_RETURN(ProgramRun run, Prepare(context, program));
  SWAGE_ASSIGN_OR_RETURN(const Times times, Time(context, [&] { return run.Launch(); }));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Function::Resources resources, run.Resources());
  times.AddTo(outcome->fields).Add("launches", program.launches.size());
  AddBandwidth(context, program.bytes, times, outcome);
  outcome->fields.Add("tflops", times.median > 0 ? program.flops / times.median * 1e-6 : 0.0);
  AddPrediction(context, program, outcome);
  outcome->fields.Add("registers", resources.registers).Add("local_bytes", resources.local_bytes);
  return OkStatus();
}

// The first result of both, as far as that goes.
Status Same(ProgramRun& a, ProgramRun& b, const CardTiming& timing) {
  for (size_t i = 0; i < timing.fused.results.size(); ++i) {
    const CardResult& result = timing.fused.results[i];
    SWAGE_ASSIGN_OR_RETURN(const std::string x, a.Read(result, kMaxCompared));
    SWAGE_ASSIGN_OR_RETURN(const std::string y, b.Read(timing.unfused.results[i], kMaxCompared));
    const std::string difference =
        FirstDifference(timing.fused.buffers[result.buffer].dtype, x, y, result.tolerance);
    if (!difference.empty()) {
      return Internal("[card check] fused and unfused differ: result ", i, ", ", difference);
    }
  }
  return OkStatus();
}

Status TimePair(Context& context, const CardTiming& timing, Outcome* outcome) {
  SWAGE_ASSIGN_OR_RETURN(ProgramRun fused, Prepare(context, timing.fused));
  SWAGE_ASSIGN_OR_RETURN(ProgramRun unfused, Prepare(context, timing.unfused));
  SWAGE_RETURN_IF_ERROR(Same(fused, unfused, timing));
  SWAGE_ASSIGN_OR_RETURN(const Times one, Time(context, [&] { return fused.Launch(); }));
  SWAGE_ASSIGN_OR_RETURN(const Times other, Time(context, [&] { return unfused.Launch(); }));
  one.AddTo(outcome->fields, "fused_");
  other.AddTo(outcome->fields, "unfused_");
  outcome->fields.Add("fused_launches", timing.fused.launches.size())
      .Add("unfused_launches", timing.unfused.launches.size())
      .Add("times_faster", one.median > 0 ? other.median / one.median : 0.0)
      .Add("same", true);
  return OkStatus();
}

// `launches` one by one and as a graph: by the card's clock, and what the host spends.
Status TimeLaunches(Context& context, size_t count, FunctionRef<Status()> launches,
                    Outcome* outcome) {
  const auto host_us = [&](FunctionRef<Status()> begin) -> StatusOr<double> {
    SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
    const auto start = std::chrono::steady_clock::now();
    SWAGE_RETURN_IF_ERROR(begin());
    const auto end = std::chrono::steady_clock::now();
    SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
    return std::chrono::duration<double, std::micro>(end - start).count();
  };
  outcome->fields.Add("launches", count);
  SWAGE_ASSIGN_OR_RETURN(const Times stream, Time(context, launches));
  stream.AddTo(outcome->fields, "stream_");
  SWAGE_ASSIGN_OR_RETURN(const double stream_host, host_us(launches));
  outcome->fields.Add("stream_host_us", stream_host);
  if (!context.device().driver().has_graphs()) {
    outcome->fields.Add("graph", "the driver has none");
    return OkStatus();
  }
  SWAGE_ASSIGN_OR_RETURN(const cuda::Graph graph, cuda::Graph::Record(context.stream(), launches));
  const auto launch_graph = [&] { return graph.Launch(context.stream()); };
  SWAGE_ASSIGN_OR_RETURN(const Times as_graph, Time(context, launch_graph));
  as_graph.AddTo(outcome->fields, "graph_");
  SWAGE_ASSIGN_OR_RETURN(const double graph_host, host_us(launch_graph));
  outcome->fields.Add("graph_host_us", graph_host);
  return OkStatus();
}

Status TimeEmptyKernels(Context& context, Outcome* outcome) {
  constexpr size_t kLaunches = 100;
  SWAGE_ASSIGN_OR_RETURN(HandKernel kernel, HandKernel::Create(context, EmptyText(), "", 16));
  return TimeLaunches(
      context, kLaunches,
      [&]() -> Status {
        for (size_t i = 0; i < kLaunches; ++i) SWAGE_RETURN_IF_ERROR(kernel.Launch(1, 32));
        return OkStatus();
      },
      outcome);
}

Status TimeProgramLaunches(Context& context, const CardProgram& program, Outcome* outcome) {
  SWAGE_ASSIGN_OR_RETURN(ProgramRun run, Prepare(context, program));
  return TimeLaunches(
      context, program.launches.size(), [&] { return run.Launch(); }, outcome);
}

Case Simple(std::string name, std::function<Status(Context&, Outcome*)> run) {
  return {std::move(name), [run = std::move(run)](Context& context) {
            if (context.is_emulator() && !context.options().small) {
              return Outcome::Skipped("emulator: times of card sizes would take hours; --small");
            }
            return Attempt(context, [&](Outcome* outcome) { return run(context, outcome); });
          }};
}

}  // namespace

std::vector<Case> TimingCases(const Bundle& bundle, const CheckOptions& options) {
  std::vector<Case> cases;
  cases.push_back(Simple("time/copy/driver", [](Context& context, Outcome* outcome) {
    return TimeCopy(context, /*by_kernel=*/false, outcome);
  }));
  cases.push_back(Simple("time/copy/kernel", [](Context& context, Outcome* outcome) {
    return TimeCopy(context, /*by_kernel=*/true, outcome);
  }));
  cases.push_back(Simple("launch/empty", TimeEmptyKernels));
  for (const CardTiming& timing : bundle.timings) {
    if (timing.small != options.small) continue;
    cases.push_back(
        Simple("time/" + timing.fused.name, [&timing](Context& context, Outcome* outcome) {
          return TimeProgram(context, timing.fused, outcome);
        }));
    if (!timing.fused.product.empty()) {
      cases.push_back(
          Simple("library/" + timing.fused.name, [&timing](Context& context, Outcome* outcome) {
            return TimeLibraryMatmul(context, timing.fused, outcome);
          }));
    }
    if (timing.unfused.launches.empty()) continue;
    cases.push_back(
        Simple("pair/" + timing.fused.name, [&timing](Context& context, Outcome* outcome) {
          return TimePair(context, timing, outcome);
        }));
    cases.push_back(
        Simple("launch/" + timing.fused.name, [&timing](Context& context, Outcome* outcome) {
          return TimeProgramLaunches(context, timing.unfused, outcome);
        }));
  }
  return cases;
}

}  // namespace swage::card
