#include "tools/trace_functions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cache/policy/bucket_sizes.h"

namespace swage::tools {
namespace {

using policy::TraceCall;
using policy::TraceContent;

std::vector<size_t> RanksOf(const TraceCall& call) {
  std::vector<size_t> ranks;
  for (const auto& dims : call.args) ranks.push_back(dims.size());
  return ranks;
}

// Names the dimensions that vary; those that never differ from one another share a symbol.
void FindSymbols(TraceFunction* function) {
  std::map<std::vector<int64_t>, int> known;
  const TraceCall& first = *function->calls[0];
  function->dims.resize(first.args.size());
  for (size_t arg = 0; arg < first.args.size(); ++arg) {
    for (size_t dim = 0; dim < first.args[arg].size(); ++dim) {
      std::vector<int64_t> sizes;
      for (const TraceCall* call : function->calls) sizes.push_back(call->args[arg][dim]);
      const bool varies =
          std::any_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size != sizes[0]; });
      int symbol = -1;
      if (varies) {
        const auto [at, is_new] = known.try_emplace(sizes, static_cast<int>(known.size()));
        symbol = at->second;
        if (is_new) function->symbols.push_back({std::move(sizes)});
      }
      function->dims[arg].push_back(symbol);
    }
  }
}

// A line through points that have weights.
class Fit {
 public:
  void Add(double x, double y, double weight) {
    weight_ += weight;
    x_ += weight * x;
    y_ += weight * y;
    xx_ += weight * x * x;
    xy_ += weight * x * y;
  }
  // 0 when all points are above one another.
  double slope() const {
    const double spread = weight_ * xx_ - x_ * x_;
    return spread > 0 ? (weight_ * xy_ - x_ * y_) / spread : 0;
  }

 private:
  double weight_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0;
};

double MeanOf(const TraceCall& call) {
  return static_cast<double>(call.nanoseconds) / static_cast<double>(call.count);
}

// The elements of all arguments of a call; `size` gives a dimension's size.
template <typename Size>
double Elements(const TraceFunction& function, size_t call, Size size) {
  double elements = 0;
  const auto& args = function.calls[call]->args;
  for (size_t arg = 0; arg < args.size(); ++arg) {
    double product = 1;
    for (size_t dim = 0; dim < args[arg].size(); ++dim) {
      product *= static_cast<double>(size(function.dims[arg][dim], args[arg][dim]));
    }
    elements += product;
  }
  return elements;
}

}  // namespace

std::vector<policy::SizeCount> TraceFunction::Sizes(int symbol) const {
  std::vector<policy::SizeCount> sizes;
  for (size_t i = 0; i < calls.size(); ++i) {
    sizes.push_back({symbols[symbol].sizes[i], calls[i]->count});
  }
  return sizes;
}

std::optional<double> TraceFunction::MeanNs() const {
  double sum = 0;
  for (const TraceCall* call : calls) {
    if (call->nanoseconds == 0) return std::nullopt;
    sum += static_cast<double>(call->nanoseconds);
  }
  return sum / static_cast<double>(count);
}

std::optional<double> TraceFunction::SlopeNs(int symbol) const {
  if (!MeanNs().has_value()) return std::nullopt;
  Fit fit;
  for (size_t i = 0; i < calls.size(); ++i) {
    fit.Add(static_cast<double>(symbols[symbol].sizes[i]), MeanOf(*calls[i]),
            static_cast<double>(calls[i]->count));
  }
  return fit.slope();
}

std::vector<TraceFunction> FunctionsOf(const TraceContent& content) {
  std::map<std::string, std::map<std::vector<size_t>, std::vector<const TraceCall*>>> by_name;
  for (const TraceCall& call : content.calls) {
    by_name[call.function][RanksOf(call)].push_back(&call);
  }
  std::map<std::string, double> compile_ns;
  for (const policy::TraceCompiles& compiles : content.compiles) {
    compile_ns[compiles.function] =
        static_cast<double>(compiles.nanoseconds) / static_cast<double>(compiles.count);
  }
  std::vector<TraceFunction> functions;
  for (const auto& [name, by_ranks] : by_name) {
    TraceFunction& function = functions.emplace_back();
    function.name = name;
    function.compile_ns = compile_ns[name];
    int64_t all = 0;
    for (const auto& [ranks, calls] : by_ranks) {
      int64_t count = 0;
      for (const TraceCall* call : calls) count = std::min(count + call->count, kMostCalls);
      all = std::min(all + count, 2 * kMostCalls);
      if (count <= function.count) continue;
      function.count = count;
      function.calls = calls;
    }
    function.other_ranks = all - function.count;
    FindSymbols(&function);
  }
  return functions;
}

BucketCost CostOf(const TraceFunction& function, const std::vector<std::vector<int64_t>>& bounds) {
  const auto bucket = [&](int symbol, int64_t size) {
    if (symbol < 0) return size;
    const std::vector<int64_t>& all = bounds[symbol];
    return *std::lower_bound(all.begin(), all.end(), size);
  };
  std::set<std::vector<int64_t>> programs;
  double waste = 0, valid = 0, physical = 0;
  Fit time;
  for (size_t i = 0; i < function.calls.size(); ++i) {
    const auto count = static_cast<double>(function.calls[i]->count);
    std::vector<int64_t> program;
    for (size_t symbol = 0; symbol < function.symbols.size(); ++symbol) {
      const int64_t size = function.symbols[symbol].sizes[i];
      program.push_back(bucket(static_cast<int>(symbol), size));
      waste += count * policy::BucketWaste(size, program.back()) /
               static_cast<double>(function.symbols.size());
    }
    programs.insert(std::move(program));
    const double elements = Elements(function, i, [](int, int64_t size) { return size; });
    valid += count * elements;
    physical += count * Elements(function, i, bucket);
    time.Add(elements, MeanOf(*function.calls[i]), count);
  }
  BucketCost cost;
  cost.programs = static_cast<int64_t>(programs.size());
  cost.bucket_waste = waste / static_cast<double>(function.count);
  cost.physical_waste = physical > 0 ? 1 - valid / physical : 0;
  if (const std::optional<double> mean = function.MeanNs()) {
    // What padding adds; a slope below zero is noise.
    cost.padded_ns = *mean + std::max(0.0, time.slope()) * (physical - valid) /
                                 static_cast<double>(function.count);
  }
  return cost;
}

}  // namespace swage::tools
