// File: compiler/pipelines/cpu.h
//
// The CPU compiler's passes, in order: cpu.cc is the table of contents of the whole compiler,
// stages.cc its chapters.
//
//   PassContext context(options, &device);
//   SWAGE_RETURN_IF_ERROR(RunCpuPipeline(module.get(), context));
//
// The context then holds the statistics, the messages and the open dump, to which code generation
// may add; the dump's index entry is written when the context goes.
#ifndef SWAGE_COMPILER_PIPELINES_CPU_H_
#define SWAGE_COMPILER_PIPELINES_CPU_H_

#include <memory>

#include "compiler/passes/pipeline.h"
#include "compiler/pipelines/options.h"

namespace swage::pipelines {

std::unique_ptr<passes::Pipeline> CpuPipeline(const CompilerOptions& options);

// InvalidArgument for a bad filter in the options: what RunCpuPipeline would say, before there is a
// module.
Status CheckCpuFilters(const CompilerOptions& options);

// InvalidArgument for a bad filter in the options, or a module that does not verify. Internal when
// a pass fails; the module is then in the state that the dump shows last.
Status RunCpuPipeline(ir::Module* module, passes::PassContext& context);

}  // namespace swage::pipelines

#endif  // SWAGE_COMPILER_PIPELINES_CPU_H_
