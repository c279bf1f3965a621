// File: codegen/program/kernel_cache.h
//
// The kernels of this process by key. The key is the text of the generalised fusion with everything
// that code depends on (target, options, code level), compared in full, so two programs, and two
// shapes of one program, share a kernel whenever its code would be the same.
//
// Thread-safe; one compile per key at a time, others wait for it. A failed compile is not kept.
// A kernel that an executable holds stays. One that nobody holds is kept for later programs until
// it is the least recently used thing of the process (base/memory_bound.h); then its code is freed.
#ifndef SWAGE_CODEGEN_PROGRAM_KERNEL_CACHE_H_
#define SWAGE_CODEGEN_PROGRAM_KERNEL_CACHE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/function_ref.h"
#include "base/hash.h"
#include "base/memory_bound.h"
#include "base/status.h"

namespace swage::codegen {

// Code that can run, which its target knows how to call.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual int64_t memory_bytes() const = 0;  // of the host
};

struct CompiledKernel {
  std::string object;  // what a store keeps: an object file, or PTX
  std::shared_ptr<LoadedCode> code;
  std::string ir, assembly;  // kept only when asked for (dumps)
  std::string source;        // the fusion as HLO (SourceText); empty: it is not specialised
  bool stored = false;       // the object came from a store: LLVM did not run
  double emit_ms = 0;        // our IR
  double llvm_ms = 0;        // LLVM's passes and code generation
  double link_ms = 0;        // a GPU: the driver makes machine code of PTX
  double load_ms = 0;        // a GPU: that code onto the device
  int spilled_bytes = 0;     // a GPU: of a thread, to memory

  int64_t memory_bytes() const;
};

class KernelCache final : public MemoryHolder {
 public:
  // The process's cache; never destroyed.
  static KernelCache& Get();
  // `hash_bits` is for tests of keys that collide.
  explicit KernelCache(MemoryBound* bound, int hash_bits = 64);

  // Whoever holds it uses the kernel; the last one to let go leaves it to the cache.
  using KernelPtr = std::shared_ptr<const CompiledKernel>;

  struct Lookup {
    KernelPtr kernel;
    bool hit = false;  // compiled before, or by another thread meanwhile
  };
  StatusOr<Lookup> Find(const std::string& key, FunctionRef<StatusOr<CompiledKernel>()> compile);
  // The kernel of this key if it is there, else null.
  KernelPtr Peek(const std::string& key);

  // The key that `kernel` was found by; null when the cache does not keep it.
  static const std::string* KeyOf(const KernelPtr& kernel);
  // The user of `kernel` last ran at `tick`; before it lets go.
  static void RaiseUse(const KernelPtr& kernel, int64_t tick);

  struct Stats {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t kernels = 0;
    int64_t unused = 0;  // of them: held by no executable
    int64_t bytes = 0;
    int64_t evictions = 0;
  };
  Stats stats() const;
  int64_t size() const { return stats().kernels; }
  // Forgets all kernels; those in use live on in their executables.
  void Clear();

  int64_t bytes() const override;
  int64_t OldestUse() override;
  void EvictOldest() override;

 private:
  struct Entry;
  struct LetGo;  // the deleter of what users hold
  using EntryPtr = std::shared_ptr<Entry>;
  using Unused = std::multimap<int64_t, EntryPtr>;

  KernelPtr Lend(const EntryPtr& entry);  // with the lock held
  void Release(const EntryPtr& entry);
  void Keep(const Hash128& hash, const EntryPtr& entry, CompiledKernel kernel);

  Hash128 HashOf(const std::string& key) const;

  const uint64_t hash_mask_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<Hash128, EntryPtr> entries_;
  Unused unused_;  // by last use
  Stats stats_;
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_KERNEL_CACHE_H_
