#include "codegen/gpu/kernel_key.h"

#include "codegen/program/entry_key.h"

namespace swage::gpu {

KeyMaterial KernelKey(const GpuTarget& target, const emit::EmitOptions& options,
                      const ir::Computation& fusion) {
  return codegen::KernelKey([&](KeyMaterial* key) { target.AddTo(key); },
                            codegen::CodegenLevel::kDefault, options, fusion);
}

}  // namespace swage::gpu
