#include "compiler/ir/dtype.h"

namespace swage::ir {
namespace {

struct Row {
  std::string_view name;
  int bits;
  DTypeKind kind;
};

constexpr Row kRows[] = {
#define SWAGE_DTYPE_ROW(name, text, bits, kind) {text, bits, DTypeKind::k##kind},
    SWAGE_DTYPE_LIST(SWAGE_DTYPE_ROW)
#undef SWAGE_DTYPE_ROW
};

const Row& RowOf(DType dtype) { return kRows[static_cast<int>(dtype)]; }

}  // namespace

std::string_view DTypeName(DType dtype) { return RowOf(dtype).name; }

std::optional<DType> ParseDType(std::string_view name) {
  for (DType dtype : kAllDTypes) {
    if (RowOf(dtype).name == name) return dtype;
  }
  return std::nullopt;
}

int DTypeBits(DType dtype) { return RowOf(dtype).bits; }

int DTypeBytes(DType dtype) { return (RowOf(dtype).bits + 7) / 8; }

DTypeKind KindOf(DType dtype) { return RowOf(dtype).kind; }

}  // namespace swage::ir
