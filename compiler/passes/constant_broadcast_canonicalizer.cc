#include "compiler/passes/constant_broadcast_canonicalizer.h"

#include <cstring>
#include <optional>

#include "compiler/passes/match.h"
#include "compiler/passes/rewrite_each.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Literal;
using ir::Opcode;

// Shorter sequences are as good as the iota.
constexpr int64_t kMinIota = 8;

// Whether the elements are their own position along the dimension of `extent` and `stride` (in
// elements).
bool CountsAlong(const Literal& literal, int64_t extent, int64_t stride) {
  const int bytes = ir::DTypeBytes(literal.dtype());
  const uint8_t* data = literal.bytes().data();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const int64_t position = i / stride % extent;
    if (i == position * stride) {  // the first element at this position
      if (Literal::Scalar(literal.dtype(), position).GetBits(0) != literal.GetBits(i)) return false;
    } else if (std::memcmp(data + i * bytes, data + position * stride * bytes, bytes) != 0) {
      return false;
    }
  }
  return true;
}

std::optional<int64_t> IotaDimension(const Literal& literal) {
  const ir::DType dtype = literal.dtype();
  if (!ir::IsInteger(dtype) && dtype != ir::DType::kF32 && dtype != ir::DType::kF64) {
    return std::nullopt;
  }
  int64_t stride = literal.element_count();
  for (int d = 0; d < literal.shape().rank(); ++d) {
    const int64_t extent = literal.shape().dim(d).static_value().value_or(1);
    stride /= extent;
    if (extent >= kMinIota && CountsAlong(literal, extent, stride)) return d;
  }
  return std::nullopt;
}

Instruction* Canonical(Instruction& constant, Editor& editor) {
  if (!IsOp(&constant, Opcode::kConstant) || !constant.shape().is_array()) return nullptr;
  const Literal& literal = constant.literal();
  // One element is a scalar under a reshape, not a repetition.
  if (literal.element_count() < 2) return nullptr;
  if (literal.IsUniform()) return editor.Fill(literal.ElementAt(0), constant.shape().dims());
  const std::optional<int64_t> dimension = IotaDimension(literal);
  if (!dimension.has_value()) return nullptr;
  return editor.Add(Opcode::kIota, constant.shape(), {}, ir::IotaAttrs{*dimension});
}

}  // namespace

StatusOr<bool> ConstantBroadcastCanonicalizer::Run(ir::Module& module, PassContext& context) {
  // Programs are full of scalars; few have arrays.
  bool has_arrays = false;
  for (const ir::Computation* computation : module.NonFusionComputations()) {
    computation->ForEachSince(0, [&](const Instruction* x) {
      has_arrays |= IsOp(x, Opcode::kConstant) && x->shape().is_array() && x->shape().rank() > 0;
    });
  }
  if (!has_arrays) return false;
  return RewriteEach(module, Canonical);
}

}  // namespace swage::passes
