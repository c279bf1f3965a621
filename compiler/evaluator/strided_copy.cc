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

// Two axes in square tiles: one array is contiguous along `row`, the other along `column`.
template <typename T>
void CopyPlane(const Axis& column, const Axis& row, const T* src, T* dst) {
  constexpr int64_t kTile = 32;
  for (int64_t c = 0; c < column.extent; c += kTile) {
    const int64_t columns = std::min(kTile, column.extent - c);
    for (int64_t r = 0; r < row.extent; r += kTile) {
      const Axis part = {std::min(kTile, row.extent - r), row.src, row.dst};
      for (int64_t i = 0; i < columns; ++i) {
        CopyRow(part, src + (c + i) * column.src + r * row.src,
                dst + (c + i) * column.dst + r * row.dst);
      }
    }
  }
}

// Steps `src` and `dst` through the first `outer` axes and copies what `copy` copies at each place.
template <typename T, typename Copy>
void ForEachPlace(const Axes& axes, size_t outer, const T* src, T* dst, Copy copy) {
  absl::InlinedVector<int64_t, 8> index(outer, 0);
  while (true) {
    copy(src, dst);
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

template <typename T>
void CopyTyped(Axes axes, const T* src, T* dst) {
  if (axes.empty()) {
    *dst = *src;
    return;
  }
  const size_t last = axes.size() - 1;
  const auto contiguous = std::find_if(axes.begin(), axes.end(),
                                       [](const Axis& axis) { return std::abs(axis.src) == 1; });
  if (std::abs(axes[last].src) > 1 && contiguous != axes.end()) {
    std::rotate(contiguous, contiguous + 1, axes.begin() + last);
    const Axis column = axes[last - 1], row = axes[last];
    ForEachPlace(axes, last - 1, src, dst,
                 [&](const T* from, T* to) { CopyPlane(column, row, from, to); });
  } else {
    const Axis row = axes[last];
    ForEachPlace(axes, last, src, dst, [&](const T* from, T* to) { CopyRow(row, from, to); });
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
