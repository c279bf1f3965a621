#include "compiler/passes/fusion_rules.h"

#include "absl/strings/str_cat.h"

namespace swage::passes {
namespace {

using ir::Opcode;

bool IsExpensive(const Group& group) {
  for (const auto& [value, at] : group.body) {
    const ir::CostClass cost = ir::InfoOf(value->opcode()).cost;
    if (cost == ir::CostClass::kTranscendental || cost == ir::CostClass::kReduce ||
        cost == ir::CostClass::kDot) {
      return true;
    }
  }
  return false;
}

std::string Describe(const ir::Instruction* instruction) {
  return absl::StrCat(std::string(ir::OpcodeName(instruction->opcode())), " ", instruction->name());
}

}  // namespace

std::optional<Veto> CheckProducer(const Group& producer, size_t reader_count) {
  const ir::Instruction& root = *producer.root;
  if (root.IsRoot()) {
    return Veto{"producer-is-root", "its value is a result of the computation and must be stored"};
  }
  if (!root.shape().is_array()) {
    return Veto{"producer-has-several-outputs", "a kernel with several outputs is never a producer"};
  }
  if (!root.control_successors().empty()) {
    return Veto{"control-dependency", "other instructions must run after it"};
  }
  if (root.opcode() == Opcode::kConcatenate && root.operand_count() > kMaxConcatenateOperands) {
    return Veto{"wide-concatenate", absl::StrCat(root.operand_count(), " operands, at most ",
                                                 kMaxConcatenateOperands, " as a producer")};
  }
  for (const ir::Instruction* user : root.users()) {
    if (!IsFusible(*user)) {
      return Veto{"consumer-not-fusible",
                  absl::StrCat("its user ", Describe(user), " reads it from memory")};
    }
  }
  if (reader_count > kMaxExpensiveCopies && IsExpensive(producer)) {
    return Veto{"expensive-duplication",
                absl::StrCat("expensive, and ", reader_count, " kernels would repeat it (at most ",
                             kMaxExpensiveCopies, ")")};
  }
  return std::nullopt;
}

std::optional<Veto> CheckPair(const Group& producer, const Group& consumer,
                              const FusionGroups::Merged& merged) {
  if (IsFreeView(*consumer.root)) {
    return Veto{"consumer-is-view",
                absl::StrCat(Describe(consumer.root), " only renames bytes; it is no kernel")};
  }
  if (producer.hero != nullptr && consumer.hero != nullptr) {
    return Veto{producer.hero->opcode() == Opcode::kReduce &&
                        consumer.hero->opcode() == Opcode::kReduce
                    ? "reduce-reduce"
                    : "two-heroes",
                absl::StrCat("both need a schedule of their own: ", Describe(producer.hero), " and ",
                             Describe(consumer.hero))};
  }
  // Nothing is ever computed on the way into a dot, so its operands are its direct ones.
  if (consumer.hero != nullptr && consumer.hero->opcode() == Opcode::kDot &&
      !producer.root->OperandIndices(consumer.hero).empty()) {
    return Veto{"dot-prologue",
                absl::StrCat(Describe(consumer.hero), " reads its operands from memory")};
  }
  if (producer.hero != nullptr && (!merged.producer.identity || merged.producer.maps > 1)) {
    return Veto{"emitter-downgrade",
                absl::StrCat(Describe(producer.hero),
                             " would lose its schedule: its result is not read as the output is "
                             "indexed")};
  }
  if (merged.instructions > kMaxFusionInstructions) {
    return Veto{"too-many-instructions",
                absl::StrCat(merged.instructions, " instructions, at most ", kMaxFusionInstructions)};
  }
  if (merged.ir_ops > kMaxFusionIrOps) {
    return Veto{"too-much-code",
                absl::StrCat("about ", merged.ir_ops, " operations of code, at most ",
                             kMaxFusionIrOps)};
  }
  if (merged.operands + 1 > kMaxOperandsAndOutputs &&
      merged.operands > static_cast<int64_t>(consumer.reads.size())) {
    return Veto{"too-many-operands", absl::StrCat(merged.operands + 1, " operands and outputs, at most ",
                                                  kMaxOperandsAndOutputs)};
  }
  return std::nullopt;
}

}  // namespace swage::passes
