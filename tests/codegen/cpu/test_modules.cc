#include "tests/codegen/cpu/test_modules.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/SourceMgr.h"

namespace swage::cpu {
namespace {

// Builds the kernel of VectorAdd.
class AddBuilder {
 public:
  AddBuilder(llvm::Module& module, const std::string& name, int lanes)
      : context_(module.getContext()), ir_(context_), lanes_(lanes) {
    llvm::Type* i64 = ir_.getInt64Ty();
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy(), i64, i64}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    vector_ = llvm::FixedVectorType::get(ir_.getFloatTy(), static_cast<unsigned>(lanes));
  }

  void Build() {
    llvm::BasicBlock* entry = Block("entry");
    llvm::BasicBlock* loop = Block("loop");
    llvm::BasicBlock* tail = Block("tail");
    llvm::Value* begin = function_->getArg(1);
    llvm::Value* end = function_->getArg(2);

    ir_.SetInsertPoint(entry);
    llvm::Value* buffers = ir_.CreateLoad(ir_.getPtrTy(), function_->getArg(0));
    for (uint64_t i = 0; i < 3; ++i) {
      llvm::Value* slot = ir_.CreateConstInBoundsGEP1_64(ir_.getPtrTy(), buffers, i);
      pointers_[i] = ir_.CreateLoad(ir_.getPtrTy(), slot);
    }
    llvm::Value* width = ir_.getInt64(static_cast<uint64_t>(lanes_));
    llvm::Value* last = ir_.CreateSub(end, width);
    ir_.CreateCondBr(ir_.CreateICmpSLE(begin, last), loop, tail);

    ir_.SetInsertPoint(loop);
    llvm::PHINode* i = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    llvm::Value* sum = ir_.CreateFAdd(ir_.CreateAlignedLoad(vector_, At(0, i), llvm::Align(4)),
                                      ir_.CreateAlignedLoad(vector_, At(1, i), llvm::Align(4)));
    ir_.CreateAlignedStore(sum, At(2, i), llvm::Align(4));
    llvm::Value* next = ir_.CreateAdd(i, width);
    i->addIncoming(begin, entry);
    i->addIncoming(next, loop);
    ir_.CreateCondBr(ir_.CreateICmpSLE(next, last), loop, tail);

    ir_.SetInsertPoint(tail);
    llvm::PHINode* rest = ir_.CreatePHI(ir_.getInt64Ty(), 2);
    rest->addIncoming(begin, entry);
    rest->addIncoming(next, loop);
    BuildTail(rest, end);
    ir_.CreateRetVoid();
  }

 private:
  void BuildTail(llvm::Value* first, llvm::Value* end) {
    std::vector<uint64_t> lane_numbers;
    for (int lane = 0; lane < lanes_; ++lane) lane_numbers.push_back(static_cast<uint64_t>(lane));
    llvm::Value* lane = llvm::ConstantDataVector::get(context_, lane_numbers);
    llvm::Value* left =
        ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), ir_.CreateSub(end, first));
    llvm::Value* mask = ir_.CreateICmpSLT(lane, left);
    llvm::Value* a = ir_.CreateMaskedLoad(vector_, At(0, first), llvm::Align(4), mask);
    llvm::Value* b = ir_.CreateMaskedLoad(vector_, At(1, first), llvm::Align(4), mask);
    ir_.CreateMaskedStore(ir_.CreateFAdd(a, b), At(2, first), llvm::Align(4), mask);
  }

  llvm::BasicBlock* Block(const char* name) {
    return llvm::BasicBlock::Create(context_, name, function_);
  }
  llvm::Value* At(int buffer, llvm::Value* index) {
    return ir_.CreateInBoundsGEP(ir_.getFloatTy(), pointers_[buffer], index);
  }

  llvm::LLVMContext& context_;
  llvm::IRBuilder<> ir_;
  int lanes_;
  llvm::Function* function_;
  llvm::FixedVectorType* vector_;
  llvm::Value* pointers_[3];
};

}  // namespace

TestModule ParseModule(const std::string& text) {
  TestModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic error;
  result.module = llvm::parseAssemblyString(text, error, *result.context);
  if (result.module == nullptr) {
    Fatal(__FILE__, __LINE__,
          "test IR: " + error.getMessage().str() + " in: " + error.getLineContents().str());
  }
  return result;
}

TestModule VectorAdd(const std::string& name, int lanes) {
  TestModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.module = std::make_unique<llvm::Module>("kernel", *result.context);
  AddBuilder(*result.module, name, lanes).Build();
  return result;
}

StatusOr<EmittedObject> EmitText(const std::string& text, const HostTarget& target,
                                 const EmitOptions& options) {
  TestModule test = ParseModule(text);
  return EmitObject(*test.module, target, options);
}

const HostTarget& Host() {
  static const HostTarget* const target = [] {
    StatusOr<const HostTarget*> found = HostTarget::Get();
    if (!found.ok()) Fatal(__FILE__, __LINE__, ToStd(found.status().message()));
    return *found;
  }();
  return *target;
}

}  // namespace swage::cpu
