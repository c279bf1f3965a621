// File: compiler/ir/bind_symbols.h
//
// From a module with symbolic extents to the module of one set of sizes.
//
//   SymbolBinding binding;
//   SWAGE_RETURN_IF_ERROR(binding.Bind(symbol, 32));
//   SWAGE_RETURN_IF_ERROR(BindSymbols(binding, module.get()));    // f32[n,64] is now f32[32,64]
#ifndef SWAGE_COMPILER_IR_BIND_SYMBOLS_H_
#define SWAGE_COMPILER_IR_BIND_SYMBOLS_H_

#include <vector>

#include "base/status.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/module.h"

namespace swage::ir {

// The symbols of the module, each once, in order of their first occurrence.
std::vector<const Symbol*> SymbolsOf(const Module& module);

// Replaces every extent (of shapes, of attributes, of the entry's layout) by its value. All symbols
// must be bound, and what follows must verify: InvalidArgument otherwise, and the module is of no
// use then. Programs that ask for the size of a dimension keep asking; it is a constant now.
Status BindSymbols(const SymbolBinding& binding, Module* module);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_BIND_SYMBOLS_H_
