// File: compiler/ir/symbol_scope.h
//
// The symbols of one module's text, and the text syntax of a dim:
//
//   64   seq   seq<=512   3<=seq<=512   3<=seq   2*seq+1   floordiv(seq,2)   ceildiv(seq,64)
//   mod(seq,8)   max(seq,8)   min(seq,8)   2*(seq<=512)+1
//   <=512   ?   3<=?<=512          symbols without a name, known by their range
//
// In one scope a name has one range. It is given at the first occurrence (no range there means
// 0<=name without an upper bound); later a name may stand alone or repeat the same range, and
// another range is an error. Printing follows the same rule, so printed text parses back exactly.
#ifndef SWAGE_COMPILER_IR_SYMBOL_SCOPE_H_
#define SWAGE_COMPILER_IR_SYMBOL_SCOPE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "compiler/ir/dim.h"

namespace swage::ir {

class SymbolScope {
 public:
  // The symbol `name` with this range; an error when the name already has another range here.
  StatusOr<Dim> Declare(std::string_view name, int64_t min, int64_t max);
  // The dim of `name`, declared without bounds when it is new.
  StatusOr<Dim> Use(std::string_view name);
  // For printers: true when `symbol` needs its range written here (it is new, or its name is taken
  // by another range, which then shows in the text).
  bool DeclareForPrinting(const Symbol& symbol);

 private:
  absl::flat_hash_map<std::string, Dim> dims_;
};

// Parses one dim at text[*pos] and moves *pos past it. Errors name the position. Any bytes are
// safe.
StatusOr<Dim> ParseDim(std::string_view text, size_t* pos, SymbolScope& scope);
// The whole text is one dim, in a scope of its own.
StatusOr<Dim> ParseDim(std::string_view text);

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_SYMBOL_SCOPE_H_
