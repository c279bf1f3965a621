// File: codegen/emit/schedules/row_cache.h
//
// A row tile computes some values of a row twice: for a reduction and for the output (the
// exponentials of a softmax). When such a value is expensive, the reduction keeps the row in a
// small array on the stack, and the output reads it back, if the row is short enough.
#ifndef SWAGE_CODEGEN_EMIT_SCHEDULES_ROW_CACHE_H_
#define SWAGE_CODEGEN_EMIT_SCHEDULES_ROW_CACHE_H_

#include <optional>

#include "codegen/emit/schedule.h"

namespace swage::emit {

// Elements of the longest row that is kept; a power of two. With the row that it is computed from
// it should be near: 32 KiB.
inline int64_t RowCacheElements(ir::DType dtype) { return (32 << 10) / ir::DTypeBytes(dtype); }

struct RowCachePlan {
  const ir::Instruction* value = nullptr;   // has the dims of the output
  const ir::Instruction* reduce = nullptr;  // reads it element by element, over the last dimension
};

std::optional<RowCachePlan> FindRowCache(const KernelPlan& plan);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_SCHEDULES_ROW_CACHE_H_
