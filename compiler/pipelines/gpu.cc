#include "compiler/pipelines/gpu.h"

#include "compiler/cost/device_description.h"
#include "compiler/passes/algebraic_simplifier.h"
#include "compiler/passes/broadcast_canonicalizer.h"
#include "compiler/passes/broadcast_sinker.h"
#include "compiler/passes/buffer_assignment.h"
#include "compiler/passes/computation_deduplicator.h"
#include "compiler/passes/constant_broadcast_canonicalizer.h"
#include "compiler/passes/constant_folding.h"
#include "compiler/passes/convert_mover.h"
#include "compiler/passes/copy_elision.h"
#include "compiler/passes/copy_insertion.h"
#include "compiler/passes/cse.h"
#include "compiler/passes/dce.h"
#include "compiler/passes/dot_decomposer.h"
#include "compiler/passes/filter.h"
#include "compiler/passes/fusion_wrapper.h"
#include "compiler/passes/gather_simplifier.h"
#include "compiler/passes/inline.h"
#include "compiler/passes/layout_assignment.h"
#include "compiler/passes/layout_normalization.h"
#include "compiler/passes/map_inliner.h"
#include "compiler/passes/optimization_barrier_expander.h"
#include "compiler/passes/physical_padding.h"
#include "compiler/passes/priority_fusion.h"
#include "compiler/passes/reduction_degenerate_dim_remover.h"
#include "compiler/passes/reduction_splitter.h"
#include "compiler/passes/reshape_decomposer.h"
#include "compiler/passes/reshape_mover.h"
#include "compiler/passes/scheduling.h"
#include "compiler/passes/sharding_remover.h"
#include "compiler/passes/transpose_dimension_grouper.h"
#include "compiler/passes/tuple_simplifier.h"
#include "compiler/passes/verify.h"
#include "compiler/passes/zero_sized_elimination.h"
#include "compiler/pipelines/drop_orders.h"

namespace swage::pipelines {
namespace {

using namespace passes;  // NOLINT: this file is nothing but their names

// Until nothing changes: smaller, never other values. Transposes stay outside of dots: neighbouring
// threads compute neighbouring columns, and would read a transposed right side in strides.
void AddSimplification(Pipeline& pipeline) {
  FixedPoint& simplification = pipeline.AddFixedPoint("simplification");
  simplification.AddPass<ZeroSizedElimination>();
  simplification.AddPass<ConstantBroadcastCanonicalizer>();
  simplification.AddPass<GatherSimplifier>();
  simplification.AddPass<AlgebraicSimplifier>();
  simplification.AddPass<TupleSimplifier>();
  simplification.AddPass<BroadcastSinker>();
  simplification.AddPass<ReshapeMover>();
  simplification.AddPass<ConstantFolding>();
  simplification.AddPass<ComputationDeduplicator>();
  simplification.AddPass<Cse>();
  simplification.AddPass<Dce>();

  // convert-mover undoes what reshape-mover does: each has a fixed point of its own.
  FixedPoint& converts = pipeline.AddFixedPoint("convert-movement");
  converts.AddPass<ConvertMover>();
  converts.AddPass<AlgebraicSimplifier>();
  converts.AddPass<Dce>();
}

// Fixed shapes for open sizes; nothing unless the options ask for it.
void AddPadding(Pipeline& pipeline, const CompilerOptions& options) {
  Pipeline& padding = pipeline.AddPipeline("padding");
  padding.AddPass<PhysicalPadding>();
  if (options.padding == passes::Padding::kNone) return;
  padding.AddPass<AlgebraicSimplifier>();
  padding.AddPass<TupleSimplifier>();
  padding.AddPass<Cse>();
  padding.AddPass<Dce>();
}

// One dimension per role where that moves no data.
void AddDotCanonicalization(Pipeline& pipeline) {
  Pipeline& dots = pipeline.AddPipeline("dot-canonicalization");
  dots.AddPass<DotDecomposer>();
  dots.AddPass<AlgebraicSimplifier>();
  dots.AddPass<Dce>();
}

// Replaces what later passes and emitters need not know.
void AddExpanders(Pipeline& pipeline) {
  Pipeline& expanders = pipeline.AddPipeline("expanders");
  expanders.AddPass<MapInliner>();
  expanders.AddPass<BroadcastCanonicalizer>();
}

// Row-major arrays from here on; what moves no byte becomes a bitcast.
void AddLayouts(Pipeline& pipeline) {
  pipeline.AddPass<LayoutAssignment>();
  pipeline.AddPass<LayoutNormalization>();
  FixedPoint& simplification = pipeline.AddFixedPoint("post-layout-simplification");
  simplification.AddPass<ReductionDegenerateDimRemover>();
  simplification.AddPass<AlgebraicSimplifier>();
  simplification.AddPass<ReshapeDecomposer>();
  simplification.AddPass<TransposeDimensionGrouper>();
  simplification.AddPass<TupleSimplifier>();
  simplification.AddPass<Cse>();
  simplification.AddPass<Dce>();
}

// Reduces that keep the card busy: each result is the work of one team of threads.
void AddReductionNormalization(Pipeline& pipeline) {
  Pipeline& reductions = pipeline.AddPipeline("reduction-normalization");
  reductions.AddPass<ReductionSplitter>();
  reductions.AddPass<ReshapeDecomposer>();
  reductions.AddPass<Cse>();
  reductions.AddPass<Dce>();
}

// Which values are never stored.
void AddFusion(Pipeline& pipeline) {
  Pipeline& fusion = pipeline.AddPipeline("fusion");
  fusion.AddPass<PriorityFusion>();
  fusion.AddPass<FusionCse>();
  fusion.AddPass<Dce>();
  fusion.AddPass<FusionWrapper>();
}

// When each value is made, and where it lives.
void AddBuffers(Pipeline& pipeline) {
  pipeline.AddPass<CopyInsertion>();
  pipeline.AddPass<Scheduling>();
  pipeline.AddPass<CopyElision>();
  pipeline.AddPass<BufferAssignment>();
}

}  // namespace

std::unique_ptr<Pipeline> GpuPipeline(const CompilerOptions& options) {
  auto gpu = std::make_unique<Pipeline>("gpu");
  gpu->AddChecker<Verifier>();

  gpu->AddPass<Inline>();

  Pipeline& sharding = gpu->AddPipeline("sharding-removal");
  sharding.AddPass<ShardingRemover>();
  sharding.AddPass<Dce>();

  Pipeline& optimization = gpu->AddPipeline("optimization");
  AddExpanders(optimization);
  AddSimplification(optimization);
  optimization.AddPass<OptimizationBarrierExpander>();
  optimization.AddPass<Dce>();

  AddPadding(*gpu, options);
  AddDotCanonicalization(*gpu);
  AddLayouts(*gpu);
  AddReductionNormalization(*gpu);
  AddFusion(*gpu);
  AddBuffers(*gpu);
  return gpu;
}

Status CheckGpuFilters(const CompilerOptions& options) {
  if (options.disable_passes.empty() && options.only_passes.empty() &&
      options.dump_passes.empty()) {
    return OkStatus();
  }
  const std::unique_ptr<Pipeline> pipeline = GpuPipeline(options);
  return PassFilters::Parse(options, PlacesOf(*pipeline)).status();
}

Status RunGpuPipeline(ir::Module* module, PassContext& context) {
  SWAGE_RET_CHECK(context.device() != nullptr && context.device()->is_gpu());
  DropOrders(module);
  return GpuPipeline(context.options())->Run(*module, context).status();
}

}  // namespace swage::pipelines
