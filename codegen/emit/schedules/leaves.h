// File: codegen/emit/schedules/leaves.h
//
// The outputs of a kernel at one place of its loops.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_LEAVES_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_LEAVES_H_

#include <vector>

#include "codegen/emit/schedule.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

// Stores the value of output `leaf` at `index`.
Status StoreLeaf(const KernelPlan& plan, size_t leaf, IndexId index, llvm::Value* value,
                 ValueEmitter& e);
// Computes and stores all outputs, each at its index.
Status EmitLeaves(const KernelPlan& plan, const std::vector<IndexId>& indices, ValueEmitter& e);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_LEAVES_H_
