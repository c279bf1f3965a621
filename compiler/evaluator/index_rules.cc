// Rules with run-time indices. An index is a mathematical integer, whatever its dtype, and is
// clamped so that the window fits.
#include <algorithm>
#include <vector>

#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"

namespace swage::evaluator {
namespace {

using Extent = std::vector<int64_t>;

// Element i of an integer array, clamped to [0, limit].
int64_t ClampedIndex(const ir::Literal& indices, int64_t i, int64_t limit) {
  if (ir::IsUnsigned(indices.dtype())) {
    return static_cast<int64_t>(
        std::min<uint64_t>(indices.GetBits(i), static_cast<uint64_t>(limit)));
  }
  return std::clamp<int64_t>(indices.GetInt(i), 0, limit);
}

// The clamped starts of a window, given as one scalar operand per dimension from `first` on.
StatusOr<Extent> ClampedStarts(const OpContext& context, int first, const Extent& dims,
                               const Extent& window) {
  SWAGE_RET_CHECK(context.operands.size() == first + dims.size());
  Extent starts;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (window[d] > dims[d]) {
      return RuleError(context, "a window of ", window[d], " elements in dimension ", d,
                       " does not fit into ", dims[d]);
    }
    starts.push_back(
        ClampedIndex(context.operand(first + static_cast<int>(d)), 0, dims[d] - window[d]));
  }
  return starts;
}

int64_t OffsetOf(const Extent& index, const Extent& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

}  // namespace

StatusOr<ir::Literal> EvalDynamicSlice(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const Extent dims = Extents(operand.shape()), window = Extents(context.shape);
  const Extent strides = RowMajorStrides(dims);
  SWAGE_ASSIGN_OR_RETURN(const Extent starts, ClampedStarts(context, 1, dims, window));
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  if (out.element_count() == 0) return out;
  const int bytes = ir::DTypeBytes(operand.dtype());
  CopyStrided(bytes, window, operand.bytes().data() + OffsetOf(starts, strides) * bytes, strides,
              out.mutable_bytes().data(), RowMajorStrides(window));
  return out;
}

StatusOr<ir::Literal> EvalDynamicUpdateSlice(const OpContext& context) {
  ir::Literal out = context.operand(0);
  const ir::Literal& update = context.operand(1);
  const Extent dims = Extents(out.shape()), window = Extents(update.shape());
  const Extent strides = RowMajorStrides(dims);
  SWAGE_ASSIGN_OR_RETURN(const Extent starts, ClampedStarts(context, 2, dims, window));
  if (update.element_count() == 0) return out;
  const int bytes = ir::DTypeBytes(out.dtype());
  CopyStrided(bytes, window, update.bytes().data(), RowMajorStrides(window),
              out.mutable_bytes().data() + OffsetOf(starts, strides) * bytes, strides);
  return out;
}

namespace {

// A gather, worked out once: what each batch index reads and where it writes.
struct GatherPlan {
  Extent operand_dims, operand_strides;
  Extent slice_sizes;
  Extent batch_dims;                                  // of the indices, without the index vector
  Extent batch_index_strides;                         // in the indices
  Extent batch_out_strides;                           // in the output
  int64_t vector_stride = 0;                          // between the components of one index
  Extent window, window_in, window_out;               // the dims kept of a slice, and their strides
  std::vector<std::pair<int64_t, int64_t>> batching;  // operand dim, position in batch_dims
};

StatusOr<GatherPlan> PlanGather(const OpContext& context) {
  const auto& attrs = context.instruction.attrs<ir::GatherAttrs>();
  const Extent index_dims = Extents(context.operand(1).shape());
  const Extent index_strides = RowMajorStrides(index_dims);
  const Extent out_dims = Extents(context.shape), out_strides = RowMajorStrides(out_dims);
  auto in = [](const ir::DimList& list, int64_t d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  GatherPlan plan;
  plan.operand_dims = Extents(context.operand(0).shape());
  plan.operand_strides = RowMajorStrides(plan.operand_dims);
  for (size_t d = 0; d < plan.operand_dims.size(); ++d) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t size,
                           StaticDim(attrs.slice_sizes[d], context.interpreter.symbols()));
    if (size < 0 || size > plan.operand_dims[d]) {
      return RuleError(context, "a slice of ", size, " elements in dimension ", d,
                       " does not fit into ", plan.operand_dims[d]);
    }
    plan.slice_sizes.push_back(size);
  }
  for (int64_t d = 0; d < static_cast<int64_t>(index_dims.size()); ++d) {
    if (d == attrs.index_vector_dim) {
      plan.vector_stride = index_strides[d];
      continue;
    }
    const auto& batching = attrs.start_indices_batching_dims;
    const auto paired = std::find(batching.begin(), batching.end(), d);
    if (paired != batching.end()) {
      plan.batching.push_back({attrs.operand_batching_dims[paired - batching.begin()],
                               static_cast<int64_t>(plan.batch_dims.size())});
    }
    plan.batch_dims.push_back(index_dims[d]);
    plan.batch_index_strides.push_back(index_strides[d]);
  }
  size_t batch = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(out_dims.size()); ++d) {
    if (in(attrs.offset_dims, d)) continue;
    SWAGE_RET_CHECK(batch < plan.batch_dims.size() && out_dims[d] == plan.batch_dims[batch]);
    plan.batch_out_strides.push_back(out_strides[d]);
    ++batch;
  }
  SWAGE_RET_CHECK(batch == plan.batch_dims.size());
  size_t offset = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(plan.operand_dims.size()); ++d) {
    if (in(attrs.collapsed_slice_dims, d) || in(attrs.operand_batching_dims, d)) {
      SWAGE_RET_CHECK(plan.slice_sizes[d] == 1 || Product(out_dims) == 0);
      continue;
    }
    SWAGE_RET_CHECK(offset < attrs.offset_dims.size() &&
                    out_dims[attrs.offset_dims[offset]] == plan.slice_sizes[d]);
    plan.window.push_back(plan.slice_sizes[d]);
    plan.window_in.push_back(plan.operand_strides[d]);
    plan.window_out.push_back(out_strides[attrs.offset_dims[offset]]);
    ++offset;
  }
  SWAGE_RET_CHECK(offset == attrs.offset_dims.size());
  return plan;
}

}  // namespace

StatusOr<ir::Literal> EvalGather(const OpContext& context) {
  const ir::Literal& operand = context.operand(0);
  const ir::Literal& indices = context.operand(1);
  const ir::DimList& index_map = context.instruction.attrs<ir::GatherAttrs>().start_index_map;
  SWAGE_ASSIGN_OR_RETURN(const GatherPlan plan, PlanGather(context));
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  if (out.element_count() == 0) return out;
  if (operand.element_count() == 0) {
    return RuleError(context, "nothing to gather from in ", operand.shape().ToString());
  }
  const int bytes = ir::DTypeBytes(operand.dtype());
  uint8_t* to = out.mutable_bytes().data();
  Extent batch(plan.batch_dims.size(), 0);
  int64_t done = 0;
  do {
    if (++done % 4096 == 0) {
      SWAGE_RETURN_IF_ERROR(context.interpreter.budget().CheckTime(context.instruction));
    }
    const int64_t index_at = OffsetOf(batch, plan.batch_index_strides);
    int64_t read_at = 0;
    for (size_t k = 0; k < index_map.size(); ++k) {
      const int64_t d = index_map[k];
      read_at += plan.operand_strides[d] *
                 ClampedIndex(indices, index_at + static_cast<int64_t>(k) * plan.vector_stride,
                              plan.operand_dims[d] - plan.slice_sizes[d]);
    }
    for (const auto& [d, position] : plan.batching) {
      SWAGE_RET_CHECK(batch[position] < plan.operand_dims[d]);
      read_at += plan.operand_strides[d] * batch[position];
    }
    CopyStrided(bytes, plan.window, operand.bytes().data() + read_at * bytes, plan.window_in,
                to + OffsetOf(batch, plan.batch_out_strides) * bytes, plan.window_out);
  } while (NextIndex(plan.batch_dims, absl::MakeSpan(batch)));
  return out;
}

}  // namespace swage::evaluator
