#include "codegen/program/literal_table.h"

#include <map>

namespace swage::codegen {

using ir::DType;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

StatusOr<std::vector<ir::Literal>> TakeOutLiterals(ir::Computation* fusion) {
  std::map<DType, std::vector<Instruction*>> scalars;
  for (Instruction* op : fusion->PostOrder()) {
    if (op->opcode() != Opcode::kConstant || !op->shape().is_scalar() || op->IsRoot()) continue;
    if (ir::IsFloat(op->shape().dtype())) scalars[op->shape().dtype()].push_back(op);
  }
  std::vector<ir::Literal> tables;
  for (const auto& [dtype, constants] : scalars) {
    const int64_t count = static_cast<int64_t>(constants.size());
    if (count < kMinTableLiterals) continue;
    const Shape shape = Shape::Array(dtype, {ir::Dim(count)});
    SWAGE_ASSIGN_OR_RETURN(ir::Literal table, ir::Literal::Create(shape));
    Instruction* parameter = fusion->AddParameter(fusion->parameter_count(), shape, "literals");
    for (int64_t i = 0; i < count; ++i) {
      table.SetBits(i, constants[i]->literal().GetBits(0));
      Instruction* slice =
          fusion->Add(Opcode::kSlice, Shape::Array(dtype, {ir::Dim(1)}), {parameter},
                      ir::SliceAttrs{{ir::Dim(i)}, {ir::Dim(i + 1)}, {1}});
      Instruction* number = fusion->Add(Opcode::kReshape, constants[i]->shape(), {slice});
      SWAGE_RETURN_IF_ERROR(fusion->Replace(constants[i], number));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace swage::codegen
