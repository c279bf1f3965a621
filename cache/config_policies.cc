#include "cache/config_policies.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cache/config_functions.h"
#include "cache/config_symbols.h"
#include "cache/policy/glob.h"
#include "cache/policy/policy_text.h"

namespace swage::cache {
namespace {

using policy::ArgPolicy;
using policy::FunctionPolicy;
using policy::PolicySet;
using policy::SizeCount;
using policy::TraceCall;
using policy::TraceContent;

// Every two of them are compared.
constexpr size_t kMaxGlobs = 128;

std::vector<FunctionTable> ReadFunctions(const TableReader& table) {
  Problems& problems = table.problems();
  std::vector<FunctionTable> functions;
  for (const auto& [key, node] : table.table()) {
    const std::string_view pattern = key.str();
    if (pattern.empty() || pattern.size() > policy::kMaxFunctionName) {
      problems.Error(key.source().begin,
                     absl::StrCat("functions: a name has 1 to ", policy::kMaxFunctionName,
                                  " bytes, got ", pattern.size()));
      continue;
    }
    const std::string name = table.NameOf(pattern);
    const toml::table* function = TableReader::AsTable(node, name, problems);
    if (function == nullptr) continue;
    functions.push_back(ReadFunction(TableReader(*function, name, problems), pattern));
  }
  return functions;
}

// Two patterns of one rank that match one name leave open which of them holds.
void CheckPatterns(const std::vector<FunctionTable>& functions, Problems& problems) {
  std::vector<const FunctionTable*> globs;
  for (const FunctionTable& function : functions) {
    if (policy::IsGlob(function.pattern)) globs.push_back(&function);
  }
  std::stable_sort(globs.begin(), globs.end(),
                   [](const auto* a, const auto* b) { return a->place < b->place; });
  if (globs.size() > kMaxGlobs) {
    problems.Error(globs[kMaxGlobs]->place,
                   absl::StrCat("functions: more than ", kMaxGlobs, " patterns with '*' or '?'"));
    return;
  }
  for (size_t i = 0; i < globs.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (policy::GlobRank(globs[i]->pattern) != policy::GlobRank(globs[j]->pattern) ||
          !policy::GlobsOverlap(globs[i]->pattern, globs[j]->pattern)) {
        continue;
      }
      problems.Error(globs[i]->place,
                     absl::StrCat("functions: ", Quoted(globs[i]->pattern), " says as much as ",
                                  Quoted(globs[j]->pattern), " in line ", globs[j]->place.line,
                                  ", and some names match both"));
    }
  }
}

// The sizes of symbols in the traces that learned buckets name.
class TraceSizes {
 public:
  TraceSizes(const std::vector<FunctionTable>& functions, const policy::TraceReader& read)
      : read_(read), matcher_(MatcherOf(functions)) {
    for (const FunctionTable& function : functions) tables_[function.pattern] = &function;
  }

  // Of the calls of `only`; when that is null, of the functions that do not change the buckets.
  StatusOr<std::vector<SizeCount>> Find(const std::string& path, const std::string& symbol,
                                        const FunctionTable* only) {
    const auto [at, is_new] = contents_.try_emplace(path, TraceContent());
    if (is_new) at->second = read_(path);
    SWAGE_RETURN_IF_ERROR(at->second.status());
    std::vector<SizeCount> sizes;
    for (const TraceCall& call : at->second->calls) {
      const std::shared_ptr<const FunctionPolicy> policy = matcher_.Find(call.function);
      const auto table = tables_.find(policy->pattern);
      if (table == tables_.end()) continue;  // no table is for this function
      const FunctionTable& of = *table->second;
      if (only != nullptr ? &of != only : ChangesBuckets(of, symbol)) continue;
      if (const auto size = SizeOf(*policy, call, symbol)) sizes.push_back({*size, call.count});
    }
    if (!sizes.empty()) return sizes;
    return InvalidArgument("no call in '", path, "' has a dimension '", symbol,
                           "' of an argument that a function lists by its index");
  }

 private:
  // Knows of each function its arguments alone.
  static PolicySet MatcherOf(const std::vector<FunctionTable>& functions) {
    PolicySet::Functions policies;
    for (const FunctionTable& function : functions) {
      auto policy = std::make_shared<FunctionPolicy>(FunctionPolicy{.pattern = function.pattern});
      for (const ArgTable& arg : function.args) policy->args.push_back(arg.arg);
      policies.push_back(std::move(policy));
    }
    return PolicySet(PolicySet::None()->defaults(), std::move(policies), {});
  }

  static bool ChangesBuckets(const FunctionTable& table, std::string_view symbol) {
    const auto at = table.symbols.find(symbol);
    return at != table.symbols.end() && at->second.buckets.has_value();
  }

  static std::optional<int64_t> SizeOf(const FunctionPolicy& policy, const TraceCall& call,
                                       const std::string& symbol) {
    for (const ArgPolicy& arg : policy.args) {
      if (!arg.index.has_value() || *arg.index >= static_cast<int>(call.args.size())) continue;
      const std::vector<int64_t>& dims = call.args[*arg.index];
      if (dims.size() != arg.dims.size()) continue;
      for (size_t i = 0; i < dims.size(); ++i) {
        if (arg.dims[i].symbol == symbol) return dims[i];
      }
    }
    return std::nullopt;
  }

  const policy::TraceReader& read_;
  const PolicySet matcher_;
  std::map<std::string, const FunctionTable*> tables_;
  std::map<std::string, StatusOr<TraceContent>> contents_;
};

class PoliciesReader {
 public:
  PoliciesReader(const TableReader& top, const policy::TraceReader& read_trace)
      : top_(top), problems_(top.problems()), read_trace_(read_trace), resolver_(problems_) {}

  std::shared_ptr<const PolicySet> Read() {
    auto defaults = std::make_shared<FunctionPolicy>();
    if (const toml::table* table = top_.Table("defaults")) {
      const TableReader reader(*table, "defaults", kSettingKeys, problems_);
      ApplySettings(ReadSettings(reader), problems_, defaults.get());
    }
    if (const toml::table* table = top_.Table("symbols")) {
      symbols_ = ReadSymbols(TableReader(*table, "symbols", problems_));
    }
    if (const toml::table* table = top_.Table("functions")) {
      functions_ = ReadFunctions(TableReader(*table, "functions", problems_));
    }
    CheckPatterns(functions_, problems_);
    TraceSizes sizes(functions_, read_trace_);
    for (const auto& [name, table] : symbols_) {
      std::shared_ptr<const policy::SymbolPolicy> symbol = Resolve(&table, nullptr, sizes, nullptr);
      if (symbol != nullptr) defaults->symbols.push_back(std::move(symbol));
    }
    PolicySet::Functions functions;
    for (const FunctionTable& table : functions_) {
      functions.push_back(ReadOne(table, *defaults, sizes));
    }
    return std::make_shared<const PolicySet>(std::move(defaults), std::move(functions),
                                             problems_.Warnings());
  }

 private:
  std::shared_ptr<const policy::SymbolPolicy> Resolve(const SymbolTable* base,
                                                      const SymbolTable* change, TraceSizes& sizes,
                                                      const FunctionTable* function) {
    if ((base != nullptr && base->broken) || (change != nullptr && change->broken)) return nullptr;
    const std::string& symbol = base != nullptr ? base->symbol : change->symbol;
    const bool own = change != nullptr && change->buckets.has_value();
    return resolver_.Resolve(base, change, [&](const std::string& path) {
      return sizes.Find(path, symbol, own ? function : nullptr);
    });
  }

  std::shared_ptr<const FunctionPolicy> ReadOne(const FunctionTable& table,
                                                const FunctionPolicy& defaults, TraceSizes& sizes) {
    auto function = std::make_shared<FunctionPolicy>(defaults);
    function->pattern = table.pattern;
    ApplySettings(table.settings, problems_, function.get());
    std::set<std::string, std::less<>> declared;
    for (const auto& [name, symbol] : symbols_) declared.insert(name);
    for (const auto& [name, change] : table.symbols) {
      declared.insert(name);
      const auto base = symbols_.find(name);
      std::erase_if(function->symbols, [&](const auto& old) { return old->name == change.symbol; });
      std::shared_ptr<const policy::SymbolPolicy> symbol =
          Resolve(base == symbols_.end() ? nullptr : &base->second, &change, sizes, &table);
      if (symbol != nullptr) function->symbols.push_back(std::move(symbol));
    }
    std::sort(function->symbols.begin(), function->symbols.end(),
              [](const auto& a, const auto& b) { return a->name < b->name; });
    FinishFunction(table, declared, problems_, function.get());
    return function;
  }

  const TableReader& top_;
  Problems& problems_;
  const policy::TraceReader& read_trace_;
  SymbolResolver resolver_;
  SymbolTables symbols_;
  std::vector<FunctionTable> functions_;
};

}  // namespace

std::shared_ptr<const PolicySet> ReadPolicies(const TableReader& top,
                                              const policy::TraceReader& read_trace) {
  return PoliciesReader(top, read_trace).Read();
}

}  // namespace swage::cache
