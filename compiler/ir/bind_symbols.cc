#include "compiler/ir/bind_symbols.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "compiler/ir/extent_walk.h"
#include "compiler/ir/verifier.h"

namespace swage::ir {

std::vector<const Symbol*> SymbolsOf(const Module& module) {
  std::vector<const Symbol*> symbols;
  ForEachExtent(module, [&](Dim dim) { dim.CollectSymbols(&symbols); });
  return symbols;
}

bool HasSymbols(const Module& module) {
  for (const Computation* computation : module.Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      if (!instruction->shape().is_static()) return true;
    }
  }
  return false;
}

StatusOr<Shape> SizedShape(Shape shape, const SymbolBinding& sizes) {
  for (int i = 0; shape.is_array() && i < shape.rank(); ++i) {
    if (shape.dim(i).is_static()) continue;
    SWAGE_ASSIGN_OR_RETURN(const int64_t extent, shape.dim(i).Evaluate(sizes));
    shape.set_dim(i, Dim(extent));
  }
  return shape;
}

namespace {

std::string DemandText(const SizeDemand& demand, const NamedShape& wanted, const Shape& got) {
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
StatusOr<std::vector<SizeDemand>> Demands(absl::Span<const NamedShape> wanted,
                                          absl::Span<const Shape* const> got) {
  std::vector<SizeDemand> demands;
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
        const SizeDemand demand = {i, index, d, leaf.dim(d),
                                   other->dim(d).static_value().value_or(-1)};
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

StatusOr<SymbolBinding> SolveDemands(std::vector<SizeDemand> demands,
                                     const ExplainDemand& explain) {
  SymbolBinding known;
  std::vector<SizeDemand> givers;
  const auto meet = [&](const SizeDemand& demand) -> Status {
    const size_t before = known.values().size();
    const Status bound = known.Bind(demand.dim, demand.value);
    if (!bound.ok()) return explain(demand, bound, known, givers);
    if (known.values().size() > before) givers.push_back(demand);
    return OkStatus();
  };
  const auto unknowns = [&](const SizeDemand& demand) {
    std::vector<const Symbol*> symbols;
    demand.dim.CollectSymbols(&symbols);
    std::erase_if(symbols, [&](const Symbol* s) { return known.Find(s).has_value(); });
    return symbols.size();
  };
  for (const SizeDemand& demand : demands) {
    if (demand.dim.symbol() != nullptr) SWAGE_RETURN_IF_ERROR(meet(demand));
  }
  std::erase_if(demands, [](const SizeDemand& demand) { return demand.dim.symbol() != nullptr; });
  while (!demands.empty()) {
    // What has fewest unknown symbols is next; one with several is an error that says so.
    const auto next = std::min_element(
        demands.begin(), demands.end(),
        [&](const SizeDemand& a, const SizeDemand& b) { return unknowns(a) < unknowns(b); });
    SWAGE_RETURN_IF_ERROR(meet(*next));
    demands.erase(next);
  }
  return known;
}

StatusOr<SymbolBinding> SolveSizes(absl::Span<const NamedShape> wanted,
                                   absl::Span<const Shape* const> got) {
  if (wanted.size() != got.size()) {
    return InvalidArgument("got ", got.size(), " arguments, expected ", wanted.size());
  }
  SWAGE_ASSIGN_OR_RETURN(std::vector<SizeDemand> demands, Demands(wanted, got));
  return SolveDemands(
      std::move(demands), [&](const SizeDemand& demand, const Status& why,
                              const SymbolBinding& known, absl::Span<const SizeDemand>) {
        return InvalidArgument(DemandText(demand, wanted[demand.argument], *got[demand.argument]),
                               ", expected ", demand.dim.ToString(), ": ", why.message(),
                               BindingText(known));
      });
}

StatusOr<SymbolBinding> SolveSizes(const Module& module, absl::Span<const Shape* const> got) {
  std::vector<NamedShape> wanted;
  for (const Instruction* parameter : module.entry()->parameters()) {
    wanted.push_back({parameter->shape(), parameter->name()});
  }
  return SolveSizes(wanted, got);
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
