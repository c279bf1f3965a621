#include "compiler/passes/fusion_builder.h"

#include "absl/container/flat_hash_map.h"
#include "compiler/passes/fusion_group.h"

namespace swage::passes {

using ir::Instruction;
using ir::Opcode;

ir::Instruction* BuildFusion(absl::Span<Instruction* const> body) {
  Instruction* root = body.back();
  ir::Computation* parent = root->parent();
  ir::Module* module = parent->module();
  ir::Computation* fused = module->AddComputation("fused_computation");

  absl::flat_hash_map<const Instruction*, Instruction*> inside;
  std::vector<Instruction*> operands;
  ir::FusionKind kind = ir::FusionKind::kLoop;
  for (Instruction* value : body) {
    ir::InstructionList inputs;
    for (Instruction* operand : value->operands()) {
      auto [it, fresh] = inside.try_emplace(operand, nullptr);
      if (fresh && IsInlineConstant(*operand)) {
        it->second = fused->AddClone(*operand, {});
      } else if (fresh) {
        it->second = fused->AddParameter(fused->parameter_count(), operand->shape(), "param");
        operands.push_back(operand);
      }
      inputs.push_back(it->second);
    }
    inside[value] = fused->AddClone(*value, inputs);
    if (value->opcode() == Opcode::kReduce) kind = ir::FusionKind::kInput;
    if (value->opcode() == Opcode::kDot) kind = ir::FusionKind::kOutput;
  }
  fused->set_root(inside[root]);
  Instruction* fusion = parent->Add(Opcode::kFusion, root->shape(), operands,
                                    ir::FusionAttrs{kind}, {fused}, "fusion");
  fusion->set_metadata(root->shared_metadata());
  return fusion;
}

}  // namespace swage::passes
