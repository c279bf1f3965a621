// File: compiler/ir/attribute_text.h
//
// The HLO text of attributes. One table (attribute_text.cc) has a row per attribute name and
// struct: how it is read, how it is printed, whether it must be there. Parser and printer both walk
// it, so an attribute is added in one line.
#ifndef SWAGE_COMPILER_IR_ATTRIBUTE_TEXT_H_
#define SWAGE_COMPILER_IR_ATTRIBUTE_TEXT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/attributes.h"
#include "compiler/ir/lexer.h"
#include "compiler/ir/opcode.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::ir {

struct AttributeReader {
  Lexer& lexer;
  SymbolScope& symbols;
};

struct AttributeWriter {
  std::string& out;
  SymbolScope& symbols;
};

enum class Presence : uint8_t {
  kRequired,  // must be given, always printed
  kPrinted,   // may be absent, always printed
  kIfSet,     // may be absent, printed when it differs from the default
};

struct AttributeRow {
  std::string_view name;
  Presence presence;
  bool (*applies)(const Attributes&);  // the struct is the one of this row
  bool (*is_default)(const Attributes&);
  Status (*parse)(AttributeReader&, Attributes*);
  void (*print)(const Attributes&, AttributeWriter&);
};

// All rows, in the order of printing.
std::span<const AttributeRow> AttributeRows();
// Those that apply to the struct that `attributes` hold.
std::span<const AttributeRow* const> AttributeRowsOf(const Attributes& attributes);
// The row of `name` that applies to `attributes`; null when there is none.
const AttributeRow* FindAttributeRow(std::string_view name, const Attributes& attributes);

// The default attributes of an opcode: the struct that the op table names.
Attributes DefaultAttributes(Opcode opcode);

// Attributes that are kept as raw text wherever they stand.
bool IsRawAttribute(std::string_view name);
// Every name that any instruction may have, for suggestions.
const std::vector<std::string_view>& AllAttributeNames();

// The attributes that name the called computations of an opcode, in the order of
// Instruction::called(). A list (`branch_computations={a,b}`) is one name with `list`.
struct CalledNames {
  std::span<const std::string_view> names;
  bool list = false;
  bool optional = false;
};
CalledNames CalledNamesOf(Opcode opcode);
// Whether `name` names called computations for some opcode.
bool IsCalledName(std::string_view name);

std::string_view FusionKindName(FusionKind kind);                   // "kLoop"
std::string_view CompareDirectionName(CompareDirection direction);  // "LT"

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ATTRIBUTE_TEXT_H_
