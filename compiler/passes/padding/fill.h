// File: compiler/passes/padding/fill.h
//
// What the padded lanes of a value are known to hold. A mask that would put there what is there
// already is left out.
//
//   Fill fill = Fill::Padding(zero);                 // an argument, padded with zeros
//   fill = FoldFill(*exponential, {fill});           // one: e to the 0
#ifndef SWAGE_COMPILER_PASSES_PADDING_FILL_H_
#define SWAGE_COMPILER_PASSES_PADDING_FILL_H_

#include <optional>

#include "absl/types/span.h"
#include "compiler/ir/instruction.h"
#include "compiler/ir/literal.h"
#include "compiler/passes/options.h"

namespace swage::passes::padding {

struct Fill {
  enum class Kind : uint8_t {
    kUnknown,  // garbage
    kPadding,  // every padded lane holds `value`
    kUniform,  // every lane does, padded or not
  };

  static Fill Unknown() { return {}; }
  static Fill Padding(ir::Literal value) { return {Kind::kPadding, std::move(value)}; }
  static Fill Uniform(ir::Literal value) { return {Kind::kUniform, std::move(value)}; }

  bool known() const { return kind != Kind::kUnknown; }

  Kind kind = Kind::kUnknown;
  ir::Literal value;  // a scalar, where known
};

// Of an elementwise op with padded lanes, from those of its operands.
Fill FoldFill(const ir::Instruction& op, absl::Span<const Fill> operands);

// A scalar of the dtype as PaddingFill says: 0; NaN, or the smallest of a signed integer, or all
// bits one; infinity, or all bits one; a large finite value.
ir::Literal FillValue(PaddingFill fill, ir::DType dtype);
// This number, as near as the dtype has it.
ir::Literal FillValue(double value, ir::DType dtype);

// The value that op(x, value) = x holds for, bit for bit; nullopt where it is not known.
std::optional<ir::Literal> IdentityOf(ir::Opcode opcode, ir::DType dtype);

}  // namespace swage::passes::padding

#endif  // SWAGE_COMPILER_PASSES_PADDING_FILL_H_
