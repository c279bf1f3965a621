#include "compiler/passes/fusion_rules.h"

#include "absl/strings/str_cat.h"

namespace swage::passes {
namespace {

using ir::Opcode;

// The reason is put into words only when it is asked for.
template <typename... Args>
Veto Refuse(bool explain, const char* rule, const Args&... reason) {
  return Veto{rule, explain ? absl::StrCat(reason...) : std::string()};
}

std::string Describe(const ir::Instruction* instruction) {
  return absl::StrCat(std::string(ir::OpcodeName(instruction->opcode())), " ", instruction->name());
}

}  // namespace

std::optional<Veto> CheckProducer(const Group& producer, bool explain) {
  const ir::Instruction& root = *producer.root;
  if (root.IsRoot()) {
    return Refuse(explain, "producer-is-root",
                  "its value is a result of the computation and must be stored");
  }
  if (!root.shape().is_array()) {
    return Refuse(explain, "producer-has-several-outputs",
                  "a kernel with several outputs is never a producer");
  }
  if (!root.control_successors().empty()) {
    return Refuse(explain, "control-dependency", "other instructions must run after it");
  }
  if (producer.library) {
    return Refuse(explain, "library-dot", "a library of the device computes it");
  }
  if (root.opcode() == Opcode::kConcatenate && root.operand_count() > kMaxConcatenateOperands) {
    return Refuse(explain, "wide-concatenate", root.operand_count(), " operands, at most ",
                  kMaxConcatenateOperands, " as a producer");
  }
  for (const ir::Instruction* user : root.users()) {
    if (IsFusible(*user)) continue;
    return Refuse(explain, "consumer-not-fusible", "its user ",
                  explain ? Describe(user) : std::string(), " reads it from memory");
  }
  return std::nullopt;
}

std::optional<Veto> CheckCopies(const Group& producer, size_t reader_count, bool explain) {
  if (reader_count > kMaxExpensiveCopies && producer.expensive) {
    return Refuse(explain, "expensive-duplication", "expensive, and ", reader_count,
                  " kernels would repeat it (at most ", kMaxExpensiveCopies, ")");
  }
  return std::nullopt;
}

std::optional<Veto> CheckPair(const Group& producer, const Group& consumer,
                              const FusionGroups::Merged& merged, bool explain) {
  const auto name = [&](const ir::Instruction* instruction) {
    return explain ? Describe(instruction) : std::string();
  };
  if (IsFreeView(*consumer.root)) {
    return Refuse(explain, "consumer-is-view", name(consumer.root),
                  " only renames bytes; it is no kernel");
  }
  if (producer.hero != nullptr && consumer.hero != nullptr) {
    const bool reduces = producer.hero->opcode() == Opcode::kReduce &&
                         consumer.hero->opcode() == Opcode::kReduce;
    return Refuse(explain, reduces ? "reduce-reduce" : "two-heroes",
                  "both need a schedule of their own: ", name(producer.hero), " and ",
                  name(consumer.hero));
  }
  // Nothing is ever computed on the way into a dot, so its operands are its direct ones.
  if (consumer.hero != nullptr && consumer.hero->opcode() == Opcode::kDot &&
      !producer.root->OperandIndices(consumer.hero).empty()) {
    return Refuse(explain, "dot-prologue", name(consumer.hero), " reads its operands from memory");
  }
  if (producer.hero != nullptr && (!merged.producer.identity || merged.producer.maps > 1)) {
    return Refuse(explain, "emitter-downgrade", name(producer.hero),
                  " would lose its schedule: its result is not read as the output is indexed");
  }
  if (merged.instructions > kMaxFusionInstructions) {
    return Refuse(explain, "too-many-instructions", merged.instructions, " instructions, at most ",
                  kMaxFusionInstructions);
  }
  if (merged.ir_ops > kMaxFusionIrOps) {
    return Refuse(explain, "too-much-code", "about ", merged.ir_ops,
                  " operations of code, at most ", kMaxFusionIrOps);
  }
  if (merged.operands + 1 > kMaxOperandsAndOutputs &&
      merged.operands > static_cast<int64_t>(consumer.reads.size())) {
    return Refuse(explain, "too-many-operands", merged.operands + 1, " operands and outputs, at most ",
                  kMaxOperandsAndOutputs);
  }
  return std::nullopt;
}

}  // namespace swage::passes
