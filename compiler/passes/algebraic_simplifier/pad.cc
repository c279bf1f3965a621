// Rewrites of pad.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;
using ir::PadAttrs;

Instruction* Padded(const Instruction& pad, Instruction* x, PadAttrs borders, Editor& editor) {
  return editor.Add(Opcode::kPad, pad.shape(), {x, pad.operand(1)}, std::move(borders));
}

// The same scalar, or constants of the same bits.
bool SameValue(const Instruction& a, const Instruction& b) {
  if (&a == &b) return true;
  const ir::Literal* x = UniformLiteral(a);
  const ir::Literal* y = UniformLiteral(b);
  return x != nullptr && y != nullptr && x->ElementAt(0) == y->ElementAt(0);
}

Instruction* PadNothing(Instruction& i, Editor&) {
  // A gap between the elements of a dimension of extent 1 is no gap.
  for (int d = 0; d < i.shape().rank(); ++d) {
    const PadAttrs::Entry& entry = i.attrs<PadAttrs>().dims[d];
    const bool gaps = entry.interior != 0 && i.operand(0)->shape().dim(d) != Dim(1);
    if (entry.low != Dim(0) || entry.high != Dim(0) || gaps) return nullptr;
  }
  return i.operand(0);
}

// Of an array without elements: nothing but padding.
Instruction* PadEmpty(Instruction& i, Editor& editor) {
  if (!IsEmpty(i.operand(0)->shape())) return nullptr;
  return editor.Fill(i.operand(1), i.shape().dims());
}

// What negative borders cut off is cut off first.
Instruction* PadNegative(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  PadAttrs borders = i.attrs<PadAttrs>();
  ir::SliceAttrs window;
  bool cuts = false;
  for (int d = 0; d < i.shape().rank(); ++d) {
    PadAttrs::Entry& entry = borders.dims[d];
    const auto low = entry.low.static_value(), high = entry.high.static_value();
    const Dim extent = x->shape().dim(d);
    if (!low.has_value() || !high.has_value()) return nullptr;
    const int64_t cut_low = std::max<int64_t>(0, -*low), cut_high = std::max<int64_t>(0, -*high);
    if (cut_low + cut_high > 0) {
      cuts = true;
      // More cut than there is: the rest would come out of the padding on the other side.
      if (entry.interior != 0 ||
          ir::ProveLessEqual(Dim(cut_low) + cut_high, extent) != ir::Ternary::kYes) {
        return nullptr;
      }
    }
    window.starts.push_back(cut_low);
    window.limits.push_back(extent - cut_high);
    window.strides.push_back(1);
    entry.low = *low + cut_low;
    entry.high = *high + cut_high;
  }
  if (!cuts) return nullptr;
  return Padded(i, editor.Slice(x, std::move(window)), std::move(borders), editor);
}

bool OnlyAddsBorders(const PadAttrs& borders) {
  return std::all_of(borders.dims.begin(), borders.dims.end(), [](const PadAttrs::Entry& entry) {
    return entry.interior == 0 && entry.low.lower_bound() >= 0 && entry.high.lower_bound() >= 0;
  });
}

Instruction* PadTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kPad) || !SameValue(*i.operand(1), *inner->operand(1))) return nullptr;
  PadAttrs borders = inner->attrs<PadAttrs>();
  const PadAttrs& outer = i.attrs<PadAttrs>();
  if (!OnlyAddsBorders(borders) || !OnlyAddsBorders(outer)) return nullptr;
  for (size_t d = 0; d < borders.dims.size(); ++d) {
    borders.dims[d].low += outer.dims[d].low;
    borders.dims[d].high += outer.dims[d].high;
  }
  return Padded(i, inner->operand(0), std::move(borders), editor);
}

// Padding with what the operand is full of.
Instruction* PadFill(Instruction& i, Editor& editor) {
  const Instruction* x = i.operand(0);
  const bool same = (IsOp(x, Opcode::kBroadcast) && x->operand(0) == i.operand(1)) ||
                    (UniformLiteral(*x) != nullptr && SameValue(*x, *i.operand(1)));
  return same ? editor.Fill(i.operand(1), i.shape().dims()) : nullptr;
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"pad-nothing", Opcode::kPad, kExact, &PadNothing},
    {"pad-empty", Opcode::kPad, kExact, &PadEmpty},
    {"pad-negative", Opcode::kPad, kExact, &PadNegative},
    {"pad-twice", Opcode::kPad, kExact, &PadTwice},
    {"pad-fill", Opcode::kPad, kExact, &PadFill},
};

}  // namespace

std::span<const Rewrite> PadRewrites() { return kRewrites; }

}  // namespace swage::passes
