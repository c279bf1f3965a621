#include "compiler/pipelines/stages.h"

#include "compiler/ir/computation.h"
#include "compiler/ir/module.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/algebraic_simplifier.h"
#include "compiler/passes/broadcast_canonicalizer.h"
#include "compiler/passes/broadcast_sinker.h"
#include "compiler/passes/buffer_assignment.h"
#include "compiler/passes/computation_deduplicator.h"
#include "compiler/passes/concatenate_mover.h"
#include "compiler/passes/concatenate_splitter.h"
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
#include "compiler/passes/horizontal_fusion.h"
#include "compiler/passes/inline.h"
#include "compiler/passes/layout_assignment.h"
#include "compiler/passes/layout_normalization.h"
#include "compiler/passes/map_inliner.h"
#include "compiler/passes/multi_output_fusion.h"
#include "compiler/passes/optimization_barrier_expander.h"
#include "compiler/passes/physical_padding.h"
#include "compiler/passes/priority_fusion.h"
#include "compiler/passes/reduction_degenerate_dim_remover.h"
#include "compiler/passes/reduction_dimension_grouper.h"
#include "compiler/passes/reduction_layout_normalizer.h"
#include "compiler/passes/reduction_splitter.h"
#include "compiler/passes/reshape_decomposer.h"
#include "compiler/passes/reshape_mover.h"
#include "compiler/passes/scheduling.h"
#include "compiler/passes/sharding_remover.h"
#include "compiler/passes/slice_mover.h"
#include "compiler/passes/start_hoister.h"
#include "compiler/passes/transpose_dimension_grouper.h"
#include "compiler/passes/transpose_folding.h"
#include "compiler/passes/tuple_simplifier.h"
#include "compiler/passes/verify.h"
#include "compiler/passes/zero_sized_elimination.h"

namespace swage::pipelines {

using namespace passes;  // NOLINT: this file is nothing but their names

namespace {

// Replaces what later passes and emitters need not know.
void AddExpanders(Pipeline& pipeline) {
  Pipeline& expanders = pipeline.AddPipeline("expanders");
  expanders.AddPass<MapInliner>();
  expanders.AddPass<BroadcastCanonicalizer>();
}

// Until nothing changes: smaller, never other values.
void AddSimplification(Pipeline& pipeline, Transposes transposes) {
  FixedPoint& simplification = pipeline.AddFixedPoint("simplification");
  simplification.AddPass<ZeroSizedElimination>();
  simplification.AddPass<ConstantBroadcastCanonicalizer>();
  simplification.AddPass<GatherSimplifier>();
  simplification.AddPass<AlgebraicSimplifier>();
  simplification.AddPass<TupleSimplifier>();
  simplification.AddPass<BroadcastSinker>();
  simplification.AddPass<ReshapeMover>();
  simplification.AddPass<SliceMover>();
  simplification.AddPass<ConcatenateMover>();
  simplification.AddPass<ConstantFolding>();
  if (transposes == Transposes::kIntoDots) simplification.AddPass<TransposeFolding>();
  simplification.AddPass<ComputationDeduplicator>();
  simplification.AddPass<Cse>();
  simplification.AddPass<Dce>();

  // convert-mover undoes what reshape-mover does: each has a fixed point of its own.
  FixedPoint& converts = pipeline.AddFixedPoint("convert-movement");
  converts.AddPass<ConvertMover>();
  converts.AddPass<AlgebraicSimplifier>();
  converts.AddPass<Dce>();
}

}  // namespace

std::unique_ptr<Pipeline> BeginPipeline(const std::string& name, Transposes transposes) {
  auto pipeline = std::make_unique<Pipeline>(name);
  pipeline->AddChecker<Verifier>();

  pipeline->AddPass<Inline>();

  Pipeline& sharding = pipeline->AddPipeline("sharding-removal");
  sharding.AddPass<ShardingRemover>();
  sharding.AddPass<Dce>();

  Pipeline& optimization = pipeline->AddPipeline("optimization");
  AddExpanders(optimization);
  AddSimplification(optimization, transposes);
  optimization.AddPass<OptimizationBarrierExpander>();
  optimization.AddPass<Dce>();
  return pipeline;
}

void AddPadding(Pipeline& pipeline, const CompilerOptions& options) {
  Pipeline& padding = pipeline.AddPipeline("padding");
  padding.AddPass<PhysicalPadding>();
  if (options.padding == passes::Padding::kNone) return;
  padding.AddPass<AlgebraicSimplifier>();
  padding.AddPass<TupleSimplifier>();
  padding.AddPass<Cse>();
  padding.AddPass<Dce>();
}

void AddDotCanonicalization(Pipeline& pipeline) {
  Pipeline& dots = pipeline.AddPipeline("dot-canonicalization");
  dots.AddPass<DotDecomposer>();
  dots.AddPass<AlgebraicSimplifier>();
  dots.AddPass<Dce>();
}

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

void AddReductionNormalization(Pipeline& pipeline) {
  Pipeline& reductions = pipeline.AddPipeline("reduction-normalization");
  reductions.AddPass<ReductionLayoutNormalizer>();
  reductions.AddPass<ReductionSplitter>();
  reductions.AddPass<ReductionDimensionGrouper>();
  reductions.AddPass<ReshapeDecomposer>();
  reductions.AddPass<TransposeDimensionGrouper>();
  reductions.AddPass<Cse>();
  reductions.AddPass<Dce>();
}

void AddFusion(Pipeline& pipeline) {
  Pipeline& fusion = pipeline.AddPipeline("fusion");
  fusion.AddPass<ConcatenateSplitter>();
  fusion.AddPass<PriorityFusion>();
  fusion.AddPass<FusionCse>();
  fusion.AddPass<Dce>();
  fusion.AddPass<FusionWrapper>();
  fusion.AddPass<MultiOutputFusion>();
  fusion.AddPass<HorizontalFusion>();
  fusion.AddPass<FusionCse>();
  fusion.AddPass<Dce>();
}

// Tidies what merged kernels left around them, and makes kernels alike.
void AddPostFusion(Pipeline& pipeline) {
  Pipeline& tidying = pipeline.AddPipeline("post-fusion");
  tidying.AddPass<TupleSimplifier>();
  tidying.AddPass<StartHoister>();
  tidying.AddPass<Dce>();
}

void AddBuffers(Pipeline& pipeline) {
  pipeline.AddPass<CopyInsertion>();
  pipeline.AddPass<Scheduling>();
  pipeline.AddPass<CopyElision>();
  pipeline.AddPass<BufferAssignment>();
}

Status CheckFilters(const CompilerOptions& options,
                    std::unique_ptr<Pipeline> (*make)(const CompilerOptions& options)) {
  if (options.disable_passes.empty() && options.only_passes.empty() &&
      options.dump_passes.empty()) {
    return OkStatus();
  }
  const std::unique_ptr<Pipeline> pipeline = make(options);
  return PassFilters::Parse(options, PlacesOf(*pipeline)).status();
}

Status RunPipeline(ir::Module* module, PassContext& context,
                   std::unique_ptr<Pipeline> (*make)(const CompilerOptions& options)) {
  ir::DropLayouts(module);
  module->set_is_scheduled(false);
  for (ir::Computation* computation : module->Computations()) computation->set_schedule({});
  return make(context.options())->Run(*module, context).status();
}

}  // namespace swage::pipelines
