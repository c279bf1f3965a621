// File: cache/config_functions.h
//
// [defaults] and [functions.NAME] of the configuration file: first read as they stand, then checked
// against the symbols.
#ifndef SWAGE_CACHE_CONFIG_FUNCTIONS_H_
#define SWAGE_CACHE_CONFIG_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cache/config_symbols.h"
#include "cache/config_toml.h"
#include "cache/policy/policy.h"

namespace swage::cache {

// What [defaults] and a function's table may both say.
struct Settings {
  std::optional<policy::Mode> mode;
  std::optional<policy::OnMiss> on_miss;
  std::optional<policy::Unpaddable> unpaddable;
  std::optional<policy::OnLimit> on_limit;
  std::optional<Field<policy::Overflow>> overflow;
  std::optional<Field<int64_t>> overflow_multiple;
  bool overflow_multiple_given = false;  // even with an error
  std::optional<int64_t> max_compiles;
  std::optional<double> max_waste;
  std::optional<double> pad_value;
};
inline constexpr std::string_view kSettingKeys[] = {"max_compiles",      "max_waste", "mode",
                                                    "on_limit",          "on_miss",   "overflow",
                                                    "overflow_multiple", "pad_value", "unpaddable"};

Settings ReadSettings(const TableReader& table);
// Puts `settings` over what `function` has.
void ApplySettings(const Settings& settings, Problems& problems, policy::FunctionPolicy* function);

struct ArgTable {
  Place place;
  std::string name;  // "functions.encode.args[1]"
  policy::ArgPolicy arg = {};
  std::vector<Place> dim_places = {};
};
struct WarmupValue {
  std::string symbol;
  Place place;
  std::string name;  // "functions.encode.warmup[0].seq"
  bool all = false;  // "all" instead of sizes
  std::vector<int64_t> sizes = {};
};
struct WarmupTable {
  Place place;
  std::string name;
  std::vector<WarmupValue> values;
};

// A table of a function, as it stands.
struct FunctionTable {
  std::string pattern;
  std::string name;  // "functions.encode"
  Place place;
  Settings settings = {};
  std::vector<ArgTable> args = {};
  std::vector<WarmupTable> warmup = {};
  std::optional<Place> warmup_place = {};
  SymbolTables symbols = {};
};

// Parts with errors are left out.
FunctionTable ReadFunction(const TableReader& table, std::string_view pattern);

// Checks args and warm-up against the symbols that `function` has by now, and puts them there.
// `declared` are the names of these and of symbols that have errors of their own.
void FinishFunction(const FunctionTable& table, const std::set<std::string, std::less<>>& declared,
                    Problems& problems, policy::FunctionPolicy* function);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CONFIG_FUNCTIONS_H_
