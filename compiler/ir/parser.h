// File: compiler/ir/parser.h
//
// HLO text to a Module.
//
//   SWAGE_ASSIGN_OR_RETURN(auto module, ParseHlo(text, "model.hlo"));
//
// Both dialects of HLO are read: names with or without '%', operands with or without their shapes,
// computations with or without a signature, comments, stack-frame tables, metadata, schedules.
// What Swage does not interpret (sharding, backend_config, ...) is kept as raw text, in order.
// Layouts stay as written.
//
// Errors are InvalidArgument, `file:line:col: error: ...`, then the line and a caret; an unknown
// opcode or attribute names its neighbours. Any bytes are safe: no recursion, and nothing is
// allocated that the text does not pay for.
#ifndef SWAGE_COMPILER_IR_PARSER_H_
#define SWAGE_COMPILER_IR_PARSER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/module.h"

namespace swage::ir {

inline constexpr size_t kMaxHloBytes = size_t{1} << 30;

struct ParseOptions {
  std::string_view filename = "<text>";
  // Runs the verifier: shapes that do not follow the rules of their ops are errors, with their place.
  bool verify = true;
  // The literal of `constant(@key)`, which a printer with PrintOptions::elide wrote to a side file.
  // Without it such a constant is an error.
  std::function<StatusOr<Literal>(std::string_view key, const Shape& shape)> load_constant;
};

StatusOr<std::unique_ptr<Module>> ParseHlo(std::string_view text, const ParseOptions& options);
StatusOr<std::unique_ptr<Module>> ParseHlo(std::string_view text,
                                           std::string_view filename = "<text>");
// Reads the file first.
StatusOr<std::unique_ptr<Module>> ParseHloFile(const std::string& path);

// Clears every layout but the entry's (Module::entry_layout): what a front end does with a module
// that will go through the passes. A bitcast from or to an array that is not row-major moves elements
// once there are no layouts: it becomes transposes around a bitcast.
void DropLayouts(Module* module);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_PARSER_H_
