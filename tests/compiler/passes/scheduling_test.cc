#include "compiler/passes/scheduling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/verifier.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(Scheduling, OrdersEveryComputationButFusions) {
  ExpectPass(R"(
HloModule m
add { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y) }
f { p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p) }
ENTRY main {
  a = f32[4] parameter(0)
  k = f32[4] fusion(a), kind=kLoop, calls=f
  z = f32[] constant(0)
  ROOT r = f32[] reduce(k, z), dimensions={0}, to_apply=add
})",
             Scheduling(), "CHECK: is_scheduled=true");
}

TEST(Scheduling, TheVerifierAcceptsTheResult) {
  auto module = ChainForTest(300);
  Scheduling pass;
  PassContext context;
  EXPECT_TRUE(pass.Run(*module, context).value());
  const Status verified = ir::Verify(*module, {.scheduled = true});
  EXPECT_TRUE(verified.ok()) << verified.message();
  EXPECT_FALSE(pass.Run(*module, context).value());
}

TEST(Scheduling, ReducesEachValueBeforeTheNextIsMade) {
  std::string text = R"(
HloModule m
max { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] maximum(x, y) }
ENTRY main {
  p = f32[1000] parameter(0)
  z = f32[] constant(0)
)";
  std::string makes, reduces, tuple, shape;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    makes += "  m" + n + " = f32[1000] reverse(p), dimensions={0}\n";
    reduces += "  r" + n + " = f32[] reduce(m" + n + ", z), dimensions={0}, to_apply=max\n";
    tuple += (i > 0 ? ", r" : "r") + n;
    shape += i > 0 ? ", f32[]" : "f32[]";
  }
  text += makes + reduces + "  ROOT t = (" + shape + ") tuple(" + tuple + ")\n}\n";
  auto module = ParseForTest(text);
  Scheduling pass;
  PassContext context;
  EXPECT_TRUE(pass.Run(*module, context).value());
  ASSERT_FALSE(context.messages().empty());
  EXPECT_THAT(context.messages()[0].text,
              testing::HasSubstr("main needs 4032 bytes for intermediate values, 80640"));
}

}  // namespace
}  // namespace swage::passes
