#include "codegen/cpu/entry_key.h"

#include "base/build_id.h"
#include "base/version.h"
#include "codegen/build_info.h"
#include "compiler/cost/device_description.h"

namespace swage::cpu {
namespace {

KeyMaterial Common(std::string_view kind, const HostTarget& target) {
  KeyMaterial key;
  key.Add("kind", kind);
  key.Add("format", kCacheFormatVersion);
  key.Add("build_id", BuildId());
  key.Add("llvm", codegen::LlvmVersion());
  key.Add("cpu", target.cpu());
  key.Add("cpu_features", target.feature_string());
  return key;
}

}  // namespace

KeyMaterial KernelKey(const HostTarget& target, CodegenLevel level, const std::string& emitter,
                      const std::string& text) {
  KeyMaterial key = Common("kernel", target);
  key.Add("level", level == CodegenLevel::kNone ? "none" : "default");
  key.Add("emitter", emitter);
  key.Add("kernel", text);
  return key;
}

KeyMaterial ModuleKey(const HostTarget& target, bool baked_dims,
                      const passes::CompilerOptions& options, const std::string& text) {
  KeyMaterial key = Common("module", target);
  // What fusion decides by; the threads apart, as what one meets most.
  cost::DeviceDescription machine = cost::HostCpu();
  key.Add("num_threads", machine.cores);
  machine.cores = 1;
  machine.dram_gb_per_s = machine.dram_gb_per_s_core;  // which followed from the threads
  key.Add("machine", machine.Fingerprint().ToHex());
  key.Add("dims", baked_dims ? "baked" : "run-time");
  passes::AddToKey(options, &key);
  key.Add("program", text);
  return key;
}

}  // namespace swage::cpu
