// Rewrites of concatenate.
#include <algorithm>

#include "compiler/passes/algebraic_simplifier/rewrite.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DimList;
using ir::Instruction;
using ir::InstructionList;
using ir::Opcode;
using ir::SliceAttrs;

int Along(const Instruction& concatenate) { return static_cast<int>(concatenate.dimensions()[0]); }

Instruction* ConcatenateOne(Instruction& i, Editor&) {
  return i.operand_count() == 1 ? i.operand(0) : nullptr;
}

Instruction* ConcatenateEmpty(Instruction& i, Editor& editor) {
  InstructionList parts;
  for (Instruction* part : i.operands()) {
    if (part->shape().dim(Along(i)) != Dim(0)) parts.push_back(part);
  }
  if (parts.empty()) return i.operand(0);
  if (parts.size() == i.operands().size()) return nullptr;
  return editor.Concatenate(parts, Along(i));
}

// Parts that are concatenations along the same dimension, and used nowhere else.
Instruction* ConcatenateNested(Instruction& i, Editor& editor) {
  InstructionList parts;
  for (Instruction* part : i.operands()) {
    if (IsOp(part, Opcode::kConcatenate) && Along(*part) == Along(i) && part->users().size() == 1) {
      parts.insert(parts.end(), part->operands().begin(), part->operands().end());
    } else {
      parts.push_back(part);
    }
  }
  if (parts.size() == i.operands().size()) return nullptr;
  return editor.Concatenate(parts, Along(i));
}

// Whether `b` continues, along `d`, the slice `a` of the same array.
bool Continues(const Instruction& a, const Instruction& b, int d) {
  if (!IsOp(&a, Opcode::kSlice) || !IsOp(&b, Opcode::kSlice) || a.operand(0) != b.operand(0)) {
    return false;
  }
  const SliceAttrs& x = a.attrs<SliceAttrs>();
  const SliceAttrs& y = b.attrs<SliceAttrs>();
  for (int k = 0; k < a.shape().rank(); ++k) {
    if (x.strides[k] != y.strides[k]) return false;
    if (k != d && (x.starts[k] != y.starts[k] || x.limits[k] != y.limits[k])) return false;
  }
  return x.strides[d] == 1 && x.limits[d] == y.starts[d];
}

Instruction* ConcatenateAdjacent(Instruction& i, Editor& editor) {
  const int d = Along(i);
  InstructionList parts;
  for (int first = 0; first < i.operand_count();) {
    int last = first;
    while (last + 1 < i.operand_count() && Continues(*i.operand(last), *i.operand(last + 1), d)) {
      ++last;
    }
    if (last == first) {
      parts.push_back(i.operand(first));
    } else {
      SliceAttrs window = i.operand(first)->attrs<SliceAttrs>();
      window.limits[d] = i.operand(last)->attrs<SliceAttrs>().limits[d];
      parts.push_back(editor.Slice(i.operand(first)->operand(0), std::move(window)));
    }
    first = last + 1;
  }
  if (parts.size() == i.operands().size()) return nullptr;
  return editor.Concatenate(parts, d);
}

// Parts that are all the same scalar, repeated.
Instruction* ConcatenateFills(Instruction& i, Editor& editor) {
  const Instruction* first = i.operand(0);
  if (IsOp(first, Opcode::kBroadcast) && first->operand(0)->shape().is_scalar()) {
    Instruction* scalar = first->operand(0);
    if (std::all_of(i.operands().begin(), i.operands().end(), [&](const Instruction* part) {
          return IsOp(part, Opcode::kBroadcast) && part->operand(0) == scalar;
        })) {
      return editor.Fill(scalar, i.shape().dims());
    }
  }
  const ir::Literal* literal = UniformLiteral(*first);
  if (literal == nullptr) return nullptr;
  const ir::Literal scalar = literal->ElementAt(0);
  for (const Instruction* part : i.operands()) {
    const ir::Literal* other = UniformLiteral(*part);
    if (other == nullptr || !(other->ElementAt(0) == scalar)) return nullptr;
  }
  return editor.Fill(scalar, i.shape().dims());
}

// One row, many times.
Instruction* ConcatenateRepeats(Instruction& i, Editor& editor) {
  Instruction* x = i.operand(0);
  const int d = Along(i);
  if (i.operand_count() < 2 || x->shape().dim(d) != Dim(1)) return nullptr;
  for (const Instruction* part : i.operands()) {
    if (part != x) return nullptr;
  }
  ir::Dims dims;
  DimList dimensions;
  for (int k = 0; k < x->shape().rank(); ++k) {
    if (k == d) continue;
    dims.push_back(x->shape().dim(k));
    dimensions.push_back(k);
  }
  return editor.Broadcast(editor.Reshape(x, dims), i.shape().dims(), dimensions);
}

constexpr auto kExact = RewriteClass::kExact;

constexpr Rewrite kRewrites[] = {
    {"concatenate-one", Opcode::kConcatenate, kExact, &ConcatenateOne},
    {"concatenate-empty", Opcode::kConcatenate, kExact, &ConcatenateEmpty},
    {"concatenate-nested", Opcode::kConcatenate, kExact, &ConcatenateNested},
    {"concatenate-adjacent", Opcode::kConcatenate, kExact, &ConcatenateAdjacent},
    {"concatenate-fills", Opcode::kConcatenate, kExact, &ConcatenateFills},
    {"concatenate-repeats", Opcode::kConcatenate, kExact, &ConcatenateRepeats},
};

}  // namespace

std::span<const Rewrite> ConcatenateRewrites() { return kRewrites; }

}  // namespace swage::passes
