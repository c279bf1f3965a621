#include "codegen/emit/launch_plan.h"

namespace swage::emit {

LaunchPlan LaunchPlan::Substitute(
    const std::vector<std::pair<const ir::Symbol*, ir::Dim>>& values) const {
  return {sharing, tasks.Substitute(values), shared_extent.Substitute(values),
          flat_tasks.Substitute(values)};
}

StatusOr<LaunchPlan> LaunchPlan::At(const ir::SymbolBinding& sizes) const {
  LaunchPlan at{.sharing = sharing};
  for (const auto& [from, to] :
       {std::pair(&tasks, &at.tasks), std::pair(&shared_extent, &at.shared_extent),
        std::pair(&flat_tasks, &at.flat_tasks)}) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t extent, from->Evaluate(sizes));
    SWAGE_RET_CHECK(extent >= 0, from->ToString(), " is ", extent);
    *to = extent;
  }
  return at;
}

RunTimeSizes RunTimeSizesOf(const GeneralisedFusion& fusion, const KernelPlan& plan) {
  std::vector<std::pair<const ir::Symbol*, ir::Dim>> values;
  for (size_t i = 0; i < fusion.symbols.size(); ++i) {
    values.emplace_back(fusion.symbols[i].symbol(), fusion.values[i]);
  }
  RunTimeSizes sizes{.launch = LaunchPlan::Of(plan).Substitute(values)};
  for (const ir::Dim& dim : plan.dims) sizes.dims.push_back(dim.Substitute(values));
  return sizes;
}

}  // namespace swage::emit
