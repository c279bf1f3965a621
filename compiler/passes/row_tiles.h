// File: compiler/passes/row_tiles.h
//
// Row tiles: what can be computed row by row in one kernel though it has several reductions,
// because each of them reduces the row that the others read, and what they give is read by the same
// row again: softmax, log-softmax, layer norm, RMS norm.
//
//   m = f32[R] reduce(x, ...), dimensions={1}         pass 1 over a row
//   e = exponential(subtract(x, broadcast(m)))
//   s = f32[R] reduce(e, ...), dimensions={1}         pass 2
//   y = f32[R,N] divide(e, broadcast(s))              pass 3: the output
//
// The row stays in the nearest cache between the passes, so that memory is read and written once.
#ifndef SWAGE_COMPILER_PASSES_ROW_TILES_H_
#define SWAGE_COMPILER_PASSES_ROW_TILES_H_

#include <vector>

#include "compiler/cost/device_description.h"
#include "compiler/ir/computation.h"

namespace swage::passes {

// The tiles of a computation, apart from each other. Each lists its values, operands before users;
// the last one is the only value that others read. Where rows are too few to keep the device busy,
// or too short to fill its vectors, there is none. Takes time in proportion to the computation.
std::vector<std::vector<ir::Instruction*>> FindRowTiles(const ir::Computation& computation,
                                                        const cost::DeviceDescription& device);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_ROW_TILES_H_
