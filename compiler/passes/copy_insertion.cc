#include "compiler/passes/copy_insertion.h"

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "compiler/analysis/live_ranges.h"
#include "compiler/passes/copy_elider.h"

namespace swage::passes {
namespace {

using analysis::LiveRanges;
using analysis::ValueId;
using ir::Computation;
using ir::Instruction;
using ir::Opcode;

// Adds the copies of one computation.
class OutputCopier {
 public:
  explicit OutputCopier(Computation* computation) : computation_(computation) {}

  Status Run() {
    SWAGE_ASSIGN_OR_RETURN(ranges_, LiveRanges::Compute(*computation_, computation_->PostOrder()));
    Instruction* old_root = computation_->root();
    outputs_ = ranges_.ValuesOf(old_root);
    uses_.resize(ranges_.values().size());
    for (ValueId id : outputs_) ++uses_[id];
    Instruction* root = Copied(old_root, outputs_);
    if (root == old_root) return OkStatus();
    computation_->set_root(root);
    if (!old_root->users().empty() || ir::HasEffect(old_root->opcode())) return OkStatus();
    return computation_->RemoveWithDeadOperands(old_root);
  }

  const std::vector<Instruction*>& copies() const { return copies_; }
  // The root was taken apart or doubled, so that the module is another even if no copy stays.
  bool is_rebuilt() const { return is_rebuilt_; }

 private:
  // Made here, and an output once.
  bool IsFresh(const Instruction* value, absl::Span<const ValueId> leaves) const {
    if (value->opcode() == Opcode::kTuple || value->opcode() == Opcode::kBitcast ||
        value->opcode() == Opcode::kReshape) {
      return false;
    }
    for (ValueId id : leaves) {
      if (ranges_.value(id).begin < 0 || uses_[id] > 1) return false;
    }
    return true;
  }

  // `value`, whose leaves are these, with a copy of each array inside that is not fresh.
  Instruction* Copied(Instruction* value, absl::Span<const ValueId> leaves) {
    if (IsFresh(value, leaves) || value->shape().is_token()) return value;
    if (value->shape().is_array()) {
      copies_.push_back(computation_->Add(Opcode::kCopy, value->shape(), {value}));
      copies_.back()->set_metadata(value->shared_metadata());
      return copies_.back();
    }
    std::vector<Instruction*> elements;
    const bool is_tuple = value->opcode() == Opcode::kTuple;
    bool changed = false;
    for (int i = 0; i < value->shape().tuple_size(); ++i) {
      Instruction* element = is_tuple ? value->operand(i) : Element(value, i);
      const size_t count = static_cast<size_t>(ir::LeafCount(element->shape()));
      elements.push_back(Copied(element, leaves.subspan(0, count)));
      leaves.remove_prefix(count);
      changed |= elements.back() != element;
    }
    if (is_tuple && !changed) return value;
    const size_t own_users = value->IsRoot() ? 0 : 1;
    is_rebuilt_ |= !is_tuple || value->users().size() > own_users;  // the old one stays
    Instruction* tuple = computation_->Add(Opcode::kTuple, value->shape(), elements);
    tuple->set_metadata(value->shared_metadata());
    return tuple;
  }

  Instruction* Element(Instruction* value, int i) {
    return computation_->Add(Opcode::kGetTupleElement, value->shape().tuple_shape(i), {value},
                             ir::TupleIndexAttrs{i});
  }

  Computation* computation_;
  LiveRanges ranges_;
  absl::Span<const ValueId> outputs_;
  std::vector<int64_t> uses_;  // by value: how many outputs it is
  std::vector<Instruction*> copies_;
  bool is_rebuilt_ = false;
};

}  // namespace

StatusOr<bool> CopyInsertion::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  int64_t added = 0;
  std::vector<std::pair<Computation*, std::vector<Instruction*>>> copies;
  for (Computation* computation : module.ExecutedComputations()) {
    OutputCopier copier(computation);
    SWAGE_RETURN_IF_ERROR(copier.Run());
    added += static_cast<int64_t>(copier.copies().size());
    changed |= copier.is_rebuilt();
    copies.emplace_back(computation, copier.copies());
  }
  if (added == 0) return changed;
  context.DumpInside(*this, "after-adding-copies", module);
  for (const auto& [computation, of_it] : copies) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t removed, ElideCopies(*computation, of_it));
    added -= removed;
  }
  return changed || added > 0;
}

}  // namespace swage::passes
