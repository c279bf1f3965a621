#include "compiler/learn/learn.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/dim_expr.h"
#include "compiler/ir/extent_walk.h"
#include "compiler/ir/verifier.h"
#include "compiler/learn/extents.h"
#include "compiler/learn/literals.h"
#include "compiler/learn/merge.h"

namespace swage::learn {
namespace {

using ir::Dim;

Status CheckOptions(const LearnOptions& options) {
  absl::flat_hash_set<std::string> names;
  for (const ir::Symbol& symbol : options.symbols) {
    SWAGE_RETURN_IF_ERROR(ir::CheckSymbol(symbol.name, symbol.min, symbol.max));
    if (!symbol.name.empty() && !names.insert(symbol.name).second) {
      return InvalidArgument("[learn] two symbols are named '", symbol.name, "'");
    }
  }
  return OkStatus();
}

std::vector<Dim> ShapeExtents(const ir::Module& module) {
  std::vector<Dim> extents;
  for (const ir::Computation* computation : module.Computations()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      ir::ForEachLeaf(instruction->shape(), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
        extents.insert(extents.end(), leaf.dims().begin(), leaf.dims().end());
      });
    }
  }
  return extents;
}

// A call must be able to tell every size from its arguments: the lowered sizes are tried.
Status CheckSolvable(const ir::Module& module, absl::Span<const ir::Module* const> lowerings) {
  for (const ir::Module* lowering : lowerings) {
    std::vector<const ir::Shape*> got;
    for (const ir::Instruction* parameter : lowering->entry()->parameters()) {
      got.push_back(&parameter->shape());
    }
    const StatusOr<ir::SymbolBinding> binding = ir::SolveSizes(module, got);
    if (!binding.ok()) {
      return InvalidArgument("[learn] the sizes of the arguments do not tell the symbols: ",
                             binding.status().message());
    }
  }
  return OkStatus();
}

// Where a parameter has the symbol first: "x, dimension 0", or "x, dimension 0 is n+1".
std::string PlaceOf(std::string_view symbol, const ir::Module& module) {
  std::string place;
  const auto look = [&](const std::string& name, int d, Dim dim) {
    std::vector<const ir::Symbol*> inside;
    dim.CollectSymbols(&inside);
    const bool found = std::any_of(inside.begin(), inside.end(), [&](const ir::Symbol* one) {
      return ir::SymbolWithRange(*one, false) == symbol;
    });
    if (!found) return;
    place = absl::StrCat(name, ", dimension ", d);
    if (dim.symbol() == nullptr) absl::StrAppend(&place, " is ", dim.ToString());
  };
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    ir::ForEachLeaf(parameter->shape(), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      for (int d = 0; d < leaf.rank() && place.empty(); ++d)
        look(parameter->name(), d, leaf.dim(d));
    });
  }
  return place;
}

}  // namespace

std::string LearnReport::ToString() const {
  std::string text;
  const auto append = [&](std::string_view title, const std::vector<SolvedValue>& values) {
    for (const SolvedValue& value : values) {
      absl::StrAppend(&text, ToAbsl(title), " ", value.expression, ": ", value.values, " (",
                      value.place, ")\n");
    }
  };
  append("symbol", symbols);
  append("extent", extents);
  append("literal", literals);
  return text;
}

StatusOr<Learned> LearnSymbolic(absl::Span<const ir::Module* const> lowerings,
                                const LearnOptions& options) {
  SWAGE_RETURN_IF_ERROR(CheckOptions(options));
  Extents extents(lowerings.size(), options);
  Merger merger(lowerings, options, &extents);
  Learned learned;
  SWAGE_ASSIGN_OR_RETURN(learned.module, merger.Merge());
  SWAGE_RETURN_IF_ERROR(extents.Solve(ShapeExtents(*learned.module)));
  SWAGE_RETURN_IF_ERROR(extents.Name(&learned.report));
  const auto finish = [&](Dim& dim) {
    if (!dim.is_static()) dim = extents.Now(dim);
  };
  ir::ExtentWalk(finish).Walk(learned.module.get());
  SWAGE_RETURN_IF_ERROR(ReplaceLiterals(merger, extents, &learned.report));
  if (const auto violation = ir::FindViolation(*learned.module)) {
    return InvalidArgument("[learn] the program is not right for every size: ", violation->message);
  }
  SWAGE_RETURN_IF_ERROR(CheckSolvable(*learned.module, lowerings));
  for (SolvedValue& symbol : learned.report.symbols) {
    symbol.place = PlaceOf(symbol.expression, *learned.module);
  }
  return learned;
}

}  // namespace swage::learn
