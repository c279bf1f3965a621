// File: compiler/passes/padding/padder.h
//
// Pads the entry computation of one module: what the rules of single ops share.
//
// Every value of the old computation has up to two forms in the new one, each made when first asked
// for:
//   bound   every dimension as large as its bound; lanes behind the valid size are garbage
//   dense   as it was, f32[n<=64,8]
// Arguments are dense, what rules make is bound (but for those that repack), results are dense.
#ifndef SWAGE_COMPILER_PASSES_PADDING_PADDER_H_
#define SWAGE_COMPILER_PASSES_PADDING_PADDER_H_

#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/options.h"
#include "compiler/passes/padding/fill.h"

namespace swage::passes::padding {

struct PaddingOptions {
  PaddingFill fill = PaddingFill::kZero;
  PaddingMasks masks = PaddingMasks::kNeeded;
  PadValues values = {};  // of parameters, instead of `fill`
};

// An array with more elements at its bounds is not padded: it would be work without end where the
// call itself is small.
inline constexpr int64_t kMaxElements = std::numeric_limits<int32_t>::max();

// The shape with every dimension at its bound.
ir::Shape BoundShape(const ir::Shape& shape);
inline bool IsPadded(ir::Dim dim) { return !dim.is_static(); }

class Padder {
 public:
  Padder(ir::Module& module, const PaddingOptions& options)
      : module_(module), entry_(*module.entry()), options_(options), editor_(entry_) {}

  // Whether the module changed. Unimplemented names what cannot be padded.
  StatusOr<bool> Run();

 private:
  using Instruction = ir::Instruction;

  // What a rule found for one op: the operands and attributes that it has at the bounds.
  struct AtBounds {
    std::vector<Instruction*> operands;
    ir::Attributes attributes;
    std::vector<ir::Computation*> called;
  };

  Status Check() const;
  Status Visit(Instruction* op);
  Status ApplyRule(Instruction* op);
  Status RemoveOld(absl::Span<const Editor::Ref> old);

  // The two forms of a value.
  Instruction* Bound(const Instruction* old);
  Instruction* Dense(const Instruction* old);
  std::vector<Instruction*> BoundOperands(const Instruction* op);
  Instruction* PadToBounds(Instruction* dense);
  Instruction* CutToValid(Instruction* bound, const ir::Shape& valid);

  // Sizes and masks. Dims that are at most kMaxElements only: Check has seen to it.
  Instruction* SizeOf(ir::Dim dim);      // s32[]
  Instruction* LanesBelow(ir::Dim dim);  // pred[bound]: lane < valid size
  Instruction* ValidLanes(const ir::Shape& shape, const ir::DimList& dims);  // pred at the bounds
  // The bound form of `old` with `value` in the lanes that are padded in one of `dims`.
  Instruction* Masked(const Instruction* old, const ir::DimList& dims, const ir::Literal& value);

  // `op` at the bounds. False: it has another result there.
  StatusOr<bool> SetAtBounds(Instruction* op, AtBounds at);
  Status Repack(Instruction* op);

  // Rules. Those that return false leave the op to Repack.
  Status ApplyThrough(Instruction* op);
  Status ApplySize(Instruction* op);
  Status ApplyIdentity(Instruction* op);
  Status ApplyContracted(Instruction* op);
  StatusOr<bool> TryUnmoved(Instruction* op);  // no padded lane moves
  bool SliceAtBounds(const Instruction* op, ir::Attributes* attributes) const;
  bool PadAtBounds(const Instruction* op) const;
  bool ConcatenateAtBounds(const Instruction* op) const;
  bool ReshapeAtBounds(const Instruction* op) const;
  bool DynamicSliceAtBounds(const Instruction* op, ir::Attributes* attributes) const;
  bool UpdateAtBounds(const Instruction* op) const;
  bool GatherAtBounds(const Instruction* op, ir::Attributes* attributes) const;
  // A reduce of any combiner: padded lanes carry a mark, and the marked ones are passed over.
  Status ReduceMarked(Instruction* op, const ir::DimList& padded);
  StatusOr<ir::Computation*> MarkedCombiner(const ir::Computation& combiner, int count);

  // What is put around a dense array.
  ir::Literal FillAround(const Instruction* dense) const;
  // Whether a mask may be left out where a fill makes it needless.
  bool MaySkipMasks() const { return options_.masks == PaddingMasks::kNeeded; }
  Fill FillOf(const Instruction* old) const;
  Fill FillAfter(const Instruction* op) const;

  ir::Module& module_;
  ir::Computation& entry_;
  const PaddingOptions options_;
  Editor editor_;
  absl::flat_hash_map<const Instruction*, Instruction*> bound_, dense_;
  absl::flat_hash_map<const Instruction*, Fill> fill_;  // of the bound form
  absl::flat_hash_map<ir::Dim, Instruction*> sizes_, lanes_;
  absl::flat_hash_map<std::pair<const ir::Computation*, int>, ir::Computation*> marked_;
  bool changed_ = false;
};

}  // namespace swage::passes::padding

#endif  // SWAGE_COMPILER_PASSES_PADDING_PADDER_H_
