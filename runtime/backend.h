// File: runtime/backend.h
//
// The devices: name -> how a module is compiled for it. A new backend is one line in backend.cc.
#ifndef SWAGE_RUNTIME_BACKEND_H_
#define SWAGE_RUNTIME_BACKEND_H_

#include <memory>
#include <span>
#include <string_view>

#include "base/status.h"
#include "codegen/executable.h"
#include "compiler/ir/module.h"
#include "compiler/passes/options.h"

namespace swage::runtime {

// How much time a compile may take. kQuick gives a stand-in that computes the same bits more
// slowly; where its report has no quick kernels it is as good as the other.
enum class Effort { kFull, kQuick };

struct Backend {
  std::string_view name;
  StatusOr<std::shared_ptr<codegen::Executable>> (*compile)(std::unique_ptr<ir::Module> module,
                                                            const passes::CompilerOptions& options,
                                                            Effort effort);
};

std::span<const Backend> Backends();
// NotFound lists the names.
StatusOr<const Backend*> FindBackend(std::string_view name);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_BACKEND_H_
