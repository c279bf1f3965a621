#include "cache/config_symbols.h"

#include <algorithm>
#include <utility>

#include "compiler/ir/dim.h"

namespace swage::cache {
namespace {

using policy::BucketKind;
using policy::BucketSpec;
using policy::SymbolPolicy;

// Of all symbols of a file, changed ones included.
constexpr int64_t kMaxBucketsOfFile = 10 * policy::kMaxBuckets;

constexpr std::string_view kSymbolKeys[] = {"buckets", "hint", "max", "min", "multiple_of"};
constexpr std::string_view kBucketKeys[] = {"align", "compile_cost", "file",  "k",   "kind",
                                            "ratio", "sizes",        "start", "step"};

struct KindRow {
  std::string_view name;
  BucketKind kind;
  bool learned;
  std::vector<std::string_view> needs;
  std::vector<std::string_view> may;
};

const std::vector<KindRow>& Kinds() {
  static const std::vector<KindRow> rows = {
      {"list", BucketKind::kList, false, {"sizes"}, {}},
      {"linear", BucketKind::kLinear, false, {"step"}, {"start"}},
      {"pow2", BucketKind::kPow2, false, {}, {"start"}},
      {"geometric", BucketKind::kGeometric, false, {"ratio"}, {"start", "align"}},
      {"hybrid", BucketKind::kHybrid, false, {"step"}, {}},
      {"exact", BucketKind::kExact, false, {}, {}},
      {"learned", BucketKind::kList, true, {"file"}, {"k", "compile_cost"}},
  };
  return rows;
}

bool Contains(const std::vector<std::string_view>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

const KindRow* ReadKind(const TableReader& table) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const KindRow& row : Kinds()) all.push_back(row.name);
    return all;
  }();
  if (!table.Has("kind")) {
    table.problems().Error(table.place(),
                           absl::StrCat(table.name(), ": missing key 'kind': ", Choices(names)));
    return nullptr;
  }
  const std::optional<Field<size_t>> kind = table.OneOf("kind", names);
  return kind.has_value() ? &Kinds()[kind->value] : nullptr;
}

// Whether the keys are those of the kind.
bool CheckKeys(const TableReader& table, const KindRow& row) {
  bool fine = true;
  for (const auto& [key, node] : table.table()) {
    const std::string_view name = key.str();
    const bool known =
        std::find(std::begin(kBucketKeys), std::end(kBucketKeys), name) != std::end(kBucketKeys);
    if (!known) fine = false;  // told already
    if (!known || name == "kind" || Contains(row.needs, name) || Contains(row.may, name)) continue;
    table.problems().Error(key.source().begin,
                           absl::StrCat(table.NameOf(name), ": kind ", Quoted(row.name),
                                        " has no key ", Quoted(name)));
    fine = false;
  }
  for (const std::string_view key : row.needs) {
    if (table.Has(key)) continue;
    table.problems().Error(table.place(), absl::StrCat(table.name(), ": kind ", Quoted(row.name),
                                                       " needs the key ", Quoted(key)));
    fine = false;
  }
  return fine;
}

bool ReadSizes(const TableReader& table, std::vector<int64_t>* sizes) {
  const toml::array* array = table.Array("sizes");
  if (array == nullptr) return false;
  bool fine = true;
  for (size_t i = 0; i < array->size(); ++i) {
    const toml::node& node = *array->get(i);
    const std::string name = absl::StrCat(table.NameOf("sizes"), "[", i, "]");
    const std::optional<int64_t> size =
        IntegerAt(node, name, 1, policy::kUnbounded, table.problems());
    if (!size.has_value()) {
      fine = false;
      continue;
    }
    if (!sizes->empty() && *size <= sizes->back()) {
      table.problems().Error(TableReader::PlaceOf(node),
                             absl::StrCat(table.NameOf("sizes"), ": not strictly increasing: ",
                                          *size, " after ", sizes->back()));
      fine = false;
    }
    sizes->push_back(*size);
  }
  return fine;
}

bool ReadLearned(const TableReader& table, BucketsTable* buckets) {
  Problems& problems = table.problems();
  buckets->file = table.String("file");
  if (table.Has("k") == table.Has("compile_cost")) {
    problems.Error(table.place(), absl::StrCat(table.name(),
                                               ": kind 'learned' needs either 'k', the number of "
                                               "buckets, or 'compile_cost'"));
    return false;
  }
  if (const auto k = table.Integer("k", 1, policy::kMaxLearnedBuckets)) buckets->k = k->value;
  if (const auto cost = table.Integer("compile_cost", 0)) buckets->compile_cost = cost->value;
  if (!buckets->file.has_value() || buckets->k.has_value() == buckets->compile_cost.has_value()) {
    return false;
  }
  const std::optional<std::string> path =
      ExpandPath(buckets->file->value, buckets->file->place, buckets->file->name, problems);
  if (path.has_value()) buckets->file->value = *path;
  return path.has_value();
}

// nullopt with an error told.
std::optional<BucketsTable> ReadBuckets(const toml::node& node, const std::string& name,
                                        Problems& problems) {
  const toml::table* toml_table = TableReader::AsTable(node, name, problems);
  if (toml_table == nullptr) return std::nullopt;
  const TableReader table(*toml_table, name, kBucketKeys, problems);
  const KindRow* row = ReadKind(table);
  if (row == nullptr || !CheckKeys(table, *row)) return std::nullopt;
  BucketsTable buckets{.place = table.place(), .name = name, .spec = {.kind = row->kind}};
  for (const auto& [key, value] : *toml_table) {
    buckets.fields[std::string(key.str())] = TableReader::PlaceOf(value);
  }
  if (row->learned) {
    if (!ReadLearned(table, &buckets)) return std::nullopt;
    return buckets;
  }
  bool fine = true;
  const auto read = [&](std::string_view key, int64_t* value) {
    if (!table.Has(key)) return;
    const std::optional<Field<int64_t>> field = table.Integer(key, 1);
    fine = fine && field.has_value();
    if (field.has_value()) *value = field->value;
  };
  read("step", &buckets.spec.step);
  read("start", &buckets.spec.start);
  read("align", &buckets.spec.align);
  if (table.Has("ratio")) {
    const std::optional<Field<double>> ratio = table.Number("ratio");
    fine = fine && ratio.has_value();
    if (ratio.has_value()) buckets.spec.ratio = ratio->value;
  }
  if (table.Has("sizes")) fine = ReadSizes(table, &buckets.spec.sizes) && fine;
  return fine ? std::optional<BucketsTable>(std::move(buckets)) : std::nullopt;
}

SymbolTable ReadSymbol(const TableReader& table, std::string_view symbol) {
  SymbolTable result{.symbol = std::string(symbol), .name = table.name(), .place = table.place()};
  bool fine = true;
  const auto read = [&](std::string_view key, int64_t least) {
    std::optional<Field<int64_t>> field = table.Integer(key, least);
    fine = fine && field.has_value() == table.Has(key);
    return field;
  };
  result.min = read("min", 0);
  result.max = read("max", 0);
  result.multiple_of = read("multiple_of", 1);
  result.hint = read("hint", 0);
  if (const toml::node* node = table.Get("buckets")) {
    result.buckets = ReadBuckets(*node, table.NameOf("buckets"), table.problems());
    fine = fine && result.buckets.has_value();
  }
  result.broken = !fine;
  return result;
}

// What `change` says, and for the rest `base`.
SymbolTable Merged(const SymbolTable* base, const SymbolTable* change) {
  if (base == nullptr || change == nullptr) return base == nullptr ? *change : *base;
  SymbolTable merged = *change;
  if (!merged.min.has_value()) merged.min = base->min;
  if (!merged.max.has_value()) merged.max = base->max;
  if (!merged.multiple_of.has_value()) merged.multiple_of = base->multiple_of;
  if (!merged.hint.has_value()) merged.hint = base->hint;
  if (!merged.buckets.has_value()) merged.buckets = base->buckets;
  return merged;
}

int64_t ValueOr(const std::optional<Field<int64_t>>& field, int64_t otherwise) {
  return field.has_value() ? field->value : otherwise;
}

}  // namespace

SymbolTables ReadSymbols(const TableReader& table) {
  SymbolTables tables;
  for (const auto& [key, node] : table.table()) {
    const std::string_view symbol = key.str();
    const std::string name = table.NameOf(symbol.substr(0, 80));
    if (!ir::IsSymbolName(symbol) || symbol.size() > 256) {
      table.problems().Error(
          key.source().begin,
          absl::StrCat(Quoted(symbol),
                       " is not a name for a symbol: it is a letter or '_', then "
                       "letters, digits, '_' or '.', at most 256"));
      continue;
    }
    SymbolTable& read = tables[std::string(symbol)];
    read.broken = true;
    const toml::table* toml_table = TableReader::AsTable(node, name, table.problems());
    if (toml_table == nullptr) continue;
    read = ReadSymbol(TableReader(*toml_table, name, kSymbolKeys, table.problems()), symbol);
  }
  return tables;
}

bool SymbolResolver::CheckRange(const SymbolTable& table, const SymbolPolicy& symbol) {
  if (symbol.max < symbol.min) {
    const Field<int64_t>& at = table.max.has_value() ? *table.max : *table.min;
    const std::string min = table.min.has_value() ? table.min->name : table.name + ".min";
    problems_.Error(at.place,
                    absl::StrCat(table.max.has_value() ? table.max->name : "the largest size", " (",
                                 symbol.max, ") is below ", min, " (", symbol.min, ")"));
    return false;
  }
  const int64_t step = symbol.multiple_of;
  const policy::SizeRange sizes = policy::MultiplesIn({symbol.min, symbol.max}, step);
  if (sizes.low > sizes.high) {
    problems_.Error(table.multiple_of->place,
                    absl::StrCat(table.multiple_of->name, ": there is no multiple of ", step,
                                 " from ", symbol.min, " to ", symbol.max));
    return false;
  }
  if (step > 1 && sizes.high == 0) {
    problems_.Error(
        table.multiple_of->place,
        absl::StrCat(table.multiple_of->name, ": no size but 0: there is no multiple of ", step,
                     " from 1 to ", symbol.max));
    return false;
  }
  if (!symbol.hint.has_value()) return true;
  const Field<int64_t>& hint = *table.hint;
  std::string problem;
  if (hint.value < symbol.min) problem = absl::StrCat("is below min (", symbol.min, ")");
  if (hint.value > symbol.max) problem = absl::StrCat("is above max (", symbol.max, ")");
  if (hint.value % step != 0) problem = absl::StrCat("is not a multiple of ", step);
  if (problem.empty()) return true;
  problems_.Error(hint.place, absl::StrCat(hint.name, ": ", hint.value, " ", problem));
  return false;
}

std::optional<BucketSpec> SymbolResolver::Learn(const BucketsTable& buckets,
                                                const SizesInTrace& sizes, int64_t min,
                                                int64_t max) {
  const auto wrong = [&](const Status& status) {
    problems_.Error(buckets.file->place,
                    absl::StrCat(buckets.file->name, ": ", std::string(status.message())));
    return std::nullopt;
  };
  StatusOr<std::vector<policy::SizeCount>> seen = sizes(buckets.file->value);
  if (!seen.ok()) return wrong(seen.status());
  // Calls below min are errors now.
  std::erase_if(*seen, [&](const policy::SizeCount& entry) { return entry.size < min; });
  const bool bounded = max != policy::kUnbounded;
  const StatusOr<policy::BucketLearner> learner =
      policy::BucketLearner::Make(*seen, bounded ? std::optional<int64_t>(max) : std::nullopt);
  if (!learner.ok()) return wrong(learner.status());
  const policy::LearnedBuckets learned = buckets.k.has_value()
                                             ? learner->Best(static_cast<int>(*buckets.k))
                                             : learner->BestWithCost(*buckets.compile_cost);
  return BucketSpec{.kind = BucketKind::kList, .sizes = learned.bounds};
}

std::optional<BucketSpec> SymbolResolver::SpecOf(const SymbolTable& table,
                                                 const SizesInTrace& sizes, SymbolPolicy* symbol) {
  if (!table.buckets.has_value()) return policy::DefaultBucketSpec();
  const BucketsTable& buckets = *table.buckets;
  BucketSpec spec = buckets.spec;
  if (buckets.file.has_value()) {
    std::optional<BucketSpec> learned = Learn(buckets, sizes, symbol->min, symbol->max);
    if (!learned.has_value()) return std::nullopt;
    spec = *std::move(learned);
  }
  if (symbol->max != policy::kUnbounded) return spec;
  if (spec.kind == BucketKind::kList && !spec.sizes.empty()) {
    // A list without max ends where its sizes end.
    symbol->max = spec.sizes.back();
    if (!CheckRange(table, *symbol)) return std::nullopt;
  }
  if (spec.kind == BucketKind::kLinear || spec.kind == BucketKind::kHybrid) {
    problems_.Error(buckets.place,
                    absl::StrCat(buckets.name, ": kind ", Quoted(policy::BucketKindName(spec.kind)),
                                 " needs the largest size: ", table.name, ".max"));
    return std::nullopt;
  }
  return spec;
}

bool SymbolResolver::MakeBuckets(const SymbolTable& table, const SizesInTrace& sizes,
                                 SymbolPolicy* symbol) {
  const std::optional<BucketSpec> spec = SpecOf(table, sizes, symbol);
  if (!spec.has_value()) return false;
  const BucketsTable* buckets = table.buckets.has_value() ? &*table.buckets : nullptr;
  symbol->kind = spec->kind;
  StatusOr<policy::Buckets> made = policy::Buckets::Make(*spec, symbol->min, symbol->max);
  if (!made.ok()) {
    // The message begins with the field that is at fault, where it is one.
    const std::string_view message = ToStd(made.status().message());
    const std::string_view field = message.substr(0, message.find(':'));
    const Place* place = buckets != nullptr ? &buckets->place : &table.place;
    const bool of_field = buckets != nullptr && buckets->fields.contains(field);
    if (of_field) place = &buckets->fields.find(field)->second;
    problems_.Error(*place, absl::StrCat(buckets != nullptr ? buckets->name : table.name,
                                         of_field ? "." : ": ", std::string(message)));
    return false;
  }
  symbol->buckets = *std::move(made);
  buckets_ += static_cast<int64_t>(symbol->buckets.bounds().size());
  if (buckets_ > kMaxBucketsOfFile) {
    problems_.Error(buckets != nullptr ? buckets->place : table.place,
                    absl::StrCat("more than ", kMaxBucketsOfFile, " buckets in one file"));
    return false;
  }
  return true;
}

std::shared_ptr<const SymbolPolicy> SymbolResolver::Resolve(const SymbolTable* base,
                                                            const SymbolTable* change,
                                                            const SizesInTrace& sizes) {
  const SymbolTable table = Merged(base, change);
  auto symbol = std::make_shared<SymbolPolicy>();
  symbol->name = table.symbol;
  symbol->min = ValueOr(table.min, 0);
  symbol->max = ValueOr(table.max, policy::kUnbounded);
  symbol->multiple_of = ValueOr(table.multiple_of, 1);
  if (table.hint.has_value()) symbol->hint = table.hint->value;
  const bool fine = CheckRange(table, *symbol) && MakeBuckets(table, sizes, symbol.get());
  return fine ? symbol : nullptr;
}

}  // namespace swage::cache
