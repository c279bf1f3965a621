#include "compiler/passes/constant_folding.h"

#include <algorithm>

#include "compiler/analysis/side_effects.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/passes/editor.h"
#include "compiler/passes/match.h"

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Literal;
using ir::Opcode;

// What the evaluator takes per element, in nanoseconds, and per instruction.
constexpr int64_t kInstructionNanoseconds = 500;
int64_t ElementNanoseconds(const Instruction& instruction) {
  switch (ir::InfoOf(instruction.opcode()).cost) {
    case ir::CostClass::kTranscendental:
      return 20;
    case ir::CostClass::kDivision:
    case ir::CostClass::kReduce:
      return 4;
    default:
      return 2;
  }
}

bool IsCandidate(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kCall:
    case Opcode::kConstant:
    case Opcode::kDot:
    case Opcode::kFusion:
    case Opcode::kGetTupleElement:
    case Opcode::kIota:
    case Opcode::kTuple:
      return false;
    default:
      break;
  }
  return ir::InfoOf(instruction.opcode()).evaluated && instruction.operand_count() > 0 &&
         instruction.shape().is_array() && instruction.shape().is_static() &&
         std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [](const Instruction* x) { return IsOp(x, Opcode::kConstant); });
}

struct Cost {
  int64_t bytes;
  int64_t nanoseconds;
};

StatusOr<Cost> CostOf(const Instruction& instruction) {
  Cost cost;
  SWAGE_ASSIGN_OR_RETURN(cost.bytes, instruction.shape().ByteSize());
  SWAGE_ASSIGN_OR_RETURN(int64_t elements, instruction.shape().NumElements());
  for (const Instruction* operand : instruction.operands()) {
    elements = std::max(elements, operand->literal().element_count());
  }
  if (__builtin_mul_overflow(elements, ElementNanoseconds(instruction), &cost.nanoseconds) ||
      __builtin_add_overflow(cost.nanoseconds, kInstructionNanoseconds, &cost.nanoseconds)) {
    return ResourceExhausted("[constant-folding] ", instruction.name(), " is too large");
  }
  return cost;
}

class Folder {
 public:
  Folder(const ir::Module& module, PassContext& context) : effects_(module), context_(context) {}

  Status FoldComputation(ir::Computation& computation) {
    Editor editor(computation);
    for (const Editor::Ref& ref : editor.PostOrder()) {
      if (editor.IsGone(ref) || HasControlEdges(*ref.instruction)) continue;
      editor.set_origin(ref.instruction);
      Instruction* value = Fold(*ref.instruction, editor);
      if (value == nullptr) continue;
      SWAGE_RETURN_IF_ERROR(editor.Replace(ref.instruction, value));
      changed_ = true;
    }
    return OkStatus();
  }

  bool changed() const { return changed_; }

  // Once per compilation, though every round of a fixed point comes by.
  void Report() {
    if (skipped_ == 0) return;
    std::string text = absl::StrCat("[constant-folding] the budget is used up, left for run time: ",
                                    first_skipped_);
    for (const Message& message : context_.messages()) {
      if (message.text.starts_with(text)) return;
    }
    if (skipped_ > 1) absl::StrAppend(&text, " and ", skipped_ - 1, " more");
    context_.Log(Severity::kInfo, std::move(text));
  }

 private:
  Instruction* Fold(const Instruction& instruction, Editor& editor) {
    if (IsOp(&instruction, Opcode::kCall)) return FoldCall(instruction, editor);
    if (!IsCandidate(instruction) || effects_.In(instruction)) return nullptr;
    const StatusOr<Cost> cost = CostOf(instruction);
    if (!cost.ok() || !Fits(*cost)) {
      if (skipped_++ == 0) {
        first_skipped_ = absl::StrCat(instruction.name(), " ", instruction.shape().ToString(false));
      }
      return nullptr;
    }
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands())
      operands.push_back(operand->literal());
    const evaluator::Options limits = {
        .max_time_ms = std::max<int64_t>(1, context_.options().fold_budget_microseconds / 100)};
    StatusOr<Literal> value = evaluator::EvaluateInstruction(instruction, operands, limits);
    Charge(*cost);
    return value.ok() ? Constant(std::move(*value), instruction, editor) : nullptr;
  }

  Instruction* FoldCall(const Instruction& call, Editor& editor) {
    if (call.operand_count() != 0 || effects_.In(call)) return nullptr;
    const Instruction* root = call.called(0)->root();
    // The literal's bytes are shared.
    return IsOp(root, Opcode::kConstant) ? Constant(root->literal(), call, editor) : nullptr;
  }

  Instruction* Constant(Literal literal, const Instruction& old, Editor& editor) {
    Instruction* constant = editor.Constant(std::move(literal));
    if (old.shape().has_layout()) constant->mutable_shape()->set_layout(old.shape().layout());
    return constant;
  }

  bool Fits(const Cost& cost) const {
    const CompilerOptions& options = context_.options();
    return cost.bytes <= options.fold_budget_bytes - context_.fold_bytes &&
           (nanoseconds_ + cost.nanoseconds) / 1000 <
               options.fold_budget_microseconds - context_.fold_microseconds;
  }
  void Charge(const Cost& cost) {
    context_.fold_bytes += cost.bytes;
    nanoseconds_ += cost.nanoseconds;
    context_.fold_microseconds += nanoseconds_ / 1000;
    nanoseconds_ %= 1000;
  }

  const analysis::SideEffects effects_;
  PassContext& context_;
  int64_t nanoseconds_ = 0;  // charged, below one microsecond
  int64_t skipped_ = 0;
  std::string first_skipped_;
  bool changed_ = false;
};

}  // namespace

StatusOr<bool> ConstantFolding::Run(ir::Module& module, PassContext& context) {
  Folder folder(module, context);
  for (ir::Computation* computation : module.NonFusionComputations()) {
    SWAGE_RETURN_IF_ERROR(folder.FoldComputation(*computation));
  }
  folder.Report();
  return folder.changed();
}

}  // namespace swage::passes
