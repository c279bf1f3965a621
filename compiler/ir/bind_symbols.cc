#include "compiler/ir/bind_symbols.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "compiler/ir/extent_walk.h"
#include "compiler/ir/verifier.h"

namespace swage::ir {

std::vector<const Symbol*> SymbolsOf(const Module& module) {
  std::vector<const Symbol*> symbols;
  const auto add = [&](const Dim& dim) {
    std::vector<const Symbol*> found;
    dim.CollectSymbols(&found);
    for (const Symbol* symbol : found) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
        symbols.push_back(symbol);
      }
    }
  };
  // A walk that changes nothing needs no right to.
  const std::unique_ptr<Module> copy = module.Clone();
  ExtentWalk(add).Walk(copy.get());
  return symbols;
}

namespace {

// One extent of an argument.
struct Demand {
  size_t argument;
  ShapeIndex leaf;
  int dimension;
  Dim dim;
  int64_t value;
};

std::string DemandText(const Demand& demand, const NamedShape& wanted, const Shape& got) {
  const std::string leaf =
      demand.leaf.empty() ? "" : absl::StrCat("{", absl::StrJoin(demand.leaf, ","), "}");
  return absl::StrCat("argument ", demand.argument, " (", wanted.name, leaf, "), dimension ",
                      demand.dimension, " of ",
                      Subshape(wanted.shape, demand.leaf)->ToString(false), ": got ", demand.value,
                      " (", Subshape(got, demand.leaf)->ToString(false), ")");
}

std::string BindingText(const SymbolBinding& binding) {
  std::string text;
  for (const auto& [symbol, value] : binding.values()) {
    absl::StrAppend(&text, text.empty() ? "; so far " : ", ", symbol->name, " = ", value);
  }
  return text;
}

// The extents of all arguments that are not plain numbers; numbers are checked here.
StatusOr<std::vector<Demand>> Demands(absl::Span<const NamedShape> wanted,
                                      absl::Span<const Shape* const> got) {
  std::vector<Demand> demands;
  Status status;
  for (size_t i = 0; i < wanted.size(); ++i) {
    ForEachLeaf(wanted[i].shape, [&](const ShapeIndex& index, const Shape& leaf) {
      const Shape* other = Subshape(*got[i], index);
      if (!status.ok() || !leaf.is_array()) return;
      if (other == nullptr || !other->is_array() || other->dtype() != leaf.dtype() ||
          other->rank() != leaf.rank()) {
        status = InvalidArgument("argument ", i, " (", wanted[i].name, "): got ",
                                 got[i]->ToString(false), ", expected ",
                                 wanted[i].shape.ToString(false));
        return;
      }
      for (int d = 0; d < leaf.rank() && status.ok(); ++d) {
        const Demand demand = {i, index, d, leaf.dim(d), other->dim(d).static_value().value_or(-1)};
        if (!leaf.dim(d).is_static()) {
          demands.push_back(demand);
        } else if (leaf.dim(d) != other->dim(d)) {
          status = InvalidArgument(DemandText(demand, wanted[i], *got[i]), ", expected ",
                                   leaf.dim(d).ToString());
        }
      }
    });
    SWAGE_RETURN_IF_ERROR(status);
  }
  return demands;
}

}  // namespace

StatusOr<SymbolBinding> SolveSizes(absl::Span<const NamedShape> wanted,
                                   absl::Span<const Shape* const> got) {
  if (wanted.size() != got.size()) {
    return InvalidArgument("got ", got.size(), " arguments, expected ", wanted.size());
  }
  SWAGE_ASSIGN_OR_RETURN(std::vector<Demand> demands, Demands(wanted, got));
  SymbolBinding binding;
  const auto solve = [&](const Demand& demand) -> Status {
    const Status bound = binding.Bind(demand.dim, demand.value);
    if (bound.ok()) return bound;
    return InvalidArgument(DemandText(demand, wanted[demand.argument], *got[demand.argument]),
                           ", expected ", demand.dim.ToString(), ": ", bound.message(),
                           BindingText(binding));
  };
  const auto unknowns = [&](const Demand& demand) {
    std::vector<const Symbol*> symbols;
    demand.dim.CollectSymbols(&symbols);
    std::erase_if(symbols, [&](const Symbol* s) { return binding.Find(s).has_value(); });
    return symbols.size();
  };
  for (const Demand& demand : demands) {
    if (demand.dim.symbol() != nullptr) SWAGE_RETURN_IF_ERROR(solve(demand));
  }
  std::erase_if(demands, [](const Demand& demand) { return demand.dim.symbol() != nullptr; });
  while (!demands.empty()) {
    // What has fewest unknown symbols is next; one with several is an error that says so.
    const auto next = std::min_element(
        demands.begin(), demands.end(),
        [&](const Demand& a, const Demand& b) { return unknowns(a) < unknowns(b); });
    SWAGE_RETURN_IF_ERROR(solve(*next));
    demands.erase(next);
  }
  return binding;
}

Status BindSymbols(const SymbolBinding& binding, Module* module) {
  Status status;
  const auto bind = [&](Dim& dim) {
    if (dim.is_static() || !status.ok()) return;
    const StatusOr<int64_t> value = dim.Evaluate(binding);
    if (value.ok()) {
      dim = Dim(*value);
    } else {
      status = value.status();
    }
  };
  ExtentWalk(bind).Walk(module);
  SWAGE_RETURN_IF_ERROR(status);
  const Status verified = Verify(*module);
  if (verified.ok()) return verified;
  return InvalidArgument("[shapes] these sizes do not fit the program: ", verified.message());
}

}  // namespace swage::ir
