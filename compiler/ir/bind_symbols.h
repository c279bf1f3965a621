// File: compiler/ir/bind_symbols.h
//
// From a module with symbolic extents to the module of one set of sizes.
//
//   SymbolBinding binding;
//   SWAGE_RETURN_IF_ERROR(binding.Bind(symbol, 32));
//   SWAGE_RETURN_IF_ERROR(BindSymbols(binding, module.get()));    // f32[n,64] is now f32[32,64]
#ifndef SWAGE_COMPILER_IR_BIND_SYMBOLS_H_
#define SWAGE_COMPILER_IR_BIND_SYMBOLS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/status.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/module.h"

namespace swage::ir {

// The symbols of the module, each once, in order of their first occurrence.
std::vector<const Symbol*> SymbolsOf(const Module& module);
// Whether there are any.
bool HasSymbols(const Module& module);

// An array's shape for one set of sizes; other shapes stay as they are.
StatusOr<Shape> SizedShape(Shape shape, const SymbolBinding& sizes);

// A shape with symbols, and what to call it: the parameter of a program.
struct NamedShape {
  Shape shape;
  std::string name;
};

// An extent of an argument that is to be `dim`, and is `value`.
struct SizeDemand {
  size_t argument = 0;
  ShapeIndex leaf = {};  // of a tuple
  int dimension = 0;
  Dim dim = 0;
  int64_t value = 0;
};
// Why a demand cannot be met. `known` are the symbols that have values already; `givers[i]` is the
// demand that gave known.values()[i] its value.
using ExplainDemand =
    std::function<Status(const SizeDemand& demand, const Status& why, const SymbolBinding& known,
                         absl::Span<const SizeDemand> givers)>;
// Values of symbols that meet all demands. Dims that are one symbol are solved first, then what has
// fewest unknown symbols (2*n+1); numbers are checked behind them.
StatusOr<SymbolBinding> SolveDemands(std::vector<SizeDemand> demands, const ExplainDemand& explain);

// The symbols' values from the shapes of a call: wanted[i] is what got[i] must be. Dims that are
// one symbol are solved first, then what is linear in its one unknown symbol (2*n+1). Errors name
// the argument, the dimension, what it should be and what it is.
StatusOr<SymbolBinding> SolveSizes(absl::Span<const NamedShape> wanted,
                                   absl::Span<const Shape* const> got);
// Of the entry's parameters.
StatusOr<SymbolBinding> SolveSizes(const Module& module, absl::Span<const Shape* const> got);

// Replaces every extent (of shapes, of attributes, of the entry's layout) by its value. All symbols
// must be bound, and what follows must verify: InvalidArgument otherwise, and the module is of no
// use then. Programs that ask for the size of a dimension keep asking; it is a constant now.
Status BindSymbols(const SymbolBinding& binding, Module* module);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_BIND_SYMBOLS_H_
