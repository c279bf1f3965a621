#include "compiler/ir/alias_text.h"

#include "compiler/ir/lexer.h"

namespace swage::ir {
namespace {

Status ParseIndex(Lexer& lexer, ShapeIndex* index) {
  SWAGE_RETURN_IF_ERROR(lexer.Expect("{"));
  if (lexer.TryEat("}")) return OkStatus();
  do {
    if (index->size() == kMaxTupleDepth) return lexer.ErrorHere("the index is too deep");
    SWAGE_ASSIGN_OR_RETURN(const int64_t step, lexer.Integer("an index"));
    index->push_back(step);
  } while (lexer.TryEat(","));
  return lexer.Expect("}");
}

}  // namespace

StatusOr<std::vector<Alias>> ParseAliases(std::string_view text) {
  Lexer lexer(text, "input_output_alias");
  std::vector<Alias> aliases;
  SWAGE_RETURN_IF_ERROR(lexer.Expect("{"));
  if (lexer.TryEat("}")) return aliases;
  do {
    Alias alias;
    SWAGE_RETURN_IF_ERROR(ParseIndex(lexer, &alias.output));
    SWAGE_RETURN_IF_ERROR(lexer.Expect(":"));
    SWAGE_RETURN_IF_ERROR(lexer.Expect("("));
    SWAGE_ASSIGN_OR_RETURN(alias.parameter, lexer.Integer("a parameter's number"));
    SWAGE_RETURN_IF_ERROR(lexer.Expect(","));
    SWAGE_RETURN_IF_ERROR(ParseIndex(lexer, &alias.parameter_index));
    if (lexer.TryEat(",")) {
      alias.must = lexer.TryWord("must-alias");
      if (!alias.must && !lexer.TryWord("may-alias")) {
        return lexer.ErrorHere("expected 'may-alias' or 'must-alias'");
      }
    }
    SWAGE_RETURN_IF_ERROR(lexer.Expect(")"));
    aliases.push_back(std::move(alias));
  } while (lexer.TryEat(","));
  SWAGE_RETURN_IF_ERROR(lexer.Expect("}"));
  return aliases;
}

}  // namespace swage::ir
