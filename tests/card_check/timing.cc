#include "tests/card_check/timing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace swage::card {
namespace {

constexpr int kWarmUps = 3, kRuns = 10;
constexpr double kRunMs = 2;  // a run repeats what is shorter
constexpr int kMaxRepeats = 200;

StatusOr<double> TimeMs(Context& context, int repeats, FunctionRef<Status()> once) {
  const cuda::Stream& stream = context.stream();
  SWAGE_ASSIGN_OR_RETURN(const cuda::Event begin, cuda::Event::Create(context.device(), true));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Event end, cuda::Event::Create(context.device(), true));
  SWAGE_RETURN_IF_ERROR(stream.Record(begin));
  for (int i = 0; i < repeats; ++i) SWAGE_RETURN_IF_ERROR(once());
  SWAGE_RETURN_IF_ERROR(stream.Record(end));
  SWAGE_RETURN_IF_ERROR(end.Synchronize());
  SWAGE_ASSIGN_OR_RETURN(const float ms, end.ElapsedMs(begin));
  return static_cast<double>(ms);
}

}  // namespace

StatusOr<Times> Time(Context& context, FunctionRef<Status()> once) {
  double warm_ms = 0;
  for (int i = 0; i < kWarmUps; ++i) {
    SWAGE_ASSIGN_OR_RETURN(warm_ms, TimeMs(context, 1, once));
  }
  Times times;
  if (!context.is_emulator()) {
    times.repeats = static_cast<int>(
        std::clamp(std::ceil(kRunMs / std::max(warm_ms, 1e-3)), 1.0, double{kMaxRepeats}));
  }
  std::vector<double> us;
  for (int i = 0; i < kRuns; ++i) {
    SWAGE_ASSIGN_OR_RETURN(const double ms, TimeMs(context, times.repeats, once));
    us.push_back(ms * 1e3 / times.repeats);
  }
  std::sort(us.begin(), us.end());
  times.median = (us[kRuns / 2 - 1] + us[kRuns / 2]) / 2;
  times.least = us.front();
  times.most = us.back();
  return times;
}

StatusOr<ProgramRun> Prepare(Context& context, const CardProgram& program) {
  SWAGE_ASSIGN_OR_RETURN(ProgramRun run, ProgramRun::Create(context, program));
  SWAGE_RETURN_IF_ERROR(run.Load(/*cubins=*/false));
  SWAGE_RETURN_IF_ERROR(run.Launch());
  SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
  SWAGE_ASSIGN_OR_RETURN(const std::string difference, run.Difference());
  if (!difference.empty()) return Internal("[card check] ", difference);
  return run;
}

}  // namespace swage::card
