// File: codegen/cpu/kernel_cache.h
//
// The kernels of this process by key. The key is the text of the generalised fusion with everything
// that code depends on (target, options, code level), compared in full, so two programs, and two
// shapes of one program, share a kernel whenever its code would be the same.
// Thread-safe; one compile per key at a time, others wait for it. A failed compile is not kept.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_CACHE_H_
#define SWAGE_CODEGEN_CPU_KERNEL_CACHE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/function_ref.h"
#include "base/hash.h"
#include "base/status.h"
#include "codegen/cpu/kernel_loader.h"

namespace swage::cpu {

struct CompiledKernel {
  std::string object;  // as EmitObject gave it: what a disk cache would keep
  std::shared_ptr<LoadedKernel> code;
  std::string ir, assembly;  // kept only when asked for (dumps)
  double emit_ms = 0;        // our IR
  double llvm_ms = 0;        // LLVM's passes and code generation
  double link_ms = 0;
};

class KernelCache {
 public:
  // The process's cache; never destroyed.
  static KernelCache& Get();

  struct Lookup {
    std::shared_ptr<const CompiledKernel> kernel;
    bool hit = false;  // compiled before, or by another thread meanwhile
  };
  StatusOr<Lookup> Find(const std::string& key,
                        FunctionRef<StatusOr<CompiledKernel>()> compile);

  int64_t size() const;
  // Forgets all kernels; those in use live on in their executables.
  void Clear();

 private:
  struct Entry {
    std::string key;
    std::mutex compiling;
    std::shared_ptr<const CompiledKernel> kernel;  // guarded by `compiling`
  };

  mutable std::mutex mutex_;
  absl::flat_hash_map<Hash128, std::shared_ptr<Entry>> entries_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_CACHE_H_
