// File: runtime/backend.h
//
// The devices: name -> how a module is compiled for it. A new kind is a few lines in backend.cc.
#ifndef SWAGE_RUNTIME_BACKEND_H_
#define SWAGE_RUNTIME_BACKEND_H_

#include <memory>
#include <string_view>

#include "base/status.h"
#include "codegen/executable.h"
#include "codegen/memory_space.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"

namespace swage::runtime {

// How much time a compile may take. kQuick gives a stand-in that computes the same bits more
// slowly; where its report has no quick kernels it is as good as the other.
enum class Effort { kFull, kQuick };

struct Backend {
  std::string_view name;
  int ordinal = 0;  // among the devices of its kind
  StatusOr<std::shared_ptr<codegen::Executable>> (*compile)(const Backend& backend,
                                                            std::unique_ptr<ir::Module> module,
                                                            const passes::CompilerOptions& options,
                                                            Effort effort);
  // Whether filters of passes name some of its pipeline.
  Status (*check_filters)(const passes::CompilerOptions& options);
  // Where its results lie, null for the host's memory; an error when there is no such device.
  StatusOr<codegen::MemorySpace*> (*memory)(const Backend& backend);
};

// NotFound lists the names; Unavailable says why a device is not there.
StatusOr<const Backend*> FindBackend(std::string_view name);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_BACKEND_H_
