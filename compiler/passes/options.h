// File: compiler/passes/options.h
//
// What a compilation may be told. Every field that changes code is part of the compilation's key;
// the others (dumps, checks) never change the result.
#ifndef SWAGE_COMPILER_PASSES_OPTIONS_H_
#define SWAGE_COMPILER_PASSES_OPTIONS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/key_material.h"
#include "base/status.h"
#include "compiler/cost/library_dot.h"
#include "compiler/ir/decision_extent.h"

namespace swage::passes {

// Whether programs of open sizes are given fixed shapes (physical_padding.h).
enum class Padding : uint8_t { kNone, kForced };

// What padding holds; results do not depend on it. The others than zero look for masks that are
// missing.
enum class PaddingFill : uint8_t { kZero, kNan, kInfinity, kLarge };

// Which masks padding makes: those that are needed; also those over lanes that are known to hold
// the right value already; none, which is wrong, for tests of what finds that.
enum class PaddingMasks : uint8_t { kNeeded, kAll, kNone };

// By the number of a parameter.
using PadValues = std::vector<std::pair<int64_t, double>>;

struct CompilerOptions {
  // Pass filters; entries `name`, `pipeline/name`, `name:k`, `pipeline/name:k` (filter.h). A name
  // may be that of a pipeline. Only one of the first two may be given. Part of the key.
  std::vector<std::string> disable_passes = {};
  std::vector<std::string> only_passes = {};

  // Value-changing rewrites are allowed. Part of the key.
  bool fast_math = false;
  // A bf16 or f16 epilogue may keep f32 between its ops. Part of the key.
  bool allow_excess_precision = false;

  // Which dots a library computes on a CPU. Part of the key.
  cost::LibraryDots library_dots = cost::LibraryDots::kAuto;

  // Constant folding stops when it has used this much of either; what was skipped is reported. Part
  // of the key.
  int64_t fold_budget_microseconds = 50'000;
  int64_t fold_budget_bytes = int64_t{1} << 20;

  // What decisions are made for, where sizes are open (decision_extent.h). Part of the key.
  std::vector<ir::SizeHint> size_hints = {};

  // Physical padding, and what is put there. Part of the key.
  Padding padding = Padding::kNone;
  PaddingFill padding_fill = PaddingFill::kZero;
  PaddingMasks padding_masks = PaddingMasks::kNeeded;
  PadValues pad_values = {};  // what padding of the entry's parameters holds instead

  // Directory of the dumps; empty: none.
  std::string dump_to = {};
  // Which passes are dumped: entries as above, or a regex; empty: every pass that changed
  // something.
  std::vector<std::string> dump_passes = {};

  // Kernels that run often are compiled again with their sizes baked in, in the background; the
  // bits of results are the same.
  bool specialise = true;

  // Fingerprints the module around every pass: one that lies about changing it is an error.
  bool check_lies = false;
  // Evaluates the module on random inputs after every pass that changed it; implies check_lies.
  bool check_passes = false;
  // Programs of open sizes also run padded, with two fills, and all results are compared.
  bool check_padding = false;
};

// The options that the environment gives: SWAGE_CHECK, SWAGE_DISABLE_PASSES, SWAGE_DUMP_TO,
// SWAGE_FAST_MATH, SWAGE_LIBRARY_DOTS, SWAGE_MAX_CONSTANT_BYTES, SWAGE_ONLY_PASSES, SWAGE_PADDING,
// SWAGE_PADDING_FILL, SWAGE_PADDING_MASKS, SWAGE_SPECIALIZE. InvalidArgument names the variable
// whose value is none.
StatusOr<CompilerOptions> OptionsFromEnvironment();

// Adds a field for every option that is part of the key.
void AddToKey(const CompilerOptions& options, KeyMaterial* key);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_OPTIONS_H_
