#include "tests/card_check/program_lowering.h"

#include <map>
#include <utility>

#include "compiler/analysis/in_place.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/literal.h"

namespace swage::card {
namespace {

using ir::Instruction;
using ir::Opcode;

class Lowering {
 public:
  explicit Lowering(FunctionRef<StatusOr<CardLaunch>(const Instruction&)> launch)
      : launch_(launch) {}

  StatusOr<CardProgram> Run(const ir::Computation& entry) {
    for (const Instruction* parameter : entry.parameters()) {
      SWAGE_RETURN_IF_ERROR(AddBuffers(*parameter, Fill::kRandom));
    }
    const auto& schedule = entry.schedule();
    for (const Instruction* op : schedule.empty() ? entry.PostOrder() : schedule) {
      if (op->opcode() != Opcode::kParameter) SWAGE_RETURN_IF_ERROR(Lower(*op));
    }
    for (const uint32_t buffer : leaves_.at(entry.root())) program_.results.push_back({buffer});
    return std::move(program_);
  }

 private:
  using Buffers = std::vector<uint32_t>;  // of the leaves of a value

  Status AddBuffers(const Instruction& op, Fill fill) {
    Buffers& buffers = leaves_[&op];
    for (const ir::Shape& leaf : ir::PlainLeaves(op.shape())) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, leaf.ByteSize());
      buffers.push_back(static_cast<uint32_t>(program_.buffers.size()));
      program_.buffers.push_back({std::string(ir::DTypeName(leaf.dtype())), bytes, fill, ""});
    }
    return OkStatus();
  }

  Status Lower(const Instruction& op) {
    switch (op.opcode()) {
      case Opcode::kFusion:
        return LowerFusion(op);
      case Opcode::kConstant:
        return LowerConstant(op);
      case Opcode::kBitcast:
      case Opcode::kCopy:  // nothing is written in place
        leaves_[&op] = Buffers(leaves_.at(op.operand(0)));
        return OkStatus();
      case Opcode::kTuple: {
        Buffers all;
        for (const Instruction* operand : op.operands()) {
          const Buffers& some = leaves_.at(operand);
          all.insert(all.end(), some.begin(), some.end());
        }
        leaves_[&op] = std::move(all);
        return OkStatus();
      }
      case Opcode::kGetTupleElement: {
        const ir::Shape& tuple = op.operand(0)->shape();
        int64_t first = 0;
        for (int64_t i = 0; i < op.tuple_index(); ++i) {
          first += ir::LeafCount(tuple.tuple_shape(static_cast<int>(i)));
        }
        const auto begin = leaves_.at(op.operand(0)).begin() + first;
        leaves_[&op] = Buffers(begin, begin + ir::LeafCount(op.shape()));
        return OkStatus();
      }
      default:
        return Unimplemented("[card check] no launch for ", op.name(), ", a ",
                             ToAbsl(ir::OpcodeName(op.opcode())));
    }
  }

  Status LowerFusion(const Instruction& op) {
    if (analysis::UpdateInPlace(*op.fused_computation()) != nullptr) {
      return Unimplemented("[card check] ", op.name(), " is an update of what is there");
    }
    SWAGE_RETURN_IF_ERROR(AddBuffers(op, Fill::kNothing));
    SWAGE_ASSIGN_OR_RETURN(CardLaunch launch, launch_(op));
    for (const Instruction* operand : op.operands()) {
      const Buffers& buffers = leaves_.at(operand);
      launch.buffers.insert(launch.buffers.end(), buffers.begin(), buffers.end());
    }
    const Buffers& results = leaves_.at(&op);
    launch.buffers.insert(launch.buffers.end(), results.begin(), results.end());
    program_.launches.push_back(std::move(launch));
    return OkStatus();
  }

  Status LowerConstant(const Instruction& op) {
    SWAGE_RETURN_IF_ERROR(AddBuffers(op, Fill::kData));
    const std::vector<ir::Literal> values = ir::Leaves(op.literal());
    const Buffers& buffers = leaves_.at(&op);
    for (size_t i = 0; i < values.size(); ++i) {
      const auto bytes = values[i].bytes();
      program_.buffers[buffers[i]].data.assign(reinterpret_cast<const char*>(bytes.data()),
                                               bytes.size());
    }
    return OkStatus();
  }

  FunctionRef<StatusOr<CardLaunch>(const Instruction&)> launch_;
  CardProgram program_;
  std::map<const Instruction*, Buffers> leaves_;
};

}  // namespace

StatusOr<CardProgram> LowerProgram(const ir::Module& module,
                                   FunctionRef<StatusOr<CardLaunch>(const Instruction&)> launch) {
  return Lowering(launch).Run(*module.entry());
}

}  // namespace swage::card
