#include "runtime/trace.h"

#include "runtime/error.h"
#include "runtime/tensor_impl.h"

namespace swage::runtime {
namespace {

thread_local TraceScope* current_scope = nullptr;
thread_local std::string name_path;  // "softmax/", of the open NameScopes

// Beyond this a jit function that calls itself with ever new arguments would overflow the stack.
constexpr int kMaxDepth = 1000;

ErrorCode CodeOf(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kPermissionDenied:
      return ErrorCode::kInvalidArgument;
    case absl::StatusCode::kNotFound:
      return ErrorCode::kNotFound;
    case absl::StatusCode::kResourceExhausted:
      return ErrorCode::kResourceExhausted;
    case absl::StatusCode::kUnimplemented:
      return ErrorCode::kUnimplemented;
    default:
      return ErrorCode::kInternal;
  }
}

Status CannotUse(const internal::TensorImpl& tensor) {
  return InvalidArgument(
      "[trace] got a traced ", tensor.shape().ToString(false), " of ", tensor.op(),
      LineText(tensor.where()),
      " outside the jit call that made it, expected a value of this call; return "
      "it from the jit function instead of keeping it");
}

}  // namespace

std::string LineText(std::source_location where) {
  if (where.line() == 0) return "";
  return absl::StrCat(" (", where.file_name(), ":", where.line(), ")");
}

void ThrowStatus(const Status& status, std::string_view op, std::source_location where) {
  std::string text(status.message());
  if (text.empty() || text.front() != '[') text = absl::StrCat("[", ToAbsl(op), "] ", text);
  if (std::string line = LineText(where); !text.ends_with(line)) text += line;
  throw Error(CodeOf(status), text, std::string(op), where);
}

void RequireDefined(const Tensor& tensor, std::string_view op, std::source_location where) {
  if (tensor.defined()) return;
  ThrowStatus(
      InvalidArgument("got an undefined Tensor (default-constructed or moved from), expected "
                      "a value"),
      op, where);
}

std::shared_ptr<TraceScope> TraceScope::Open(std::shared_ptr<TraceModule> module,
                                             std::string_view name) {
  if (Depth() >= kMaxDepth) {
    ThrowStatus(InvalidArgument("got ", kMaxDepth,
                                " jit functions inside one another, expected "
                                "fewer; a recursion must end for some static argument"),
                name, {});
  }
  ir::Computation* computation = module->module()->AddComputation(name);
  std::shared_ptr<TraceScope> scope(new TraceScope(std::move(module), computation));
  scope->below_ = current_scope;
  scope->open_ = true;
  scope->assuming_.emplace();
  current_scope = scope.get();
  return scope;
}

void TraceScope::Close() {
  if (!open_) return;
  SWAGE_CHECK(current_scope == this);
  current_scope = below_;
  open_ = false;
  assumptions_ = assuming_->made();
  assuming_.reset();
  // A function inside another one is part of it.
  if (below_ == nullptr) return;
  for (const ir::Symbol* symbol : forced_) {
    below_->NoteForced(ir::Dim::Symbol(symbol->name, symbol->min, symbol->max));
  }
  for (const ir::Assumption& one : assumptions_) {
    ir::AssumeAtMost(one.less, one.more, one.what);
  }
}

TraceScope::~TraceScope() { Close(); }

TraceScope* TraceScope::Current() { return current_scope; }

void TraceScope::NoteForced(ir::Dim dim) { dim.CollectSymbols(&forced_); }

void NoteForced(ir::Dim dim) {
  if (current_scope != nullptr) current_scope->NoteForced(dim);
}

int TraceScope::Depth() {
  int depth = 0;
  for (TraceScope* scope = current_scope; scope != nullptr; scope = scope->below_) ++depth;
  return depth;
}

Tensor TraceScope::AddParameter(ir::Shape shape, std::string_view name) {
  Node node = computation_->AddParameter(computation_->parameter_count(), std::move(shape), name);
  return Wrap(node, "parameter", {});
}

Tensor TraceScope::Wrap(Node node, std::string_view op, std::source_location where) {
  return Tensor(std::make_shared<internal::TensorImpl>(node->shape(), node, weak_from_this(),
                                                       std::string(op), where));
}

StatusOr<Node> TraceScope::Lift(const Tensor& tensor) {
  const internal::TensorImpl& impl = *tensor.impl();
  if (impl.traced()) {
    const std::shared_ptr<TraceScope> owner = impl.scope();
    if (owner.get() == this) return impl.node();
    if (owner == nullptr || !owner->open_) return CannotUse(impl);
    bool below = false;
    for (TraceScope* scope = below_; scope != nullptr; scope = scope->below_) {
      below = below || scope == owner.get();
    }
    if (!below) return CannotUse(impl);
  }
  auto [it, fresh] = captured_nodes_.try_emplace(&impl, nullptr);
  if (fresh) {
    it->second =
        computation_->AddParameter(computation_->parameter_count(), impl.shape(), "captured");
    captured_.push_back(tensor);
  }
  return it->second;
}

void TraceScope::Annotate(int64_t first_id, std::string_view op, std::source_location where) {
  std::string name = absl::StrCat("jit(", computation_->name(), ")/", name_path, ToAbsl(op));
  std::shared_ptr<const ir::Metadata>& shared =
      metadata_[Origin(std::move(name), where.file_name(), where.line())];
  if (shared == nullptr) {
    auto metadata = std::make_shared<ir::Metadata>();
    metadata->op_name = absl::StrCat("jit(", computation_->name(), ")/", name_path, ToAbsl(op));
    if (where.line() != 0) {
      metadata->source_file = where.file_name();
      metadata->source_line = static_cast<int>(where.line());
    }
    shared = std::move(metadata);
  }
  computation_->ForEachSince(first_id, [&](Node added) {
    if (added->metadata() == nullptr) added->set_metadata(shared);
  });
}

NameScope::NameScope(std::string_view name) : old_length_(name_path.size()) {
  name_path.append(name).push_back('/');
}

NameScope::~NameScope() { name_path.resize(old_length_); }

StatusOr<Tensor> RecordOp(TraceScope& scope, std::string_view op, std::source_location where,
                          absl::Span<const Tensor> operands, OpBody body) {
  absl::InlinedVector<Node, 4> nodes;
  for (const Tensor& operand : operands) {
    SWAGE_ASSIGN_OR_RETURN(Node node, scope.Lift(operand));
    nodes.push_back(node);
  }
  const int64_t first_id = scope.module()->NextId();
  Graph graph(scope.computation(), scope.trace_module()->combiners());
  Node result = body(graph, nodes);
  SWAGE_RETURN_IF_ERROR(graph.status());
  SWAGE_RET_CHECK(result != nullptr, ToAbsl(op));
  scope.Annotate(first_id, op, where);
  return scope.Wrap(result, op, where);
}

Tensor ApplyOp(std::string_view op, std::source_location where, absl::Span<const Tensor> operands,
               OpBody body) {
  for (const Tensor& operand : operands) RequireDefined(operand, op, where);
  StatusOr<Tensor> result = TraceScope::Current() != nullptr
                                ? RecordOp(*TraceScope::Current(), op, where, operands, body)
                                : RunEager(op, where, operands, body);
  if (!result.ok()) ThrowStatus(result.status(), op, where);
  return *std::move(result);
}

}  // namespace swage::runtime
