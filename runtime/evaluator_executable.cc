#include "runtime/evaluator_executable.h"

#include <cstring>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/bind_symbols.h"

namespace swage::runtime {
namespace {

class EvaluatorExecutable final : public codegen::Executable {
 public:
  explicit EvaluatorExecutable(std::unique_ptr<ir::Module> module) : module_(std::move(module)) {
    SetBorder(*module_->entry());
  }

  int64_t memory_bytes() const override {
    return static_cast<int64_t>(sizeof(*this)) + ir::ApproximateBytes(*module_);
  }

  StatusOr<std::shared_ptr<codegen::Executable>> ForSizes(
      const ir::SymbolBinding& sizes) const override {
    std::unique_ptr<ir::Module> sized = module_->Clone();
    SWAGE_RETURN_IF_ERROR(ir::BindSymbols(sizes, sized.get()));
    return std::make_shared<EvaluatorExecutable>(std::move(sized));
  }

  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override {
    std::vector<ir::Literal> arguments;
    size_t next = 0;
    for (const ir::Instruction* parameter : module_->entry()->parameters()) {
      SWAGE_ASSIGN_OR_RETURN(ir::Literal argument, ReadLeaves(parameter->shape(), inputs, &next));
      arguments.push_back(std::move(argument));
    }
    SWAGE_ASSIGN_OR_RETURN(const ir::Literal result, evaluator::Evaluate(*module_, arguments));
    next = 0;
    WriteLeaves(result, outputs, &next);
    return OkStatus();
  }

 private:
  static StatusOr<ir::Literal> ReadLeaves(const ir::Shape& shape,
                                          absl::Span<const void* const> inputs, size_t* next) {
    if (!shape.is_tuple()) {
      SWAGE_ASSIGN_OR_RETURN(ir::Literal leaf, ir::Literal::Create(shape));
      const absl::Span<uint8_t> bytes = leaf.mutable_bytes();
      if (!bytes.empty()) std::memcpy(bytes.data(), inputs[*next], bytes.size());
      ++*next;
      return leaf;
    }
    std::vector<ir::Literal> elements;
    for (const ir::Shape& element : shape.tuple_shapes()) {
      SWAGE_ASSIGN_OR_RETURN(ir::Literal literal, ReadLeaves(element, inputs, next));
      elements.push_back(std::move(literal));
    }
    return ir::Literal::Tuple(std::move(elements));
  }

  static void WriteLeaves(const ir::Literal& literal, absl::Span<void* const> outputs,
                          size_t* next) {
    if (!literal.is_tuple()) {
      const absl::Span<const uint8_t> bytes = literal.bytes();
      if (!bytes.empty()) std::memcpy(outputs[*next], bytes.data(), bytes.size());
      ++*next;
      return;
    }
    for (const ir::Literal& element : literal.elements()) WriteLeaves(element, outputs, next);
  }

  const std::unique_ptr<ir::Module> module_;
};

}  // namespace

StatusOr<std::shared_ptr<codegen::Executable>> CompileForEvaluator(
    const Backend&, std::unique_ptr<ir::Module> module, const passes::CompilerOptions&, Effort) {
  SWAGE_RET_CHECK(module->entry() != nullptr && module->entry()->root() != nullptr);
  return std::make_shared<EvaluatorExecutable>(std::move(module));
}

}  // namespace swage::runtime
