// File: compiler/evaluator/strided_copy.h
//
// The one loop nest behind broadcast, transpose, slice, pad, concatenate, reverse and the dynamic
// slices: copies a block of elements between two arrays, each with its own stride per dimension.
#ifndef SWAGE_COMPILER_EVALUATOR_STRIDED_COPY_H_
#define SWAGE_COMPILER_EVALUATOR_STRIDED_COPY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace swage::evaluator {

// dst[sum i_d * dst_strides[d]] = src[sum i_d * src_strides[d]] for every index below `dims`.
// Strides count elements; those of `src` may be zero or negative, those of `dst` may be negative.
// An element has 1, 2, 4, 8 or 16 bytes. No two indices may write the same element.
void CopyStrided(int element_bytes, absl::Span<const int64_t> dims, const void* src,
                 absl::Span<const int64_t> src_strides, void* dst,
                 absl::Span<const int64_t> dst_strides);

// Writes the element at `value` to `count` places from `dst` on.
void FillElements(int element_bytes, const void* value, int64_t count, void* dst);

// Strides of a dense row-major array.
std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dims);

// The product; dims must be those of an array that exists, so that it cannot overflow.
int64_t Product(absl::Span<const int64_t> dims);

// Steps a row-major index through `dims`; false after the last one (the index is then all zero).
bool NextIndex(absl::Span<const int64_t> dims, absl::Span<int64_t> index);

}  // namespace swage::evaluator

#endif  // SWAGE_COMPILER_EVALUATOR_STRIDED_COPY_H_
