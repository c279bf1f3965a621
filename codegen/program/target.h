// File: codegen/program/target.h
//
// Target: what the compiler asks of a device. Passes, kernels, keys, cache and buffers are the same
// for all of them; a target knows its pipeline, turns planned kernels into code, and runs steps.
#ifndef SWAGE_CODEGEN_PROGRAM_TARGET_H_
#define SWAGE_CODEGEN_PROGRAM_TARGET_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/key_material.h"
#include "base/status.h"
#include "codegen/emit/schedule.h"
#include "codegen/entry_store.h"
#include "codegen/executable.h"
#include "codegen/program/codegen_level.h"
#include "codegen/program/kernel_cache.h"
#include "codegen/program/program_plan.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"

namespace swage::codegen {

struct GenerateOptions {
  CodegenLevel level = CodegenLevel::kDefault;
  bool keep_texts = false;      // IR and assembly, for dumps
  EntryStore* store = nullptr;  // for what the target keeps beside the kernel; null: nowhere
};

// All methods may be called from any thread.
class Target {
 public:
  virtual ~Target() = default;

  virtual std::string_view device() const = 0;  // as errors name it: "cpu"
  virtual const cost::DeviceDescription& description() const = 0;
  virtual Status RunPasses(ir::Module* module, passes::PassContext& context) const = 0;

  virtual emit::EmitOptions emit_options() const = 0;
  // What a kernel that spills registers is emitted with instead; nullopt: it stays as it is.
  virtual std::optional<emit::EmitOptions> Narrower(const emit::EmitOptions& options) const {
    return std::nullopt;
  }
  // Whether CodegenLevel::kNone saves anything.
  virtual bool has_levels() const { return true; }

  // The fields that say for which machine code is; and what passes decide by beside it.
  virtual void AddMachine(KeyMaterial* key) const = 0;
  virtual void AddDecisions(KeyMaterial* key) const = 0;
  // Kernels in memory are of one scope: code that is loaded on one device is of no use to another.
  virtual std::string_view scope() const { return ""; }

  virtual StatusOr<CompiledKernel> Generate(const emit::KernelPlan& plan,
                                            const GenerateOptions& options) const = 0;
  // The kernel of an object that Generate made.
  virtual StatusOr<CompiledKernel> Link(std::string object, EntryStore* store) const = 0;
  // CompiledKernel::source of the kernel of this computation.
  virtual std::string SourceOf(const ir::Computation& fusion) const { return ""; }
  // Of CompiledKernel::assembly, as files are called: "s".
  virtual std::string_view assembly_suffix() const = 0;

  virtual StatusOr<std::shared_ptr<Executable>> MakeExecutable(
      ProgramPlan plan, const CompileReport& report) const = 0;
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_TARGET_H_
