// File: runtime/tensor_impl.h
//
// What a Tensor handle points at: a buffer, or a node of a graph that is being traced.
#ifndef SWAGE_RUNTIME_TENSOR_IMPL_H_
#define SWAGE_RUNTIME_TENSOR_IMPL_H_

#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/shape.h"
#include "runtime/buffer.h"
#include "runtime/tensor.h"

namespace swage::runtime {
class TraceScope;
}

namespace swage::internal {

class TensorImpl {
 public:
  // Concrete; `shape` is static and without layout.
  TensorImpl(ir::Shape shape, std::shared_ptr<runtime::Buffer> buffer)
      : shape_(std::move(shape)), buffer_(std::move(buffer)) {}
  // Traced: `node` belongs to the computation of `scope`, which must still be open to use it.
  TensorImpl(ir::Shape shape, ir::Instruction* node, std::weak_ptr<runtime::TraceScope> scope,
             std::string op, std::source_location where)
      : shape_(std::move(shape)),
        node_(node),
        scope_(std::move(scope)),
        op_(std::move(op)),
        where_(where) {}

  const ir::Shape& shape() const { return shape_; }
  bool traced() const { return node_ != nullptr; }
  const std::shared_ptr<runtime::Buffer>& buffer() const { return buffer_; }
  ir::Instruction* node() const { return node_; }
  std::shared_ptr<runtime::TraceScope> scope() const { return scope_.lock(); }  // null: closed
  const std::string& op() const { return op_; }                                 // public name
  const std::source_location& where() const { return where_; }

 private:
  ir::Shape shape_;
  std::shared_ptr<runtime::Buffer> buffer_;
  ir::Instruction* node_ = nullptr;
  std::weak_ptr<runtime::TraceScope> scope_;
  std::string op_;
  std::source_location where_;
};

// Of the arguments of a call, all defined.
inline std::vector<ir::Shape> ShapesOf(absl::Span<const Tensor* const> arguments) {
  std::vector<ir::Shape> shapes;
  for (const Tensor* argument : arguments) shapes.push_back(argument->impl()->shape());
  return shapes;
}

}  // namespace swage::internal

#endif  // SWAGE_RUNTIME_TENSOR_IMPL_H_
