// The module's part of the HLO parser: header, tables, computations.
#include "compiler/ir/parser.h"

#include <algorithm>

#include "base/files.h"
#include "base/nearest.h"
#include "compiler/ir/parser_internal.h"
#include "compiler/ir/verifier.h"

namespace swage::ir {
namespace {

constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations",
                                        "StackFrames"};

// Attributes of the header line that are kept as raw text.
constexpr std::string_view kHeaderNames[] = {
    "alias_passthrough_params",
    "allow_spmd_sharding_propagation_to_output",
    "allow_spmd_sharding_propagation_to_parameters",
    "buffer_donor",
    "config",
    "cross_program_prefetch",
    "dynamic_parameter_binding",
    "entry_computation_layout",
    "frontend_attributes",
    "input_output_alias",
    "is_scheduled",
    "num_partitions",
    "origin_recovery_table",
    "relative_speedup",
    "replica_count",
    "use_auto_spmd_partitioning",
};

bool IsTable(std::string_view word) {
  return std::find(std::begin(kTables), std::end(kTables), word) != std::end(kTables);
}

}  // namespace

StatusOr<std::unique_ptr<Module>> HloParser::Run() {
  SWAGE_RETURN_IF_ERROR(Header());
  SWAGE_RETURN_IF_ERROR(StackFrames());
  while (!lexer_.AtEnd()) SWAGE_RETURN_IF_ERROR(ReadComputation());
  SWAGE_RETURN_IF_ERROR(FinishModule());
  if (options_.verify) SWAGE_RETURN_IF_ERROR(VerifyModule());
  return std::move(module_);
}

Status HloParser::Header() {
  if (!lexer_.TryWord("HloModule")) {
    return lexer_.ErrorHere("expected 'HloModule': this is not HLO text");
  }
  SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Name("the module's name"));
  module_ = std::make_unique<Module>(std::string(name));
  while (lexer_.TryEat(",")) SWAGE_RETURN_IF_ERROR(HeaderAttribute());
  return OkStatus();
}

Status HloParser::HeaderAttribute() {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Word("an attribute of the module"));
  if (std::find(std::begin(kHeaderNames), std::end(kHeaderNames), name) == std::end(kHeaderNames)) {
    return lexer_.Error(
        start, absl::StrCat("unknown attribute ", Quoted(name), " of a module",
                            DidYouMean(name, std::span<const std::string_view>(kHeaderNames))));
  }
  for (const auto& [seen, value] : module_->raw_attributes()) {
    if (seen == name) return lexer_.Error(start, absl::StrCat("'", seen, "' is given twice"));
  }
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
  if (name == "is_scheduled") {
    SWAGE_ASSIGN_OR_RETURN(const bool scheduled, lexer_.Bool());
    module_->set_is_scheduled(scheduled);
    return OkStatus();
  }
  if (name == "entry_computation_layout") {
    if (module_->entry_layout()) return lexer_.Error(start, "the entry layout is given twice");
    return ReadEntryLayout();
  }
  SWAGE_ASSIGN_OR_RETURN(const std::string_view value, lexer_.RawValue());
  module_->mutable_raw_attributes()->emplace_back(name, value);
  return OkStatus();
}

// {(f32[2]{0}, s32[])->f32[2]{0}}
Status HloParser::ReadEntryLayout() {
  EntryLayout layout;
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("{"));
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("("));
  if (!lexer_.TryEat(")")) {
    do {
      SWAGE_ASSIGN_OR_RETURN(Shape shape, ReadShape());
      layout.parameters.push_back(std::move(shape));
    } while (lexer_.TryEat(","));
    SWAGE_RETURN_IF_ERROR(lexer_.Expect(")"));
  }
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("->"));
  SWAGE_ASSIGN_OR_RETURN(layout.result, ReadShape());
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("}"));
  module_->set_entry_layout(std::move(layout));
  return OkStatus();
}

// A table is a line with its name, then numbered rows, which are kept as they are.
Status HloParser::StackFrames() {
  while (true) {
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    StatusOr<std::string_view> word = lexer_.Word("a table");
    // A computation may have a table's name; then '{' or '(' follows, not a number.
    if (!word.ok() || !IsTable(*word) || lexer_.Peek() == '{' || lexer_.Peek() == '(') {
      lexer_.set_pos(start);
      return OkStatus();
    }
    StackFrameTable table{std::string(*word), {}};
    while (lexer_.Peek() >= '0' && lexer_.Peek() <= '9') {
      table.rows.emplace_back(lexer_.RestOfLine());
    }
    module_->mutable_stack_frames()->push_back(std::move(table));
  }
}

StatusOr<Shape> HloParser::ReadShape() {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  StatusOr<Shape> shape = ParseShape(lexer_.text(), lexer_.mutable_pos(), symbols_);
  if (!shape.ok()) return lexer_.Wrap(shape.status(), start);
  return shape;
}

StatusOr<Computation*> HloParser::ComputationNamed(size_t start, std::string_view name) {
  auto [it, is_new] = computations_.try_emplace(name);
  if (is_new) it->second = {module_->AddComputation(name), start};
  return it->second.computation;
}

// (p.1: f32[2], p.2: (s32[], f32[])) -> f32[2]
StatusOr<HloParser::Signature> HloParser::ReadSignature() {
  Signature signature;
  signature.start = lexer_.pos();
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("("));
  if (!lexer_.TryEat(")")) {
    do {
      SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Name("a parameter's name"));
      SWAGE_RETURN_IF_ERROR(lexer_.Expect(":"));
      SWAGE_ASSIGN_OR_RETURN(Shape shape, ReadShape());
      signature.parameters.emplace_back(name, std::move(shape));
    } while (lexer_.TryEat(","));
    SWAGE_RETURN_IF_ERROR(lexer_.Expect(")"));
  }
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("->"));
  SWAGE_ASSIGN_OR_RETURN(signature.result, ReadShape());
  return signature;
}

Status HloParser::ReadComputation() {
  const bool is_entry = lexer_.TryWord("ENTRY");
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Name("a computation's name"));
  SWAGE_ASSIGN_OR_RETURN(current_, ComputationNamed(start, name));
  Declared& declared = computations_[name];
  if (declared.defined) {
    return lexer_.Error(start, absl::StrCat("computation ", Quoted(name), " is defined twice"));
  }
  declared.defined = true;
  if (is_entry) {
    if (module_->entry() != nullptr) return lexer_.Error(start, "a second ENTRY computation");
    module_->set_entry(current_);
  }
  std::optional<Signature> signature;
  if (lexer_.Peek() == '(') {
    SWAGE_ASSIGN_OR_RETURN(signature, ReadSignature());
  }
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("{"));
  names_.clear();
  control_edges_.clear();
  last_ = root_ = nullptr;
  while (!lexer_.TryEat("}")) {
    if (lexer_.AtEnd()) {
      return lexer_.ErrorHere(absl::StrCat("the text ends inside computation ", Quoted(name)));
    }
    SWAGE_RETURN_IF_ERROR(ReadInstruction());
  }
  return FinishComputation(signature);
}

Status HloParser::FinishComputation(const std::optional<Signature>& signature) {
  const size_t end = lexer_.pos() - 1;
  if (last_ == nullptr) return lexer_.Error(end, "a computation needs at least one instruction");
  // Without a ROOT the last instruction is it.
  current_->set_root(root_ != nullptr ? root_ : last_);
  const auto& parameters = current_->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] == nullptr) {
      return lexer_.Error(end, absl::StrCat("the computation has no parameter(", i, ")"));
    }
  }
  for (const auto& [instruction, edge] : control_edges_) {
    const auto& [start, name] = edge;
    auto found = names_.find(name);
    if (found == names_.end()) {
      return lexer_.Error(start,
                          absl::StrCat("no instruction ", Quoted(name), " in this computation"));
    }
    instruction->AddControlPredecessor(found->second);
  }
  if (signature) SWAGE_RETURN_IF_ERROR(CheckSignature(*signature));
  if (lexer_.TryEat(",")) {
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    if (!lexer_.TryWord("execution_thread")) {
      return lexer_.Error(start, "expected 'execution_thread' behind a computation");
    }
    SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
    SWAGE_ASSIGN_OR_RETURN(const std::string thread, lexer_.String("a thread's name"));
    if (thread != "main")
      return lexer_.Error(start, "only the execution thread 'main' is supported");
  }
  return OkStatus();
}

Status HloParser::CheckSignature(const Signature& signature) {
  const auto& parameters = current_->parameters();
  if (signature.parameters.size() != parameters.size()) {
    return lexer_.Error(signature.start,
                        absl::StrCat("the signature has ", signature.parameters.size(),
                                     " parameters, the computation ", parameters.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& given = signature.parameters[i].second;
    if (!Compatible(given, parameters[i]->shape())) {
      return lexer_.Error(
          signature.start,
          absl::StrCat("parameter ", i, " is ", given.ToString(false), " in the signature, but ",
                       parameters[i]->shape().ToString(false), " below"));
    }
  }
  const Shape& result = current_->root()->shape();
  if (Compatible(signature.result, result)) return OkStatus();
  return lexer_.Error(signature.start,
                      absl::StrCat("the result is ", signature.result.ToString(false),
                                   " in the signature, but the root is ", result.ToString(false)));
}

Status HloParser::FinishModule() {
  for (const auto& [name, declared] : computations_) {
    if (declared.defined) continue;
    std::vector<std::string_view> names;
    for (const auto& [other, entry] : computations_) {
      if (entry.defined && names.size() < 4096) names.push_back(other);
    }
    return lexer_.Error(declared.first_use,
                        absl::StrCat("no computation ", Quoted(name), DidYouMean(name, names)));
  }
  if (module_->entry() == nullptr) {
    if (computations_.size() != 1) return lexer_.ErrorHere("the module has no ENTRY computation");
    module_->set_entry(computations_.begin()->second.computation);
  }
  if (!module_->is_scheduled()) return OkStatus();
  for (Computation* computation : module_->Computations()) {
    if (!computation->IsFusion()) computation->set_schedule(computation->Instructions());
  }
  return OkStatus();
}

Status HloParser::VerifyModule() {
  const std::optional<Violation> found = FindViolation(*module_);
  if (!found) return OkStatus();
  for (const auto& [instruction, place] : places_) {
    if (instruction == found->instruction) return lexer_.Error(place, found->message);
  }
  return InvalidArgument(ToAbsl(options_.filename), ": error: ", found->message);
}

StatusOr<std::unique_ptr<Module>> ParseHlo(std::string_view text, const ParseOptions& options) {
  if (text.size() > kMaxHloBytes) {
    return InvalidArgument("[parse] ", ToAbsl(options.filename), " has ", text.size(),
                           " bytes, more than the limit of ", kMaxHloBytes);
  }
  return HloParser(text, options).Run();
}

StatusOr<std::unique_ptr<Module>> ParseHlo(std::string_view text, std::string_view filename) {
  ParseOptions options;
  options.filename = filename;
  return ParseHlo(text, options);
}

StatusOr<std::unique_ptr<Module>> ParseHloFile(const std::string& path) {
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseHlo(text, path);
}

}  // namespace swage::ir
