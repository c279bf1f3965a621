// File: compiler/cost/library_dot.h
//
// Which dots a CPU leaves to a library of matrix products, and into which slices they are cut. The
// figures are shares of the machine's peak, measured once on a zen5 with AVX-512; they are numbers
// of the model, not of this machine.
#ifndef SWAGE_COMPILER_COST_LIBRARY_DOT_H_
#define SWAGE_COMPILER_COST_LIBRARY_DOT_H_

#include <cstdint>
#include <optional>

#include "compiler/cost/cost_model.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/dtype.h"
#include "compiler/ir/instruction.h"

namespace swage::cost {

// Which dots are left to the library: those that it is faster at; none; all that it has.
enum class LibraryDots : uint8_t { kAuto, kOff, kAlways };

// c[i] = a[i] b[i] for each i of a batch: m x k times k x n.
struct DotSizes {
  ir::DType dtype = ir::DType::kF32;  // of both sides
  ir::DType result = ir::DType::kF32;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  bool transposed_b = false;  // b[i] lies as n x k
  bool constant_b = false;    // or always the same: it can be packed beforehand

  double flops() const { return 2.0 * batch * m * n * k; }
};

// The result of each product is cut into this many parts that differ by one at most. What the parts
// are depends on nothing but the product: so do the bits of its sums.
struct DotSlices {
  int64_t rows = 1, columns = 1;
};
DotSlices SlicesOf(const DotSizes& sizes);

// Whether the library has it at all: f32, or bf16 to itself or f32, where the machine multiplies
// bf16.
bool LibraryHas(const DotSizes& sizes, const DeviceDescription& device);

// What the library saves against an emitted kernel of the dot alone, in time of all cores; negative
// where it is slower, or not worth a call. As `how` has it, it never saves anything, or always more
// than whatever it is compared with.
Picoseconds LibrarySaving(const DotSizes& sizes, const DeviceDescription& device,
                          LibraryDots how = LibraryDots::kAuto);

// At size classes; nullopt for a dot that is not one product of matrices for each of a batch.
std::optional<DotSizes> SizesOf(const ir::Instruction& dot);

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_LIBRARY_DOT_H_
