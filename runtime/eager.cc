// Ops outside jit: each is a program of its own, compiled through the same cache.
#include "runtime/program.h"
#include "runtime/tensor_impl.h"
#include "runtime/trace.h"

namespace swage::runtime {
namespace {

// Compiles and runs the graph of `scope`, which has captured its operands, down to `result`.
StatusOr<Tensor> RunScope(std::shared_ptr<TraceScope> scope, const Tensor& result,
                          std::string_view op) {
  SWAGE_ASSIGN_OR_RETURN(Node root, scope->Lift(result));
  scope->Close();
  // An op that changes nothing.
  if (root->opcode() == ir::Opcode::kParameter) return scope->captured()[root->parameter_number()];
  scope->computation()->set_root(root);
  scope->module()->set_entry(scope->computation());
  std::unique_ptr<ir::Module> module = std::move(*scope->trace_module()).Take();
  SWAGE_ASSIGN_OR_RETURN(
      Compiled compiled,
      CompileModule(std::move(module), EagerOptions(scope->captured()), "an op outside jit"));
  std::vector<const Tensor*> inputs;
  for (const Tensor& captured : scope->captured()) inputs.push_back(&captured);
  SWAGE_ASSIGN_OR_RETURN(std::vector<Tensor> results, RunExecutable(compiled.executable(), inputs));
  return std::move(results[0]);
}

Tensor RunComposite(std::string_view op, absl::Span<const Tensor> operands, CompositeBody body,
                    std::source_location where) {
  auto scope = TraceScope::Open(std::make_shared<TraceModule>(std::string(op)), op);
  std::vector<Tensor> traced;
  for (const Tensor& operand : operands) {
    if (!operand.defined()) {
      traced.emplace_back();
      continue;
    }
    const StatusOr<Node> node = scope->Lift(operand);
    if (!node.ok()) ThrowStatus(node.status(), op, where);
    traced.push_back(scope->Wrap(*node, "operand", where));
  }
  const Tensor result = body(traced);
  StatusOr<Tensor> ran = RunScope(std::move(scope), result, op);
  if (!ran.ok()) ThrowStatus(ran.status(), op, where);
  return *std::move(ran);
}

}  // namespace

StatusOr<Tensor> RunEager(std::string_view op, std::source_location where,
                          absl::Span<const Tensor> operands, OpBody body) {
  auto scope = TraceScope::Open(std::make_shared<TraceModule>(std::string(op)), op);
  SWAGE_ASSIGN_OR_RETURN(const Tensor result, RecordOp(*scope, op, where, operands, body));
  return RunScope(std::move(scope), result, op);
}

Tensor ApplyComposite(std::string_view op, std::source_location where,
                      absl::Span<const Tensor> operands, CompositeBody body) {
  if (TraceScope::Current() == nullptr) return RunComposite(op, operands, body, where);
  const NameScope name(op);
  return body(operands);
}

}  // namespace swage::runtime
