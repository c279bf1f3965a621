#include "compiler/passes/start_hoister.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compiler/ir/computation.h"
#include "compiler/passes/fusion_rules.h"

namespace swage::passes {
namespace {

using ir::DType;
using ir::Instruction;
using ir::Opcode;

// The place of the first start among the operands; 0: the op has none.
int FirstStart(const Instruction& op) {
  if (op.opcode() == Opcode::kDynamicSlice) return 1;
  return op.opcode() == Opcode::kDynamicUpdateSlice ? 2 : 0;
}

// Whether `start` is one to be taken out. Sums of 4-bit integers do not wrap as their bits do.
bool IsNumber(const Instruction& start) {
  return start.opcode() == Opcode::kConstant && ir::DTypeBits(start.shape().dtype()) >= 8 &&
         start.literal().GetBits(0) != 0;
}

// The hoisting out of the fusions of one computation.
class Hoister {
 public:
  explicit Hoister(ir::Computation* computation) : computation_(computation) {}

  StatusOr<bool> Run() {
    bool changed = false;
    for (Instruction* fusion : computation_->Instructions()) {
      if (fusion->opcode() != Opcode::kFusion) continue;
      SWAGE_ASSIGN_OR_RETURN(const bool hoisted, HoistFrom(fusion));
      changed |= hoisted;
    }
    return changed;
  }

 private:
  using Key = std::pair<DType, uint64_t>;
  // What all starts along one dimension count from.
  struct Base {
    Instruction* inside;  // the parameter
    uint64_t bits;
  };
  using Bases = absl::flat_hash_map<std::pair<DType, int>, Base>;

  StatusOr<bool> HoistFrom(Instruction* fusion) {
    ir::Computation* body = fusion->fused_computation();
    Bases bases;
    for (Instruction* op : body->PostOrder()) {
      const int first = FirstStart(*op);
      for (int i = first; first > 0 && i < op->operand_count(); ++i) {
        Instruction* start = op->operand(i);
        if (!IsNumber(*start)) continue;
        Instruction* inside = Inside(fusion, i - first, *start, &bases);
        if (inside == nullptr) continue;
        op->SetOperand(i, inside);
        if (start->users().empty()) SWAGE_RETURN_IF_ERROR(body->Remove(start));
      }
    }
    return !bases.empty();
  }

  // The value that replaces `start`; null: it stays.
  Instruction* Inside(Instruction* fusion, int dimension, const Instruction& start, Bases* bases) {
    ir::Computation* body = fusion->fused_computation();
    const ir::Shape& shape = start.shape();
    const Key number = {shape.dtype(), start.literal().GetBits(0)};
    const auto found = bases->find({shape.dtype(), dimension});
    if (found == bases->end()) {
      const int64_t outputs = ir::LeafCount(fusion->shape());
      if (fusion->operand_count() + outputs >= kMaxOperandsAndOutputs) return nullptr;
      fusion->AppendOperand(Outside(number, start));
      Instruction* parameter = body->AddParameter(body->parameter_count(), shape, "start");
      (*bases)[{shape.dtype(), dimension}] = {parameter, number.second};
      return parameter;
    }
    const auto& [base, bits] = found->second;
    if (bits == number.second) return base;
    // Integers wrap, so that the sum is the start whatever the two are.
    ir::Literal distance = start.literal();
    distance.SetBits(0, number.second - bits);
    return body->Add(Opcode::kAdd, shape, {base, body->AddConstant(std::move(distance))});
  }

  // Each number once.
  Instruction* Outside(const Key& key, const Instruction& start) {
    Instruction*& constant = outside_[key];
    if (constant == nullptr) constant = computation_->AddClone(start, {});
    return constant;
  }

  ir::Computation* computation_;
  absl::flat_hash_map<Key, Instruction*> outside_;
};

}  // namespace

StatusOr<bool> StartHoister::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.ExecutedComputations()) {
    SWAGE_ASSIGN_OR_RETURN(const bool hoisted, Hoister(computation).Run());
    changed |= hoisted;
  }
  return changed;
}

}  // namespace swage::passes
