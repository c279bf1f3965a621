#include "runtime/policies.h"

#include "base/log.h"
#include "base/nearest.h"
#include "cache/policy/glob.h"
#include "runtime/jit.h"
#include "runtime/trace.h"

namespace swage {
namespace runtime {

cache::PolicyHolder& Policies() {
  static cache::PolicyHolder* const holder = [] {
    auto* const made = new cache::PolicyHolder;
    const StatusOr<cache::Config>& config = cache::GlobalConfig();
    if (config.ok()) {
      made->Set(config->policies);
    } else {
      Log(LogLevel::kError,
          absl::StrCat("[policy] every size is exact: ", config.status().message()));
    }
    return made;
  }();
  return *holder;
}

std::shared_ptr<const policy::FunctionPolicy> PolicyOf(std::string_view given,
                                                       std::string_view name) {
  const std::shared_ptr<const policy::PolicySet> policies = Policies().Get();
  std::shared_ptr<const policy::FunctionPolicy> found = policies->Find(given);
  if (found->pattern.empty()) found = policies->Find(name);
  return found;
}

void WarnOfNearTable(std::string_view given) {
  const std::shared_ptr<const policy::PolicySet> policies = Policies().Get();
  for (const auto& other : policies->functions()) {
    if (policy::IsGlob(other->pattern) || EditDistance(other->pattern, given) > 2) continue;
    LogWarning(absl::StrCat("[policy] no table is for ", ToAbsl(given), ", but there is one for ",
                            other->pattern));
  }
}

}  // namespace runtime

void load_policies(const std::string& path) {
  const Status loaded = runtime::Policies().Load(path);
  if (!loaded.ok()) runtime::ThrowStatus(loaded, "load_policies", {});
}

}  // namespace swage
