// Which extents the operations of a fusion make equal, and which they derive.
#include <algorithm>

#include "codegen/emit/extent_classes.h"
#include "compiler/ir/reshape_groups.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;
using ir::Opcode;

void ExtentClasses::Constrain(const Instruction* op) {
  switch (op->opcode()) {
    case Opcode::kParameter:
    case Opcode::kIota:
    case Opcode::kGetDimensionSize:
      return;
    case Opcode::kConstant:
      return BakeAll(op);
    case Opcode::kBroadcast:
      for (size_t i = 0; i < op->dimensions().size(); ++i) {
        const Node from = At(op->operand(0), static_cast<int>(i));
        if (original_[from] == Dim(1)) continue;
        Unite(At(op, static_cast<int>(op->dimensions()[i])), from);
      }
      return;
    case Opcode::kTranspose:
      for (size_t i = 0; i < op->dimensions().size(); ++i) {
        Unite(At(op, static_cast<int>(i)),
              At(op->operand(0), static_cast<int>(op->dimensions()[i])));
      }
      return;
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDynamicUpdateSlice:
      return UniteAll(op, op->operand(0));
    case Opcode::kDynamicSlice:
      for (int i = 0; i < op->shape().rank(); ++i) {
        const Node whole = At(op->operand(0), i);
        if (original_[whole] == original_[At(op, i)]) Unite(At(op, i), whole);
      }
      return;
    case Opcode::kReshape:
    case Opcode::kBitcast:
      return ConstrainReshape(op);
    case Opcode::kBitcastConvert: {
      const int shared = std::min(op->shape().rank(), op->operand(0)->shape().rank());
      for (int i = 0; i < shared; ++i) Unite(At(op, i), At(op->operand(0), i));
      if (op->shape().rank() > shared) Bake(At(op, shared));
      if (op->operand(0)->shape().rank() > shared) Bake(At(op->operand(0), shared));
      return;
    }
    case Opcode::kSlice:
      return ConstrainSlice(op);
    case Opcode::kPad:
      return ConstrainPad(op);
    case Opcode::kConcatenate: {
      const int d = static_cast<int>(op->dimensions()[0]);
      Derived sum{At(op, d), {}, false};
      for (const Instruction* operand : op->operands()) {
        for (int i = 0; i < op->shape().rank(); ++i) {
          if (i != d) Unite(At(op, i), At(operand, i));
        }
        sum.nodes.push_back(At(operand, d));
      }
      derived_.push_back(std::move(sum));
      return;
    }
    case Opcode::kGather:
      return ConstrainGather(op);
    case Opcode::kDot:
      return ConstrainDot(op);
    case Opcode::kReduce:
      return ConstrainReduce(op);
    case Opcode::kTuple: {
      int leaf = 0;
      for (const Instruction* operand : op->operands()) {
        if (operand->shape().is_array()) UniteAll(operand, op, leaf);
        leaf += static_cast<int>(ir::LeafCount(operand->shape()));
      }
      if (op == fusion_->root()) UniteOutputs(op);
      return;
    }
    case Opcode::kGetTupleElement:
      // Only of values whose elements are arrays.
      return UniteAll(op, op->operand(0), static_cast<int>(op->tuple_index()));
    default:
      break;
  }
  if (ir::IsElementwise(op->opcode()) || op->opcode() == Opcode::kMap) {
    for (const Instruction* operand : op->operands()) {
      if (operand->shape().rank() > 0) UniteAll(op, operand);
    }
    return;
  }
  BakeAll(op);
  for (const Instruction* operand : op->operands()) BakeAll(operand);
}

// One loop nest writes all outputs: those that have the same extents have them at every size.
void ExtentClasses::UniteOutputs(const Instruction* root) {
  const Instruction* widest = root->operand(0);
  for (const Instruction* output : root->operands()) {
    if (output->shape().is_array() && output->shape().rank() > widest->shape().rank()) {
      widest = output;
    }
  }
  for (const Instruction* output : root->operands()) {
    if (!output->shape().is_array()) continue;
    for (int i = 0; i < output->shape().rank(); ++i) {
      const Node node = At(output, i), like = At(widest, i);
      if (original_[node] == original_[like]) Unite(node, like);
    }
  }
}

void ExtentClasses::ConstrainSlice(const Instruction* op) {
  const auto& slice = op->attrs<ir::SliceAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const Node whole = At(op->operand(0), i);
    const bool all =
        slice.starts[i] == Dim(0) && slice.strides[i] == 1 && slice.limits[i] == original_[whole];
    if (all) Unite(At(op, i), whole);
  }
}

void ExtentClasses::ConstrainPad(const Instruction* op) {
  const auto& pad = op->attrs<ir::PadAttrs>();
  for (int i = 0; i < op->shape().rank(); ++i) {
    const auto& entry = pad.dims[i];
    const Node in = At(op->operand(0), i);
    if (entry.interior == 0) {
      if (entry.low == Dim(0) && entry.high == Dim(0)) Unite(At(op, i), in);
      continue;
    }
    const Dim border = entry.low + entry.high;
    if (!border.is_static()) continue;
    // Between no elements there are no gaps, so the formula below holds from one element on.
    if (original_[in] == Dim(0)) {
      Bake(in);
      Bake(At(op, i));
    } else if (original_[in].lower_bound() >= 1) {
      // in + (in - 1) * interior + low + high.
      derived_.push_back(
          {At(op, i), {in}, false, entry.interior + 1, *border.static_value() - entry.interior});
    }
  }
}

void ExtentClasses::ConstrainReshape(const Instruction* op) {
  const Instruction* from = op->operand(0);
  const auto groups = ir::ReshapeGroups(from->shape().dims(), op->shape().dims());
  if (!groups.has_value()) {
    if (op->shape().dims() == from->shape().dims()) return UniteAll(op, from);
    BakeAll(op);
    return BakeAll(from);
  }
  const auto nodes_of = [&](const Instruction* array, const ir::DimList& dims) {
    std::vector<Node> nodes;
    for (const int64_t d : dims) nodes.push_back(At(array, static_cast<int>(d)));
    return nodes;
  };
  for (const ir::ReshapeGroup& group : *groups) {
    const std::vector<Node> left = nodes_of(op, group.to);
    const std::vector<Node> right = nodes_of(from, group.from);
    if (left.size() == 1 && right.size() == 1) {
      Unite(left[0], right[0]);
    } else if (left.size() == 1) {
      derived_.push_back({left[0], right, true});
    } else if (right.size() == 1) {
      derived_.push_back({right[0], left, true});
    } else {
      for (Node node : left) Bake(node);
      for (Node node : right) Bake(node);
    }
  }
}

void ExtentClasses::ConstrainGather(const Instruction* op) {
  const auto& gather = op->attrs<ir::GatherAttrs>();
  const Instruction* operand = op->operand(0);
  const Instruction* starts = op->operand(1);
  const auto has = [](const ir::DimList& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  size_t next_offset = 0;
  for (int d = 0; d < operand->shape().rank(); ++d) {
    if (has(gather.collapsed_slice_dims, d) || has(gather.operand_batching_dims, d)) continue;
    const Node out = At(op, static_cast<int>(gather.offset_dims[next_offset++]));
    if (gather.slice_sizes[d] == original_[At(operand, d)]) Unite(out, At(operand, d));
  }
  std::vector<Node> batch;  // dims of the start indices but for the index vector
  for (int d = 0; d < starts->shape().rank(); ++d) {
    if (d == gather.index_vector_dim) {
      Bake(At(starts, d));
    } else {
      batch.push_back(At(starts, d));
    }
  }
  size_t next_batch = 0;
  for (int d = 0; d < op->shape().rank(); ++d) {
    if (!has(gather.offset_dims, d)) Unite(At(op, d), batch[next_batch++]);
  }
  for (size_t k = 0; k < gather.operand_batching_dims.size(); ++k) {
    Unite(At(operand, static_cast<int>(gather.operand_batching_dims[k])),
          At(starts, static_cast<int>(gather.start_indices_batching_dims[k])));
  }
}

void ExtentClasses::ConstrainDot(const Instruction* op) {
  const auto& dot = op->attrs<ir::DotAttrs>();
  int next = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++next) {
    Unite(At(op, next), At(op->operand(0), static_cast<int>(dot.lhs_batch[i])));
    Unite(At(op, next), At(op->operand(1), static_cast<int>(dot.rhs_batch[i])));
  }
  for (size_t i = 0; i < dot.lhs_contracting.size(); ++i) {
    Unite(At(op->operand(0), static_cast<int>(dot.lhs_contracting[i])),
          At(op->operand(1), static_cast<int>(dot.rhs_contracting[i])));
  }
  const auto free_dims = [&](const Instruction* side, const ir::DimList& batch,
                             const ir::DimList& contracting) {
    for (int d = 0; d < side->shape().rank(); ++d) {
      const bool used = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                        std::find(contracting.begin(), contracting.end(), d) != contracting.end();
      if (!used) Unite(At(op, next++), At(side, d));
    }
  };
  free_dims(op->operand(0), dot.lhs_batch, dot.lhs_contracting);
  free_dims(op->operand(1), dot.rhs_batch, dot.rhs_contracting);
}

void ExtentClasses::ConstrainReduce(const Instruction* op) {
  const int count = op->operand_count() / 2;
  const ir::DimList& reduced = op->dimensions();
  for (int input = 0; input < count; ++input) {
    if (input > 0) UniteAll(op->operand(0), op->operand(input));
    int kept = 0;
    for (int d = 0; d < op->operand(0)->shape().rank(); ++d) {
      if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
      Unite(At(op, kept++, input), At(op->operand(0), d));
    }
  }
}

}  // namespace swage::emit
