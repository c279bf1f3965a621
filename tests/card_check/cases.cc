#include "tests/card_check/cases.h"

#include <algorithm>

namespace swage::card {

Status Context::Open() {
  if (stream_ != nullptr) return OkStatus();
  SWAGE_ASSIGN_OR_RETURN(device_, cuda::Device::Get(0));
  scope_ = std::make_unique<cuda::ContextScope>(*device_);
  SWAGE_RETURN_IF_ERROR(scope_->status());
  SWAGE_ASSIGN_OR_RETURN(cuda::Stream stream, cuda::Stream::Create(*device_));
  stream_ = std::make_unique<cuda::Stream>(std::move(stream));
  return OkStatus();
}

bool Context::is_emulator() const { return device_->properties().name == "emulator"; }

const std::string& Context::PtxOf(const CardModule& module) const {
  const bool older = device_->properties().major < 9 || options_.older_ptx;
  return older ? module.sm_80 : module.sm_90;
}

double Context::SecondsSinceStart() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

const char* VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kSkipped:
      return "skipped";
    case Verdict::kRecorded:
      return "recorded";
    case Verdict::kNoDriver:
      return "no driver";
  }
  return "failed";
}

Outcome Outcome::Failed(const Status& status) {
  Outcome outcome{Verdict::kFailed, {}};
  outcome.fields.Add("why", ToStd(status.message()));
  return outcome;
}

Outcome Outcome::Skipped(std::string_view why) {
  Outcome outcome{Verdict::kSkipped, {}};
  outcome.fields.Add("why", why);
  return outcome;
}

std::vector<Case> AllCases(const Bundle& bundle, const CheckOptions& options) {
  std::vector<Case> all = HardwareCases();
  const auto append = [&](std::vector<Case> cases) {
    all.insert(all.end(), std::make_move_iterator(cases.begin()),
               std::make_move_iterator(cases.end()));
  };
  append(KernelCases(bundle));
  if (options.timings) append(TimingCases(bundle, options));
  std::erase_if(all, [&](const Case& one) { return !one.name.starts_with(options.only); });
  return all;
}

}  // namespace swage::card
