#include "compiler/passes/registry.h"

#include <vector>

#include "base/nearest.h"
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
#include "compiler/passes/zero_sized_elimination.h"

namespace swage::passes {
namespace {

template <typename T>
std::unique_ptr<Pass> Make() {
  return std::make_unique<T>();
}

// A new pass is one row here; sorted by name.
constexpr PassInfo kPasses[] = {
    {"algebraic-simplifier", "replaces instructions by simpler ones of the same value",
     &Make<AlgebraicSimplifier>},
    {"broadcast-canonicalizer", "sorts the dimensions of broadcasts",
     &Make<BroadcastCanonicalizer>},
    {"broadcast-sinker", "computes before a broadcast what is computed after it",
     &Make<BroadcastSinker>},
    {"buffer-assignment", "checks and dumps where each value lives", &Make<BufferAssignment>},
    {"computation-deduplicator", "lets callers of equal computations share one",
     &Make<ComputationDeduplicator>},
    {"concatenate-mover",
     "computes once, on the joined array, what all parts of a concatenate compute",
     &Make<ConcatenateMover>},
    {"concatenate-splitter", "joins very many arrays in groups", &Make<ConcatenateSplitter>},
    {"constant-broadcast-canonicalizer",
     "turns uniform and counting constants into broadcasts and iotas",
     &Make<ConstantBroadcastCanonicalizer>},
    {"constant-folding", "evaluates what depends on constants only, within a budget",
     &Make<ConstantFolding>},
    {"convert-mover", "moves data on the narrower side of converts", &Make<ConvertMover>},
    {"copy-elision", "removes copies whose two ends may be one buffer", &Make<CopyElision>},
    {"copy-insertion", "gives every output a buffer of its own", &Make<CopyInsertion>},
    {"cse", "merges instructions that compute the same", &Make<Cse>},
    {"dce", "removes instructions and computations that nobody uses", &Make<Dce>},
    {"dot-decomposer", "merges the dimensions of dots by their roles", &Make<DotDecomposer>},
    {"fusion-cse", "merges equal instructions inside fusions", &Make<FusionCse>},
    {"fusion-wrapper", "makes a fusion of every op that needs a kernel of its own",
     &Make<FusionWrapper>},
    {"gather-simplifier", "turns gathers of one window into dynamic-slices",
     &Make<GatherSimplifier>},
    {"horizontal-fusion", "starts many small kernels at once", &Make<HorizontalFusion>},
    {"inline", "puts called computations in the place of their calls", &Make<Inline>},
    {"layout-assignment", "gives every array a layout", &Make<LayoutAssignment>},
    {"layout-normalization", "turns changes of layout into transposes", &Make<LayoutNormalization>},
    {"map-inliner", "replaces map by its body on whole arrays", &Make<MapInliner>},
    {"multi-output-fusion", "makes one kernel of kernels that share memory traffic",
     &Make<MultiOutputFusion>},
    {"optimization-barrier-expander", "removes opt-barriers once they have served",
     &Make<OptimizationBarrierExpander>},
    {"physical-padding", "gives programs of open sizes fixed shapes, where that is asked for",
     &Make<PhysicalPadding>},
    {"priority-fusion", "computes values inside their consumers where the cost model gains by it",
     &Make<PriorityFusion>},
    {"reduction-degenerate-dim-remover", "takes dimensions of extent 1 out of reduces",
     &Make<ReductionDegenerateDimRemover>},
    {"reduction-dimension-grouper", "makes rows or columns of what is reduced together",
     &Make<ReductionDimensionGrouper>},
    {"reduction-layout-normalizer", "lets reduces read transposed arrays where they lie",
     &Make<ReductionLayoutNormalizer>},
    {"reduction-splitter", "reduces rows first where there are too few results to share out",
     &Make<ReductionSplitter>},
    {"reshape-decomposer", "replaces what moves no byte by bitcasts", &Make<ReshapeDecomposer>},
    {"reshape-mover", "lets reshapes and transposes sink below elementwise ops",
     &Make<ReshapeMover>},
    {"scheduling", "orders instructions for little memory", &Make<Scheduling>},
    {"sharding-remover", "drops sharding marks on one device", &Make<ShardingRemover>},
    {"slice-mover", "computes only what a slice takes", &Make<SliceMover>},
    {"start-hoister", "lets kernels that differ in where they read or write be one",
     &Make<StartHoister>},
    {"transpose-dimension-grouper", "writes transposes in as few dimensions as it takes",
     &Make<TransposeDimensionGrouper>},
    {"transpose-folding", "lets dots read and write transposed arrays in place",
     &Make<TransposeFolding>},
    {"tuple-simplifier", "removes tuples that are taken apart again", &Make<TupleSimplifier>},
    {"zero-sized-elimination", "replaces arrays without elements by constants",
     &Make<ZeroSizedElimination>},
};

}  // namespace

std::span<const PassInfo> AllPasses() { return kPasses; }

StatusOr<std::unique_ptr<Pass>> MakePass(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PassInfo& info : kPasses) {
    if (info.name == name) return info.make();
    names.push_back(info.name);
  }
  return NotFound("[passes] there is no pass '", ToAbsl(name), "'", DidYouMean(name, names),
                  " (`swage passes` lists all)");
}

}  // namespace swage::passes
