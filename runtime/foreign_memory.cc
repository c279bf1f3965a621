#include "runtime/foreign_memory.h"

#include <cstring>
#include <memory>
#include <vector>

#include "compiler/ir/literal.h"
#include "runtime/ir_types.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {
namespace {

// More bytes than an address space has.
constexpr int64_t kMaxReach = int64_t{1} << 56;

// A buffer that gives its memory back to who owns it.
class ForeignBuffer : public Buffer {
 public:
  ForeignBuffer(const void* first, int64_t size, ForeignMemory memory)
      : Buffer(Place::kForeign, const_cast<void*>(first), size), memory_(std::move(memory)) {}

 private:
  ForeignMemory memory_;
};

Status CheckElements(const ir::Shape& shape, const void* first) {
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
  return ir::CheckElementBytes(shape.dtype(),
                               {static_cast<const uint8_t*>(first), static_cast<size_t>(bytes)});
}

// One dimension of a copy: how often, and how far apart in the source, in bytes.
struct Level {
  int64_t count;
  int64_t stride;
};

// The levels of a copy from `first`, outermost first: without those of extent 1, and with
// neighbours joined that lie in memory as one.
StatusOr<std::vector<Level>> LevelsOf(const ir::Shape& shape, const void* first,
                                      absl::Span<const int64_t> strides) {
  const int64_t width = ir::DTypeBytes(shape.dtype());
  std::vector<Level> levels;
  int64_t reach = width;
  uint64_t before = 0;  // bytes that lie before `first`
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t count = *shape.dim(i).static_value();
    if (count == 1) continue;
    int64_t stride, span;
    const bool negative = strides[i] < 0;
    bool lost = __builtin_mul_overflow(strides[i], width, &stride) ||
                __builtin_mul_overflow(stride, count - 1, &span) ||
                (negative ? __builtin_sub_overflow(reach, span, &reach)
                          : __builtin_add_overflow(reach, span, &reach)) ||
                reach > kMaxReach;
    if (!lost && negative) before += static_cast<uint64_t>(-span);
    lost = lost || before > reinterpret_cast<uintptr_t>(first);
    if (lost) {
      return InvalidArgument("got the stride ", strides[i], " for dimension ", i, " of ",
                             shape.ToString(false), ", whose elements lie beyond any address");
    }
    if (!levels.empty() && levels.back().stride == stride * count) {
      levels.back() = {levels.back().count * count, stride};
    } else {
      levels.push_back({count, stride});
    }
  }
  return levels;
}

template <size_t kWidth>
void CopyRow(const char* from, Level row, char* to) {
  for (int64_t i = 0; i < row.count; ++i) {
    std::memcpy(to + i * int64_t{kWidth}, from + i * row.stride, kWidth);
  }
}

void CopyRow(const char* from, Level row, int64_t width, char* to) {
  if (row.stride == width) {
    std::memcpy(to, from, static_cast<size_t>(row.count * width));
    return;
  }
  switch (width) {
    case 1:
      return CopyRow<1>(from, row, to);
    case 2:
      return CopyRow<2>(from, row, to);
    case 4:
      return CopyRow<4>(from, row, to);
    case 8:
      return CopyRow<8>(from, row, to);
    default:
      return CopyRow<16>(from, row, to);
  }
}

void CopyLevels(const char* from, absl::Span<const Level> levels, int64_t width, char* to) {
  if (levels.empty()) {
    std::memcpy(to, from, static_cast<size_t>(width));
    return;
  }
  const Level row = levels.back();
  const absl::Span<const Level> outer = levels.first(levels.size() - 1);
  int64_t rows = 1;
  for (const Level& level : outer) rows *= level.count;
  std::vector<int64_t> at(outer.size(), 0);
  int64_t offset = 0;  // of the row
  for (int64_t i = 0; i < rows; ++i) {
    CopyRow(from + offset, row, width, to + i * row.count * width);
    for (size_t level = outer.size(); level-- > 0;) {
      offset += outer[level].stride;
      if (++at[level] < outer[level].count) break;
      offset -= outer[level].stride * outer[level].count;
      at[level] = 0;
    }
  }
}

}  // namespace

StatusOr<Tensor> WrapForeign(ir::Shape shape, const void* first, ForeignMemory memory) {
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
  SWAGE_RETURN_IF_ERROR(CheckElements(shape, first));
  auto buffer = std::make_shared<ForeignBuffer>(first, bytes, std::move(memory));
  return Tensor(std::make_shared<internal::TensorImpl>(std::move(shape), std::move(buffer)));
}

bool IsAligned(const void* first, ir::DType dtype) {
  return reinterpret_cast<uintptr_t>(first) % static_cast<uintptr_t>(ir::DTypeBytes(dtype)) == 0;
}

bool IsRowMajor(const ir::Shape& shape, absl::Span<const int64_t> strides) {
  if (const StatusOr<int64_t> bytes = shape.ByteSize(); !bytes.ok() || *bytes == 0) {
    return bytes.ok();
  }
  int64_t expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t extent = *shape.dim(i).static_value();
    if (extent != 1 && strides[i] != expected) return false;
    expected *= extent;
  }
  return true;
}

StatusOr<Tensor> CopyStrided(const ir::Shape& shape, const void* first,
                             absl::Span<const int64_t> strides) {
  SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
  if (bytes == 0) {
    SWAGE_ASSIGN_OR_RETURN(FreshTensor empty, NewTensor(shape));
    return std::move(empty.tensor);
  }
  SWAGE_ASSIGN_OR_RETURN(const std::vector<Level> levels, LevelsOf(shape, first, strides));
  SWAGE_ASSIGN_OR_RETURN(FreshTensor made, NewTensor(shape));
  CopyLevels(static_cast<const char*>(first), levels, ir::DTypeBytes(shape.dtype()),
             static_cast<char*>(made.data));
  SWAGE_RETURN_IF_ERROR(CheckElements(shape, made.data));
  return std::move(made.tensor);
}

}  // namespace swage::runtime
