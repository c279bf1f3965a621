#include "compiler/evaluator/combiner.h"

#include <cstring>
#include <utility>

#include "compiler/math/host_elementwise.h"

namespace swage::evaluator {
namespace {

bool IsPlainBinary(const ir::Computation& computation) {
  const ir::Instruction& root = *computation.root();
  return computation.parameter_count() == 2 && root.operand_count() == 2 &&
         ir::IsElementwise(root.opcode()) && root.opcode() != ir::Opcode::kCompare &&
         root.operand(0)->opcode() == ir::Opcode::kParameter &&
         root.operand(1)->opcode() == ir::Opcode::kParameter &&
         root.operand(0) != root.operand(1) && root.shape().is_scalar() &&
         root.shape().dtype() == root.operand(0)->shape().dtype() &&
         root.shape().dtype() == root.operand(1)->shape().dtype();
}

StatusOr<ir::Literal> ArrayOf(ir::DType dtype, const uint8_t* data, int64_t lanes) {
  SWAGE_ASSIGN_OR_RETURN(ir::Literal array,
                         ir::Literal::Create(ir::Shape::Array(dtype, {ir::Dim(lanes)})));
  std::memcpy(array.mutable_bytes().data(), data, array.bytes().size());
  return array;
}

}  // namespace

Combiner::Combiner(const OpContext& context, std::vector<ir::DType> dtypes)
    : context_(context), computation_(*context.instruction.to_apply()), dtypes_(std::move(dtypes)) {
  if (dtypes_.size() == 1 && IsPlainBinary(computation_) &&
      computation_.root()->shape().dtype() == dtypes_[0]) {
    plain_ = computation_.root();
    swapped_ = plain_->operand(0)->parameter_number() == 1;
  } else {
    lifted_ = context.interpreter.CanLift(computation_);
  }
}

Status Combiner::Combine(Arrays left, ConstArrays right, int64_t lanes) {
  if (lanes == 0) return OkStatus();
  if (plain_ == nullptr) {
    return lifted_ ? CombineLifted(left, right, lanes) : CombineEach(left, right, lanes);
  }
  const ir::DType dtypes[] = {dtypes_[0], dtypes_[0]};
  math::HostOperand operands[] = {{left[0]}, {right[0]}};
  if (swapped_) std::swap(operands[0], operands[1]);
  return math::EvalElementwise(plain_->opcode(), dtypes_[0], dtypes, {}, operands, left[0], lanes);
}

// Runs the computation and copies its results to out[k] from element `at` on.
Status Combiner::Apply(absl::Span<const ir::Literal> args, std::optional<int64_t> lanes, int64_t at,
                       Arrays out) {
  std::vector<const ir::Literal*> pointers;
  for (const ir::Literal& arg : args) pointers.push_back(&arg);
  SWAGE_ASSIGN_OR_RETURN(const ir::Literal result,
                         lanes.has_value()
                             ? context_.interpreter.RunLifted(computation_, pointers, *lanes)
                             : context_.interpreter.Run(computation_, pointers));
  for (int k = 0; k < count(); ++k) {
    const ir::Literal& value = result.is_tuple() ? result.elements()[k] : result;
    SWAGE_RET_CHECK(value.dtype() == dtypes_[k] && value.element_count() == lanes.value_or(1));
    std::memcpy(out[k] + at * element_bytes(k), value.bytes().data(), value.bytes().size());
  }
  return OkStatus();
}

Status Combiner::CombineLifted(Arrays left, ConstArrays right, int64_t lanes) {
  std::vector<ir::Literal> args;
  for (int k = 0; k < count(); ++k) {
    SWAGE_ASSIGN_OR_RETURN(args.emplace_back(), ArrayOf(dtypes_[k], left[k], lanes));
  }
  for (int k = 0; k < count(); ++k) {
    SWAGE_ASSIGN_OR_RETURN(args.emplace_back(), ArrayOf(dtypes_[k], right[k], lanes));
  }
  return Apply(args, lanes, 0, left);
}

Status Combiner::CombineEach(Arrays left, ConstArrays right, int64_t lanes) {
  for (int64_t i = 0; i < lanes; ++i) {
    std::vector<ir::Literal> args;
    auto add = [&](const uint8_t* data, int k) -> Status {
      const ir::Shape scalar = ir::Shape::Scalar(dtypes_[k]);
      const size_t bytes = element_bytes(k);
      SWAGE_ASSIGN_OR_RETURN(args.emplace_back(),
                             ir::Literal::FromBytes(scalar, {data + i * bytes, bytes}));
      return OkStatus();
    };
    for (int k = 0; k < count(); ++k) SWAGE_RETURN_IF_ERROR(add(left[k], k));
    for (int k = 0; k < count(); ++k) SWAGE_RETURN_IF_ERROR(add(right[k], k));
    SWAGE_RETURN_IF_ERROR(Apply(args, std::nullopt, i, left));
  }
  return OkStatus();
}

}  // namespace swage::evaluator
