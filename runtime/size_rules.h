// File: runtime/size_rules.h
//
// Which sizes of a call's arguments are part of its key, and which stay open: the dims that a jit
// function declares, and what its policy makes of their values.
//
//   SWAGE_ASSIGN_OR_RETURN(auto rules, SizeRules::Make("attend", options, policy));
//   SWAGE_ASSIGN_OR_RETURN(SizedCall call, rules->Place(arguments));
//   call.shapes[0];      // f32[33<=seq<=48,64]: what the program is made for
//   call.sizes;          // seq = 40
//
// A symbol has one value per call. With Mode::kSymbolic it stays open over its whole range, with
// Mode::kBucket over its bucket. Without declared dims every dimension is an automatic symbol:
// extents that were equal in the call that made a pattern share one, and 1 stays 1.
#ifndef SWAGE_RUNTIME_SIZE_RULES_H_
#define SWAGE_RUNTIME_SIZE_RULES_H_

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "cache/policy/policy.h"
#include "compiler/ir/decision_extent.h"
#include "compiler/ir/shape.h"
#include "runtime/jit.h"
#include "runtime/program.h"

namespace swage::runtime {

struct SizedCall {
  std::vector<ir::Shape> shapes;  // of the arguments; those of the call where nothing is open
  ir::SymbolBinding sizes;        // of every symbol in them
  std::vector<ir::SizeHint> hints = {};  // what its program is made for
  passes::PadValues pad_values = {};
  // Why a size is exact that buckets or a symbol were asked for; empty: none is.
  std::string fallback = {};
  bool symbolic() const { return !sizes.values().empty(); }
};

class SizeRules {
 public:
  // Null when every size is exact. Bad dims are InvalidArgument with the text and a caret's place.
  static StatusOr<std::unique_ptr<SizeRules>> Make(
      const std::string& function, const JitOptions& options,
      std::shared_ptr<const policy::FunctionPolicy> policy);

  // InvalidArgument names the argument, its dimension, what was declared and the value. Any thread.
  // `whole`: one program for all sizes that have buckets.
  StatusOr<SizedCall> Place(absl::Span<const Tensor* const> arguments, bool whole = false);

  // What to warm up with, for arguments like these: the shapes of the arguments, and the sizes of
  // the symbols as text.
  struct Warmup {
    std::vector<ir::Shape> shapes;
    std::string sizes;
  };
  StatusOr<std::vector<Warmup>> Warmups(absl::Span<const Tensor* const> like);

  // An op needs numbers for these symbols of `call`. True: Place will give them (automatic symbols
  // become exact alone; others if the policy lets them), so that the call may be tried again.
  // `why` is what the op says.
  bool Force(absl::Span<const ir::Symbol* const> symbols, std::string_view why);

  const policy::FunctionPolicy& policy() const { return *policy_; }
  policy::Mode mode() const { return mode_; }
  // Whether nobody declared dims.
  bool automatic() const { return automatic_; }

 private:
  // An extent of an argument: as it comes, a number, or an expression of symbols.
  struct DimRule {
    bool exact = false;
    ir::Dim dim = 0;
  };
  struct LeafRule {
    bool exact = false;  // all of it
    std::string text;    // as it was declared
    std::vector<DimRule> dims = {};
    std::optional<double> pad_value = {};
  };
  using Pattern = std::vector<LeafRule>;
  using SymbolSizes = std::map<std::string, int64_t>;

  SizeRules() = default;
  Status Declare(absl::Span<const std::string> dims);
  Status DeclareArguments();
  Status AddSymbols();
  StatusOr<SizedCall> PlaceIn(const Pattern& pattern, policy::Mode mode,
                              absl::Span<const Tensor* const> arguments) const;
  StatusOr<SizedCall> PlaceAutomatic(absl::Span<const Tensor* const> arguments);
  Status CheckCount(absl::Span<const Tensor* const> arguments) const;
  // One value of every symbol for each program.
  StatusOr<std::vector<SymbolSizes>> WarmupSizes() const;
  Status CheckLeaf(const Pattern& pattern, size_t leaf, const ir::Shape& shape) const;
  StatusOr<ir::SymbolBinding> Solve(const Pattern& pattern,
                                    absl::Span<const Tensor* const> arguments) const;

  std::string function_;
  std::shared_ptr<const policy::FunctionPolicy> policy_;
  policy::Mode mode_ = policy::Mode::kSymbolic;
  bool automatic_ = false;
  bool exact_when_forced_ = false;
  Pattern declared_;
  // The symbols of declared_, without ranges, and what they may be.
  std::vector<std::pair<const ir::Symbol*, policy::SymbolPolicy>> symbols_;

  bool whole_signature_ = false;       // declared_ has every tensor argument
  std::atomic<bool> given_up_{false};  // a declared symbol was forced: every size is exact

  std::mutex mutex_;  // guards what follows
  std::string given_up_why_;
  std::vector<Pattern> patterns_;  // automatic ones, in the order in which calls made them
  absl::flat_hash_set<std::pair<size_t, int>> forced_;  // (argument, dimension) that are exact now
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_SIZE_RULES_H_
