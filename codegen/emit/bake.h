// File: codegen/emit/bake.h
//
// The reverse of generalise.h: the run-time extents of a fusion become constants again. A kernel of
// the result serves one set of lengths only, takes no dims, and is faster where a row or a task is
// short.
//
//   SWAGE_ASSIGN_OR_RETURN(GeneralisedFusion fusion, Generalise(computation));
//   SWAGE_RETURN_IF_ERROR(BakeExtents(dims_of_a_call, &fusion));
#ifndef SWAGE_CODEGEN_EMIT_BAKE_H_
#define SWAGE_CODEGEN_EMIT_BAKE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "codegen/emit/generalise.h"

namespace swage::emit {

// `values`: one for each of fusion->symbols, which are none afterwards. InvalidArgument when there
// are more or fewer, or one is outside its symbol's range.
Status BakeExtents(absl::Span<const int64_t> values, GeneralisedFusion* fusion);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_BAKE_H_
