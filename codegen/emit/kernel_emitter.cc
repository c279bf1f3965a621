// File: codegen/emit/kernel_emitter.cc
#include "codegen/emit/kernel_emitter.h"

#include "codegen/emit/schedules/dot.h"
#include "codegen/emit/schedules/dot_tiles.h"
#include "codegen/emit/schedules/loop.h"
#include "codegen/emit/schedules/squares.h"
#include "codegen/emit/schedules/transpose.h"
#include "codegen/emit/value_emitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Metadata.h"

namespace swage::emit {

namespace {

size_t BufferCount(const KernelPlan& plan) {
  return plan.fusion->parameters().size() + plan.leaves.size();
}

llvm::Function* NewFunction(llvm::Module* module, std::string_view name,
                            const std::vector<llvm::Type*>& arguments) {
  llvm::Type* nothing = llvm::Type::getVoidTy(module->getContext());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(nothing, arguments, false),
                                          llvm::Function::ExternalLinkage,
                                          llvm::StringRef(name.data(), name.size()), module);
  function->setDoesNotThrow();
  return function;
}

// The function whose tasks are a range.
StatusOr<llvm::Function*> EmitForCpu(const KernelPlan& plan, llvm::Module* module,
                                     std::string_view name) {
  llvm::LLVMContext& context = module->getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Function* function = NewFunction(module, name, {pointer, i64, i64});
  llvm::IRBuilder<> builder(context);
  LoopNest nest(function, &builder);

  llvm::Value* args = function->getArg(0);
  llvm::Value* buffer_list = builder.CreateLoad(pointer, args, "buffers");
  llvm::Value* dims =
      builder.CreateLoad(pointer, builder.CreateConstGEP1_64(pointer, args, 1), "dims");
  std::vector<llvm::Value*> buffers;
  for (size_t i = 0; i < BufferCount(plan); ++i) {
    llvm::Value* slot = builder.CreateConstGEP1_64(pointer, buffer_list, i);
    buffers.push_back(builder.CreateLoad(pointer, slot));
  }
  const auto dim = [&](llvm::IRBuilder<>& b, int64_t i) -> llvm::Value* {
    return b.CreateLoad(b.getInt64Ty(), b.CreateConstGEP1_64(b.getInt64Ty(), dims, i));
  };
  ValueEmitter emitter(plan.options, plan.width, plan.dims, module, &nest, std::move(buffers), dim);
  llvm::Value* begin = function->getArg(1);
  llvm::Value* end = function->getArg(2);
  if (plan.schedule == Schedule::kDot) {
    SWAGE_RETURN_IF_ERROR(EmitDotKernel(plan, emitter, begin, end));
  } else if (plan.schedule == Schedule::kTranspose) {
    SWAGE_RETURN_IF_ERROR(EmitTransposeKernel(plan, emitter, begin, end));
  } else {
    SWAGE_RETURN_IF_ERROR(EmitLoopKernel(plan, emitter, begin, end));
  }
  // Such stores are not ordered with those by which a thread says that it is done.
  if (plan.options.streaming_stores)
    builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  builder.CreateRetVoid();
  return function;
}

// A block of 256 threads has room for the 255 registers that a thread may have, so that most
// kernels need no bound of the launch; with one, NVIDIA's assembler spills to get more blocks in.
static_assert(kBlockThreads * 256 <= 65536);

// Whether two blocks are to fit a multiprocessor, so that one's barriers and fetches are hidden by
// the other: where blocks share tiles. The places of a batch need registers that would be spilled.
bool NeedsTwoBlocks(const KernelPlan& plan) {
  return plan.sharing == Sharing::kTiles && plan.hero->attrs<ir::DotAttrs>().lhs_batch.empty();
}

// Marks a kernel.
void AnnotateKernel(llvm::Module* module, llvm::Function* function, const KernelPlan& plan) {
  llvm::LLVMContext& context = module->getContext();
  llvm::NamedMDNode* annotations = module->getOrInsertNamedMetadata("nvvm.annotations");
  const auto annotate = [&](const char* what, int value) {
    llvm::Constant* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
    annotations->addOperand(llvm::MDNode::get(
        context, {llvm::ValueAsMetadata::get(function), llvm::MDString::get(context, what),
                  llvm::ValueAsMetadata::get(number)}));
  };
  annotate("kernel", 1);
  if (!NeedsTwoBlocks(plan)) return;
  annotate("maxntidx", kBlockThreads);
  annotate("minctasm", 2);
}

// The function that is one thread.
StatusOr<llvm::Function*> EmitForGpu(const KernelPlan& plan, llvm::Module* module,
                                     std::string_view name) {
  llvm::LLVMContext& context = module->getContext();
  const size_t buffer_count = BufferCount(plan);
  std::vector<llvm::Type*> types(buffer_count, llvm::PointerType::get(context, kGlobalSpace));
  types.resize(buffer_count + plan.dims.size(), llvm::Type::getInt64Ty(context));
  llvm::Function* function = NewFunction(module, name, types);
  AnnotateKernel(module, function, plan);
  std::vector<llvm::Value*> buffers;
  for (size_t i = 0; i < buffer_count; ++i) {
    const llvm::Align alignment(kGpuBufferAlignment);
    function->getArg(i)->addAttr(llvm::Attribute::getWithAlignment(context, alignment));
    buffers.push_back(function->getArg(i));
  }
  llvm::IRBuilder<> builder(context);
  LoopNest nest(function, &builder);
  const auto dim = [&](llvm::IRBuilder<>&, int64_t i) -> llvm::Value* {
    return function->getArg(buffer_count + i);
  };
  ValueEmitter emitter(plan.options, plan.width, plan.dims, module, &nest, std::move(buffers), dim);
  ThreadGrid grid(&nest, plan.sharing);
  emitter.set_grid(&grid);
  if (plan.schedule == Schedule::kDot) {
    SWAGE_RETURN_IF_ERROR(EmitDotTiles(plan, emitter));
  } else if (plan.schedule == Schedule::kTranspose) {
    SWAGE_RETURN_IF_ERROR(EmitSquares(plan, emitter));
  } else {
    SWAGE_RETURN_IF_ERROR(EmitLoopThread(plan, emitter));
  }
  builder.CreateRetVoid();
  return function;
}

}  // namespace

StatusOr<EmittedKernel> EmitKernel(const KernelPlan& plan, llvm::Module* module,
                                   std::string_view name) {
  SWAGE_ASSIGN_OR_RETURN(const llvm::Function* function, plan.options.is_gpu()
                                                             ? EmitForGpu(plan, module, name)
                                                             : EmitForCpu(plan, module, name));
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
