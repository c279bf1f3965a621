// Rewrites of dot.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/lossless.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::DotAttrs;
using ir::Instruction;
using ir::Opcode;

// The empty sum.
Instruction* DotEmpty(Instruction& i, Editor& editor) {
  const ir::Shape& lhs = i.operand(0)->shape();
  for (int64_t d : i.attrs<DotAttrs>().lhs_contracting) {
    if (lhs.dim(static_cast<int>(d)) == Dim(0)) {
      return editor.Fill(ir::Literal::Scalar(i.shape().dtype(), 0), i.shape().dims());
    }
  }
  return nullptr;
}

// One side of a dot of one product: converted, without its contracted dimensions, and repeated to
// the result's dims. Its own free dimensions come at `free` and later.
Instruction* Side(Instruction* x, const DimList& batch, const DimList& contracting, int64_t free,
                  const ir::Shape& result, Editor& editor) {
  ir::Dims dims;
  DimList dimensions;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (Has(contracting, d)) continue;
    dims.push_back(x->shape().dim(static_cast<int>(d)));
    const auto in_batch = std::find(batch.begin(), batch.end(), d);
    dimensions.push_back(in_batch != batch.end() ? in_batch - batch.begin() : free++);
  }
  x = editor.Reshape(editor.Convert(x, result.dtype()), dims);
  // Broadcasts have ascending dimensions.
  DimList order(dimensions.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int64_t>(k);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  std::sort(dimensions.begin(), dimensions.end());
  return editor.Broadcast(editor.Transpose(x, order), result.dims(), dimensions);
}

// Nothing is summed: every result is one product.
Instruction* DotProducts(Instruction& i, Editor& editor) {
  const DotAttrs& attrs = i.attrs<DotAttrs>();
  Instruction* lhs = i.operand(0);
  Instruction* rhs = i.operand(1);
  const ir::DType dtype = i.shape().dtype();
  if (dtype == ir::DType::kPred || ir::IsComplex(dtype)) return nullptr;
  for (const Instruction* x : {lhs, rhs}) {
    if (!IsLossless(x->shape().dtype(), dtype)) return nullptr;
  }
  for (int64_t d : attrs.lhs_contracting) {
    if (lhs->shape().dim(static_cast<int>(d)) != Dim(1)) return nullptr;
  }
  const int64_t batches = static_cast<int64_t>(attrs.lhs_batch.size());
  const int64_t lhs_free =
      lhs->shape().rank() - batches - static_cast<int64_t>(attrs.lhs_contracting.size());
  return editor.Binary(
      Opcode::kMultiply,
      Side(lhs, attrs.lhs_batch, attrs.lhs_contracting, batches, i.shape(), editor),
      Side(rhs, attrs.rhs_batch, attrs.rhs_contracting, batches + lhs_free, i.shape(), editor));
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"dot-empty", Opcode::kDot, kExact, &DotEmpty},
    {"dot-products", Opcode::kDot, kExact, &DotProducts},
};

}  // namespace

std::span<const Rewrite> DotRewrites() { return kRewrites; }

}  // namespace swage::passes
