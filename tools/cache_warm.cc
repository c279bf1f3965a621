#include "tools/cache_warm.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/nearest.h"
#include "cache/config.h"
#include "cache/tiers.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "tools/device.h"

namespace swage::tools {
namespace {

constexpr int64_t kMaxSizes = 1'000'000;

Status BadSizes(absl::string_view part) {
  return InvalidArgument("[warm] --dims: got '", part,
                         "', expected NAME=SIZES, where SIZES are numbers from 0 and ranges "
                         "FIRST:LAST or FIRST:LAST:STEP");
}

Status AddSizes(absl::string_view text, std::vector<int64_t>* sizes) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  int64_t numbers[3] = {0, 0, 1};
  if (parts.size() > 3) return BadSizes(text);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!absl::SimpleAtoi(parts[i], &numbers[i]) || numbers[i] < 0) return BadSizes(text);
  }
  if (parts.size() == 1) numbers[1] = numbers[0];
  const auto [first, last, step] = numbers;
  if (step < 1 || last < first) return BadSizes(text);
  if ((last - first) / step >= kMaxSizes - static_cast<int64_t>(sizes->size())) {
    return InvalidArgument("[warm] --dims: more than ", kMaxSizes, " sizes");
  }
  for (int64_t i = 0; i <= (last - first) / step; ++i) sizes->push_back(first + i * step);
  return OkStatus();
}

// Every combination, the last name fastest.
std::vector<std::vector<int64_t>> Combinations(const SizeLists& lists) {
  std::vector<std::vector<int64_t>> all = {{}};
  for (const auto& [name, sizes] : lists) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& head : all) {
      for (const int64_t size : sizes) {
        longer.push_back(head);
        longer.back().push_back(size);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// The lists of the module's symbols, in their order.
StatusOr<SizeLists> ListsFor(const std::vector<const ir::Symbol*>& symbols, const SizeLists& lists,
                             const std::string& module) {
  SizeLists wanted;
  int64_t combinations = 1;
  for (const ir::Symbol* symbol : symbols) {
    const auto found = std::find_if(lists.begin(), lists.end(),
                                    [&](const auto& list) { return list.first == symbol->name; });
    if (found == lists.end()) {
      std::vector<std::string> names;
      for (const auto& [name, sizes] : lists) names.push_back(name);
      return InvalidArgument("[warm] ", module, " has the symbolic size '", symbol->name,
                             "', expected its sizes in --dims", DidYouMean(symbol->name, names));
    }
    combinations *= static_cast<int64_t>(found->second.size());
    if (combinations > kMaxSizes) {
      return InvalidArgument("[warm] ", module, ": more than ", kMaxSizes, " combinations");
    }
    wanted.push_back(*found);
  }
  return wanted;
}

Status WarmOne(const CompileInto& compile, std::unique_ptr<ir::Module> module,
               const std::string& name, codegen::EntryStore* store) {
  SWAGE_ASSIGN_OR_RETURN(const auto executable,
                         compile(std::move(module), store, "to warm the cache"));
  const codegen::CompileReport& report = executable->report();
  std::printf("%s: %s, %lld kernels, %lld from llvm, %.2f ms\n", name.c_str(),
              report.module_load ? "was there" : "compiled", static_cast<long long>(report.kernels),
              static_cast<long long>(report.llvm_runs), report.total_ms);
  return OkStatus();
}

// Every name in --dims is a symbolic size of some module.
Status CheckNames(const SizeLists& lists, const std::vector<std::unique_ptr<ir::Module>>& modules) {
  std::vector<std::string> symbols;
  for (const auto& module : modules) {
    for (const ir::Symbol* symbol : ir::SymbolsOf(*module)) symbols.push_back(symbol->name);
  }
  for (const auto& [name, sizes] : lists) {
    if (std::find(symbols.begin(), symbols.end(), name) != symbols.end()) continue;
    return InvalidArgument("[warm] --dims: no module has a symbolic size '", name, "', expected ",
                           symbols.empty() ? "none" : absl::StrJoin(symbols, ", "));
  }
  return OkStatus();
}

Status WarmModule(const CompileInto& compile, const ir::Module* module, const std::string& path,
                  const SizeLists& lists, codegen::EntryStore* store) {
  const std::vector<const ir::Symbol*> symbols = ir::SymbolsOf(*module);
  SWAGE_ASSIGN_OR_RETURN(const SizeLists wanted, ListsFor(symbols, lists, path));
  for (const std::vector<int64_t>& sizes : Combinations(wanted)) {
    std::unique_ptr<ir::Module> sized = module->Clone();
    ir::SymbolBinding binding;
    std::string name = path;
    for (size_t i = 0; i < symbols.size(); ++i) {
      SWAGE_RETURN_IF_ERROR(binding.Bind(symbols[i], sizes[i]));
      absl::StrAppend(&name, " ", symbols[i]->name, "=", sizes[i]);
    }
    SWAGE_RETURN_IF_ERROR(ir::BindSymbols(binding, sized.get()));
    SWAGE_RETURN_IF_ERROR(WarmOne(compile, std::move(sized), name, store));
  }
  return OkStatus();
}

}  // namespace

StatusOr<SizeLists> ParseSizeLists(const std::string& text) {
  SizeLists lists;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const size_t equals = part.find('=');
    if (equals != part.npos) {
      const std::string name(part.substr(0, equals));
      for (const auto& [other, sizes] : lists) {
        if (other == name) return InvalidArgument("[warm] --dims: '", name, "' occurs twice");
      }
      if (name.empty()) return BadSizes(part);
      lists.push_back({name, {}});
      part = part.substr(equals + 1);
    }
    if (lists.empty()) return BadSizes(part);
    SWAGE_RETURN_IF_ERROR(AddSizes(part, &lists.back().second));
  }
  for (const auto& [name, sizes] : lists) {
    if (sizes.empty()) return BadSizes(name + "=");
  }
  return lists;
}

StatusOr<ExitCode> RunCacheWarm(const WarmOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const SizeLists lists, ParseSizeLists(options.dims));
  SWAGE_ASSIGN_OR_RETURN(const cache::Config config, cache::GlobalConfig());
  Status key_status;
  cache::Tiers::Options tier_options = cache::TierOptionsFrom(config.cache, &key_status);
  SWAGE_RETURN_IF_ERROR(key_status);
  if (!options.dir.empty()) tier_options.disk.dir = options.dir;
  if (tier_options.disk.dir.empty() && !tier_options.remote.has_value()) {
    return InvalidArgument("[warm] the disk cache is off; name a directory with --dir");
  }
  std::vector<std::unique_ptr<ir::Module>> modules;
  for (const std::string& path : options.modules) {
    SWAGE_ASSIGN_OR_RETURN(modules.emplace_back(), LoadModule(path));
  }
  SWAGE_RETURN_IF_ERROR(CheckNames(lists, modules));
  SWAGE_ASSIGN_OR_RETURN(const CompileInto compile, FindCompiler(options.device));
  cache::Tiers tiers(std::move(tier_options));
  for (size_t i = 0; i < modules.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(WarmModule(compile, modules[i].get(), options.modules[i], lists, &tiers));
  }
  if (!tiers.Flush(std::chrono::minutes(1)) || tiers.stats().disk.write_errors > 0) {
    std::fprintf(stderr, "not everything could be written: %s\n", tiers.stats().ToString().c_str());
    return kCheckFailed;
  }
  return kFine;
}

}  // namespace swage::tools
