// File: tests/codegen/emit/elementwise_harness.h
//
// Compiles single elementwise ops to kernels, runs them and EvalElementwise on the same operands,
// and compares the bits (any NaN equals any NaN).
#ifndef SWAGE_TESTS_CODEGEN_EMIT_ELEMENTWISE_HARNESS_H_
#define SWAGE_TESTS_CODEGEN_EMIT_ELEMENTWISE_HARNESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "codegen/cpu/host_target.h"
#include "compiler/math/host_elementwise.h"

namespace swage::emit {

struct OpCase {
  std::string name;  // for messages
  ir::Opcode opcode;
  ir::DType out_dtype;
  std::vector<ir::DType> operand_dtypes;
  math::ElementwiseAttrs attrs;
};

// Every elementwise op that takes operands of `dtype` (select: as its values), with every
// comparison, some reduced precisions and conversions to every dtype.
std::vector<OpCase> CasesOn(ir::DType dtype);

// `count` elements as bytes: two of three are interesting values of the dtype, the rest random
// bits.
std::vector<uint8_t> InterestingElements(ir::DType dtype, uint64_t seed, int64_t count);

// Compiles all cases as one module with vectors of `lanes` (0: scalars), runs each on `count`
// elements (a multiple of the lanes) and compares.
Status CompareWithHost(const std::vector<OpCase>& cases, unsigned lanes,
                       const cpu::HostTarget& target, int64_t count);

}  // namespace swage::emit

#endif  // SWAGE_TESTS_CODEGEN_EMIT_ELEMENTWISE_HARNESS_H_
