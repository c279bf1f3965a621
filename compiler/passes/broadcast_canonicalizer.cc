#include "compiler/passes/broadcast_canonicalizer.h"

#include <algorithm>
#include <numeric>

namespace swage::passes {
namespace {

using ir::Instruction;
using ir::Opcode;

Status SortDimensions(Instruction* broadcast) {
  const ir::DimList& dimensions = broadcast->dimensions();
  const ir::Shape& shape = broadcast->operand(0)->shape();
  // order[i]: the operand dimension that comes i-th in the result.
  ir::DimList order(dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  ir::DimList sorted;
  ir::Dims dims;
  for (int64_t dimension : order) {
    sorted.push_back(dimensions[dimension]);
    dims.push_back(shape.dim(static_cast<int>(dimension)));
  }
  ir::Computation& computation = *broadcast->parent();
  Instruction* transpose =
      computation.Add(Opcode::kTranspose, ir::Shape::Array(shape.dtype(), dims),
                      {broadcast->operand(0)}, ir::DimensionsAttrs{order});
  transpose->set_metadata(broadcast->shared_metadata());
  broadcast->SetOperand(0, transpose);
  broadcast->set_attributes(ir::DimensionsAttrs{sorted});
  return OkStatus();
}

}  // namespace

StatusOr<bool> BroadcastCanonicalizer::Run(ir::Module& module, PassContext& context) {
  bool changed = false;
  for (ir::Computation* computation : module.NonFusionComputations()) {
    for (Instruction* instruction : computation->Instructions()) {
      if (instruction->opcode() != Opcode::kBroadcast ||
          std::is_sorted(instruction->dimensions().begin(), instruction->dimensions().end())) {
        continue;
      }
      SWAGE_RETURN_IF_ERROR(SortDimensions(instruction));
      changed = true;
    }
  }
  return changed;
}

}  // namespace swage::passes
