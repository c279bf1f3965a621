#include "codegen/cpu/kernel_maker.h"

#include <chrono>
#include <utility>

#include "base/clock.h"
#include "codegen/cpu/entry_key.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/emit/kernel_emitter.h"
#include "compiler/ir/fingerprint.h"
#include "llvm/IR/LLVMContext.h"

namespace swage::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kEntryName[] = "swage_kernel";

// The kernel from its object file.
StatusOr<CompiledKernel> Link(std::string object) {
  CompiledKernel kernel;
  const Clock::time_point start = Clock::now();
  SWAGE_ASSIGN_OR_RETURN(KernelLoader * loader, KernelLoader::Get());
  SWAGE_ASSIGN_OR_RETURN(kernel.code, loader->Load(object, kEntryName));
  kernel.link_ms = MillisecondsSince(start);
  kernel.object = std::move(object);
  return kernel;
}

}  // namespace

emit::EmitOptions EmitOptionsFor(const HostTarget& target) {
  return emit::EmitOptions::For(target.vector_bytes(), target.Has("avx512bf16"));
}

CodegenLevel LevelOf(const emit::KernelPlan& plan) {
  return plan.is_large ? CodegenLevel::kNone : CodegenLevel::kDefault;
}

std::string KeyOf(const ir::Computation& fusion, const HostTarget& target, CodegenLevel level) {
  return KernelKey(target, level, EmitOptionsFor(target).ToString(), ir::CanonicalText(fusion))
      .Serialise();
}

StatusOr<CompiledKernel> KernelFromStore(codegen::EntryStore& store, const std::string& key) {
  SWAGE_ASSIGN_OR_RETURN(std::string object, store.Get(codegen::EntryKind::kKernel, key));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(object)));
  kernel.stored = true;
  return kernel;
}

StatusOr<CompiledKernel> GenerateKernel(const emit::KernelPlan& plan, const HostTarget& target,
                                        CodegenLevel level, bool keep_texts) {
  const Clock::time_point start = Clock::now();
  llvm::LLVMContext context;
  llvm::Module module(kEntryName, context);
  SWAGE_RETURN_IF_ERROR(emit::EmitKernel(plan, &module, kEntryName).status());
  const double emit_ms = MillisecondsSince(start);
  EmitOptions emit_options;
  emit_options.level = level;
  emit_options.keep_ir = keep_texts;
  emit_options.keep_assembly = keep_texts;
  SWAGE_ASSIGN_OR_RETURN(EmittedObject object, EmitObject(module, target, emit_options));
  SWAGE_ASSIGN_OR_RETURN(CompiledKernel kernel, Link(std::move(object.object)));
  kernel.emit_ms = emit_ms;
  kernel.llvm_ms = object.passes_ms + object.codegen_ms;
  kernel.ir = std::move(object.ir_after);
  kernel.assembly = std::move(object.assembly);
  return kernel;
}

}  // namespace swage::cpu
