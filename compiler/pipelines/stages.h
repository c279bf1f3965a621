// File: compiler/pipelines/stages.h
//
// What the pipelines of all targets have in common: cpu.cc and gpu.cc are lists of these stages and
// of what only they have.
#ifndef SWAGE_COMPILER_PIPELINES_STAGES_H_
#define SWAGE_COMPILER_PIPELINES_STAGES_H_

#include <memory>
#include <string>

#include "compiler/passes/pipeline.h"
#include "compiler/pipelines/options.h"

namespace swage::pipelines {

// Whether a transpose of a dot's side becomes part of the dot.
enum class Transposes : uint8_t { kIntoDots, kApart };

// One computation without calls and shardings, simplified; every pipeline begins with it.
std::unique_ptr<passes::Pipeline> BeginPipeline(const std::string& name, Transposes transposes);
// Fixed shapes for open sizes; nothing unless the options ask for it.
void AddPadding(passes::Pipeline& pipeline, const CompilerOptions& options);
// One dimension per role where that moves no data.
void AddDotCanonicalization(passes::Pipeline& pipeline);
// Row-major arrays from here on; what moves no byte becomes a bitcast.
void AddLayouts(passes::Pipeline& pipeline);
// Reduces that read what lies there, with results enough to share out.
void AddReductionNormalization(passes::Pipeline& pipeline);
// Which values are never stored, and which are stored by one kernel.
void AddFusion(passes::Pipeline& pipeline);
// What remains to be tidied once all kernels are there.
void AddPostFusion(passes::Pipeline& pipeline);
// When each value is made, and where it lives.
void AddBuffers(passes::Pipeline& pipeline);

// InvalidArgument for filters in the options that name nothing of the pipeline that `make` gives.
Status CheckFilters(const CompilerOptions& options,
                    std::unique_ptr<passes::Pipeline> (*make)(const CompilerOptions& options));
// Runs it; layouts (but the entry's) and schedules that the text of a module had are no orders.
Status RunPipeline(ir::Module* module, passes::PassContext& context,
                   std::unique_ptr<passes::Pipeline> (*make)(const CompilerOptions& options));

}  // namespace swage::pipelines

#endif  // SWAGE_COMPILER_PIPELINES_STAGES_H_
