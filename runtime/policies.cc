#include "runtime/policies.h"

#include "base/log.h"
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

}  // namespace runtime

void load_policies(const std::string& path) {
  const Status loaded = runtime::Policies().Load(path);
  if (!loaded.ok()) runtime::ThrowStatus(loaded, "load_policies", {});
}

}  // namespace swage
