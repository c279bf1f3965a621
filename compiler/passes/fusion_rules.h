// File: compiler/passes/fusion_rules.h
//
// What priority fusion may not do, whatever it would gain. Every refusal has a rule id, a reason in
// words and the numbers behind it; `swage opt --fusion` prints them.
#ifndef SWAGE_COMPILER_PASSES_FUSION_RULES_H_
#define SWAGE_COMPILER_PASSES_FUSION_RULES_H_

#include <optional>
#include <string>

#include "compiler/passes/fusion_group.h"

namespace swage::passes {

inline constexpr int64_t kMaxFusionInstructions = 512;
inline constexpr int64_t kMaxFusionIrOps = 2000;
inline constexpr int64_t kMaxOperandsAndOutputs = 96;
inline constexpr int kMaxConcatenateOperands = 8;
// An expensive producer is not repeated in more consumers than this.
inline constexpr size_t kMaxExpensiveCopies = 4;

struct Veto {
  const char* rule;    // "reduce-reduce"
  std::string reason;  // "both contain a reduce (max.3, sum.7)"; empty unless it was asked for
};

// Whether the producer may be computed inside any kernel at all, which its root alone decides;
// nullopt: it may. `explain` asks for the reason in words, which is too slow for every question
// that the queue asks.
std::optional<Veto> CheckProducer(const Group& producer, bool explain);
// Whether it may be computed in this many kernels.
std::optional<Veto> CheckCopies(const Group& producer, size_t reader_count, bool explain);
// Whether it may be computed inside this consumer; `merged` are the figures of the result.
std::optional<Veto> CheckPair(const Group& producer, const Group& consumer,
                              const FusionGroups::Merged& merged, bool explain);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_FUSION_RULES_H_
