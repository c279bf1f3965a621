// File: compiler/passes/module_state.h
//
// The hash that holds passes to what they say: it changes when a pass changes a module.
#ifndef SWAGE_COMPILER_PASSES_MODULE_STATE_H_
#define SWAGE_COMPILER_PASSES_MODULE_STATE_H_

#include "base/hash.h"
#include "compiler/ir/module.h"

namespace swage::passes {

// Of the fingerprint, which takes equal computations for one, and the number of computations and
// instructions. Names and metadata do not count: a pass that changes only those has changed
// nothing.
Hash128 StateOf(const ir::Module& module);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_MODULE_STATE_H_
