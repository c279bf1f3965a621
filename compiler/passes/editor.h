// File: compiler/passes/editor.h
//
// What rewriting passes share: an Editor adds and replaces instructions of one computation while
// the pass walks a list of them that it took before.
//
//   Editor editor(computation);
//   for (const Editor::Ref& ref : editor.PostOrder()) {
//     if (editor.IsGone(ref)) continue;                    // died with one that was replaced
//     editor.set_origin(ref.instruction);                  // new instructions get its metadata
//     if (Instruction* better = ...editor.Reshape(x, dims)...) {
//       SWAGE_RETURN_IF_ERROR(editor.Replace(ref.instruction, better));
//     }
//   }
//
// (rewrite_each.h is that loop.)
//
// - The makers below compute the result's shape and return the operand itself where the op would do
//   nothing. After layout assignment new arrays are row-major.
// - Replace also removes what nobody uses any more, without recursion. What may have an effect, or
//   is ordered by control edges, stays.
#ifndef SWAGE_COMPILER_PASSES_EDITOR_H_
#define SWAGE_COMPILER_PASSES_EDITOR_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "compiler/ir/module.h"

namespace swage::passes {

class Editor {
 public:
  // An instruction that may have been removed since.
  struct Ref {
    ir::Instruction* instruction;
    int64_t id;
  };

  explicit Editor(ir::Computation& computation)
      : computation_(computation), has_layouts_(computation.module()->has_layouts()) {}

  ir::Computation& computation() const { return computation_; }
  std::vector<Ref> PostOrder() const;
  bool IsGone(const Ref& ref) const { return gone_.contains(ref.id); }
  // `origin` must live while instructions are added.
  void set_origin(const ir::Instruction* origin) { origin_ = origin; }

  ir::Instruction* Add(ir::Opcode opcode, ir::Shape shape,
                       absl::Span<ir::Instruction* const> operands,
                       ir::Attributes attributes = ir::NoneAttrs{},
                       std::vector<ir::Computation*> called = {});
  // `source` over other operands, with another shape.
  ir::Instruction* AddLike(const ir::Instruction& source, const ir::Shape& shape,
                           absl::Span<ir::Instruction* const> operands);

  // Elementwise ops whose result is like their first operand.
  ir::Instruction* Unary(ir::Opcode opcode, ir::Instruction* x);
  ir::Instruction* Binary(ir::Opcode opcode, ir::Instruction* x, ir::Instruction* y);
  ir::Instruction* Compare(ir::Instruction* x, ir::Instruction* y, ir::CompareAttrs attrs);
  ir::Instruction* Select(ir::Instruction* p, ir::Instruction* x, ir::Instruction* y);
  ir::Instruction* Convert(ir::Instruction* x, ir::DType dtype);

  ir::Instruction* Constant(ir::Literal literal) {
    return Made(computation_.AddConstant(std::move(literal)));
  }
  // `scalar` (a literal or instruction of rank 0) in every element of `dims`.
  ir::Instruction* Fill(const ir::Literal& scalar, absl::Span<const ir::Dim> dims);
  ir::Instruction* Fill(ir::Instruction* scalar, absl::Span<const ir::Dim> dims);

  ir::Instruction* Broadcast(ir::Instruction* x, absl::Span<const ir::Dim> dims,
                             const ir::DimList& dimensions);
  ir::Instruction* Reshape(ir::Instruction* x, absl::Span<const ir::Dim> dims);
  ir::Instruction* Transpose(ir::Instruction* x, const ir::DimList& permutation);
  ir::Instruction* Slice(ir::Instruction* x, ir::SliceAttrs window);
  ir::Instruction* Concatenate(absl::Span<ir::Instruction* const> parts, int64_t dimension);

  // Lets all users of `old` use `value`, and removes `old` and what then is dead. `value` takes
  // over the metadata when it has none.
  Status Replace(ir::Instruction* old, ir::Instruction* value);
  // Removes `instruction` if nobody uses it, then operands likewise.
  Status RemoveIfDead(ir::Instruction* instruction);

  // Removes what was added since the last TakeAdded and nobody uses, but for `keep`.
  Status DropUnused(const ir::Instruction* keep);
  // What was added since the last call and still exists, in order.
  std::vector<ir::Instruction*> TakeAdded();

 private:
  ir::Instruction* Made(ir::Instruction* added);
  // Removes `unused`, then operands that are dead, but for `keep`.
  Status Remove(ir::Instruction* unused, const ir::Instruction* keep);

  ir::Computation& computation_;
  const bool has_layouts_;
  const ir::Instruction* origin_ = nullptr;
  absl::flat_hash_set<int64_t> gone_;
  std::vector<Ref> added_;
};

// Whether an instruction is ordered by something else than its operands: leave it alone.
bool HasControlEdges(const ir::Instruction& instruction);

// Whether every array in and around the instruction is row-major (always so before layout
// assignment): what rewrites of shapes take for granted.
bool IsRowMajor(const ir::Instruction& instruction);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_EDITOR_H_
