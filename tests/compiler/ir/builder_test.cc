#include "compiler/ir/builder.h"

#include <chrono>

#include "compiler/ir/printer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest() : entry_(module_.AddComputation("main")), b_(entry_) { module_.set_entry(entry_); }

  Instruction* Get(StatusOr<Instruction*> result) {
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : nullptr;
  }

  Module module_{"m"};
  Computation* entry_;
  Builder b_;
};

TEST_F(BuilderTest, InfersShapesOfASoftmax) {
  const Dim seq = Dim::Symbol("seq", 1, 512);
  const Shape shape = Shape::Array(DType::kF32, {seq, Dim(64)});
  Instruction* x = Get(b_.Named("x").Parameter(0, shape));
  Instruction* low = b_.Scalar(DType::kF32, -std::numeric_limits<float>::infinity());
  Instruction* max = Get(b_.ReduceSimple(x, low, {1}, Opcode::kMaximum));
  Instruction* wide = Get(b_.Broadcast(max, shape.dims(), {0}));
  Instruction* e = Get(b_.Unary(Opcode::kExp, Get(b_.Binary(Opcode::kSubtract, x, wide))));
  Instruction* sum = Get(b_.ReduceSimple(e, b_.Scalar(DType::kF32, 0.0f), {1}, Opcode::kAdd));
  Instruction* again = Get(b_.ReduceSimple(e, b_.Scalar(DType::kF32, 0.0f), {1}, Opcode::kAdd));
  Instruction* out = Get(b_.Binary(Opcode::kDivide, e, Get(b_.Broadcast(sum, shape.dims(), {0}))));
  entry_->set_root(out);
  EXPECT_EQ(x->name(), "x");
  EXPECT_EQ(out->shape(), shape);
  EXPECT_EQ(sum->shape(), Shape::Array(DType::kF32, {seq}));
  EXPECT_EQ(sum->to_apply(), again->to_apply());
  EXPECT_NE(sum->to_apply(), max->to_apply());
  EXPECT_EQ(sum->to_apply()->name(), "add_f32");
}

TEST_F(BuilderTest, FindsTheScalarComputationOfTheModule) {
  StatusOr<Computation*> made = b_.ScalarComputation(Opcode::kAdd, DType::kBF16);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*Builder(entry_).ScalarComputation(Opcode::kAdd, DType::kBF16), *made);
  EXPECT_NE(*Builder(entry_).ScalarComputation(Opcode::kAdd, DType::kF32), *made);
  const size_t count = module_.Computations().size();
  EXPECT_FALSE(b_.ScalarComputation(Opcode::kAnd, DType::kF32).ok());
  EXPECT_EQ(module_.Computations().size(), count);
}

TEST_F(BuilderTest, RefusesWhatTheRulesRefuse) {
  Instruction* x = Get(b_.Parameter(0, Shape::Array(DType::kF32, {2, 3})));
  Instruction* y = Get(b_.Parameter(1, Shape::Array(DType::kF32, {3, 2})));
  const int64_t count = entry_->instruction_count();
  const auto sum = b_.Binary(Opcode::kAdd, x, y);
  EXPECT_EQ(sum.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(sum.status().message()), HasSubstr("[add]"));
  EXPECT_FALSE(b_.Dot(x, y, {{}, {}, {1}, {0}}, DType::kBF16).ok());
  EXPECT_FALSE(b_.Parameter(1, x->shape()).ok());
  EXPECT_EQ(entry_->instruction_count(), count);
}

TEST_F(BuilderTest, GivesRowMajorLayoutsInAModuleWithLayouts) {
  module_.set_has_layouts(true);
  Instruction* x = Get(b_.Parameter(0, Shape::Array(DType::kF32, {2, 3}, Layout{{0, 1}, ""})));
  EXPECT_EQ(x->shape().layout().ToString(), "{0,1}");
  EXPECT_EQ(Get(b_.Unary(Opcode::kExp, x))->shape().layout().ToString(), "{1,0}");
  EXPECT_EQ(b_.Constant(*Literal::Create(Shape::Array(DType::kF32, {2})))->shape().ToString(),
            "f32[2]{0}");
}

TEST_F(BuilderTest, CarriesMetadata) {
  auto metadata = std::make_shared<Metadata>();
  metadata->op_name = "jit(f)/add";
  b_.set_metadata(metadata);
  Instruction* x = Get(b_.Parameter(0, Shape::Scalar(DType::kF32)));
  EXPECT_EQ(Get(b_.Binary(Opcode::kAdd, x, x))->metadata()->op_name, "jit(f)/add");
}

TEST_F(BuilderTest, BuildsLongChainsQuickly) {
  Instruction* x = Get(b_.Parameter(0, Shape::Array(DType::kF32, {64, 64})));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100000; ++i) {
    x = *b_.Binary(i % 2 == 0 ? Opcode::kAdd : Opcode::kMultiply, x, x);
  }
  entry_->set_root(x);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 60.0);  // about 0.1 s; quadratic work takes minutes
  RecordProperty("seconds", std::to_string(spent.count()));
  EXPECT_GT(ToText(module_).size(), 1000000u);
}

}  // namespace
}  // namespace swage::ir
