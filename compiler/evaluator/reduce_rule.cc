// The reduce, in the one tree of docs/semantics.md: the reduced
// dimensions one after another, minor first; along each, chunks of strided partials, joined by
// binary trees. Independent sums are laid side by side so that each step combines long arrays.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "compiler/evaluator/combiner.h"
#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"
#include "compiler/math/reduction_tree.h"

namespace swage::evaluator {
namespace {

// Elements that one combining step should have at least, where there is so much to combine.
constexpr int64_t kWantedLanes = 4096;

using Buffer = std::vector<uint8_t>;
using Buffers = std::vector<Buffer>;  // one per reduced value

// [outer, extent, inner], reduced along the middle.
struct Line {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  int partials = 1;
};

class LineReducer {
 public:
  LineReducer(const OpContext& context, Combiner* combiner, const Line& line)
      : context_(context), combiner_(*combiner), line_(line) {}

  // Every extent is positive. `in` and the result: one array per reduced value.
  StatusOr<Buffers> Run(ConstArrays in);

 private:
  // Sums that share nothing: where each begins, and where its result goes (in elements).
  struct Item {
    int64_t from;
    int64_t to;
  };

  // Reduces `length` rows of `inner` elements from each item's begin on.
  Status ReduceChunks(ConstArrays in, absl::Span<const Item> items, int64_t length, Buffers* out);
  Status ReduceGroup(ConstArrays in, absl::Span<const Item> group, int64_t length, Buffers* out);
  // The partials in the first rows of `rows` to one row.
  Status JoinPartials(const std::vector<uint8_t*>& rows, int64_t count, int64_t lanes);
  // The results of the chunks, [parts][outer][inner], to the first.
  Status JoinChunks(int64_t parts, Buffers* out);

  std::vector<uint8_t*> At(const std::vector<uint8_t*>& arrays, int64_t element) const {
    std::vector<uint8_t*> moved = arrays;
    for (int k = 0; k < combiner_.count(); ++k) moved[k] += element * combiner_.element_bytes(k);
    return moved;
  }
  Status Combine(const std::vector<uint8_t*>& left, const std::vector<uint8_t*>& right,
                 int64_t lanes) {
    const std::vector<const uint8_t*> operands(right.begin(), right.end());
    return combiner_.Combine(left, operands, lanes);
  }

  const OpContext& context_;
  Combiner& combiner_;
  const Line line_;
  Buffers scratch_;
};

StatusOr<Buffers> LineReducer::Run(ConstArrays in) {
  const int64_t chunk = math::kPartialDepth * line_.partials;
  const int64_t full = line_.extent / chunk, rest = line_.extent % chunk;
  const int64_t parts = full + (rest > 0);
  const int64_t row = line_.outer * line_.inner;
  Buffers out(combiner_.count());
  for (int k = 0; k < combiner_.count(); ++k) {
    out[k].resize(parts * row * combiner_.element_bytes(k));
  }
  std::vector<Item> whole, last;
  for (int64_t o = 0; o < line_.outer; ++o) {
    for (int64_t c = 0; c < parts; ++c) {
      (c < full ? whole : last)
          .push_back({(o * line_.extent + c * chunk) * line_.inner, c * row + o * line_.inner});
    }
  }
  SWAGE_RETURN_IF_ERROR(ReduceChunks(in, whole, chunk, &out));
  SWAGE_RETURN_IF_ERROR(ReduceChunks(in, last, rest, &out));
  SWAGE_RETURN_IF_ERROR(JoinChunks(parts, &out));
  for (int k = 0; k < combiner_.count(); ++k) out[k].resize(row * combiner_.element_bytes(k));
  return out;
}

Status LineReducer::ReduceChunks(ConstArrays in, absl::Span<const Item> items, int64_t length,
                                 Buffers* out) {
  const int64_t lanes = std::min<int64_t>(line_.partials, length) * line_.inner;
  const int64_t group = std::max<int64_t>(1, kWantedLanes / std::max<int64_t>(lanes, 1));
  for (size_t at = 0; at < items.size(); at += group) {
    SWAGE_RETURN_IF_ERROR(context_.interpreter.budget().CheckTime(context_.instruction));
    SWAGE_RETURN_IF_ERROR(ReduceGroup(in, items.subspan(at, group), length, out));
  }
  return OkStatus();
}

Status LineReducer::ReduceGroup(ConstArrays in, absl::Span<const Item> group, int64_t length,
                                Buffers* out) {
  const int64_t items = group.size();
  const int64_t lanes = items * line_.inner;
  const int64_t partials = std::min<int64_t>(line_.partials, length);
  // [row][item][inner]. A single item is read where it is, and only its partials are copied.
  const int64_t copied_rows = items == 1 ? partials : length;
  scratch_.resize(combiner_.count());
  std::vector<uint8_t*> rows(combiner_.count()), further(combiner_.count());
  for (int k = 0; k < combiner_.count(); ++k) {
    const int bytes = combiner_.element_bytes(k);
    scratch_[k].resize(copied_rows * lanes * bytes);
    rows[k] = scratch_[k].data();
    const int64_t dims[] = {copied_rows, line_.inner};
    const int64_t from[] = {line_.inner, 1}, to[] = {lanes, 1};
    for (int64_t i = 0; i < items; ++i) {
      CopyStrided(bytes, dims, in[k] + group[i].from * bytes, from,
                  rows[k] + i * line_.inner * bytes, to);
    }
    further[k] = items == 1 ? const_cast<uint8_t*>(in[k]) + group[0].from * bytes : rows[k];
  }
  for (int64_t row = partials; row < length; row += partials) {
    SWAGE_RETURN_IF_ERROR(
        Combine(rows, At(further, row * lanes), std::min(partials, length - row) * lanes));
  }
  SWAGE_RETURN_IF_ERROR(JoinPartials(rows, partials, lanes));
  for (int k = 0; k < combiner_.count(); ++k) {
    const int64_t bytes = line_.inner * combiner_.element_bytes(k);
    for (int64_t i = 0; i < items; ++i) {
      std::memcpy((*out)[k].data() + group[i].to * combiner_.element_bytes(k), rows[k] + i * bytes,
                  bytes);
    }
  }
  return OkStatus();
}

Status LineReducer::JoinPartials(const std::vector<uint8_t*>& rows, int64_t count, int64_t lanes) {
  for (int64_t distance = line_.partials / 2; distance >= 1; distance /= 2) {
    const int64_t pairs = std::min(count - distance, distance);
    if (pairs <= 0) continue;
    SWAGE_RETURN_IF_ERROR(Combine(rows, At(rows, distance * lanes), pairs * lanes));
  }
  return OkStatus();
}

Status LineReducer::JoinChunks(int64_t parts, Buffers* out) {
  const int64_t row = line_.outer * line_.inner;
  std::vector<uint8_t*> rows;
  for (Buffer& buffer : *out) rows.push_back(buffer.data());
  for (int64_t count = parts; count > 1; count = (count + 1) / 2) {
    for (int64_t i = 0; 2 * i < count; ++i) {
      const std::vector<uint8_t*> left = At(rows, 2 * i * row), target = At(rows, i * row);
      if (2 * i + 1 < count) {
        SWAGE_RETURN_IF_ERROR(Combine(left, At(rows, (2 * i + 1) * row), row));
      }
      for (int k = 0; k < combiner_.count() && i > 0; ++k) {
        std::memcpy(target[k], left[k], row * combiner_.element_bytes(k));
      }
    }
  }
  return OkStatus();
}

// The operands reduced over all listed dimensions, minor first.
StatusOr<Buffers> ReduceDimensions(const OpContext& context, Combiner* combiner) {
  std::vector<int64_t> dims = Extents(context.operand(0).shape());
  std::vector<int64_t> reduced(context.instruction.dimensions().begin(),
                               context.instruction.dimensions().end());
  std::sort(reduced.begin(), reduced.end(), std::greater<>());
  const int64_t minor = static_cast<int64_t>(dims.size()) - 1;
  Buffers values;
  for (const int64_t d : reduced) {
    Line line;
    for (int64_t i = 0; i < d; ++i) line.outer *= dims[i];
    for (size_t i = d + 1; i < dims.size(); ++i) line.inner *= dims[i];
    line.extent = dims[d];
    line.partials = math::PartialsOf(d == minor);
    std::vector<const uint8_t*> in;
    for (int k = 0; k < combiner->count(); ++k) {
      in.push_back(values.empty() ? context.operand(k).bytes().data() : values[k].data());
    }
    SWAGE_ASSIGN_OR_RETURN(values, LineReducer(context, combiner, line).Run(in));
    dims[d] = 1;
  }
  if (values.empty()) {
    for (int k = 0; k < combiner->count(); ++k) {
      const absl::Span<const uint8_t> bytes = context.operand(k).bytes();
      values.emplace_back(bytes.begin(), bytes.end());
    }
  }
  return values;
}

}  // namespace

StatusOr<ir::Literal> EvalReduce(const OpContext& context) {
  const int count = static_cast<int>(context.operands.size()) / 2;
  std::vector<ir::Literal> results;
  std::vector<ir::DType> dtypes;
  std::vector<uint8_t*> out;
  // Each result begins as its initial value, everywhere.
  for (int k = 0; k < count; ++k) {
    const ir::Shape& shape =
        context.shape.is_tuple() ? context.shape.tuple_shape(k) : context.shape;
    if (Extents(context.operand(k).shape()) != Extents(context.operand(0).shape())) {
      return RuleError(context, "operands of different shapes");
    }
    SWAGE_ASSIGN_OR_RETURN(results.emplace_back(),
                           ir::Literal::Broadcast(context.operand(count + k), shape.dims()));
    dtypes.push_back(results.back().dtype());
  }
  const int64_t lanes = results[0].element_count();
  if (context.operand(0).element_count() > 0 && lanes > 0) {
    Combiner combiner(context, dtypes);
    SWAGE_ASSIGN_OR_RETURN(const Buffers totals, ReduceDimensions(context, &combiner));
    std::vector<const uint8_t*> values;
    for (int k = 0; k < count; ++k) {
      out.push_back(results[k].mutable_bytes().data());
      values.push_back(totals[k].data());
      SWAGE_RET_CHECK(totals[k].size() == results[k].bytes().size());
    }
    SWAGE_RETURN_IF_ERROR(combiner.Combine(out, values, lanes));
  }
  if (!context.shape.is_tuple()) return results[0];
  return ir::Literal::Tuple(std::move(results));
}

}  // namespace swage::evaluator
