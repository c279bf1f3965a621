#include "compiler/passes/fusion_builder.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "compiler/passes/fusion_group.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

class Fuser {
 public:
  explicit Fuser(absl::Span<Instruction* const> body)
      : body_(body),
        root_(body.back()),
        parent_(root_->parent()),
        fused_(parent_->module()->AddComputation("fused_computation")) {}

  StatusOr<Instruction*> Run() {
    ChooseMoves();
    for (Instruction* value : body_) {
      if (inside_[value] != value) {
        Copy(value);
        continue;
      }
      for (int i = 0; i < value->operand_count(); ++i) {
        value->SetOperand(i, Inside(value->operand(i), value));
      }
      if (value != root_) fused_->Take(value);
    }
    return PutInPlace();
  }

 private:
  // The root moves, and so does what only values that move read.
  void ChooseMoves() {
    inside_.reserve(body_.size() + 2);
    inside_[root_] = root_;
    for (size_t i = body_.size() - 1; i-- > 0;) {
      Instruction* value = body_[i];
      inside_[value] = OnlyMovingUsers(*value) ? value : nullptr;
    }
  }

  bool OnlyMovingUsers(const Instruction& value) const {
    return !value.IsRoot() &&
           std::all_of(value.users().begin(), value.users().end(), [&](Instruction* user) {
             const auto found = inside_.find(user);
             return found != inside_.end() && found->second == user;
           });
  }

  // The value inside the body that stands for an operand of `reader`.
  Instruction* Inside(Instruction* operand, const Instruction* reader) {
    if (operand->parent() == fused_) return operand;
    auto [it, is_new] = inside_.try_emplace(operand, nullptr);
    if (!is_new) return it->second;
    if (IsInlineConstant(*operand)) {
      if (operand->users().size() == 1 && operand->users()[0] == reader && !operand->IsRoot() &&
          inside_[reader] == reader) {
        fused_->Take(operand);
        return operand;
      }
      return it->second = fused_->AddClone(*operand, {});
    }
    operands_.push_back(operand);
    return it->second = fused_->AddParameter(fused_->parameter_count(), operand->shape(), "param");
  }

  void Copy(Instruction* value) {
    ir::InstructionList operands;
    for (Instruction* operand : value->operands()) operands.push_back(Inside(operand, value));
    inside_[value] = fused_->AddClone(*value, operands);
  }

  StatusOr<Instruction*> PutInPlace() {
    Instruction* fusion = parent_->Add(Opcode::kFusion, root_->shape(), operands_,
                                       ir::FusionAttrs{Kind()}, {fused_}, "fusion");
    fusion->set_metadata(root_->shared_metadata());
    SWAGE_RETURN_IF_ERROR(root_->ReplaceAllUsesWith(fusion));
    fused_->Take(root_);
    fused_->set_root(root_);
    for (Instruction* value : body_) {
      for (Instruction* before : value->control_predecessors()) {
        if (before->parent() == parent_) fusion->AddControlPredecessor(before);
      }
      if (value->parent() == fused_) value->DropControlEdges();
    }
    return fusion;
  }

  ir::FusionKind Kind() const {
    ir::FusionKind kind = ir::FusionKind::kLoop;
    for (const Instruction* value : body_) {
      if (value->opcode() == Opcode::kReduce) kind = ir::FusionKind::kInput;
      if (value->opcode() == Opcode::kDot) kind = ir::FusionKind::kOutput;
    }
    return kind;
  }

  absl::Span<Instruction* const> body_;
  Instruction* root_;
  ir::Computation* parent_;
  ir::Computation* fused_;
  // Values of the body and what it reads: what stands for each inside. A value that moves stands
  // for itself; null is not known yet.
  absl::flat_hash_map<const Instruction*, Instruction*> inside_;
  std::vector<Instruction*> operands_;  // of the fusion
};

}  // namespace

StatusOr<Instruction*> Fuse(absl::Span<Instruction* const> body) { return Fuser(body).Run(); }

}  // namespace swage::passes
