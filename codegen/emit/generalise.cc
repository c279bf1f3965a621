#include "codegen/emit/generalise.h"

#include <algorithm>
#include <utility>

#include "codegen/emit/extent_classes.h"
#include "codegen/emit/schedule.h"

namespace swage::emit {

using ir::Dim;
using ir::Instruction;

StatusOr<GeneralisedFusion> Generalise(const ir::Computation& fusion, bool baked) {
  GeneralisedFusion result;
  result.module = std::make_unique<ir::Module>("kernel");
  result.fusion = result.module->CloneComputation(fusion, "kernel");
  result.module->set_entry(result.fusion);
  for (Instruction* op : result.fusion->Instructions()) op->mutable_shape()->clear_layout();
  // The order in which a combiner was to run is no part of a kernel.
  for (ir::Computation* computation : result.module->Computations()) computation->set_schedule({});
  std::vector<std::pair<Dim, Dim>> made;
  if (!baked) {
    ExtentClasses classes(result.fusion);
    SWAGE_RETURN_IF_ERROR(classes.Run());
    made = classes.made();
  }
  result.symbols = SymbolsOf(*result.fusion);
  for (Dim symbol : result.symbols) {
    auto at = std::find_if(made.begin(), made.end(),
                           [&](const auto& entry) { return entry.first == symbol; });
    result.values.push_back(at == made.end() ? symbol : at->second);
  }
  return result;
}

}  // namespace swage::emit
