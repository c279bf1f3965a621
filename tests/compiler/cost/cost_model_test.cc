#include "compiler/cost/cost_model.h"

#include <gtest/gtest.h>

#include "compiler/ir/module.h"

namespace swage::cost {
namespace {

using ir::DType;
using ir::Opcode;
using ir::Shape;

TEST(CostModelTest, NeighbouringLengthsAreOneSizeClass) {
  EXPECT_EQ(SizeClass(0), 0);
  EXPECT_EQ(SizeClass(1), 1);
  EXPECT_EQ(SizeClass(31), 32);
  EXPECT_EQ(SizeClass(32), 32);
  EXPECT_EQ(SizeClass(33), 32);
  EXPECT_EQ(SizeClass(64), 64);
  EXPECT_EQ(SizeClass(int64_t{1} << 62), int64_t{1} << 62);
}

TEST(CostModelTest, SizesThatOverflowSaturate) {
  const Shape huge = Shape::Array(DType::kF32, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_GT(ElementsClass(huge), int64_t{1} << 61);
  EXPECT_GT(BytesClass(huge), int64_t{1} << 61);
}

TEST(CostModelTest, SymbolsCountAsTheMiddleOfTheirRange) {
  EXPECT_EQ(ElementsClass(Shape::Array(DType::kF32, {ir::Dim::Symbol("n", 1, 1024), 2})), 64);
  EXPECT_EQ(ElementsClass(Shape::Array(DType::kF32, {ir::Dim::Symbol("m")})), 1024);
}

TEST(CostModelTest, ABroadcastRepeatsItsOperandAndAReductionReadsItOnce) {
  ir::Module module("m");
  ir::Computation* c = module.AddComputation("main");
  ir::Instruction* row = c->AddParameter(0, Shape::Array(DType::kF32, {64}));
  ir::Instruction* wide = c->Add(Opcode::kBroadcast, Shape::Array(DType::kF32, {32, 64}), {row},
                                 ir::DimensionsAttrs{{1}});
  EXPECT_EQ(Utilisation(*wide, 0, TestCpu()), 32);
  ir::Instruction* neg = c->Add(Opcode::kNegate, wide->shape(), {wide});
  EXPECT_EQ(Utilisation(*neg, 0, TestCpu()), 1);
  ir::Instruction* exp = c->Add(Opcode::kExp, wide->shape(), {wide});
  EXPECT_GT(WorkOf(*exp, TestCpu()).cycles, WorkOf(*neg, TestCpu()).cycles);
}

TEST(CostModelTest, ArithmeticAndTrafficOverlap) {
  const DeviceDescription device = TestCpu();
  const Picoseconds compute = ExecutionTime(1e4, {}, 0, device);
  const Picoseconds memory = ExecutionTime(0, {1e5, 1e5}, 1e5, device);
  const Picoseconds both = ExecutionTime(1e4, {1e5, 1e5}, 1e5, device);
  EXPECT_GE(both, std::max(compute, memory));
  EXPECT_LT(both, compute + memory);
}

TEST(CostModelTest, LargeKernelsAreSharedByTheCores) {
  DeviceDescription one = TestCpu(), two = TestCpu();
  one.cores = 1;
  EXPECT_LT(ExecutionTime(1e9, {}, 0, two), ExecutionTime(1e9, {}, 0, one));
  EXPECT_EQ(ExecutionTime(1e3, {}, 0, two), ExecutionTime(1e3, {}, 0, one));
}

TEST(CostModelTest, ADescriptionHasAFingerprint) {
  DeviceDescription device = TestCpu();
  const Hash128 before = device.Fingerprint();
  EXPECT_EQ(before, TestCpu().Fingerprint());
  device.cores = 3;
  EXPECT_NE(before, device.Fingerprint());
  EXPECT_GE(HostCpu().cores, 1);
  EXPECT_GT(HostCpu().l1.bytes, 0);
}

}  // namespace
}  // namespace swage::cost
