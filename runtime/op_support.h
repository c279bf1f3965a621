// File: runtime/op_support.h
//
// What the public ops share: axes and shapes checked, numbers adapted to the tensors beside them,
// operands broadcast. All of it throws swage::Error with the op's name and the user's line.
#ifndef SWAGE_RUNTIME_OP_SUPPORT_H_
#define SWAGE_RUNTIME_OP_SUPPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compiler/ir/shape.h"
#include "runtime/graph.h"
#include "runtime/ir_types.h"
#include "runtime/ops.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"

namespace swage::runtime {

inline const ir::Shape& ShapeOf(const Tensor& tensor) { return tensor.impl()->shape(); }
// "f32[2,3]".
inline std::string Text(const Tensor& tensor) { return ShapeOf(tensor).ToString(false); }
std::string Text(const Dims& dims);  // "[2,3]"

// The op that checks and its caller; throws from them.
struct OpContext {
  std::string_view op;
  std::source_location where;

  template <typename... Args>
  [[noreturn]] void Fail(const Args&... args) const {
    ThrowStatus(InvalidArgument(args...), op, where);
  }
  void Defined(const Tensor& tensor) const { RequireDefined(tensor, op, where); }
  // The operand's tensor is given and of these kinds.
  void Float(const Tensor& tensor) const;
  void Integer(const Tensor& tensor) const;
  // Axis i of `rank` dimensions, negative from the end.
  int Axis(int axis, int rank) const;
  // Sorted, each once; none given means all.
  ir::DimList AxesOrAll(const Axes& axes, int rank) const;
  // In the order given, each once.
  ir::DimList AxisList(const Axes& axes, int rank) const;
  // The extent, which must be a number to go on: a symbol is an error, and noted as forced.
  int64_t StaticDim(const Tensor& tensor, int i) const;
  ir::Dims MakeDims(const Dims& dims) const;
  // What must hold of a symbolic extent, and is checked when it has a value: a <= b.
  void AtMost(ir::Dim a, ir::Dim b, std::string_view what) const;
  // Two extents are not known to be equal where they must be: what jit learns from the failure.
  void Unequal(ir::Dim a, ir::Dim b) const;
  // The dims that numpy's broadcasting gives.
  ir::Dims Broadcast(const Tensor& a, const Tensor& b) const;
  // A number as a scalar of `dtype`, which must hold it; `beside` describes what asked for the
  // dtype. Traced it is a constant, else a tensor.
  Tensor NumberAs(const Operand& number, ir::DType dtype, std::string_view beside) const;
  // A tensor as it is; a number adapts to the dtype of `beside`.
  Tensor AsTensor(const Operand& operand, const Tensor& beside) const;
  // Both as tensors of one dtype.
  std::pair<Tensor, Tensor> Adapt(const Operand& a, const Operand& b) const;
  void SameDType(const Tensor& a, const Tensor& b) const;
};

// An elementwise op of two operands that broadcast.
using BinaryBody = absl::FunctionRef<Node(Graph& graph, Node a, Node b)>;
Tensor ApplyBinary(const OpContext& context, const Tensor& a, const Tensor& b, BinaryBody body);

// Which dtypes an elementwise opcode takes, from its row of the op table; Fail with "use convert".
void RequireOpcodeDType(const OpContext& context, ir::Opcode opcode, const Tensor& tensor);

// f32 for f16, bf16 and f8; else the dtype itself: what sums and layers are computed in.
inline ir::DType WideDType(ir::DType dtype) {
  return ir::IsSmallFloat(dtype) ? ir::DType::kF32 : dtype;
}

// As max with keepdims, but the lowest number where there are no elements.
Tensor MaxOrLowest(const OpContext& context, const Tensor& x, const Axes& axes);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_OP_SUPPORT_H_
