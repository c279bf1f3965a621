// File: compiler/ir/alias_text.h
//
// The module attribute input_output_alias: which results may take the memory of which parameters.
//
//   { {}: (0, {}, may-alias), {1}: (2, {0}, must-alias) }
#ifndef SWAGE_COMPILER_IR_ALIAS_TEXT_H_
#define SWAGE_COMPILER_IR_ALIAS_TEXT_H_

#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/ir/shape.h"

namespace swage::ir {

struct Alias {
  ShapeIndex output;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must = false;
};

StatusOr<std::vector<Alias>> ParseAliases(std::string_view text);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ALIAS_TEXT_H_
