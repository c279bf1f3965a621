// File: compiler/ir/printer.h
//
// A Module as HLO text that ParseHlo (parser.h) reads back to an equal module.
//
//   std::string text = ToText(module);
//   std::string dump = ToText(module, {.percent = true, .signatures = true});
//
// By default the text is what JAX prints for unoptimized modules: no '%', no operand shapes, bare
// computation headers. Instructions stand in post-order, or in the order of the schedule.
// Module::ToString, Computation::ToString and Instruction::ToString are defined here.
#ifndef SWAGE_COMPILER_IR_PRINTER_H_
#define SWAGE_COMPILER_IR_PRINTER_H_

#include <functional>
#include <string>

#include "compiler/ir/module.h"

namespace swage::ir {

struct PrintOptions {
  bool percent = false;         // '%' before names
  bool signatures = false;      // `name (p: f32[2]) -> f32[2] {`
  bool operand_shapes = false;  // `add(f32[2]{0} x, f32[2]{0} y)`
  bool metadata = true;         // metadata and the stack-frame tables
  // Asked for every constant of an array with more than `inline_elements` elements: stores the
  // literal somewhere and returns its key, which is printed as `constant(@key)` and given to
  // ParseOptions::load_constant when the text is read. A key has no ')'. Null: all are printed.
  std::function<std::string(const Instruction& constant)> elide;
  int64_t inline_elements = 16;
};

std::string ToText(const Module& module, const PrintOptions& options = {});
std::string ToText(const Computation& computation, const PrintOptions& options = {});
std::string ToText(const Instruction& instruction, const PrintOptions& options = {});

// Whether two modules say the same: names, computations in printed order, instructions with shapes
// and layouts, operands, attributes, metadata, schedules, header. `why` (may be null) tells the
// first difference.
bool ModulesEqual(const Module& a, const Module& b, std::string* why);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_PRINTER_H_
