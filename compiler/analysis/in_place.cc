#include "compiler/analysis/in_place.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "compiler/ir/computation.h"

namespace swage::analysis {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// Kernels of these ops have schedules that read elements early, late or more than once.
bool HasOwnOrder(Opcode opcode) {
  switch (opcode) {  // NOLINT: few of many
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kDot:
    case Opcode::kConvolution:
    case Opcode::kSort:
    case Opcode::kScatter:
    case Opcode::kTopK:
      return true;
    default:
      return false;
  }
}

// `user` computes its element i from element i of `value`.
bool ReadsInStep(const Instruction& user, const Instruction& value) {
  if (user.opcode() == Opcode::kDynamicUpdateSlice) {
    for (int i = 1; i < user.operand_count(); ++i) {
      if (user.operand(i) == &value) return false;
    }
    return true;
  }
  if (!user.shape().is_array()) return false;
  // Dense arrays keep their element i under another shape.
  if (user.opcode() == Opcode::kBitcast || user.opcode() == Opcode::kReshape) {
    return ir::DTypeBytes(user.shape().dtype()) == ir::DTypeBytes(value.shape().dtype());
  }
  const bool in_step = ir::IsElementwise(user.opcode()) || user.opcode() == Opcode::kCopy ||
                       user.opcode() == Opcode::kBitcastConvert;
  return in_step && ir::SameDims(user.shape(), value.shape());
}

}  // namespace

bool CanWriteOver(const Instruction& user, int operand, int64_t output_leaf) {
  if (user.opcode() != Opcode::kFusion) return false;
  const ir::Computation& body = *user.fused_computation();
  const Instruction* parameter = body.parameter(operand);
  const Instruction* root = body.root();
  const bool is_tuple = root->opcode() == Opcode::kTuple;
  if (root->shape().is_tuple() && !is_tuple) return false;
  const Instruction* leaf = is_tuple ? root->operand(static_cast<int>(output_leaf)) : root;
  if (!leaf->shape().is_array() || !parameter->shape().is_array()) return false;
  if (ir::DTypeBytes(leaf->shape().dtype()) != ir::DTypeBytes(parameter->shape().dtype())) {
    return false;
  }
  for (const Instruction* value : body.Instructions()) {
    if (HasOwnOrder(value->opcode())) return false;
  }
  bool reaches_leaf = false;
  absl::flat_hash_set<const Instruction*> seen = {parameter};
  std::vector<const Instruction*> work = {parameter};
  while (!work.empty()) {
    const Instruction* value = work.back();
    work.pop_back();
    if (value == leaf) reaches_leaf = true;
    for (const Instruction* next : value->users()) {
      if (is_tuple && next == root) {
        // All outputs of one shape are computed at an element before any is stored there.
        if (!ir::SameDims(value->shape(), leaf->shape())) return false;
        continue;
      }
      if (!ReadsInStep(*next, *value)) return false;
      if (seen.insert(next).second) work.push_back(next);
    }
  }
  return reaches_leaf;
}

const Instruction* UpdateInPlace(const ir::Computation& fusion) {
  const Instruction* root = fusion.root();
  if (root->opcode() != Opcode::kDynamicUpdateSlice) return nullptr;
  const Instruction* array = root->operand(0);
  if (array->opcode() != Opcode::kParameter || array->users().size() != 1 ||
      array->OperandIndices(root).size() != 1) {
    return nullptr;
  }
  for (const Instruction* value : fusion.Instructions()) {
    if (HasOwnOrder(value->opcode())) return nullptr;
  }
  return root;
}

const Shape& WrittenShape(const ir::Computation& fusion) {
  const Instruction* update = UpdateInPlace(fusion);
  return update != nullptr ? update->operand(1)->shape() : fusion.root()->shape();
}

}  // namespace swage::analysis
