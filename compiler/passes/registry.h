// File: compiler/passes/registry.h
//
// The table of all passes: name, one line of documentation, and how to make one. `swage passes`
// prints it; `swage opt` runs passes by name.
#ifndef SWAGE_COMPILER_PASSES_REGISTRY_H_
#define SWAGE_COMPILER_PASSES_REGISTRY_H_

#include <memory>
#include <span>
#include <string_view>

#include "compiler/passes/pass.h"

namespace swage::passes {

struct PassInfo {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Pass> (*make)();
};

// Sorted by name.
std::span<const PassInfo> AllPasses();

// NotFound, with the nearest names, for a name that is not in the table.
StatusOr<std::unique_ptr<Pass>> MakePass(std::string_view name);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_REGISTRY_H_
