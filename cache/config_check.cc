// The checks of a function's arguments and warm-up against the symbols.
#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "cache/config_functions.h"

namespace swage::cache {
namespace {

using policy::DimSpec;
using policy::FunctionPolicy;
using policy::Mode;
using policy::SizeRange;
using policy::SymbolPolicy;
using policy::WarmupAxis;
using policy::WarmupSet;

// Programs that one function may have compiled ahead without a max_compiles.
constexpr int64_t kMaxWarmup = 4096;
// Names that are longer than this are no slips.
constexpr size_t kMaxHintedName = 64;

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? policy::kUnbounded : product;
}

// "11 batch x 14 seq".
struct Product {
  int64_t count = 1;
  std::string text;
  void Times(int64_t factor, std::string_view name) {
    count = SaturatingProduct(count, factor);
    absl::StrAppend(&text, text.empty() ? "" : " x ", factor, " ", ToAbsl(name));
  }
};

class FunctionChecker {
 public:
  FunctionChecker(const FunctionTable& table, const std::set<std::string, std::less<>>& declared,
                  Problems& problems, FunctionPolicy* function)
      : table_(table),
        declared_(declared),
        problems_(problems),
        function_(*function),
        mode_(function->mode.value_or(Mode::kBucket)) {}

  void Check() {
    CheckArgs();
    CheckChanges();
    WarnOfProduct();
    CheckWarmup();
  }

 private:
  std::string Hint(std::string_view name) const {
    if (name.size() > kMaxHintedName) return "";
    return DidYouMean(name, std::vector<std::string>(declared_.begin(), declared_.end()));
  }

  void CheckArgs() {
    for (const ArgTable& arg : table_.args) {
      for (size_t i = 0; i < arg.arg.dims.size(); ++i) {
        const DimSpec& dim = arg.arg.dims[i];
        if (dim.kind != DimSpec::Kind::kSymbol) continue;
        used_.insert(dim.symbol);
        if (declared_.contains(dim.symbol)) continue;
        problems_.Error(arg.dim_places[i],
                        absl::StrCat(arg.name, ".dims[", i, "]: undefined symbol ",
                                     Quoted(dim.symbol), Hint(dim.symbol)));
      }
      function_.args.push_back(arg.arg);
    }
  }

  // A change of a symbol that no argument has does nothing.
  void CheckChanges() {
    if (table_.args.empty()) return;
    for (const auto& [name, symbol] : table_.symbols) {
      if (used_.contains(name)) continue;
      problems_.Error(symbol.place,
                      absl::StrCat(symbol.name, ": no argument of this function has a dimension ",
                                   Quoted(name)));
    }
  }

  int64_t limit() const { return function_.max_compiles.value_or(0); }
  // Of programs that are warmed up.
  int64_t MostWarmup() const { return limit() == 0 ? kMaxWarmup : limit(); }
  std::string MostWarmupText() const {
    return limit() == 0 ? absl::StrCat(kMaxWarmup) : absl::StrCat("max_compiles (", limit(), ")");
  }

  // They are compiled when they are first called, so it is no error yet.
  void WarnOfProduct() {
    if (mode_ != Mode::kBucket || limit() == 0) return;
    Product product;
    for (const std::string& name : used_) {
      const SymbolPolicy* symbol = function_.FindSymbol(name);
      if (symbol == nullptr) return;
      product.Times(policy::CountPrograms(*symbol, mode_), name);
    }
    if (product.text.empty() || product.count <= limit()) return;
    problems_.Warning(table_.place,
                      absl::StrCat(table_.name, ": ", product.text, " = ", product.count,
                                   " buckets are more than max_compiles (", limit(), ")"));
  }

  void CheckWarmup() {
    bool fine = true;
    for (const WarmupTable& table : table_.warmup) {
      WarmupSet set;
      for (const WarmupValue& value : table.values) {
        std::optional<WarmupAxis> axis = CheckAxis(value);
        if (axis.has_value()) set.axes.push_back(*std::move(axis));
      }
      if (set.axes.size() == table.values.size() && CheckAllNamed(table) && CheckSet(table, set)) {
        function_.warmup.push_back(std::move(set));
      } else {
        fine = false;
      }
    }
    // Each of them alone is small enough.
    if (!fine || function_.warmup.size() < 2) return;
    const int64_t most = MostWarmup();
    if (policy::CountWarmup(function_, mode_, most + 1) <= most) return;
    problems_.Error(*table_.warmup_place,
                    absl::StrCat(table_.name, ".warmup: all sets together need more than ",
                                 MostWarmupText(), " programs"));
  }

  bool CheckAllNamed(const WarmupTable& table) {
    if (table_.args.empty()) return true;
    bool fine = true;
    for (const std::string& name : used_) {
      const bool named = std::any_of(table.values.begin(), table.values.end(),
                                     [&](const WarmupValue& v) { return v.symbol == name; });
      if (named) continue;
      fine = false;
      problems_.Error(table.place, absl::StrCat(table.name, ": no size for ", Quoted(name)));
    }
    return fine;
  }

  std::optional<WarmupAxis> CheckAxis(const WarmupValue& value) {
    const SymbolPolicy* symbol = function_.FindSymbol(value.symbol);
    std::string problem;
    if (symbol == nullptr) {
      if (declared_.contains(value.symbol)) return std::nullopt;
      problem = absl::StrCat("undefined symbol ", Quoted(value.symbol), Hint(value.symbol));
    } else if (!table_.args.empty() && !used_.contains(value.symbol)) {
      problem = absl::StrCat("no argument of this function has a dimension ", Quoted(value.symbol));
    } else if (value.all) {
      problem = WhyNotAll(*symbol);
    } else {
      for (const int64_t size : value.sizes) {
        if (problem.empty()) problem = WhyNotSize(*symbol, size);
      }
    }
    if (!problem.empty()) {
      problems_.Error(value.place, absl::StrCat(value.name, ": ", problem));
      return std::nullopt;
    }
    return WarmupAxis{value.symbol,
                      value.all ? policy::SizeOfEachProgram(*symbol, mode_) : value.sizes};
  }

  std::string WhyNotAll(const SymbolPolicy& symbol) const {
    if (mode_ == Mode::kExact) return "'all' needs buckets, and mode is 'exact'";
    if (symbol.max == policy::kUnbounded) {
      return absl::StrCat("'all' needs the largest size: symbols.", symbol.name, ".max");
    }
    const int64_t count = policy::CountPrograms(symbol, mode_);
    if (count <= policy::kMaxBuckets) return "";
    return absl::StrCat("'all' are ", count, " sizes, more than ", policy::kMaxBuckets);
  }

  static std::string WhyNotSize(const SymbolPolicy& symbol, int64_t size) {
    if (size > symbol.max) return absl::StrCat(size, " is above max (", symbol.max, ")");
    if (size < symbol.min && size != 0) {
      return absl::StrCat(size, " is below min (", symbol.min, ")");
    }
    if (size % symbol.multiple_of == 0) return "";
    return absl::StrCat(size, " is not a multiple of ", symbol.multiple_of);
  }

  // The number of programs that the sizes need.
  int64_t Programs(const WarmupAxis& axis) const {
    const SymbolPolicy& symbol = *function_.FindSymbol(axis.symbol);
    std::set<int64_t> bounds;
    for (const int64_t size : axis.sizes) {
      bounds.insert(policy::BoundOf(function_, mode_, symbol, size));
    }
    return static_cast<int64_t>(bounds.size());
  }

  bool CheckSet(const WarmupTable& table, const WarmupSet& set) {
    Product product;
    for (const WarmupAxis& axis : set.axes) product.Times(Programs(axis), axis.symbol);
    if (product.count <= MostWarmup()) return true;
    problems_.Error(table.place, absl::StrCat(table.name, ": ", product.text, " = ", product.count,
                                              " programs are more than ", MostWarmupText()));
    return false;
  }

  const FunctionTable& table_;
  const std::set<std::string, std::less<>>& declared_;
  Problems& problems_;
  FunctionPolicy& function_;
  const Mode mode_;                          // what is not said may still be chosen in code
  std::set<std::string, std::less<>> used_;  // symbols of the arguments
};

}  // namespace

void FinishFunction(const FunctionTable& table, const std::set<std::string, std::less<>>& declared,
                    Problems& problems, FunctionPolicy* function) {
  FunctionChecker(table, declared, problems, function).Check();
}

}  // namespace swage::cache
