#include "codegen/program/padding_check.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/assumptions.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/passes/physical_padding.h"

namespace swage::codegen {
namespace {

using ir::Instruction;
using ir::Literal;
using passes::CompilerOptions;
using passes::PaddingFill;

constexpr PaddingFill kFills[] = {PaddingFill::kNan, PaddingFill::kLarge};

CompilerOptions Padded(CompilerOptions options, int fill) {
  options.check_padding = false;
  options.padding = passes::Padding::kForced;
  options.padding_fill = kFills[fill];
  options.pad_values.clear();
  return options;
}

std::optional<std::string> Difference(absl::Span<const Literal> want, absl::Span<const Literal> got,
                                      bool tolerant) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (auto found = passes::FirstDifference(want[i], got[i], tolerant)) {
      return absl::StrCat("output ", i, ": ", *found);
    }
  }
  return std::nullopt;
}

// The module with every array that it computes as a result.
std::vector<std::string> ReturnAll(ir::Module* module) {
  std::vector<Instruction*> values;
  std::vector<ir::Shape> shapes;
  std::vector<std::string> names;
  ir::Computation* const entry = module->entry();
  for (Instruction* op : entry->PostOrder()) {
    if (!op->shape().is_array() || op->opcode() == ir::Opcode::kParameter) continue;
    values.push_back(op);
    shapes.push_back(op->shape());
    names.push_back(op->ToString());
  }
  module->set_entry_layout(std::nullopt);
  entry->set_root(entry->Add(ir::Opcode::kTuple, ir::Shape::Tuple(shapes), values));
  return names;
}

StatusOr<std::string> FindGuilty(const ir::Module& module, const CompilerOptions& options,
                                 absl::Span<const Literal> leaves, bool tolerant) {
  ir::AssumptionScope sizes_fit;
  const std::unique_ptr<ir::Module> all = module.Clone();
  const std::vector<std::string> names = ReturnAll(all.get());
  std::vector<Literal> arguments;
  size_t next = 0;
  for (const Instruction* parameter : all->entry()->parameters()) {
    SWAGE_ASSIGN_OR_RETURN(arguments.emplace_back(),
                           ir::TakeLeaves(parameter->shape(), leaves, &next));
  }
  SWAGE_ASSIGN_OR_RETURN(const Literal exact, evaluator::Evaluate(*all, arguments));
  Literal padded[2];
  for (int fill = 0; fill < 2; ++fill) {
    const std::unique_ptr<ir::Module> copy = all->Clone();
    passes::PassContext context(Padded(options, fill));
    SWAGE_RETURN_IF_ERROR(passes::PhysicalPadding().Run(*copy, context).status());
    SWAGE_ASSIGN_OR_RETURN(padded[fill], evaluator::Evaluate(*copy, arguments));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    auto found = passes::FirstDifference(padded[0].elements()[i], padded[1].elements()[i], false);
    if (!found.has_value()) {
      found = passes::FirstDifference(exact.elements()[i], padded[0].elements()[i], tolerant);
    }
    if (found.has_value()) {
      return absl::StrCat("the first instruction that differs is ", names[i], " (", *found, ")");
    }
  }
  return std::string("no instruction differs in the evaluator: the code for it does");
}

// One set of sizes of a checked program.
class CheckedRun : public Executable {
 public:
  CheckedRun(std::shared_ptr<const PaddingCheck> check, std::shared_ptr<Executable> exact,
             std::shared_ptr<Executable> first, std::shared_ptr<Executable> second)
      : check_(std::move(check)),
        exact_(std::move(exact)),
        padded_{std::move(first), std::move(second)} {
    input_shapes_ = exact_->input_shapes();
    output_shapes_ = exact_->output_shapes();
    report_ = exact_->report();
  }

  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override {
    SWAGE_ASSIGN_OR_RETURN(const std::vector<Literal> arguments,
                           LiteralsAt(memory(), input_shapes_, inputs));
    SWAGE_RETURN_IF_ERROR(exact_->Run(inputs, outputs));
    SWAGE_ASSIGN_OR_RETURN(const std::vector<Literal> want,
                           LiteralsAt(memory(), output_shapes_, outputs));
    std::vector<Literal> got[2];
    for (int fill = 0; fill < 2; ++fill) {
      SWAGE_ASSIGN_OR_RETURN(got[fill], RunOnLiterals(*padded_[fill], arguments));
    }
    return check_->Compare(want, got[0], got[1], arguments);
  }

  MemorySpace* memory() const override { return exact_->memory(); }

 private:
  const std::shared_ptr<const PaddingCheck> check_;
  const std::shared_ptr<Executable> exact_;
  const std::shared_ptr<Executable> padded_[2];
};

class CheckedSizes : public Executable {
 public:
  explicit CheckedSizes(std::shared_ptr<const PaddingCheck> check) : check_(std::move(check)) {
    input_shapes_ = check_->exact()->input_shapes();
    output_shapes_ = check_->exact()->output_shapes();
    report_ = check_->exact()->report();
  }

  Status Run(absl::Span<const void* const>, absl::Span<void* const>) override {
    return Internal("[run] a program with symbolic sizes was run without sizes");
  }

  StatusOr<std::shared_ptr<Executable>> ForSizes(const ir::SymbolBinding& sizes) const override {
    SWAGE_ASSIGN_OR_RETURN(auto exact, check_->exact()->ForSizes(sizes));
    SWAGE_ASSIGN_OR_RETURN(auto first, check_->padded(0)->ForSizes(sizes));
    SWAGE_ASSIGN_OR_RETURN(auto second, check_->padded(1)->ForSizes(sizes));
    return std::make_shared<CheckedRun>(check_, std::move(exact), std::move(first),
                                        std::move(second));
  }

  int64_t memory_bytes() const override {
    return check_->exact()->memory_bytes() + check_->padded(0)->memory_bytes() +
           check_->padded(1)->memory_bytes();
  }

 private:
  const std::shared_ptr<const PaddingCheck> check_;
};

}  // namespace

StatusOr<std::shared_ptr<PaddingCheck>> PaddingCheck::Make(const ir::Module& module,
                                                           std::shared_ptr<const Target> target,
                                                           const CompileOptions& options,
                                                           std::vector<passes::Message>* messages) {
  auto check = std::shared_ptr<PaddingCheck>(new PaddingCheck());
  check->module_ = module.Clone();
  check->options_ = options.compiler;
  check->options_.check_padding = false;
  check->tolerant_ = options.compiler.fast_math || passes::HasFreeAccumulation(module);
  for (int fill = 0; fill < 2; ++fill) {
    CompileOptions padded = options;
    padded.compiler = Padded(options.compiler, fill);
    SWAGE_ASSIGN_OR_RETURN(check->padded_[fill], Compile(module.Clone(), target, padded));
  }
  CompileOptions exact = options;
  exact.compiler.check_padding = false;
  exact.compiler.padding = passes::Padding::kNone;
  SWAGE_ASSIGN_OR_RETURN(check->exact_, Compile(module.Clone(), target, exact, messages));
  return check;
}

std::string PaddingCheck::Guilty(absl::Span<const Literal> arguments) const {
  const StatusOr<std::string> found = FindGuilty(*module_, options_, arguments, tolerant_);
  if (found.ok()) return *found;
  return absl::StrCat("the instruction was not found: ", found.status().message());
}

Status PaddingCheck::Compare(absl::Span<const Literal> exact, absl::Span<const Literal> first,
                             absl::Span<const Literal> second,
                             absl::Span<const Literal> arguments) const {
  std::string what = "with NaN and with large values in the padding differ";
  auto found = Difference(first, second, /*tolerant=*/false);
  if (!found.has_value()) {
    what = "as it is and padded differ";
    found = Difference(exact, first, tolerant_);
  }
  if (!found.has_value()) return OkStatus();
  return Internal("[check] the results of '", module_->name(), "' ", what, ": ", *found, "; ",
                  Guilty(arguments));
}

StatusOr<std::vector<Literal>> PaddingCheck::Run(const ir::SymbolBinding& sizes,
                                                 absl::Span<const Literal> arguments) const {
  const auto run = [&](const Executable& program) -> StatusOr<std::vector<Literal>> {
    SWAGE_ASSIGN_OR_RETURN(const auto sized, program.ForSizes(sizes));
    return RunOnLiterals(*sized, arguments);
  };
  SWAGE_ASSIGN_OR_RETURN(std::vector<Literal> exact, run(*exact_));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<Literal> first, run(*padded_[0]));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<Literal> second, run(*padded_[1]));
  SWAGE_RETURN_IF_ERROR(Compare(exact, first, second, arguments));
  return exact;
}

StatusOr<std::shared_ptr<Executable>> CompileChecked(const ir::Module& module,
                                                     std::shared_ptr<const Target> target,
                                                     const CompileOptions& options,
                                                     std::vector<passes::Message>* messages) {
  const auto check = PaddingCheck::Make(module, target, options, messages);
  if (check.ok()) return std::make_shared<CheckedSizes>(*check);
  if (check.status().code() != absl::StatusCode::kUnimplemented) return check.status();
  CompileOptions plain = options;
  plain.compiler.check_padding = false;
  SWAGE_ASSIGN_OR_RETURN(auto executable, Compile(module.Clone(), target, plain, messages));
  if (messages != nullptr) {
    messages->push_back(
        {passes::Severity::kWarning, absl::StrCat("[check] the padding of module '", module.name(),
                                                  "' is not checked: ", check.status().message())});
  }
  return executable;
}

}  // namespace swage::codegen
