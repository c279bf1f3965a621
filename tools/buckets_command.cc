#include "tools/buckets_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/files.h"
#include "cache/config.h"
#include "cache/policy/learn.h"
#include "tools/buckets_plot.h"

namespace swage::tools {
namespace {

using policy::FunctionPolicy;
using policy::Mode;
using policy::SymbolPolicy;

// Longer tables are cut in the middle.
constexpr size_t kMostRows = 40;

std::string SizeText(int64_t size) {
  return size == policy::kUnbounded ? "any" : absl::StrCat(size);
}

void AppendRow(const SymbolPolicy& symbol, size_t index, std::string* out) {
  const policy::SizeRange range = symbol.buckets.RangeAt(index);
  if (range.high == policy::kUnbounded) {
    absl::StrAppendFormat(out, "  %10d %10s\n", range.low, "any");
    return;
  }
  const auto [low, high] = policy::MultiplesIn(range, symbol.multiple_of);
  if (low > high) {
    absl::StrAppendFormat(out, "  %10d %10d    no size\n", range.low, range.high);
    return;
  }
  const double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
  const double expected = range.high == 0 ? 0 : 1 - middle / static_cast<double>(range.high);
  absl::StrAppendFormat(out, "  %10d %10d %8.1f %% %8.1f %%\n", range.low, range.high,
                        100 * policy::BucketWaste(low, range.high), 100 * expected);
}

void AppendSymbol(const std::string& name, const SymbolPolicy& symbol, std::string* out) {
  const std::vector<int64_t>& bounds = symbol.buckets.bounds();
  absl::StrAppend(out, name, ": ", symbol.min, " to ", SizeText(symbol.max));
  if (symbol.multiple_of > 1) absl::StrAppend(out, ", multiples of ", symbol.multiple_of);
  if (symbol.buckets.exact()) {
    *out += ", every size is a bucket\n\n";
    return;
  }
  absl::StrAppend(out, ", ", ToAbsl(policy::BucketKindName(symbol.kind)), ", ", bounds.size(),
                  bounds.size() == 1 ? " bucket\n" : " buckets\n");
  absl::StrAppendFormat(out, "  %10s %10s %10s %10s\n", "from", "to", "worst", "expected");
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds.size() > kMostRows && i == kMostRows / 2) {
      const size_t left_out = bounds.size() - kMostRows;
      absl::StrAppendFormat(out, "  %10s %10s    (%d more)\n", "...", "...", left_out);
      i += left_out;
    }
    AppendRow(symbol, i, out);
  }
  *out += "\n";
}

// "7 batch x 14 seq = 98 programs".
std::string ProgramsText(const FunctionPolicy& function) {
  const Mode mode = function.mode.value_or(Mode::kBucket);
  std::set<std::string> names;
  for (const policy::ArgPolicy& arg : function.args) {
    for (const policy::DimSpec& dim : arg.dims) {
      if (dim.kind == policy::DimSpec::Kind::kSymbol) names.insert(dim.symbol);
    }
  }
  if (names.empty()) return "no sizes are named";
  if (mode == Mode::kSymbolic) return "one program for all sizes";
  std::vector<std::string> factors;
  double product = 1;
  for (const std::string& name : names) {
    const SymbolPolicy& symbol = *function.FindSymbol(name);
    if (mode == Mode::kExact || symbol.buckets.exact()) return "a program for every size";
    const size_t count = symbol.buckets.bounds().size();
    product *= static_cast<double>(count);
    factors.push_back(absl::StrCat(count, " ", name));
  }
  return absl::StrCat(absl::StrJoin(factors, " x "),
                      factors.size() > 1 ? absl::StrFormat(" = %.9g", product) : "", " programs");
}

void AppendFunction(const FunctionPolicy& function, const std::string& name, std::string* out) {
  absl::StrAppend(
      out, name, ": ",
      function.mode.has_value() ? std::string(policy::ModeName(*function.mode)) : "mode as in code",
      ", ", ProgramsText(function));
  if (function.max_compiles.value_or(0) > 0) {
    absl::StrAppend(out, ", at most ", *function.max_compiles);
  }
  if (!function.warmup.empty()) {
    const Mode mode = function.mode.value_or(Mode::kBucket);
    absl::StrAppend(out, ", ", policy::CountWarmup(function, mode, policy::kUnbounded),
                    " of them warmed up");
  }
  absl::StrAppend(out, "; above max: ", ToAbsl(policy::OverflowName(function.overflow)));
  if (function.overflow == policy::Overflow::kMultiple) {
    absl::StrAppend(out, " of ", function.overflow_multiple);
  }
  *out += "\n";
}

// What check prints.
std::string PolicyTables(const policy::PolicySet& policies) {
  std::string text;
  const auto& shared = policies.defaults()->symbols;
  for (const auto& symbol : shared) AppendSymbol(symbol->name, *symbol, &text);
  for (const auto& function : policies.functions()) {
    for (const auto& symbol : function->symbols) {
      if (std::find(shared.begin(), shared.end(), symbol) != shared.end()) continue;
      AppendSymbol(function->pattern + "." + symbol->name, *symbol, &text);
    }
  }
  for (const auto& function : policies.functions()) {
    AppendFunction(*function, function->pattern, &text);
  }
  AppendFunction(*policies.defaults(), "all other functions", &text);
  return text;
}

}  // namespace

StatusOr<ExitCode> RunBucketsCheck(const std::string& file) {
  const StatusOr<cache::Config> config = cache::LoadConfig(file);
  if (config.status().code() == absl::StatusCode::kInvalidArgument) {
    // As they are, so that an editor finds the places.
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return kUserFault;
  }
  SWAGE_RETURN_IF_ERROR(config.status());
  for (const std::string& warning : config->policies->warnings()) {
    std::fprintf(stderr, "%s\n", warning.c_str());
  }
  std::fputs(PolicyTables(*config->policies).c_str(), stdout);
  return kFine;
}

StatusOr<ExitCode> RunBucketsLearn(const LearnOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const policy::TraceContent content,
                         policy::ShapeTrace::Load(options.trace));
  SWAGE_ASSIGN_OR_RETURN(const std::string text, LearnConfig(content, options));
  std::fputs(text.c_str(), stdout);
  return kFine;
}

StatusOr<ExitCode> RunBucketsPlot(const PlotOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const policy::TraceContent content,
                         policy::ShapeTrace::Load(options.trace));
  SWAGE_ASSIGN_OR_RETURN(const std::string svg, PlotBuckets(content, options.function));
  SWAGE_RETURN_IF_ERROR(WriteNamedFile(options.output, svg, IfSpecial::kWriteThrough));
  return kFine;
}

void AddBucketsCommand(CLI::App& app, Action* chosen) {
  CLI::App* command =
      app.add_subcommand("buckets", "Policies for the sizes of arguments: checks and learns them");

  auto file = std::make_shared<std::string>();
  CLI::App* check = command->add_subcommand(
      "check", "The problems of a configuration file, or its buckets and what they waste");
  check->add_option("FILE", *file, "The file")->required();
  check->callback([=] { *chosen = [=] { return RunBucketsCheck(*file); }; });

  auto learn_options = std::make_shared<LearnOptions>();
  CLI::App* learn = command->add_subcommand(
      "learn", "Prints a configuration file with the best buckets for a trace of shapes");
  learn->add_option("TRACE", learn_options->trace, "The recorded shapes")->required();
  CLI::Option* k = learn->add_option("-k", learn_options->k, "Buckets of each size that varies")
                       ->check(CLI::Range(1, policy::kMaxLearnedBuckets));
  learn
      ->add_option("--compile-cost", learn_options->compile_cost,
                   "What a compile takes, in ms, or 'measured'; chooses how many buckets pay")
      ->excludes(k);
  learn
      ->add_option("--size-cost", learn_options->size_cost,
                   "ns that one more of a dimension adds to a call; default: as recorded")
      ->check(CLI::NonNegativeNumber);
  learn->add_option("--function", learn_options->function, "This function alone");
  learn->callback([=] { *chosen = [=] { return RunBucketsLearn(*learn_options); }; });

  auto plot_options = std::make_shared<PlotOptions>();
  CLI::App* plot =
      command->add_subcommand("plot", "Padding and programs against the number of buckets, as SVG");
  plot->add_option("TRACE", plot_options->trace, "The recorded shapes")->required();
  plot->add_option("-o,--output", plot_options->output, "The file to write")->required();
  plot->add_option("--function", plot_options->function, "This function alone");
  plot->callback([=] { *chosen = [=] { return RunBucketsPlot(*plot_options); }; });

  NeedSubcommand(command, chosen);
}

}  // namespace swage::tools
