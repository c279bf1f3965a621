#include "compiler/passes/map_inliner.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace swage::passes {
namespace {

using ir::Computation;
using ir::Instruction;
using ir::Opcode;

// Does nothing to a scalar.
bool IsScalarIdentity(Opcode opcode) {
  return opcode == Opcode::kCopy || opcode == Opcode::kReshape || opcode == Opcode::kBroadcast ||
         opcode == Opcode::kTranspose;
}

bool CanWiden(const Instruction& instruction) {
  if (!instruction.shape().is_scalar()) return false;
  const Opcode opcode = instruction.opcode();
  return opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
         opcode == Opcode::kBitcastConvert || IsScalarIdentity(opcode) || ir::IsElementwise(opcode);
}

bool IsInlinable(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kMap) return false;
  const std::vector<Instruction*> body = instruction.to_apply()->Instructions();
  return std::all_of(body.begin(), body.end(),
                     [](const Instruction* inner) { return CanWiden(*inner); });
}

// The array whose every element is what the scalar `inner` is.
Instruction* Widen(const Instruction& inner, const Instruction& map,
                   const absl::flat_hash_map<const Instruction*, Instruction*>& wide) {
  Computation& computation = *map.parent();
  if (inner.opcode() == Opcode::kParameter) {
    return map.operand(static_cast<int>(inner.parameter_number()));
  }
  if (IsScalarIdentity(inner.opcode())) return wide.at(inner.operand(0));
  ir::Shape shape = map.shape();
  shape.set_dtype(inner.shape().dtype());
  if (inner.opcode() == Opcode::kConstant) {
    Instruction* scalar = computation.AddConstant(inner.literal());
    return computation.Add(Opcode::kBroadcast, shape, {scalar}, ir::DimensionsAttrs{});
  }
  ir::InstructionList operands;
  for (const Instruction* operand : inner.operands()) operands.push_back(wide.at(operand));
  Instruction* result = computation.Add(inner.opcode(), shape, operands, inner.attributes());
  result->set_metadata(map.metadata() != nullptr ? map.shared_metadata() : inner.shared_metadata());
  return result;
}

Status InlineMap(Instruction* map) {
  absl::flat_hash_map<const Instruction*, Instruction*> wide;
  for (const Instruction* inner : map->to_apply()->PostOrder()) {
    wide[inner] = Widen(*inner, *map, wide);
  }
  Instruction* result = wide.at(map->to_apply()->root());
  SWAGE_RETURN_IF_ERROR(map->ReplaceAllUsesWith(result));
  return map->parent()->Remove(map);
}

}  // namespace

StatusOr<bool> MapInliner::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  // Callees first, so that a map inside the body of a map is gone when the outer one is looked at.
  for (Computation* computation : module.NonFusionComputations()) {
    for (Instruction* instruction : computation->Instructions()) {
      if (!IsInlinable(*instruction)) continue;
      SWAGE_RETURN_IF_ERROR(InlineMap(instruction));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
