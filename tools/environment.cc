#include "tools/environment.h"

#include <limits>
#include <optional>

#include "base/env.h"
#include "base/log.h"
#include "cache/config.h"
#include "codegen/cpu/host_target.h"
#include "codegen/gpu/compile.h"
#include "runtime/program.h"

namespace swage::tools {

Status CheckEnvironment() {
  CheckEnvironmentOnce();
  SWAGE_RETURN_IF_ERROR(
      GetEnvInt("SWAGE_CACHE_MEMORY_BYTES", 0, std::numeric_limits<int64_t>::max()).status());
  if (const std::optional<std::string> device = GetEnv("SWAGE_DEVICE")) {
    SWAGE_RETURN_IF_ERROR(Annotate(runtime::FindBackend(*device).status(), " (SWAGE_DEVICE)"));
  }
  SWAGE_RETURN_IF_ERROR(gpu::CheckEnvironment());
  // What mirrors options of jit.
  SWAGE_RETURN_IF_ERROR(runtime::ResolveOptions({}).status());
  SWAGE_RETURN_IF_ERROR(cache::GlobalConfig().status());
  // Without the variable a machine that is too old is an error of those who compile.
  if (!GetEnv("SWAGE_CPU").has_value()) return OkStatus();
  return cpu::HostTarget::Get().status();
}

}  // namespace swage::tools
