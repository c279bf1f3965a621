// File: cache/policy/policy.h
//
// What a configuration file says about the sizes of functions' arguments: which of them are exact,
// fall into buckets or stay symbolic, and the limits on what is compiled. docs/buckets.md describes
// the file; cache/config.h reads it.
//
//   std::shared_ptr<const FunctionPolicy> policy = policies->Find("encode");
//   if (policy->mode == Mode::kBucket) ...
//   const SymbolPolicy* seq = policy->FindSymbol("seq");
//   SWAGE_ASSIGN_OR_RETURN(const Placement place, PlaceSize(*policy, Mode::kBucket, *seq, 33));
//   place.range;        // {33, 48}: compile for these sizes, and find the program under them
//
// Everything here is plain data that never changes once a file was read: a PolicySet is one reading
// of it, shared by whoever uses it, and a later reading is another PolicySet.
#ifndef SWAGE_CACHE_POLICY_POLICY_H_
#define SWAGE_CACHE_POLICY_POLICY_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cache/policy/bucket_sizes.h"

namespace swage::policy {

inline constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// What a program is compiled for.
enum class Mode {
  kExact,     // the very sizes of the call
  kBucket,    // for each symbol the sizes of one bucket
  kSymbolic,  // for each symbol all the sizes that it may have
};
// A size above a symbol's max.
enum class Overflow {
  kExact,     // this size is exact
  kError,     // the call is an error
  kMultiple,  // buckets go on, at the multiples of overflow_multiple
};
// An operation without a rule for sizes that are not fixed.
enum class Unpaddable { kExact, kError };
// A miss when max_compiles is reached.
enum class OnLimit {
  kError,
  kLargestBucket,  // run what was compiled for the largest bucket, where there is one
  kInterpret,
};
// As swage::OnMiss in runtime/jit.h, which users include and this file cannot; runtime/program.cc
// converts.
enum class OnMiss { kWait, kBackground, kError, kExact };

// "exact", "largest-bucket", ...: as in the file; "" for what is no value.
std::string_view ModeName(Mode mode);
std::string_view OverflowName(Overflow overflow);
std::string_view UnpaddableName(Unpaddable unpaddable);
std::string_view OnLimitName(OnLimit on_limit);
std::string_view OnMissName(OnMiss on_miss);
// The names of all values, in their order: NamesOf(ModeName).
template <typename Enum>
std::vector<std::string_view> NamesOf(std::string_view (*name)(Enum)) {
  std::vector<std::string_view> names;
  for (int i = 0; !name(static_cast<Enum>(i)).empty(); ++i) {
    names.push_back(name(static_cast<Enum>(i)));
  }
  return names;
}

// A named extent: one size per call, the same in every dimension that has the name.
struct SymbolPolicy {
  std::string name;
  int64_t min = 0;           // a smaller size is an error of the call; but see PlaceSize for 0
  int64_t max = kUnbounded;  // a larger one: Overflow
  int64_t multiple_of = 1;   // another size is an error of the call
  // A usual size: what decisions are made for; min <= hint <= max.
  std::optional<int64_t> hint = {};
  BucketKind kind = BucketKind::kGeometric;  // as it was written; `learned` is kList here
  Buckets buckets = {};                      // from min to max
};

// What a symbol is that only code names: DefaultBucketSpec over its range.
StatusOr<SymbolPolicy> DefaultSymbol(std::string_view name, int64_t min = 0,
                                     int64_t max = kUnbounded);

// A dimension of an argument.
struct DimSpec {
  enum class Kind {
    kSymbol,  // `symbol`
    kSize,    // must be `size`, else the call is an error
    kExact,   // "*": any size, and every size has programs of its own
  };
  Kind kind = Kind::kExact;
  std::string symbol = {};
  int64_t size = 0;
  friend bool operator==(const DimSpec&, const DimSpec&) = default;
};

// An argument, by its position among the flattened tensor arguments or by its name. Arguments that
// are not listed have exact dimensions.
struct ArgPolicy {
  std::optional<int> index = {};  // exactly one of index and name is given
  std::string name = {};
  std::vector<DimSpec> dims = {};  // one for each dimension; another rank is an error of the call
  std::optional<double> pad_value = {};
};

// Sizes to compile ahead: every combination of one size of each axis.
struct WarmupAxis {
  std::string symbol;
  std::vector<int64_t> sizes;  // "all" of the file: every bucket's bound
};
struct WarmupSet {
  std::vector<WarmupAxis> axes;
};

// What applies to one function: its table in the file over [defaults] over the built-in values.
// Where an optional is not set, the file says nothing; options of the API and of the environment
// beat the file in any case.
struct FunctionPolicy {
  std::string pattern = {};  // the table's name; empty: [defaults] alone
  std::optional<Mode> mode = {};
  std::optional<OnMiss> on_miss = {};
  std::optional<int64_t> max_compiles = {};  // of keys, exact fallbacks included; 0: no limit
  std::optional<Unpaddable> unpaddable = {};
  OnLimit on_limit = OnLimit::kError;
  Overflow overflow = Overflow::kExact;
  int64_t overflow_multiple = 0;  // at least 1 with Overflow::kMultiple, else 0
  // A call whose arguments, physically padded, would consist of more than this share of padding is
  // compiled for its exact sizes instead. 1: no limit.
  double max_waste = 1;
  // What padded lanes hold where physical padding happens; results never depend on it.
  double pad_value = 0;
  std::vector<ArgPolicy> args = {};
  std::vector<WarmupSet> warmup = {};
  // All that the file defines, with this function's changes; sorted by name.
  std::vector<std::shared_ptr<const SymbolPolicy>> symbols = {};

  // Null when there is none.
  const SymbolPolicy* FindSymbol(std::string_view name) const;
};

// The sizes that the program for a call is made for.
struct Placement {
  SizeRange range;
  bool fallback = false;  // an exact program, though buckets or a symbol were asked for
  friend bool operator==(const Placement&, const Placement&) = default;
};

// Where a size of `symbol` belongs under `mode`:
//   exact      the size itself
//   symbolic   [min, max]
//   bucket     the range of its bucket
// A size above max is as function.overflow says. Size 0 below min has a program of its own
// (fallback). InvalidArgument, "'seq' is 9, which is not a multiple of 8 ...", when the size is
// below min, not a multiple, or above max with Overflow::kError.
StatusOr<Placement> PlaceSize(const FunctionPolicy& function, Mode mode, const SymbolPolicy& symbol,
                              int64_t size);

// The largest size that shares a program with `size`; `size` itself where PlaceSize gives an error.
int64_t BoundOf(const FunctionPolicy& function, Mode mode, const SymbolPolicy& symbol,
                int64_t size);

// How many programs serve all sizes of the symbol, as far as it has a max.
int64_t CountPrograms(const SymbolPolicy& symbol, Mode mode);
// The largest size of each of them; `symbol` has a max. As many as CountPrograms at most.
std::vector<int64_t> SizeOfEachProgram(const SymbolPolicy& symbol, Mode mode);

// The number of programs of the warm-up, each counted once; under `mode` several sizes may share
// one. Counts no further than `limit`.
int64_t CountWarmup(const FunctionPolicy& function, Mode mode, int64_t limit);
// Their sizes: for each program one value of every symbol, by name, in the order of the file.
std::vector<std::map<std::string, int64_t>> WarmupSizes(const FunctionPolicy& function, Mode mode);

// All policies of one file.
class PolicySet {
 public:
  using Functions = std::vector<std::shared_ptr<const FunctionPolicy>>;

  // Policies of no file: built-in values for every function.
  static std::shared_ptr<const PolicySet> None();

  // `defaults` applies where no function's pattern matches. No two patterns of the same rank may
  // match one name (glob.h).
  PolicySet(std::shared_ptr<const FunctionPolicy> defaults, Functions functions,
            std::vector<std::string> warnings);

  // Never null. The pattern that says most about the name wins; it is not merged with others.
  std::shared_ptr<const FunctionPolicy> Find(std::string_view function) const;

  const std::shared_ptr<const FunctionPolicy>& defaults() const { return defaults_; }
  // In the order in which they win.
  const Functions& functions() const { return functions_; }
  // What is allowed, but likely not meant: "swage.toml:9:1: warning: ...".
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::shared_ptr<const FunctionPolicy> defaults_;
  Functions functions_;
  std::map<std::string, std::shared_ptr<const FunctionPolicy>, std::less<>> exact_;
  std::vector<std::string> warnings_;
};

}  // namespace swage::policy

#endif  // SWAGE_CACHE_POLICY_POLICY_H_
