#include "codegen/build_info.h"

#include "oneapi/dnnl/dnnl.h"

namespace swage::codegen {

std::string LlvmVersion() { return SWAGE_LLVM_VERSION; }

std::string OneDnnVersion() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

std::string HostCpuFeatures() {
  __builtin_cpu_init();
  const bool floor = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                     __builtin_cpu_supports("fma");
  std::string features = floor ? "x86-64-v3" : "below x86-64-v3";
  auto add = [&](bool supported, const char* name) {
    if (supported) features.append(" ").append(name);
  };
  add(__builtin_cpu_supports("avx512f"), "avx512f");
  add(__builtin_cpu_supports("avx512bw"), "avx512bw");
  add(__builtin_cpu_supports("avx512dq"), "avx512dq");
  add(__builtin_cpu_supports("avx512vl"), "avx512vl");
  add(__builtin_cpu_supports("avx512vnni"), "avx512vnni");
  add(__builtin_cpu_supports("avx512bf16"), "avx512bf16");
  add(__builtin_cpu_supports("avx512fp16"), "avx512fp16");
  return features;
}

}  // namespace swage::codegen
