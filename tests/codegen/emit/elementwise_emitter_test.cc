#include "codegen/emit/elementwise_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "llvm/IR/Module.h"
#include "tests/codegen/emit/elementwise_harness.h"

namespace swage::emit {
namespace {

using ir::DType;

constexpr int64_t kCount = 4096;

constexpr DType kDTypes[] = {
#define SWAGE_ENTRY(name) DType::k##name,
    SWAGE_MATH_DTYPES(SWAGE_ENTRY)
#undef SWAGE_ENTRY
};

// What is folded on the host is what a kernel computes, bit for bit.
class FoldedIsRun : public testing::TestWithParam<std::tuple<DType, unsigned>> {
 protected:
  void ExpectEqual(const std::string& cpu) {
    const auto [dtype, lanes] = GetParam();
    const auto target = cpu::HostTarget::Resolve(cpu);
    ASSERT_TRUE(target.ok()) << target.status().message();
    const Status status = CompareWithHost(CasesOn(dtype), lanes, *target, kCount);
    EXPECT_TRUE(status.ok()) << std::string(status.message());
  }
};

TEST_P(FoldedIsRun, OnThisMachine) { ExpectEqual(""); }

TEST_P(FoldedIsRun, OnTheOldestCpu) { ExpectEqual("x86-64-v3"); }

INSTANTIATE_TEST_SUITE_P(Ops, FoldedIsRun,
                         testing::Combine(testing::ValuesIn(kDTypes), testing::Values(0u, 8u, 16u)),
                         [](const auto& info) {
                           return std::string(ir::DTypeName(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST(EmitElementwise, TakesAnyNumberOfLanes) {
  const auto target = cpu::HostTarget::Get();
  ASSERT_TRUE(target.ok()) << target.status().message();
  for (unsigned lanes : {1u, 3u, 4u, 32u}) {
    for (DType dtype : {DType::kF32, DType::kBF16, DType::kS8, DType::kPred, DType::kU64}) {
      const Status status = CompareWithHost(CasesOn(dtype), lanes, **target, 96 * lanes);
      EXPECT_TRUE(status.ok()) << std::string(status.message());
    }
  }
}

class EmitInFunction : public testing::Test {
 protected:
  EmitInFunction() : module_("m", context_), ir_(context_) {
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), false);
    auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module_);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> ir_;
};

TEST_F(EmitInFunction, ScalarsAmongVectorsStandForAllLanes) {
  llvm::Value* vector = llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(4),
                                                       llvm::ConstantFP::get(ir_.getFloatTy(), 2));
  llvm::Value* scalar = llvm::ConstantFP::get(ir_.getFloatTy(), 3);
  const DType dtypes[] = {DType::kF32, DType::kF32};
  llvm::Value* operands[] = {vector, scalar};
  const auto sum = EmitElementwise(ir_, ir::Opcode::kAdd, DType::kF32, dtypes, {}, operands);
  ASSERT_TRUE(sum.ok()) << sum.status().message();
  EXPECT_EQ((*sum)->getType(), vector->getType());
}

TEST_F(EmitInFunction, WrongOperandsAreErrors) {
  llvm::Value* number = ir_.getInt32(1);
  const DType f32[] = {DType::kF32}, s32[] = {DType::kS32}, c64[] = {DType::kC64};
  const auto wrong_type =
      EmitElementwise(ir_, ir::Opcode::kExp, DType::kF32, f32, {}, {&number, 1});
  EXPECT_EQ(wrong_type.status().code(), absl::StatusCode::kInternal);
  const auto undefined = EmitElementwise(ir_, ir::Opcode::kExp, DType::kS32, s32, {}, {&number, 1});
  EXPECT_EQ(undefined.status().code(), absl::StatusCode::kInvalidArgument);
  const auto complex = EmitElementwise(ir_, ir::Opcode::kExp, DType::kC64, c64, {}, {&number, 1});
  EXPECT_EQ(complex.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace swage::emit
