// Rewrites of slice.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;
using ir::SliceAttrs;

bool Holds(ir::Ternary answer) { return answer == ir::Ternary::kYes; }

Instruction* SliceNothing(Instruction& i, Editor& editor) {
  Instruction* same = editor.Slice(i.operand(0), i.attrs<SliceAttrs>());
  return same == i.operand(0) ? same : nullptr;
}

// The number of the last element that is read, plus one.
Dim Behind(const Instruction& slice, int d) {
  const SliceAttrs& window = slice.attrs<SliceAttrs>();
  if (window.strides[d] == 1) return window.limits[d];
  return window.starts[d] + (slice.shape().dim(d) - 1) * window.strides[d] + 1;
}

Instruction* SliceTwice(Instruction& i, Editor& editor) {
  const Instruction* inner = i.operand(0);
  if (!IsOp(inner, Opcode::kSlice) || IsEmpty(i.shape())) return nullptr;
  const SliceAttrs& a = inner->attrs<SliceAttrs>();
  const SliceAttrs& b = i.attrs<SliceAttrs>();
  SliceAttrs window;
  for (int d = 0; d < i.shape().rank(); ++d) {
    // A strided slice of what may be empty has no last element to count from.
    const bool strided = a.strides[d] != 1 || b.strides[d] != 1;
    if (strided && i.shape().dim(d).lower_bound() < 1) return nullptr;
    window.starts.push_back(a.starts[d] + b.starts[d] * a.strides[d]);
    window.limits.push_back(strided ? a.starts[d] + (Behind(i, d) - 1) * a.strides[d] + 1
                                    : a.starts[d] + b.limits[d]);
    window.strides.push_back(a.strides[d] * b.strides[d]);
  }
  return editor.Slice(inner->operand(0), std::move(window));
}

// The operand is sliced instead, along the dimensions that are its own.
Instruction* SliceBroadcast(Instruction& i, Editor& editor) {
  const Instruction* broadcast = i.operand(0);
  if (!IsOp(broadcast, Opcode::kBroadcast)) return nullptr;
  const SliceAttrs& window = i.attrs<SliceAttrs>();
  SliceAttrs own;
  for (int64_t d : broadcast->dimensions()) {
    own.starts.push_back(window.starts[d]);
    own.limits.push_back(window.limits[d]);
    own.strides.push_back(window.strides[d]);
  }
  return editor.Broadcast(editor.Slice(broadcast->operand(0), std::move(own)), i.shape().dims(),
                          broadcast->dimensions());
}

// Positions that still begin at 0 and count by 1.
Instruction* SliceIota(Instruction& i, Editor& editor) {
  const Instruction* iota = i.operand(0);
  if (!IsOp(iota, Opcode::kIota)) return nullptr;
  const auto& attrs = iota->attrs<ir::IotaAttrs>();
  const SliceAttrs& window = i.attrs<SliceAttrs>();
  if (window.starts[attrs.dimension] != Dim(0) || window.strides[attrs.dimension] != 1) {
    return nullptr;
  }
  return editor.Add(Opcode::kIota, i.shape(), {}, attrs);
}

// Of the one part that holds all of the window.
Instruction* SliceConcatenate(Instruction& i, Editor& editor) {
  const Instruction* concatenate = i.operand(0);
  if (!IsOp(concatenate, Opcode::kConcatenate) || IsEmpty(i.shape())) return nullptr;
  const int d = static_cast<int>(concatenate->dimensions()[0]);
  SliceAttrs window = i.attrs<SliceAttrs>();
  const Dim start = window.starts[d], behind = Behind(i, d);
  Dim begin = 0;
  for (Instruction* part : concatenate->operands()) {
    const Dim end = begin + part->shape().dim(d);
    if (Holds(ir::ProveLessEqual(begin, start)) && Holds(ir::ProveLessEqual(behind, end)) &&
        Holds(ir::ProveLess(start, end))) {
      window.starts[d] = start - begin;
      window.limits[d] = behind - begin;
      return editor.Slice(part, std::move(window));
    }
    begin = end;
  }
  return nullptr;
}

// Where the window touches only the operand, or along some dimension only the padding.
Instruction* SlicePad(Instruction& i, Editor& editor) {
  const Instruction* pad = i.operand(0);
  if (!IsOp(pad, Opcode::kPad) || !i.shape().is_static() || IsEmpty(i.shape())) return nullptr;
  const auto& borders = pad->attrs<ir::PadAttrs>().dims;
  Instruction* x = pad->operand(0);
  SliceAttrs window = i.attrs<SliceAttrs>();
  bool inside = true;
  for (int d = 0; d < i.shape().rank(); ++d) {
    const Dim begin = borders[d].low, end = begin + x->shape().dim(d);
    const Dim start = window.starts[d], behind = Behind(i, d);
    if (borders[d].interior == 0 &&
        (Holds(ir::ProveLessEqual(behind, begin)) || Holds(ir::ProveLessEqual(end, start)))) {
      return editor.Fill(pad->operand(1), i.shape().dims());
    }
    inside = inside && borders[d].interior == 0 && Holds(ir::ProveLessEqual(begin, start)) &&
             Holds(ir::ProveLessEqual(behind, end));
    window.starts[d] = start - begin;
    window.limits[d] = behind - begin;
  }
  return inside ? editor.Slice(x, std::move(window)) : nullptr;
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"slice-nothing", Opcode::kSlice, kExact, &SliceNothing},
    {"slice-twice", Opcode::kSlice, kExact, &SliceTwice},
    {"slice-broadcast", Opcode::kSlice, kExact, &SliceBroadcast},
    {"slice-iota", Opcode::kSlice, kExact, &SliceIota},
    {"slice-concatenate", Opcode::kSlice, kExact, &SliceConcatenate},
    {"slice-pad", Opcode::kSlice, kExact, &SlicePad},
};

}  // namespace

std::span<const Rewrite> SliceRewrites() { return kRewrites; }

}  // namespace swage::passes
