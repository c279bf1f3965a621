#include "compiler/passes/kernel_merger.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

class Merger {
 public:
  explicit Merger(absl::Span<Instruction* const> kernels)
      : kernels_(kernels),
        parent_(kernels[0]->parent()),
        fused_(parent_->module()->AddComputation("fused_computation")),
        merged_(kernels.begin(), kernels.end()) {}

  StatusOr<Instruction*> Run(std::vector<Computation*>* hollow) {
    for (Instruction* kernel : kernels_) {
      SWAGE_RETURN_IF_ERROR(Absorb(kernel));
      hollow->push_back(kernel->fused_computation());
    }
    ChooseOutputs();
    SWAGE_RET_CHECK(!outputs_.empty(), kernels_[0]->name());
    Instruction* fusion = AddFusion();
    SWAGE_RETURN_IF_ERROR(RemoveUnusedElements());
    for (const auto& [old, output] : old_) {
      SWAGE_RETURN_IF_ERROR(old->ReplaceAllUsesWith(Output(fusion, output)));
    }
    SWAGE_RETURN_IF_ERROR(RemoveOld());
    return fusion;
  }

 private:
  // The value inside that stands for an operand of a kernel.
  Instruction* Inside(Instruction* operand) {
    auto [it, is_new] = inside_.try_emplace(operand, nullptr);
    if (is_new) {
      operands_.push_back(operand);
      it->second = fused_->AddParameter(fused_->parameter_count(), operand->shape(), "param");
    }
    return it->second;
  }

  Status Absorb(Instruction* kernel) {
    Computation* body = kernel->fused_computation();
    Instruction* root = body->root();
    const auto inside = [&](Instruction* value) {
      if (value->opcode() != Opcode::kParameter) return value;
      return Inside(kernel->operand(static_cast<int>(value->parameter_number())));
    };
    std::vector<Instruction*> results;
    if (root->opcode() == Opcode::kTuple) {
      for (Instruction* result : root->operands()) results.push_back(inside(result));
      body->set_root(nullptr);
      SWAGE_RETURN_IF_ERROR(body->Remove(root));
    }
    for (Instruction* value : body->PostOrder()) {
      if (value->opcode() == Opcode::kParameter) continue;
      for (int i = 0; i < value->operand_count(); ++i) {
        Instruction* operand = value->operand(i);
        if (operand->opcode() == Opcode::kParameter && operand->parent() == body) {
          value->SetOperand(i, inside(operand));
        }
      }
      fused_->Take(value);
    }
    if (results.empty()) results = ResultsOf(inside(root));
    for (Instruction* output : OutputsOf(kernel)) {
      inside_[output] = output == kernel ? results[0] : results[output->tuple_index()];
    }
    return OkStatus();
  }

  // The arrays of a root that is no tuple op.
  std::vector<Instruction*> ResultsOf(Instruction* root) {
    if (root->shape().is_array()) return {root};
    std::vector<Instruction*> results;
    for (int i = 0; i < root->shape().tuple_size(); ++i) {
      results.push_back(fused_->Add(Opcode::kGetTupleElement, root->shape().tuple_shape(i), {root},
                                    ir::TupleIndexAttrs{i}));
    }
    elements_inside_.insert(elements_inside_.end(), results.begin(), results.end());
    return results;
  }

  // Results of a reduce that nobody wants.
  Status RemoveUnusedElements() {
    for (Instruction* element : elements_inside_) {
      if (element->users().empty() && !element->IsRoot()) {
        SWAGE_RETURN_IF_ERROR(fused_->Remove(element));
      }
    }
    return OkStatus();
  }

  void ChooseOutputs() {
    absl::flat_hash_map<Instruction*, int64_t> number;
    for (Instruction* kernel : kernels_) {
      for (Instruction* old : OutputsOf(kernel)) {
        const bool stored = old->IsRoot() ||
                            std::any_of(old->users().begin(), old->users().end(),
                                        [&](Instruction* user) { return !merged_.contains(user); });
        if (!stored) continue;
        Instruction* value = inside_[old];
        const auto [it, is_new] = number.try_emplace(value, outputs_.size());
        if (is_new) {
          outputs_.push_back(value);
          metadata_.push_back(old->shared_metadata());
        }
        old_.push_back({old, it->second});
      }
    }
    elements_.resize(outputs_.size());
  }

  Instruction* AddFusion() {
    Instruction* root = outputs_[0];
    if (outputs_.size() > 1) {
      std::vector<Shape> shapes;
      for (const Instruction* output : outputs_) shapes.push_back(output->shape());
      root = fused_->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), outputs_);
    }
    fused_->set_root(root);
    const bool reduces = std::any_of(kernels_.begin(), kernels_.end(), [](const auto* kernel) {
      return kernel->template attrs<ir::FusionAttrs>().kind == ir::FusionKind::kInput;
    });
    const auto kind = reduces ? ir::FusionKind::kInput : ir::FusionKind::kLoop;
    Instruction* fusion = parent_->Add(Opcode::kFusion, root->shape(), operands_,
                                       ir::FusionAttrs{kind}, {fused_}, "fusion");
    fusion->set_metadata(kernels_.back()->shared_metadata());
    return fusion;
  }

  Instruction* Output(Instruction* fusion, int64_t number) {
    if (outputs_.size() == 1) return fusion;
    if (elements_[number] == nullptr) {
      elements_[number] =
          parent_->Add(Opcode::kGetTupleElement, fusion->shape().tuple_shape(number), {fusion},
                       ir::TupleIndexAttrs{number});
      elements_[number]->set_metadata(metadata_[number]);
    }
    return elements_[number];
  }

  Status RemoveOld() {
    // Users before operands: what is read inside only still has readers here.
    for (auto it = kernels_.rbegin(); it != kernels_.rend(); ++it) {
      for (Instruction* output : OutputsOf(*it)) {
        if (output != *it) SWAGE_RETURN_IF_ERROR(parent_->Remove(output));
      }
      SWAGE_RETURN_IF_ERROR(parent_->Remove(*it));
    }
    return OkStatus();
  }

  absl::Span<Instruction* const> kernels_;
  Computation* parent_;
  Computation* fused_;
  absl::flat_hash_set<Instruction*> merged_;
  // Operands and outputs of the kernels: what stands for each inside.
  absl::flat_hash_map<Instruction*, Instruction*> inside_;
  std::vector<Instruction*> operands_;                         // of the fusion
  std::vector<Instruction*> outputs_;                          // inside
  std::vector<std::shared_ptr<const ir::Metadata>> metadata_;  // of the outputs
  std::vector<Instruction*> elements_;                         // of the fusion
  std::vector<Instruction*> elements_inside_;
  std::vector<std::pair<Instruction*, int64_t>> old_;  // and the output that replaces it
};

}  // namespace

std::vector<Instruction*> OutputsOf(Instruction* kernel) {
  if (kernel->shape().is_array()) return {kernel};
  return {kernel->users().begin(), kernel->users().end()};
}

StatusOr<Instruction*> MergeKernels(absl::Span<Instruction* const> kernels,
                                    std::vector<Computation*>* hollow) {
  return Merger(kernels).Run(hollow);
}

}  // namespace swage::passes
