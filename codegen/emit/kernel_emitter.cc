// File: codegen/emit/kernel_emitter.cc
#include "codegen/emit/kernel_emitter.h"

#include "codegen/emit/schedules/dot.h"
#include "codegen/emit/schedules/loop.h"
#include "codegen/emit/value_emitter.h"

namespace swage::emit {

StatusOr<EmittedKernel> EmitKernel(const KernelPlan& plan, llvm::Module* module,
                                   std::string_view name) {
  llvm::LLVMContext& context = module->getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                          llvm::StringRef(name.data(), name.size()), module);
  function->setDoesNotThrow();
  llvm::IRBuilder<> builder(context);
  LoopNest nest(function, &builder);

  llvm::Value* args = function->getArg(0);
  llvm::Value* buffer_list = builder.CreateLoad(pointer, args, "buffers");
  llvm::Value* dims =
      builder.CreateLoad(pointer, builder.CreateConstGEP1_64(pointer, args, 1), "dims");
  std::vector<llvm::Value*> buffers;
  const size_t count = plan.fusion->parameters().size() + plan.leaves.size();
  for (size_t i = 0; i < count; ++i) {
    llvm::Value* slot = builder.CreateConstGEP1_64(pointer, buffer_list, i);
    buffers.push_back(builder.CreateLoad(pointer, slot));
  }
  ValueEmitter emitter(plan.options, plan.width, plan.dims, module, &nest, std::move(buffers),
                       dims);
  llvm::Value* begin = function->getArg(1);
  llvm::Value* end = function->getArg(2);
  if (plan.schedule == Schedule::kDot) {
    SWAGE_RETURN_IF_ERROR(EmitDotKernel(plan, emitter, begin, end));
  } else {
    SWAGE_RETURN_IF_ERROR(EmitLoopKernel(plan, emitter, begin, end));
  }
  builder.CreateRetVoid();

  EmittedKernel kernel;
  kernel.name = std::string(name);
  kernel.dims = plan.dims;
  kernel.tasks = plan.tasks;
  kernel.ir_instructions = function->getInstructionCount();
  if (kernel.ir_instructions > plan.options.ir_cap) {
    return ResourceExhausted("[emit] a kernel of more than ", plan.options.ir_cap,
                             " LLVM instructions: split the fusion");
  }
  return kernel;
}

}  // namespace swage::emit
