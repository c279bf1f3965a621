// File: tools/trace_functions.h
//
// What a trace of shapes says of each function: which dimensions vary, which of them always have
// the same size, and what buckets for them would cost.
//
//   for (const TraceFunction& function : FunctionsOf(content)) {
//     SWAGE_ASSIGN_OR_RETURN(const policy::BucketLearner learner,
//                            policy::BucketLearner::Make(function.Sizes(0)));
//     const BucketCost cost = CostOf(function, {learner.Best(6).bounds});
//   }
#ifndef SWAGE_TOOLS_TRACE_FUNCTIONS_H_
#define SWAGE_TOOLS_TRACE_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/policy/learn.h"
#include "cache/policy/shape_trace.h"

namespace swage::tools {

// Hostile traces may claim more calls than can be added up; more are not counted.
inline constexpr int64_t kMostCalls = int64_t{1} << 60;

// Dimensions that vary, and that have the same size as one another in every call.
struct TraceSymbol {
  std::vector<int64_t> sizes;  // one for each of the function's calls
};

struct TraceFunction {
  std::string name;
  std::vector<const policy::TraceCall*> calls;  // into the content; all of the same ranks
  int64_t count = 0;                            // of these calls
  int64_t other_ranks = 0;  // calls with other ranks than most, which are left out
  std::vector<TraceSymbol> symbols;
  std::vector<std::vector<int>> dims;  // for each argument and dimension its symbol, or -1
  double compile_ns = 0;               // of one compile; 0: not measured

  // What buckets of a symbol are learned from.
  std::vector<policy::SizeCount> Sizes(int symbol) const;
  // The time of a call, where the trace has the times of all calls.
  std::optional<double> MeanNs() const;
  // How much a call's time grows with one more of the symbol, in ns; by least squares.
  std::optional<double> SlopeNs(int symbol) const;
};

// In order of the names. `content` must outlive them.
std::vector<TraceFunction> FunctionsOf(const policy::TraceContent& content);

// What the calls of the trace would have cost with buckets.
struct BucketCost {
  int64_t programs = 0;       // that the calls need
  double bucket_waste = 0;    // 1 - size / bucket, the mean over calls and symbols
  double physical_waste = 0;  // share of padding, if every argument were padded to its buckets
  std::optional<double> padded_ns;  // the time of a call then, as far as the recorded times tell
};
// `bounds`: for each symbol; the last of each is at least the largest size.
BucketCost CostOf(const TraceFunction& function, const std::vector<std::vector<int64_t>>& bounds);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_TRACE_FUNCTIONS_H_
