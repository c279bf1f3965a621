#include "codegen/gpu/kernel_key.h"

#include "base/build_id.h"
#include "base/version.h"
#include "codegen/build_info.h"
#include "compiler/ir/fingerprint.h"

namespace swage::gpu {

KeyMaterial KernelKey(const GpuTarget& target, const emit::EmitOptions& options,
                      const ir::Computation& fusion) {
  KeyMaterial key;
  key.Add("kind", "gpu-kernel");
  key.Add("format", kCacheFormatVersion);
  key.Add("build_id", BuildId());
  key.Add("llvm", codegen::LlvmVersion());
  key.Add("sm", target.sm());
  key.Add("ptx", target.ptx());
  key.Add("emitter", options.ToString());
  key.Add("kernel", ir::CanonicalText(fusion));
  return key;
}

}  // namespace swage::gpu
