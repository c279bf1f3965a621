// File: runtime/trace.h
//
// Tracing: while a TraceScope is open on a thread, ops add instructions to its computation instead
// of running. Scopes nest (a jit function that calls another) and then share one TraceModule.
// Everything is thread-local and closed by destructors, so an exception leaves nothing behind.
#ifndef SWAGE_RUNTIME_TRACE_H_
#define SWAGE_RUNTIME_TRACE_H_

#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/module.h"
#include "runtime/graph.h"
#include "runtime/tensor.h"

namespace swage::runtime {

class NestedTraces;  // nested.h

// The module that a trace builds.
class TraceModule {
 public:
  explicit TraceModule(std::string name) : module_(std::make_unique<ir::Module>(std::move(name))) {}

  ir::Module* module() const { return module_.get(); }
  Combiners* combiners() { return &combiners_; }
  std::shared_ptr<NestedTraces>& nested() { return nested_; }
  // Hands the module over when the trace is done.
  std::unique_ptr<ir::Module> Take() && { return std::move(module_); }

 private:
  std::unique_ptr<ir::Module> module_;
  Combiners combiners_;
  std::shared_ptr<NestedTraces> nested_;  // jit functions called so far; null until the first
};

class TraceScope : public std::enable_shared_from_this<TraceScope> {
 public:
  // Opens a scope on this thread: a new computation `name`. Scopes further out stay below it.
  static std::shared_ptr<TraceScope> Open(std::shared_ptr<TraceModule> module,
                                          std::string_view name);
  // Closes it; it must be the innermost of this thread.
  void Close();
  ~TraceScope();

  // The innermost open scope of this thread; null when ops run at once.
  static TraceScope* Current();
  static int Depth();

  const std::shared_ptr<TraceModule>& trace_module() const { return module_; }
  ir::Module* module() const { return module_->module(); }
  ir::Computation* computation() const { return computation_; }

  // A new parameter, as a traced tensor.
  Tensor AddParameter(ir::Shape shape, std::string_view name);
  // The instruction of `tensor` in this scope. A concrete tensor, or one of a scope further out,
  // becomes a captured parameter (once). A tensor of a closed scope is an error.
  StatusOr<Node> Lift(const Tensor& tensor);
  // A traced handle to `node`.
  Tensor Wrap(Node node, std::string_view op, std::source_location where);

  // An op of this trace needs a number where there is an expression of symbols.
  void NoteForced(ir::Dim dim);
  // The symbols of such expressions.
  const std::vector<const ir::Symbol*>& forced() const { return forced_; }
  // What is taken for granted about the sizes; of a scope that is closed.
  const std::vector<ir::Assumption>& assumptions() const { return assumptions_; }

  // Tensors that Lift captured, in parameter order behind the declared ones.
  const std::vector<Tensor>& captured() const { return captured_; }

  // Names and the user's line for the instructions added since `first_id`.
  void Annotate(int64_t first_id, std::string_view op, std::source_location where);

 private:
  TraceScope(std::shared_ptr<TraceModule> module, ir::Computation* computation)
      : module_(std::move(module)), computation_(computation) {}

  std::shared_ptr<TraceModule> module_;
  ir::Computation* computation_;
  std::vector<Tensor> captured_;
  std::vector<const ir::Symbol*> forced_;
  std::optional<ir::AssumptionScope> assuming_;  // while it is open
  std::vector<ir::Assumption> assumptions_;
  absl::flat_hash_map<const internal::TensorImpl*, Node> captured_nodes_;
  // Equal metadata is shared: (op name, file, line).
  using Origin = std::tuple<std::string, const char*, unsigned>;
  absl::flat_hash_map<Origin, std::shared_ptr<const ir::Metadata>> metadata_;
  TraceScope* below_ = nullptr;
  bool open_ = false;
};

// A name on the path of op names: inside softmax, "jit(attend)/softmax/exp". A scope that is opened
// inside begins a path of its own.
class NameScope {
 public:
  explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  size_t old_length_;
};

// What an op does: adds instructions over the operands' nodes and returns the result's. Errors stay
// in the graph.
using OpBody = absl::FunctionRef<Node(Graph& graph, absl::Span<const Node> operands)>;

// Applies an op: records it in the current scope, or runs it as a one-op program through the same
// compile cache. Errors become swage::Error with `op` and the line. Instructions that the body adds
// get the op's name and the user's line as metadata.
Tensor ApplyOp(std::string_view op, std::source_location where, absl::Span<const Tensor> operands,
               OpBody body);

// Records an op in `scope`; ApplyOp without the choice and the exception.
StatusOr<Tensor> RecordOp(TraceScope& scope, std::string_view op, std::source_location where,
                          absl::Span<const Tensor> operands, OpBody body);

// An op made of ops: `body` calls them. Traced, they are recorded under the op's name; else all of
// them are one program. (eager.cc)
using CompositeBody = absl::FunctionRef<Tensor(absl::Span<const Tensor> operands)>;
Tensor ApplyComposite(std::string_view op, std::source_location where,
                      absl::Span<const Tensor> operands, CompositeBody body);

// Runs an op on concrete operands. (eager.cc)
StatusOr<Tensor> RunEager(std::string_view op, std::source_location where,
                          absl::Span<const Tensor> operands, OpBody body);

// Throws swage::Error for a failed status, its text ending in "(file:line)" when known.
[[noreturn]] void ThrowStatus(const Status& status, std::string_view op,
                              std::source_location where);

// TraceScope::NoteForced of the innermost scope of this thread.
void NoteForced(ir::Dim dim);

// Throws when `tensor` is undefined.
void RequireDefined(const Tensor& tensor, std::string_view op, std::source_location where);

// " (file:line)", or "" when unknown.
std::string LineText(std::source_location where);

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_TRACE_H_
