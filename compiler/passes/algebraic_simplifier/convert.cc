// Rewrites of convert, bitcast-convert and reduce-precision.
#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/lossless.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

Instruction* ConvertToSame(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return i.shape().dtype() == x->shape().dtype() ? x : nullptr;
}

Instruction* ConvertTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kConvert)) return nullptr;
  Instruction* x = inner->operand(0);
  const DType to = i.shape().dtype();
  if (!SkipsVia(x->shape().dtype(), inner->shape().dtype(), to)) return nullptr;
  return editor.Convert(x, to);
}

// The positions of a narrower or other integer type are the same numbers while they fit.
Instruction* ConvertIota(Instruction& i, Editor& editor) {
  const Instruction* iota = i.operand(0);
  if (!IsOp(iota, Opcode::kIota)) return nullptr;
  const DType from = iota->shape().dtype(), to = i.shape().dtype();
  if (!ir::IsInteger(from) || !ir::IsInteger(to)) return nullptr;
  const auto& attrs = iota->attrs<ir::IotaAttrs>();
  const int64_t extent = iota->shape().dim(static_cast<int>(attrs.dimension)).upper_bound();
  for (DType dtype : {from, to}) {
    const int64_t largest = LargestInteger(dtype);
    if (largest >= 0 && extent > largest) return nullptr;
  }
  return editor.Add(Opcode::kIota, i.shape(), {}, attrs);
}

Instruction* BitcastConvertToSame(Instruction& i, Editor&) {
  Instruction* x = i.operand(0);
  return i.shape() == x->shape() ? x : nullptr;
}

Instruction* BitcastConvertTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kBitcastConvert)) return nullptr;
  Instruction* x = inner->operand(0);
  // Of one width all the way, or there and back.
  const int width = ir::DTypeBits(i.shape().dtype());
  if (i.shape() == x->shape()) return x;
  if (ir::DTypeBits(x->shape().dtype()) != width ||
      ir::DTypeBits(inner->shape().dtype()) != width || !ir::SameDims(i.shape(), x->shape())) {
    return nullptr;
  }
  return editor.Add(Opcode::kBitcastConvert, i.shape(), {x});
}

constexpr auto kExact = RewriteClass::kExact;
constexpr auto kNan = RewriteClass::kExactUpToNan;

constexpr Rewrite kRewrites[] = {
    {"convert-to-same", Opcode::kConvert, kNan, &ConvertToSame},
    {"convert-twice", Opcode::kConvert, kNan, &ConvertTwice},
    {"convert-iota", Opcode::kConvert, kExact, &ConvertIota},
    {"bitcast-convert-to-same", Opcode::kBitcastConvert, kExact, &BitcastConvertToSame},
    {"bitcast-convert-twice", Opcode::kBitcastConvert, kExact, &BitcastConvertTwice},
};

}  // namespace

std::span<const Rewrite> ConvertRewrites() { return kRewrites; }

}  // namespace swage::passes
