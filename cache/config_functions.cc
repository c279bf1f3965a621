#include "cache/config_functions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/nearest.h"

namespace swage::cache {
namespace {

using policy::ArgPolicy;
using policy::DimSpec;
using policy::FunctionPolicy;

// Flattened tensor arguments of one function, and dimensions of one of them.
constexpr int64_t kMaxArgs = 4096;
constexpr size_t kMaxRank = 64;

constexpr std::string_view kArgKeys[] = {"dims", "index", "name", "pad_value"};

// Sorted: the settings, and what only a function has.
const std::vector<std::string_view>& FunctionKeys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all = {"args", "symbols", "warmup"};
    all.insert(all.end(), std::begin(kSettingKeys), std::end(kSettingKeys));
    std::sort(all.begin(), all.end());
    return all;
  }();
  return keys;
}

template <typename Enum>
std::optional<Field<Enum>> ReadEnum(const TableReader& table, std::string_view key,
                                    std::string_view (*name)(Enum)) {
  const std::optional<Field<size_t>> at = table.OneOf(key, policy::NamesOf(name));
  if (!at.has_value()) return std::nullopt;
  return Field<Enum>{static_cast<Enum>(at->value), at->place, at->name};
}

template <typename T>
std::optional<T> ValueOf(const std::optional<Field<T>>& field) {
  return field.has_value() ? std::optional<T>(field->value) : std::nullopt;
}

// A number, or "zero".
std::optional<double> ReadPadValue(const TableReader& table) {
  const toml::node* node = table.Get("pad_value");
  if (node == nullptr) return std::nullopt;
  if (const auto* text = node->as_string(); text != nullptr && text->get() == "zero") return 0;
  if (!node->is_number()) {
    table.problems().Error(TableReader::PlaceOf(*node),
                           absl::StrCat(table.NameOf("pad_value"),
                                        ": expected a number or 'zero', got ", Described(*node)));
    return std::nullopt;
  }
  return ValueOf(table.Number("pad_value"));
}

std::optional<DimSpec> ReadDim(const toml::node& node, const std::string& name,
                               Problems& problems) {
  if (node.is_integer()) {
    const std::optional<int64_t> size = IntegerAt(node, name, 0, policy::kUnbounded, problems);
    if (!size.has_value()) return std::nullopt;
    return DimSpec{.kind = DimSpec::Kind::kSize, .size = *size};
  }
  if (const auto* text = node.as_string()) {
    if (text->get() == "*") return DimSpec{.kind = DimSpec::Kind::kExact};
    return DimSpec{.kind = DimSpec::Kind::kSymbol, .symbol = text->get()};
  }
  problems.Error(
      TableReader::PlaceOf(node),
      absl::StrCat(name, ": expected a symbol, an integer or '*', got ", Described(node)));
  return std::nullopt;
}

void ReadDims(const TableReader& table, ArgTable* result) {
  Problems& problems = table.problems();
  if (!table.Has("dims")) {
    problems.Error(table.place(), table.name() + ": missing key 'dims'");
    return;
  }
  const toml::array* dims = table.Array("dims");
  if (dims == nullptr) return;
  if (dims->size() > kMaxRank) {
    problems.Error(TableReader::PlaceOf(*dims),
                   absl::StrCat(table.NameOf("dims"), ": ", dims->size(),
                                " dimensions are more than ", kMaxRank));
    return;
  }
  for (size_t i = 0; i < dims->size(); ++i) {
    const toml::node& node = *dims->get(i);
    const std::optional<DimSpec> dim =
        ReadDim(node, absl::StrCat(table.NameOf("dims"), "[", i, "]"), problems);
    // One with an error counts as exact, so that nothing else is said of it.
    result->arg.dims.push_back(dim.value_or(DimSpec()));
    result->dim_places.push_back(TableReader::PlaceOf(node));
  }
}

ArgTable ReadArg(const TableReader& table) {
  Problems& problems = table.problems();
  ArgTable result{.place = table.place(), .name = table.name()};
  const std::optional<Field<int64_t>> index = table.Integer("index", 0, kMaxArgs - 1);
  const std::optional<Field<std::string>> name = table.String("name");
  if (table.Has("index") == table.Has("name")) {
    problems.Error(table.place(), table.name() + ": needs either 'index' or 'name'");
  } else if (name.has_value() && name->value.empty()) {
    problems.Error(name->place, name->name + ": must not be empty");
  }
  if (index.has_value()) result.arg.index = static_cast<int>(index->value);
  if (name.has_value()) result.arg.name = name->value;
  result.arg.pad_value = ReadPadValue(table);
  ReadDims(table, &result);
  return result;
}

void ReadArgs(const TableReader& table, FunctionTable* function) {
  const toml::array* args = table.Array("args");
  if (args == nullptr) return;
  std::set<std::pair<int, std::string>> seen;
  for (size_t i = 0; i < args->size(); ++i) {
    const std::string name = absl::StrCat(table.NameOf("args"), "[", i, "]");
    const toml::table* arg = TableReader::AsTable(*args->get(i), name, table.problems());
    if (arg == nullptr) continue;
    ArgTable read = ReadArg(TableReader(*arg, name, kArgKeys, table.problems()));
    const bool named = read.arg.index.has_value() || !read.arg.name.empty();
    if (named && !seen.emplace(read.arg.index.value_or(-1), read.arg.name).second) {
      table.problems().Error(read.place, name + ": an earlier entry has the same index or name");
    }
    function->args.push_back(std::move(read));
  }
}

// A size, a list of sizes, or "all".
std::optional<WarmupValue> ReadWarmupValue(const toml::node& node, std::string_view symbol,
                                           std::string name, Problems& problems) {
  WarmupValue value{std::string(symbol), TableReader::PlaceOf(node), std::move(name)};
  if (const auto* text = node.as_string(); text != nullptr && text->get() == "all") {
    value.all = true;
    return value;
  }
  const auto add = [&](const toml::node& size_node, std::string_view size_name) {
    const std::optional<int64_t> size =
        IntegerAt(size_node, size_name, 0, policy::kUnbounded, problems);
    if (size.has_value()) value.sizes.push_back(*size);
    return size.has_value();
  };
  if (const auto* array = node.as_array(); array != nullptr && !array->empty()) {
    for (size_t i = 0; i < array->size(); ++i) {
      if (!add(*array->get(i), absl::StrCat(value.name, "[", i, "]"))) return std::nullopt;
    }
    return value;
  }
  if (!node.is_integer()) {
    problems.Error(value.place, absl::StrCat(value.name,
                                             ": expected a size, a list of sizes or "
                                             "'all', got ",
                                             Described(node)));
    return std::nullopt;
  }
  if (!add(node, value.name)) return std::nullopt;
  return value;
}

void ReadWarmup(const TableReader& table, FunctionTable* function) {
  const toml::array* sets = table.Array("warmup");
  if (sets == nullptr) return;
  function->warmup_place = TableReader::PlaceOf(*sets);
  for (size_t i = 0; i < sets->size(); ++i) {
    const std::string name = absl::StrCat(table.NameOf("warmup"), "[", i, "]");
    const toml::table* set = TableReader::AsTable(*sets->get(i), name, table.problems());
    if (set == nullptr) continue;
    WarmupTable read{TableReader::PlaceOf(*set), name, {}};
    bool fine = true;
    for (const auto& [key, node] : *set) {
      std::optional<WarmupValue> value = ReadWarmupValue(
          node, key.str(), absl::StrCat(name, ".", ToAbsl(key.str())), table.problems());
      fine = fine && value.has_value();
      if (value.has_value()) read.values.push_back(*std::move(value));
    }
    if (read.values.empty() && fine) {
      table.problems().Error(read.place, name + ": names no symbol");
    }
    if (fine) function->warmup.push_back(std::move(read));
  }
}

// [functions.score.final] is a table in functions.score, which was hardly meant.
void CheckKeys(const TableReader& table, std::string_view pattern) {
  const std::vector<std::string_view>& known = FunctionKeys();
  for (const auto& [key, node] : table.table()) {
    const std::string_view name = key.str();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string hint = DidYouMean(name, known);
    if (hint.empty() && node.is_table()) {
      hint = absl::StrCat("; a name with a dot is quoted: [functions.\"", ToAbsl(pattern), ".",
                          ToAbsl(name.substr(0, 80)), "\"]");
    }
    table.problems().Error(key.source().begin,
                           absl::StrCat("unknown key ", Quoted(name), " in ", table.name(), hint));
  }
}

}  // namespace

Settings ReadSettings(const TableReader& table) {
  Settings settings;
  settings.mode = ValueOf(ReadEnum(table, "mode", policy::ModeName));
  settings.on_miss = ValueOf(ReadEnum(table, "on_miss", policy::OnMissName));
  settings.unpaddable = ValueOf(ReadEnum(table, "unpaddable", policy::UnpaddableName));
  settings.on_limit = ValueOf(ReadEnum(table, "on_limit", policy::OnLimitName));
  settings.overflow = ReadEnum(table, "overflow", policy::OverflowName);
  settings.overflow_multiple = table.Integer("overflow_multiple", 1);
  settings.overflow_multiple_given = table.Has("overflow_multiple");
  settings.max_compiles = ValueOf(table.Integer("max_compiles", 0));
  if (const auto waste = table.Number("max_waste")) {
    if (waste->value < 0 || waste->value > 1) {
      table.problems().Error(
          waste->place, absl::StrCat(waste->name, ": must be from 0 to 1, got ", waste->value));
    }
    settings.max_waste = waste->value;
  }
  settings.pad_value = ReadPadValue(table);
  return settings;
}

void ApplySettings(const Settings& settings, Problems& problems, FunctionPolicy* function) {
  if (settings.mode.has_value()) function->mode = settings.mode;
  if (settings.on_miss.has_value()) function->on_miss = settings.on_miss;
  if (settings.unpaddable.has_value()) function->unpaddable = settings.unpaddable;
  if (settings.max_compiles.has_value()) function->max_compiles = settings.max_compiles;
  function->on_limit = settings.on_limit.value_or(function->on_limit);
  function->max_waste = settings.max_waste.value_or(function->max_waste);
  function->pad_value = settings.pad_value.value_or(function->pad_value);
  if (settings.overflow.has_value()) function->overflow = settings.overflow->value;
  const bool multiple = function->overflow == policy::Overflow::kMultiple;
  if (settings.overflow_multiple.has_value()) {
    function->overflow_multiple = settings.overflow_multiple->value;
    if (!multiple) {
      problems.Error(settings.overflow_multiple->place,
                     absl::StrCat(settings.overflow_multiple->name, ": given, but overflow is ",
                                  Quoted(policy::OverflowName(function->overflow))));
    }
  } else if (multiple && function->overflow_multiple == 0 && settings.overflow.has_value() &&
             !settings.overflow_multiple_given) {
    problems.Error(settings.overflow->place,
                   settings.overflow->name + ": 'multiple' needs overflow_multiple");
  }
  if (!multiple) function->overflow_multiple = 0;
}

FunctionTable ReadFunction(const TableReader& table, std::string_view pattern) {
  CheckKeys(table, pattern);
  FunctionTable function{
      .pattern = std::string(pattern), .name = table.name(), .place = table.place()};
  function.settings = ReadSettings(table);
  ReadArgs(table, &function);
  ReadWarmup(table, &function);
  if (const toml::table* symbols = table.Table("symbols")) {
    function.symbols =
        ReadSymbols(TableReader(*symbols, table.NameOf("symbols"), table.problems()));
  }
  return function;
}

}  // namespace swage::cache
