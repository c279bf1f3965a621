// File: codegen/emit/launch_plan.h
//
// What a call of a kernel depends on, once it is compiled: the values of its run-time extents, and
// how many tasks it has and how threads share them.
//
//   const RunTimeSizes sizes = RunTimeSizesOf(generalised, plan);   // in the symbols of the
//   program SWAGE_ASSIGN_OR_RETURN(LaunchPlan launch, sizes.launch.At(binding));
#ifndef SWAGE_CODEGEN_EMIT_LAUNCH_PLAN_H_
#define SWAGE_CODEGEN_EMIT_LAUNCH_PLAN_H_

#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/emit/generalise.h"
#include "codegen/emit/schedule.h"
#include "codegen/emit/sharing.h"
#include "compiler/ir/dim.h"

namespace swage::emit {

struct LaunchPlan {
  Sharing sharing = Sharing::kNothing;  // on a GPU
  ir::Dim tasks = 0;                    // extent of the task axis
  ir::Dim shared_extent = 1;            // what a team shares out; the elements of a square
  ir::Dim flat_tasks = 0;               // tasks if blocks are of one line; 0: they never are

  static LaunchPlan Of(const KernelPlan& plan) {
    return {plan.sharing, plan.tasks, plan.shared_extent, plan.flat_tasks};
  }
  LaunchPlan Substitute(const std::vector<std::pair<const ir::Symbol*, ir::Dim>>& values) const;
  // With numbers. Internal for one below 0.
  StatusOr<LaunchPlan> At(const ir::SymbolBinding& sizes) const;
  bool is_static() const {
    return tasks.is_static() && shared_extent.is_static() && flat_tasks.is_static();
  }
};

struct RunTimeSizes {
  std::vector<ir::Dim> dims;  // the values of KernelPlan::dims
  LaunchPlan launch;
};
// Of a kernel that was planned for `fusion.fusion`, in the symbols of what it was generalised from.
RunTimeSizes RunTimeSizesOf(const GeneralisedFusion& fusion, const KernelPlan& plan);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_LAUNCH_PLAN_H_
