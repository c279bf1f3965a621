#include "runtime/version.h"

#include "base/version.h"
#include "codegen/build_info.h"

namespace swage {

const char* Version() { return SWAGE_VERSION; }

std::string BuildInfo() {
  std::string info = "swage " SWAGE_VERSION "\n";
  info += "hlo dialect " + std::to_string(kHloDialectVersion) + "\n";
  info += "cache format " + std::to_string(kCacheFormatVersion) + "\n";
  info += "llvm " + codegen::LlvmVersion() + "\n";
  info += "onednn " + codegen::OneDnnVersion() + "\n";
  info += "cpu " + codegen::HostCpuFeatures() + "\n";
  return info;
}

}  // namespace swage
