// File: codegen/program/split_fusion.h
//
// The backstop of fusion's size estimate: a fusion whose kernel turned out too large becomes one
// kernel per op.
#ifndef SWAGE_CODEGEN_PROGRAM_SPLIT_FUSION_H_
#define SWAGE_CODEGEN_PROGRAM_SPLIT_FUSION_H_

#include <vector>

#include "base/status.h"
#include "compiler/ir/instruction.h"

namespace swage::codegen {

// Replaces `fusion` by one fusion per op of its body (views stay views), reschedules its
// computation, and returns the new fusions. A fusion of a single op cannot be split:
// ResourceExhausted.
StatusOr<std::vector<ir::Instruction*>> SplitFusion(ir::Instruction* fusion);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_SPLIT_FUSION_H_
