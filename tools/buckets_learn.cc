#include "tools/buckets_learn.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "cache/config.h"
#include "cache/policy/policy_text.h"
#include "tools/trace_functions.h"

namespace swage::tools {
namespace {

// A cost above all sums.
constexpr double kMostCost = 1e18;

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }
std::string Time(double ns) {
  if (ns >= 1e9) return absl::StrFormat("%.3g s", ns / 1e9);
  if (ns >= 1e6) return absl::StrFormat("%.3g ms", ns / 1e6);
  return ns >= 1e3 ? absl::StrFormat("%.3g us", ns / 1e3) : absl::StrFormat("%.3g ns", ns);
}

// A name for a symbol that no other one has.
std::string SymbolName(const std::string& function, size_t index, std::set<std::string>* taken) {
  const std::string name = policy::SymbolNameFor(function, static_cast<int>(index));
  std::string free = name;
  for (int i = 2; !taken->insert(free).second; ++i) free = absl::StrCat(name, "_", i);
  return free;
}

// Of one compile, of all functions whose compiles have a time; 0: there is none.
double MeanCompileNs(const policy::TraceContent& content) {
  double ns = 0, count = 0;
  for (const policy::TraceCompiles& compiles : content.compiles) {
    if (compiles.nanoseconds == 0) continue;
    ns += static_cast<double>(compiles.nanoseconds);
    count += static_cast<double>(compiles.count);
  }
  return count > 0 ? ns / count : 0;
}

// Why a function of this name has no table in a file.
std::string NameProblem(const std::string& function) {
  if (function.size() <= policy::kMaxFunctionName) return "cannot stand in this file";
  return absl::StrCat("is too long for a file: ", function.size(), " bytes, at most ",
                      policy::kMaxFunctionName);
}

class Learner {
 public:
  Learner(const LearnOptions& options, double mean_compile_ns)
      : options_(options), mean_compile_ns_(mean_compile_ns) {}

  Status Add(const TraceFunction& function) {
    absl::StrAppend(&text_, "\n# ", Printable(function.name), ": ", function.count, " calls, ",
                    function.calls.size(), " different\n");
    if (function.other_ranks > 0) {
      absl::StrAppend(&text_, "# ", function.other_ranks,
                      " calls with other numbers of dimensions are left out\n");
    }
    if (function.symbols.empty()) {
      text_ += "# its sizes are always the same: nothing to learn\n";
      return OkStatus();
    }
    const std::optional<std::string> key = policy::FunctionKey(function.name);
    if (!key.has_value()) {
      const std::string problem = NameProblem(function.name);
      absl::StrAppend(&text_, "# its name ", problem, "\n");
      if (left_out_.empty()) {
        left_out_ = absl::StrCat("the name '", Printable(function.name), "' ", problem);
      }
      return OkStatus();
    }
    std::vector<std::vector<int64_t>> bounds;
    std::vector<std::string> names;
    std::string symbols;
    for (size_t i = 0; i < function.symbols.size(); ++i) {
      names.push_back(SymbolName(function.name, i, &taken_));
      SWAGE_ASSIGN_OR_RETURN(const policy::BucketLearner learner,
                             policy::BucketLearner::Make(function.Sizes(static_cast<int>(i))));
      SWAGE_ASSIGN_OR_RETURN(policy::LearnedBuckets learned,
                             Learn(function, static_cast<int>(i), learner, &symbols));
      AppendSymbol(names.back(), function.symbols[i], learned.bounds, &symbols);
      bounds.push_back(std::move(learned.bounds));
    }
    AppendCost(function, CostOf(function, bounds));
    text_ += symbols;
    AppendFunction(function, *key, names);
    learned_ = true;
    return OkStatus();
  }

  // InvalidArgument when no function has anything to learn.
  StatusOr<std::string> Finish(const std::string& head) const {
    if (!learned_) {
      if (!left_out_.empty()) return InvalidArgument("[buckets] nothing to learn: ", left_out_);
      return InvalidArgument(
          "[buckets] nothing to learn: ",
          text_.empty() ? "no calls" : "no function was called with different sizes");
    }
    return head + text_;
  }

 private:
  StatusOr<policy::LearnedBuckets> Learn(const TraceFunction& function, int symbol,
                                         const policy::BucketLearner& learner,
                                         std::string* comment) {
    if (options_.k.has_value()) return learner.Best(*options_.k);
    SWAGE_ASSIGN_OR_RETURN(const double compile_ns, CompileNs(function, comment));
    std::optional<double> size_ns = options_.size_cost;
    if (!size_ns.has_value()) size_ns = function.SlopeNs(symbol);
    if (!size_ns.has_value()) {
      return InvalidArgument("[buckets] the trace has no times of '", Printable(function.name),
                             "', so what padding costs is not known: say with --size-cost what one "
                             "more of a dimension costs a call, in ns, or give -k");
    }
    const double cost = *size_ns > 0 ? std::min(compile_ns / *size_ns, kMostCost) : kMostCost;
    if (*size_ns > 0) {
      absl::StrAppend(comment, "\n# a compile of ", Time(compile_ns), " is worth ",
                      absl::StrFormat("%.4g", cost), " padded sizes of ", Time(*size_ns), " each");
    } else {
      *comment += "\n# the times do not grow with this size, so one bucket is enough";
    }
    return learner.BestWithCost(static_cast<int64_t>(std::llround(cost)));
  }

  StatusOr<double> CompileNs(const TraceFunction& function, std::string* comment) const {
    if (options_.compile_cost == "measured") {
      if (function.compile_ns > 0) return function.compile_ns;
      if (mean_compile_ns_ > 0) {
        *comment += "\n# no time of its own compiles; that of other functions counts";
        return mean_compile_ns_;
      }
      return InvalidArgument(
          "[buckets] the trace has no time of a compile; give --compile-cost in ms, or -k");
    }
    double ms = 0;
    const char* end = options_.compile_cost.data() + options_.compile_cost.size();
    const auto [at, error] = std::from_chars(options_.compile_cost.data(), end, ms);
    if (error != std::errc() || at != end || !(ms >= 0) || !std::isfinite(ms)) {
      return InvalidArgument("[buckets] --compile-cost is a number of ms or 'measured', got '",
                             options_.compile_cost, "'");
    }
    return ms * 1e6;
  }

  static void AppendSymbol(const std::string& name, const TraceSymbol& symbol,
                           const std::vector<int64_t>& bounds, std::string* out) {
    const auto [least, most] = std::minmax_element(symbol.sizes.begin(), symbol.sizes.end());
    absl::StrAppend(out, "\n# sizes from ", *least, " to ", *most,
                    "; larger ones are as `overflow` says\n", "[symbols.", name,
                    "]\nmax = ", bounds.back(), "\nbuckets = { kind = \"list\", sizes = [",
                    absl::StrJoin(bounds, ", "), "] }\n");
  }

  void AppendCost(const TraceFunction& function, const BucketCost& cost) {
    absl::StrAppend(&text_, "# expected compiles: ", cost.programs,
                    ", exact: ", function.calls.size());
    if (function.compile_ns > 0) {
      absl::StrAppend(&text_, "; ", Time(function.compile_ns), " each, so ",
                      Time(function.compile_ns * static_cast<double>(cost.programs)),
                      " instead of ",
                      Time(function.compile_ns * static_cast<double>(function.calls.size())));
    }
    absl::StrAppend(&text_, "\n# bucket waste, 1 - size / bucket: ", Percent(cost.bucket_waste),
                    " in the mean\n# physical waste: ", Percent(cost.physical_waste),
                    " of the elements, where arguments are padded; none on the CPU\n");
    if (const std::optional<double> mean = function.MeanNs()) {
      absl::StrAppend(&text_, "# latency of a call: ", Time(*mean), " as recorded, about ",
                      Time(*cost.padded_ns), " with the padding\n");
    } else {
      text_ += "# latency: the trace has no times\n";
    }
  }

  void AppendFunction(const TraceFunction& function, const std::string& key,
                      const std::vector<std::string>& names) {
    absl::StrAppend(&text_, "\n[", key, "]\nmode = \"bucket\"\n");
    for (size_t arg = 0; arg < function.dims.size(); ++arg) {
      const std::vector<int>& dims = function.dims[arg];
      const bool fixed = std::all_of(dims.begin(), dims.end(), [](int dim) { return dim < 0; });
      if (fixed) continue;
      std::vector<std::string> texts;
      for (const int dim : dims) texts.push_back(dim < 0 ? "" : names[dim]);
      text_ += policy::ArgText(key, static_cast<int>(arg), texts);
    }
  }

  const LearnOptions& options_;
  const double mean_compile_ns_;
  std::string text_;
  std::string left_out_;  // of the first function that varies and has no table: why
  std::set<std::string> taken_;
  bool learned_ = false;
};

}  // namespace

StatusOr<std::string> LearnConfig(const policy::TraceContent& content,
                                  const LearnOptions& options) {
  if (options.k.has_value() == !options.compile_cost.empty()) {
    return InvalidArgument("[buckets] give either -k or --compile-cost");
  }
  if (options.size_cost.has_value() &&
      !(*options.size_cost >= 0 && std::isfinite(*options.size_cost))) {
    return InvalidArgument("[buckets] --size-cost is a number of ns from 0, got ",
                           *options.size_cost);
  }
  Learner learner(options, MeanCompileNs(content));
  int64_t calls = 0;
  bool found = false;
  for (const TraceFunction& function : FunctionsOf(content)) {
    if (!options.function.empty() && function.name != options.function) continue;
    found = true;
    calls = std::min(calls + function.count, kMostCalls);
    SWAGE_RETURN_IF_ERROR(learner.Add(function));
  }
  if (!found && !options.function.empty()) {
    return NotFound("[buckets] the trace has no call of '", options.function, "'");
  }
  std::string head = absl::StrCat("# Learned by `swage buckets learn` from ", calls,
                                  " calls; see docs/buckets.md.\n");
  if (content.dropped > 0) {
    absl::StrAppend(&head, "# The trace was full: ", content.dropped,
                    " more calls are not in it.\n");
  }
  SWAGE_ASSIGN_OR_RETURN(std::string text, learner.Finish(head + "format = 1\n"));
  if (static_cast<int64_t>(text.size()) > cache::kMaxConfigBytes) {
    return InvalidArgument("[buckets] ", text.size(),
                           " bytes are more than a configuration file "
                           "may have (",
                           cache::kMaxConfigBytes, "); choose one with --function");
  }
  const StatusOr<cache::Config> config = cache::ParseConfig(text, "learned.toml");
  SWAGE_RET_CHECK(config.ok(), std::string(config.status().message()));
  return text;
}

}  // namespace swage::tools
