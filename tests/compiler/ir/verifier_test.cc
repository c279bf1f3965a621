#include "compiler/ir/verifier.h"

#include <chrono>

#include "compiler/ir/builder.h"
#include "compiler/ir/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] =
    R"(HloModule m, entry_computation_layout={(f32[2,3]{1,0}, f32[])->f32[2]{0}}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

body {
  p = f32[2,3] parameter(0)
  z = f32[] parameter(1)
  e = f32[2,3] exponential(p)
  ROOT r = f32[2] reduce(e, z), dimensions={1}, to_apply=add
}

ENTRY main {
  x = f32[2,3] parameter(0)
  zero = f32[] parameter(1)
  y = f32[2,3] add(x, x)
  ROOT f = f32[2] fusion(y, zero), kind=kInput, calls=body
}
)";

class VerifierTest : public ::testing::Test {
 protected:
  VerifierTest() {
    auto module = ParseHlo(kText);
    EXPECT_TRUE(module.ok()) << module.status().message();
    module_ = *std::move(module);
  }

  Computation* Find(std::string_view name) {
    for (Computation* computation : module_->Computations()) {
      if (computation->name() == name) return computation;
    }
    return nullptr;
  }
  Instruction* At(std::string_view computation, std::string_view name) {
    for (Instruction* instruction : Find(computation)->Instructions()) {
      if (instruction->name() == name) return instruction;
    }
    return nullptr;
  }
  void ExpectViolation(const std::string& message, VerifierOptions options = {}) {
    const Status status = Verify(*module_, options);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }

  std::unique_ptr<Module> module_;
};

TEST_F(VerifierTest, AcceptsAGoodModule) {
  const Status status = Verify(*module_);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(VerifierTest, InfersEveryShapeAgain) {
  At("main", "y")->mutable_shape()->set_dim(0, 3);
  ExpectViolation("[verifier] y: [add] the result is f32[2,3], but it is declared as f32[3,3]");
}

TEST_F(VerifierTest, FindsAttributesOfAnotherOp) {
  At("main", "y")->set_attributes(IotaAttrs{});
  ExpectViolation("y: has attributes of another opcode");
}

TEST_F(VerifierTest, FindsAForeignOperand) {
  At("main", "y")->SetOperand(1, At("body", "p"));
  ExpectViolation("p: lists 2 users, but 1 instructions read it");
}

TEST_F(VerifierTest, FindsACycle) {
  Builder b(Find("main"));
  Instruction* x = At("main", "x");
  Instruction* first = *b.Binary(Opcode::kAdd, x, x);
  Instruction* second = *b.Binary(Opcode::kAdd, first, x);
  first->SetOperand(1, second);
  ExpectViolation("depends on itself");
}

TEST_F(VerifierTest, FindsACycleOfControlEdges) {
  At("main", "x")->AddControlPredecessor(At("main", "y"));
  ExpectViolation("depends on itself");
}

TEST_F(VerifierTest, FindsAForeignRoot) {
  Find("main")->set_root(At("body", "r"));
  ExpectViolation("computation main has no root of its own");
}

TEST_F(VerifierTest, FindsRecursion) {
  Builder b(Find("body"));
  ASSERT_TRUE(b.Call({At("body", "p"), At("body", "z")}, Find("body")).ok());
  ExpectViolation("calls itself");
}

TEST_F(VerifierTest, FindsABodyWithTwoCallers) {
  Builder b(Find("main"));
  ASSERT_TRUE(
      b.Fusion({At("main", "y"), At("main", "zero")}, Find("body"), FusionKind::kInput).ok());
  ExpectViolation("its body body is not its own");
}

TEST_F(VerifierTest, FindsACallOfABody) {
  Builder b(Find("main"));
  ASSERT_TRUE(b.Call({At("main", "y"), At("main", "zero")}, Find("body")).ok());
  ExpectViolation("body");
}

TEST_F(VerifierTest, FindsAParameterThatABodyDoesNotUse) {
  Builder b(Find("body"));
  ASSERT_TRUE(b.Named("extra").Parameter(2, Shape::Scalar(DType::kF32)).ok());
  At("main", "f")->AppendOperand(At("main", "zero"));
  ExpectViolation("f: its body does not use extra");
}

TEST_F(VerifierTest, FindsArgumentsThatDoNotFit) {
  At("main", "f")->SetOperand(0, At("main", "zero"));
  ExpectViolation("f: [fusion] parameter 0 of body is f32[2,3], got f32[]");
}

TEST_F(VerifierTest, FindsAnEntryLayoutThatDoesNotFit) {
  EntryLayout layout = *module_->entry_layout();
  layout.result = Shape::Array(DType::kF32, {3});
  module_->set_entry_layout(layout);
  ExpectViolation("f: the result is f32[2], but f32[3] in the entry layout");
  layout.parameters.pop_back();
  module_->set_entry_layout(layout);
  ExpectViolation("the entry layout has 1 parameters, the entry 2");
}

TEST_F(VerifierTest, ChecksLayoutsByPhase) {
  EXPECT_TRUE(Verify(*module_, {LayoutPhase::kBefore}).ok());
  ExpectViolation("has no layout: f32[2,3]", {LayoutPhase::kAfter});
  for (Computation* computation : module_->Computations()) {
    for (Instruction* instruction : computation->Instructions()) {
      Shape* shape = instruction->mutable_shape();
      shape->set_layout(Layout::RowMajor(shape->rank()));
    }
  }
  const Status after = Verify(*module_, {LayoutPhase::kAfter});
  EXPECT_TRUE(after.ok()) << after.message();
  ExpectViolation("has a layout before layout assignment", {LayoutPhase::kBefore});
}

TEST_F(VerifierTest, ChecksSchedules) {
  ExpectViolation("has no schedule", {LayoutPhase::kAny, true});
  Find("add")->set_schedule(Find("add")->Instructions());
  std::vector<Instruction*> order = Find("main")->Instructions();
  Find("main")->set_schedule(order);
  const Status good = Verify(*module_, {LayoutPhase::kAny, true});
  EXPECT_TRUE(good.ok()) << good.message();
  std::swap(order[0], order[2]);
  Find("main")->set_schedule(order);
  ExpectViolation("y: is scheduled before x, which it needs");
  Find("main")->set_schedule({order[1], order[2], order[0]});
  ExpectViolation("f: is not in the schedule");
  Find("main")->set_schedule({order[1], order[1]});
  ExpectViolation("zero: is scheduled twice");
}

TEST_F(VerifierTest, ChecksAliases) {
  auto* raw = module_->mutable_raw_attributes();
  raw->emplace_back("input_output_alias", "{ {}: (1, {}, may-alias) }");
  EXPECT_TRUE(Verify(*module_).ok());
  raw->back().second = "{ {}: (2, {}, may-alias) }";
  ExpectViolation("names parameter 2, which is not there");
  raw->back().second = "{ {0}: (1, {}, must-alias) }";
  ExpectViolation("an output that is not there");
  raw->back().second = "{ {}: 1 }";
  ExpectViolation("expected '('");
}

TEST_F(VerifierTest, FindsASymbolWithTwoRanges) {
  Builder b(Find("main"));
  ASSERT_TRUE(b.Iota(Shape::Array(DType::kS32, {Dim::Symbol("n", 0, 4)}), 0).ok());
  EXPECT_TRUE(Verify(*module_).ok());
  ASSERT_TRUE(b.Iota(Shape::Array(DType::kS32, {Dim::Symbol("n", 0, 8)}), 0).ok());
  ExpectViolation("symbol n has two ranges");
}

TEST_F(VerifierTest, IsTheUsersErrorInText) {
  const auto module = ParseHlo(
      "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n"
      "  ROOT y = f32[3] negate(x)\n}\n",
      "m.hlo");
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(module.status().message(),
            "m.hlo:4:19: error: [negate] the result is f32[2], but it is declared as f32[3]\n"
            "  ROOT y = f32[3] negate(x)\n"
            "                  ^");
}

TEST(VerifierSpeed, IsLinear) {
  Module module("m");
  Computation* entry = module.AddComputation("main");
  module.set_entry(entry);
  Builder b(entry);
  Instruction* x = *b.Parameter(0, Shape::Array(DType::kF32, {64}));
  std::vector<Instruction*> all = {x};
  for (int i = 0; i < 100000; ++i) all.push_back(*b.Binary(Opcode::kAdd, all.back(), x));
  entry->set_root(*b.Tuple(all));
  const auto start = std::chrono::steady_clock::now();
  const Status status = Verify(module);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_LT(spent.count(), 60.0);  // about 0.1 s; quadratic work takes minutes
}

}  // namespace
}  // namespace swage::ir
