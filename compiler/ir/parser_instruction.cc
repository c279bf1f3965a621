// One instruction of HLO text:
//   [ROOT] name = shape opcode(operands), attribute=value, ...
#include <algorithm>

#include "base/nearest.h"
#include "compiler/ir/parser_internal.h"

namespace swage::ir {
namespace {

constexpr size_t kMaxOperands = 1 << 20;
constexpr int64_t kMaxParameters = 1 << 20;
constexpr size_t kMaxControlPredecessors = 4096;
constexpr size_t kMaxMetadataFields = 64;

std::string NearestOpcodes(std::string_view text) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kNumOpcodes; ++i) names.push_back(OpcodeName(static_cast<Opcode>(i)));
  return DidYouMean(text, names);
}

std::string Plural(size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

bool Given(std::string_view name, const std::vector<std::string_view>& seen) {
  return std::find(seen.begin(), seen.end(), name) != seen.end();
}

// A name that some struct interprets, though perhaps not this op's.
bool HasRow(std::string_view name) {
  const auto rows = AttributeRows();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const AttributeRow& row) { return row.name == name; });
}

}  // namespace

Status HloParser::ReadInstruction() {
  Line line;
  lexer_.SkipSpace();
  line.start = lexer_.pos();
  bool is_root = lexer_.TryWord("ROOT");
  if (is_root && lexer_.Peek() == '=') {  // an instruction of that name
    is_root = false;
    lexer_.set_pos(line.start);
  }
  lexer_.SkipSpace();
  line.start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(line.name, lexer_.Name("an instruction's name or '}'"));
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
  SWAGE_ASSIGN_OR_RETURN(line.shape, ReadShape());
  lexer_.SkipSpace();
  line.opcode_start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view text, lexer_.Word("an opcode"));
  const std::optional<Opcode> opcode = ParseOpcode(text);
  if (!opcode) {
    return lexer_.Error(line.opcode_start,
                        absl::StrCat("unknown opcode ", Quoted(text), NearestOpcodes(text)));
  }
  line.opcode = *opcode;
  line.attributes = DefaultAttributes(*opcode);
  if (names_.contains(line.name)) {
    return lexer_.Error(line.start, absl::StrCat(Quoted(line.name), " is defined twice"));
  }
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("("));
  if (line.opcode == Opcode::kParameter) {
    SWAGE_RETURN_IF_ERROR(ReadParameter(&line));
  } else if (line.opcode == Opcode::kConstant) {
    SWAGE_RETURN_IF_ERROR(ReadConstant(&line));
  } else {
    SWAGE_RETURN_IF_ERROR(ReadOperands(&line));
  }
  while (lexer_.TryEat(",")) SWAGE_RETURN_IF_ERROR(ReadAttribute(&line));
  return AddInstruction(&line, is_root);
}

// True at a shape: a tuple, or a word that is directly followed by '['.
bool HloParser::AtShape() {
  if (lexer_.Peek() == '(') return true;
  const std::string_view rest = lexer_.text().substr(lexer_.pos());
  size_t length = 0;
  while (length < rest.size() && ((rest[length] >= 'a' && rest[length] <= 'z') ||
                                  (rest[length] >= '0' && rest[length] <= '9'))) {
    ++length;
  }
  return length > 0 && length < rest.size() && rest[length] == '[';
}

std::string HloParser::NearestValues(std::string_view name) const {
  constexpr size_t kMost = 4096;  // the search is slow
  if (names_.size() > kMost) return "";
  std::vector<std::string_view> names;
  for (const auto& [other, instruction] : names_) names.push_back(other);
  std::sort(names.begin(), names.end());
  return DidYouMean(name, names);
}

Status HloParser::ReadOperands(Line* line) {
  if (lexer_.TryEat(")")) return OkStatus();
  do {
    if (line->operands.size() == kMaxOperands) {
      return lexer_.ErrorHere(absl::StrCat("more than ", kMaxOperands, " operands"));
    }
    std::optional<Shape> shape;
    if (AtShape()) {
      SWAGE_ASSIGN_OR_RETURN(shape, ReadShape());
    }
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Name("an operand's name"));
    const auto found = names_.find(name);
    if (found == names_.end()) {
      return lexer_.Error(
          start, absl::StrCat(Quoted(name), " is used before it is defined", NearestValues(name)));
    }
    Instruction* operand = found->second;
    if (shape && !Compatible(*shape, operand->shape())) {
      return lexer_.Error(
          start, absl::StrCat("the operand is written as ", shape->ToString(false), ", but '",
                              ToAbsl(name), "' is ", operand->shape().ToString(false)));
    }
    line->operands.push_back(operand);
  } while (lexer_.TryEat(","));
  return lexer_.Expect(")");
}

Status HloParser::ReadParameter(Line* line) {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const int64_t number, lexer_.Integer("the parameter's number"));
  if (number < 0 || number >= kMaxParameters) {
    return lexer_.Error(start, absl::StrCat("expected a number below ", kMaxParameters));
  }
  if (number < current_->parameter_count() && current_->parameter(number) != nullptr) {
    return lexer_.Error(start, absl::StrCat("a second parameter(", number, ")"));
  }
  line->attributes = ParameterAttrs{number};
  return lexer_.Expect(")");
}

Status HloParser::ReadConstant(Line* line) {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  if (lexer_.TryEat("@")) {
    const size_t end = std::min(lexer_.text().find(')', start), lexer_.text().size());
    const std::string_view key = lexer_.text().substr(start + 1, end - start - 1);
    if (!options_.load_constant) {
      return lexer_.Error(start, "the constant is in a side file, which is not at hand");
    }
    StatusOr<Literal> literal = options_.load_constant(key, line->shape);
    if (!literal.ok()) return lexer_.Wrap(literal.status(), start);
    line->attributes = ConstantAttrs{*std::move(literal)};
    lexer_.set_pos(end);
    return lexer_.Expect(")");
  }
  if (lexer_.TryEat("{...}")) {
    return lexer_.Error(start,
                        "the constant was left out when this text was printed; print it "
                        "with its constants");
  }
  StatusOr<Literal> literal = ParseLiteral(lexer_.text(), lexer_.mutable_pos(), line->shape);
  if (!literal.ok()) return lexer_.Wrap(literal.status(), start);
  line->attributes = ConstantAttrs{*std::move(literal)};
  return lexer_.Expect(")");
}

Status HloParser::ReadAttribute(Line* line) {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Word("an attribute"));
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
  if (Given(name, line->seen)) {
    return lexer_.Error(start, absl::StrCat(Quoted(name), " is given twice"));
  }
  line->seen.push_back(name);
  if (name == "metadata") {
    SWAGE_ASSIGN_OR_RETURN(line->metadata, ReadMetadata());
    return OkStatus();
  }
  if (name == "control-predecessors") return ReadControlPredecessors(line);
  if (const AttributeRow* row = FindAttributeRow(name, line->attributes)) {
    AttributeReader reader{lexer_, symbols_};
    return row->parse(reader, &line->attributes);
  }
  if (IsCalledName(name)) return ReadCalled(name, line);
  // Of an op that is only declared every attribute is raw; of others, those that no struct has.
  const bool declared_only = !InfoOf(line->opcode).evaluated;
  if (!IsRawAttribute(name) && !(declared_only && HasRow(name))) {
    const std::string_view op = OpcodeName(line->opcode);
    if (HasRow(name)) {
      return lexer_.Error(start, absl::StrCat(Quoted(op), " has no attribute ", Quoted(name)));
    }
    return lexer_.Error(start, absl::StrCat("unknown attribute ", Quoted(name),
                                            DidYouMean(name, AllAttributeNames())));
  }
  SWAGE_ASSIGN_OR_RETURN(const std::string_view value, lexer_.RawValue());
  line->raw.emplace_back(name, value);
  return OkStatus();
}

Status HloParser::ReadCalled(std::string_view name, Line* line) {
  const bool list = lexer_.TryEat("{");
  if (list && lexer_.TryEat("}")) return OkStatus();
  do {
    if (line->called.size() == kMaxOperands) return lexer_.ErrorHere("too many computations");
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    SWAGE_ASSIGN_OR_RETURN(const std::string_view callee, lexer_.Name("a computation's name"));
    SWAGE_ASSIGN_OR_RETURN(Computation* const computation, ComputationNamed(start, callee));
    line->called.emplace_back(name, computation);
  } while (list && lexer_.TryEat(","));
  return list ? lexer_.Expect("}") : OkStatus();
}

Status HloParser::ReadControlPredecessors(Line* line) {
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("{"));
  if (lexer_.TryEat("}")) return OkStatus();
  do {
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    if (line->control_predecessors.size() == kMaxControlPredecessors) {
      return lexer_.Error(start, "too many control predecessors");
    }
    SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Name("an instruction's name"));
    line->control_predecessors.emplace_back(start, name);
  } while (lexer_.TryEat(","));
  return lexer_.Expect("}");
}

// {op_type="dot" op_name="jit(f)/dot" source_file="f.py" source_line=3 stack_frame_id=2 ...}
StatusOr<std::shared_ptr<const Metadata>> HloParser::ReadMetadata() {
  lexer_.SkipSpace();
  const size_t start = lexer_.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view text, lexer_.RawValue());
  auto& shared = metadata_[text];
  if (shared != nullptr) return shared;
  lexer_.set_pos(start);
  SWAGE_RETURN_IF_ERROR(lexer_.Expect("{"));
  auto metadata = std::make_shared<Metadata>();
  std::vector<std::string_view> seen;
  while (!lexer_.TryEat("}")) {
    const size_t field = lexer_.pos();
    SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Word("a field of the metadata"));
    SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
    if (Given(name, seen)) {
      return lexer_.Error(field, absl::StrCat(Quoted(name), " is given twice"));
    }
    if (seen.size() == kMaxMetadataFields) return lexer_.Error(field, "too many fields");
    seen.push_back(name);
    if (name == "op_type" || name == "op_name" || name == "source_file") {
      SWAGE_ASSIGN_OR_RETURN(std::string value, lexer_.String("a string"));
      (name == "op_type"   ? metadata->op_type
       : name == "op_name" ? metadata->op_name
                           : metadata->source_file) = std::move(value);
    } else if (name == "source_line" || name == "stack_frame_id") {
      lexer_.SkipSpace();
      const size_t at = lexer_.pos();
      SWAGE_ASSIGN_OR_RETURN(const int64_t value, lexer_.Integer("a number"));
      if (value < 0 || value > INT32_MAX) return lexer_.Error(at, "expected a number up to 2^31");
      (name == "source_line" ? metadata->source_line : metadata->stack_frame_id) =
          static_cast<int>(value);
    } else {
      SWAGE_ASSIGN_OR_RETURN(const std::string_view value, lexer_.RawValue());
      metadata->rest.emplace_back(name, value);
    }
    lexer_.TryEat(",");
  }
  shared = metadata;
  return shared;
}

// Arity, and that every required attribute was given.
Status HloParser::CheckComplete(const Line& line) {
  const std::string_view op = OpcodeName(line.opcode);
  const int arity = InfoOf(line.opcode).arity;
  if (arity >= 0 && line.operands.size() != static_cast<size_t>(arity)) {
    return lexer_.Error(line.opcode_start,
                        absl::StrCat(Quoted(op), " takes ", Plural(arity, "operand"), ", got ",
                                     line.operands.size()));
  }
  for (const AttributeRow* row : AttributeRowsOf(line.attributes)) {
    if (row->presence == Presence::kRequired && !Given(row->name, line.seen)) {
      return lexer_.Error(line.opcode_start, absl::StrCat(Quoted(op), " needs the attribute '",
                                                          ToAbsl(row->name), "'"));
    }
  }
  return OkStatus();
}

// The called computations in the order of Instruction::called().
StatusOr<std::vector<Computation*>> HloParser::OrderCalled(const Line& line) {
  const CalledNames expected = CalledNamesOf(line.opcode);
  const std::string_view op = OpcodeName(line.opcode);
  auto wrong = [&](std::string_view name) {
    return lexer_.Error(line.opcode_start,
                        absl::StrCat(Quoted(op), " has no attribute ", Quoted(name)));
  };
  // Other names for the same thing.
  auto canonical = [&](std::string_view name) -> std::string_view {
    if (name == "comparator" && line.opcode == Opcode::kSort) return "to_apply";
    if (name == "to_apply" && line.opcode == Opcode::kCustomCall) return "called_computations";
    if (line.opcode == Opcode::kConditional &&
        (name == "true_computation" || name == "false_computation")) {
      return "branch_computations";
    }
    return name;
  };
  std::vector<Computation*> ordered;
  if (expected.list) {
    for (const auto& [name, computation] : line.called) {
      if (canonical(name) != expected.names[0]) return wrong(name);
      ordered.push_back(computation);
    }
    if (ordered.size() == 2 && line.called[0].first == "false_computation") {
      std::swap(ordered[0], ordered[1]);
    }
  } else {
    ordered.resize(expected.names.size(), nullptr);
    for (const auto& [name, computation] : line.called) {
      const auto found = std::find(expected.names.begin(), expected.names.end(), canonical(name));
      if (found == expected.names.end()) return wrong(name);
      Computation*& slot = ordered[found - expected.names.begin()];
      if (slot != nullptr) {
        return lexer_.Error(line.opcode_start,
                            absl::StrCat(Quoted(name), " takes one computation"));
      }
      slot = computation;
    }
    if (expected.optional && line.called.empty()) ordered.clear();
  }
  for (size_t i = 0; i < expected.names.size() && !expected.optional; ++i) {
    if (i < ordered.size() && ordered[i] != nullptr) continue;
    return lexer_.Error(line.opcode_start, absl::StrCat(Quoted(op), " needs the attribute '",
                                                        ToAbsl(expected.names[i]), "'"));
  }
  return ordered;
}

Status HloParser::AddInstruction(Line* line, bool is_root) {
  SWAGE_RETURN_IF_ERROR(CheckComplete(*line));
  SWAGE_ASSIGN_OR_RETURN(std::vector<Computation*> called, OrderCalled(*line));
  Instruction* added;
  if (line->opcode == Opcode::kParameter) {
    added = current_->AddParameter(AttrsIf<ParameterAttrs>(line->attributes)->number,
                                   std::move(line->shape), line->name);
  } else {
    added = current_->Add(line->opcode, std::move(line->shape), line->operands,
                          std::move(line->attributes), std::move(called), line->name);
  }
  if (!line->raw.empty()) *added->mutable_raw_attributes() = std::move(line->raw);
  added->set_metadata(std::move(line->metadata));
  names_.emplace(line->name, added);
  places_.emplace_back(added, line->opcode_start);
  for (const auto& edge : line->control_predecessors) control_edges_.emplace_back(added, edge);
  last_ = added;
  if (!is_root) return OkStatus();
  if (root_ != nullptr) return lexer_.Error(line->start, "a second ROOT in this computation");
  root_ = added;
  return OkStatus();
}

}  // namespace swage::ir
