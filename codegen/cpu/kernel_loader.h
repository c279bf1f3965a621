// File: codegen/cpu/kernel_loader.h
//
// Emitted objects into callable code. The object is linked into executable memory (never writable
// and executable at once); the code stays until the last reference to a kernel of that object goes.
//
//   SWAGE_ASSIGN_OR_RETURN(KernelLoader* loader, KernelLoader::Get());
//   SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<LoadedKernel> kernel, loader->Load(object, "kernel"));
//   kernel->entry()(&args, 0, n);
//
// Every function here may be called from any thread. The same object may be loaded many times, and
// objects with equal names do not meet. Nothing of the process is visible to a kernel: an object
// that needs a symbol is refused. Bytes that were truncated or changed are a DataLoss error.
#ifndef SWAGE_CODEGEN_CPU_KERNEL_LOADER_H_
#define SWAGE_CODEGEN_CPU_KERNEL_LOADER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codegen/cpu/kernel_abi.h"
#include "codegen/program/kernel_cache.h"

namespace swage::cpu {

class LinkedObject;

// One entry point, which keeps its object's code alive.
class LoadedKernel final : public codegen::LoadedCode {
 public:
  LoadedKernel(std::shared_ptr<LinkedObject> object, KernelFn entry)
      : object_(std::move(object)), entry_(entry) {}

  KernelFn entry() const { return entry_; }
  // The executable memory of the whole object, in bytes of pages.
  int64_t memory_bytes() const override;

 private:
  std::shared_ptr<LinkedObject> object_;
  KernelFn entry_;
};

class KernelLoader {
 public:
  // The process's one loader; it is never destroyed.
  static StatusOr<KernelLoader*> Get();

  // `object` is what EmitObject returned, or the same bytes from a file.
  StatusOr<std::shared_ptr<LoadedKernel>> Load(std::string_view object, const std::string& entry);

  // Several entries of one object, in the order of `entries`; they share its memory.
  StatusOr<std::vector<std::shared_ptr<LoadedKernel>>> LoadAll(
      std::string_view object, std::span<const std::string> entries);

  // Objects whose code is in memory now.
  int64_t live_objects() const;

  class Impl;

 private:
  explicit KernelLoader(std::unique_ptr<Impl> impl);
  ~KernelLoader();

  std::unique_ptr<Impl> impl_;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_KERNEL_LOADER_H_
