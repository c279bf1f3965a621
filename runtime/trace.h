// File: runtime/trace.h
//
// Tracing: while a TraceScope is open on a thread, ops add instructions to its computation instead of
// running. Scopes nest (a jit function that calls another). Everything is thread-local and closed by
// destructors, so an exception leaves nothing behind.
#ifndef SWAGE_RUNTIME_TRACE_H_
#define SWAGE_RUNTIME_TRACE_H_

#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compiler/ir/builder.h"
#include "compiler/ir/module.h"
#include "runtime/tensor.h"

namespace swage::runtime {

class TraceScope : public std::enable_shared_from_this<TraceScope> {
 public:
  // Opens a scope on this thread: a new computation `name` in `module`. `outer` scopes stay below it.
  static std::shared_ptr<TraceScope> Open(std::shared_ptr<ir::Module> module, std::string_view name);
  // Closes it; it must be the innermost of this thread.
  void Close();
  ~TraceScope();

  // The innermost open scope of this thread; null when ops run at once.
  static TraceScope* Current();
  static int Depth();

  ir::Module* module() const { return module_.get(); }
  const std::shared_ptr<ir::Module>& shared_module() const { return module_; }
  ir::Computation* computation() const { return computation_; }
  ir::Builder& builder() { return builder_; }

  // A new parameter, as a traced tensor.
  Tensor AddParameter(ir::Shape shape, std::string_view name);
  // The instruction of `tensor` in this scope. A concrete tensor, or one of a scope further out,
  // becomes a captured parameter (once). A tensor of a closed scope is an error.
  StatusOr<ir::Instruction*> Lift(const Tensor& tensor);
  // A traced handle to `node`.
  Tensor Wrap(ir::Instruction* node, std::string_view op, std::source_location where);

  // Tensors that Lift captured, in parameter order behind the declared ones.
  const std::vector<Tensor>& captured() const { return captured_; }

 private:
  TraceScope(std::shared_ptr<ir::Module> module, ir::Computation* computation)
      : module_(std::move(module)), computation_(computation), builder_(computation) {}

  std::shared_ptr<ir::Module> module_;
  ir::Computation* computation_;
  ir::Builder builder_;
  std::vector<Tensor> captured_;
  absl::flat_hash_map<const internal::TensorImpl*, ir::Instruction*> captured_nodes_;
  TraceScope* below_ = nullptr;
  bool open_ = false;
};

// A name on the path of op names: inside softmax, "jit(attend)/softmax/exp".
class NameScope {
 public:
  explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  size_t old_length_;
};

// What an op does: adds instructions over the operands' nodes and returns the result's.
using OpBody = absl::FunctionRef<StatusOr<ir::Instruction*>(
    ir::Builder& builder, absl::Span<ir::Instruction* const> operands)>;

// Applies an op: records it in the current scope, or runs it as a one-op program through the same
// compile cache. Errors become swage::Error with `op` and the line. Instructions that the body adds
// get the op's name and the user's line as metadata.
Tensor ApplyOp(std::string_view op, std::source_location where, absl::Span<const Tensor> operands,
               OpBody body);

// Records an op in `scope`; ApplyOp without the choice and the exception.
StatusOr<Tensor> RecordOp(TraceScope& scope, std::string_view op, std::source_location where,
                          absl::Span<const Tensor> operands, OpBody body);

// Throws swage::Error for a failed status, its text ending in "(file:line)" when known.
[[noreturn]] void ThrowStatus(const Status& status, std::string_view op, std::source_location where);

// Throws when `tensor` is undefined.
void RequireDefined(const Tensor& tensor, std::string_view op, std::source_location where);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_TRACE_H_
