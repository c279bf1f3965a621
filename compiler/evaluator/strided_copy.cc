#include "compiler/evaluator/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "base/status.h"

namespace swage::evaluator {
namespace {

struct Axis {
  int64_t extent;
  int64_t src;
  int64_t dst;
};
using Axes = absl::InlinedVector<Axis, 8>;

// Drops extents of 1, orders the axes by the destination's stride (largest first) and merges
// neighbours that step both arrays as one axis would.
Axes Normalise(absl::Span<const int64_t> dims, absl::Span<const int64_t> src,
               absl::Span<const int64_t> dst) {
  Axes axes;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != 1) axes.push_back({dims[d], src[d], dst[d]});
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return std::abs(a.dst) > std::abs(b.dst); });
  Axes merged;
  for (const Axis& axis : axes) {
    if (!merged.empty() && merged.back().src == axis.src * axis.extent &&
        merged.back().dst == axis.dst * axis.extent) {
      merged.back() = {merged.back().extent * axis.extent, axis.src, axis.dst};
    } else {
      merged.push_back(axis);
    }
  }
  return merged;
}

struct Bytes16 {
  uint64_t low, high;
};

template <typename T>
void CopyRow(const Axis& axis, const T* src, T* dst) {
  if (axis.src == 1 && axis.dst == 1) {
    std::memcpy(dst, src, axis.extent * sizeof(T));
  } else if (axis.src == 0 && axis.dst == 1) {
    std::fill_n(dst, axis.extent, *src);
  } else {
    for (int64_t i = 0; i < axis.extent; ++i) dst[i * axis.dst] = src[i * axis.src];
  }
}

template <typename T>
void CopyTyped(const Axes& axes, const T* src, T* dst) {
  if (axes.empty()) {
    *dst = *src;
    return;
  }
  const Axis row = axes.back();
  const size_t outer = axes.size() - 1;
  absl::InlinedVector<int64_t, 8> index(outer, 0);
  while (true) {
    CopyRow(row, src, dst);
    size_t d = outer;
    while (d > 0) {
      const Axis& axis = axes[--d];
      src += axis.src;
      dst += axis.dst;
      if (++index[d] < axis.extent) break;
      src -= axis.src * axis.extent;
      dst -= axis.dst * axis.extent;
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace

void CopyStrided(int element_bytes, absl::Span<const int64_t> dims, const void* src,
                 absl::Span<const int64_t> src_strides, void* dst,
                 absl::Span<const int64_t> dst_strides) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  const Axes axes = Normalise(dims, src_strides, dst_strides);
  switch (element_bytes) {
    case 1:
      return CopyTyped(axes, static_cast<const uint8_t*>(src), static_cast<uint8_t*>(dst));
    case 2:
      return CopyTyped(axes, static_cast<const uint16_t*>(src), static_cast<uint16_t*>(dst));
    case 4:
      return CopyTyped(axes, static_cast<const uint32_t*>(src), static_cast<uint32_t*>(dst));
    case 8:
      return CopyTyped(axes, static_cast<const uint64_t*>(src), static_cast<uint64_t*>(dst));
    case 16:
      return CopyTyped(axes, static_cast<const Bytes16*>(src), static_cast<Bytes16*>(dst));
    default:
      Fatal(__FILE__, __LINE__, "an element of this size does not exist");
  }
}

void FillElements(int element_bytes, const void* value, int64_t count, void* dst) {
  const int64_t dims[] = {count}, zero[] = {0}, one[] = {1};
  CopyStrided(element_bytes, dims, value, zero, dst, one);
}

std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dims) {
  // Unsigned: an array without elements may have extents whose product does not fit.
  std::vector<int64_t> strides(dims.size());
  uint64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dims[d]);
  }
  return strides;
}

int64_t Product(absl::Span<const int64_t> dims) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

bool NextIndex(absl::Span<const int64_t> dims, absl::Span<int64_t> index) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace swage::evaluator
