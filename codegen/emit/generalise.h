// File: codegen/emit/generalise.h
//
// Which extents of a fusion, and which places of windows, are run-time arguments of its kernel. All
// but extents of 0 and 1 and places of 0 become symbols d0, d1, ...; what must be equal shares one,
// and what is derived (a concatenation, a merged reshape, a second window) is an expression. Calls
// that differ in lengths or places alone then give the same text, and so the same kernel.
//
// The extents of a symbolic fusion are treated alike, so that it has the kernels of its sizes; the
// value of a made symbol is then an expression of the fusion's own. What a literal fixes (an array
// constant, the number of index components of a gather) stays baked.
#ifndef SWAGE_CODEGEN_EMIT_GENERALISE_H_
#define SWAGE_CODEGEN_EMIT_GENERALISE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::emit {

struct GeneralisedFusion {
  std::unique_ptr<ir::Module> module;
  ir::Computation* fusion = nullptr;  // the module's entry
  // The run-time extents in the order in which a kernel of this fusion takes them, and their
  // values: numbers, or expressions of the fusion's own symbols.
  std::vector<ir::Dim> symbols;
  std::vector<ir::Dim> values;
};

// With `baked`, a plain copy: every extent stays a constant of the kernel.
StatusOr<GeneralisedFusion> Generalise(const ir::Computation& fusion, bool baked = false);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_GENERALISE_H_
