#include "compiler/math/host_elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/mxcsr.h"
#include "compiler/math/elementwise_check.h"
#include "compiler/math/host_kernels.h"

namespace swage::math {

namespace {

using ops::OpKind;

// Elements per round: what is widened, narrowed or broadcast for them stays in the L1 cache.
constexpr int64_t kBlock = 512;
constexpr int kMaxOperands = 3;

struct Plan {
  HostKernel kernel = nullptr;
  bool in_compute = false;  // operands and result go through the compute dtype
};

HostKernel FindComputeKernel(ir::Opcode opcode, ir::DType dtype, const ElementwiseAttrs& attrs) {
  const ir::DType compute = ComputeDType(dtype);
  if (compute == ir::DType::kF32) return FindFloatKernel(opcode, attrs);
  if (compute == ir::DType::kF64) return FindDoubleKernel(opcode, attrs);
  if (ir::IsSigned(compute)) return FindSignedKernel(opcode, compute, attrs);
  return FindUnsignedKernel(opcode, compute, attrs);
}

Plan MakePlan(ir::Opcode opcode, ir::DType out_dtype, std::span<const ir::DType> dtypes,
              const ElementwiseAttrs& attrs) {
  switch (KindOfElementwise(opcode)) {
    case OpKind::kSelect:
      return {FindSelectKernel(ir::DTypeBytes(out_dtype))};
    case OpKind::kConvert:
      return {FindConvertKernel(dtypes[0], out_dtype)};
    case OpKind::kReducePrecision:
      return {FindReducePrecisionKernel(out_dtype)};
    case OpKind::kCompare:
      if (attrs.compare.type == ir::CompareType::kTotalOrder && ir::IsFloat(dtypes[0])) {
        return {FindTotalOrderKernel(dtypes[0], attrs)};
      }
      break;
    case OpKind::kMap:
    case OpKind::kPredicate:
      break;
  }
  return {FindComputeKernel(opcode, dtypes[0], attrs), true};
}

// One operand as dense blocks of what the kernel reads.
class OperandBlocks {
 public:
  void Init(const HostOperand& operand, ir::DType dtype, bool in_compute, int64_t n) {
    data_ = static_cast<const char*>(operand.data);
    bytes_ = ir::DTypeBytes(dtype);
    is_scalar_ = operand.is_scalar;
    if (in_compute && ir::IsSmallFloat(dtype)) widen_ = FindConvertKernel(dtype, ir::DType::kF32);
    if (!is_scalar_) return;
    // A scalar is repeated once and for all.
    const void* value = data_;
    int bytes = bytes_;
    float wide;
    if (widen_ != nullptr) {
      widen_(&value, &wide, 1, {});
      value = &wide;
      bytes = sizeof(wide);
    }
    for (int64_t i = 0; i < std::min(n, kBlock); ++i) {
      std::memcpy(buffer_.data() + i * bytes, value, bytes);
    }
  }

  const void* At(int64_t begin, int64_t count) {
    if (is_scalar_) return buffer_.data();
    const void* source = data_ + begin * bytes_;
    if (widen_ == nullptr) return source;
    widen_(&source, buffer_.data(), count, {});
    return buffer_.data();
  }

 private:
  const char* data_ = nullptr;
  int bytes_ = 0;
  bool is_scalar_ = false;
  HostKernel widen_ = nullptr;
  alignas(64) std::array<char, kBlock * 8> buffer_;
};

}  // namespace

Status EvalElementwise(ir::Opcode opcode, ir::DType out_dtype,
                       std::span<const ir::DType> operand_dtypes, const ElementwiseAttrs& attrs,
                       std::span<const HostOperand> operands, void* out, int64_t n) {
  SWAGE_RETURN_IF_ERROR(CheckElementwise(opcode, out_dtype, operand_dtypes, attrs));
  SWAGE_RET_CHECK(operands.size() == operand_dtypes.size());
  const ScopedMxcsr mode;
  const Plan plan = MakePlan(opcode, out_dtype, operand_dtypes, attrs);
  SWAGE_RET_CHECK(plan.kernel != nullptr, "no kernel for ", ToAbsl(ir::OpcodeName(opcode)), " on ",
                  ToAbsl(ir::DTypeName(operand_dtypes[0])));
  OperandBlocks blocks[kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    blocks[k].Init(operands[k], operand_dtypes[k], plan.in_compute, n);
  }
  HostKernel narrow = nullptr;
  if (plan.in_compute && ir::IsSmallFloat(out_dtype)) {
    narrow = FindConvertKernel(ir::DType::kF32, out_dtype);
  }
  alignas(64) float wide[kBlock];
  char* result = static_cast<char*>(out);
  const int out_bytes = ir::DTypeBytes(out_dtype);
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t count = std::min(kBlock, n - begin);
    const void* in[kMaxOperands];
    for (size_t k = 0; k < operands.size(); ++k) in[k] = blocks[k].At(begin, count);
    void* to = result + begin * out_bytes;
    plan.kernel(in, narrow != nullptr ? wide : to, count, attrs);
    const void* from = wide;
    if (narrow != nullptr) narrow(&from, to, count, {});
  }
  return OkStatus();
}

Status ConvertElements(ir::DType from, ir::DType to, const void* in, void* out, int64_t n) {
  const HostKernel kernel = FindConvertKernel(from, to);
  if (kernel == nullptr) {
    return Unimplemented("[convert] from ", ToAbsl(ir::DTypeName(from)), " to ",
                         ToAbsl(ir::DTypeName(to)), " is not implemented yet");
  }
  const ScopedMxcsr mode;
  kernel(&in, out, n, {});
  return OkStatus();
}

}  // namespace swage::math
