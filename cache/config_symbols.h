// File: cache/config_symbols.h
//
// [symbols.NAME] of the configuration file, and what a function changes of it: first read as it
// stands, then, once everything else is known, made into a SymbolPolicy.
#ifndef SWAGE_CACHE_CONFIG_SYMBOLS_H_
#define SWAGE_CACHE_CONFIG_SYMBOLS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cache/config_toml.h"
#include "cache/policy/learn.h"
#include "cache/policy/policy.h"

namespace swage::cache {

// `buckets = {...}`; fields that the kind does not have are not set.
struct BucketsTable {
  Place place;
  std::string name;  // "symbols.seq.buckets"
  policy::BucketSpec spec;
  std::map<std::string, Place, std::less<>> fields = {};  // of the table
  // Learned buckets: from the trace at this path, absolute.
  std::optional<Field<std::string>> file = {};
  std::optional<int64_t> k = {};
  std::optional<int64_t> compile_cost = {};
};

// A table of a symbol, as it stands.
struct SymbolTable {
  std::string symbol;
  std::string name;  // "symbols.seq", "functions.encode.symbols.seq"
  Place place;
  std::optional<Field<int64_t>> min = {}, max = {}, multiple_of = {}, hint = {};
  std::optional<BucketsTable> buckets = {};
  bool broken = false;  // it has an error, which was told
};
using SymbolTables = std::map<std::string, SymbolTable, std::less<>>;

// `table` is [symbols], or that of a function.
SymbolTables ReadSymbols(const TableReader& table);

// The sizes that a trace has for a symbol.
using SizesInTrace =
    std::function<StatusOr<std::vector<policy::SizeCount>>(const std::string& path)>;

class SymbolResolver {
 public:
  explicit SymbolResolver(Problems& problems) : problems_(problems) {}

  // `base` with what `change` says beside it; either may be null, not both. Null, with an error
  // told, when they make no sense. `sizes` is asked for learned buckets alone.
  std::shared_ptr<const policy::SymbolPolicy> Resolve(const SymbolTable* base,
                                                      const SymbolTable* change,
                                                      const SizesInTrace& sizes);

 private:
  bool CheckRange(const SymbolTable& table, const policy::SymbolPolicy& symbol);
  // What its buckets are; nullopt with an error told. Sets a max that only the buckets say.
  std::optional<policy::BucketSpec> SpecOf(const SymbolTable& table, const SizesInTrace& sizes,
                                           policy::SymbolPolicy* symbol);
  bool MakeBuckets(const SymbolTable& table, const SizesInTrace& sizes,
                   policy::SymbolPolicy* symbol);
  std::optional<policy::BucketSpec> Learn(const BucketsTable& buckets, const SizesInTrace& sizes,
                                          int64_t min, int64_t max);

  Problems& problems_;
  int64_t buckets_ = 0;  // of all symbols so far
};

}  // namespace swage::cache

#endif  // SWAGE_CACHE_CONFIG_SYMBOLS_H_
