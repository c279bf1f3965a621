#include "compiler/passes/copy_elision.h"

#include <gtest/gtest.h>

#include "compiler/passes/scheduling.h"
#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(CopyElision, CopiesThatAreOnlyReadGo) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  c = f32[4] copy(a)
  d = f32[4] copy(c)
  ROOT n = f32[4] add(c, d)
})",
             CopyElision(), R"(
CHECK-NOT: copy
CHECK: add(a, a))");
}

TEST(CopyElision, AnOutputMayBeWhatWasCopied) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  ROOT c = f32[4] copy(n)
})",
             CopyElision(), "CHECK: ROOT n = f32[4] negate");
}

TEST(CopyElision, OutputsStayApartFromParametersAndEachOther) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  c = f32[4] copy(a)
  d = f32[4] copy(n)
  k = f32[4] constant({1, 2, 3, 4})
  e = f32[4] copy(k)
  ROOT t = (f32[4], f32[4], f32[4], f32[4]) tuple(n, d, c, e)
})",
                  CopyElision());
}

TEST(CopyElision, OfTwoCopiesOfAParameterOneStays) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  c = f32[4] copy(a)
  ROOT d = f32[4] copy(c)
})",
             CopyElision(), R"(
CHECK: copy(
CHECK-NOT: copy()");
}

TEST(CopyElision, KeepsTheModuleScheduled) {
  auto module = ParseForTest(R"(
HloModule m
ENTRY main {
  a = f32[4] parameter(0)
  c = f32[4] copy(a)
  ROOT n = f32[4] negate(c)
})");
  Scheduling scheduling;
  EXPECT_TRUE(RunForTest(*module, scheduling));
  CopyElision pass;
  EXPECT_TRUE(RunForTest(*module, pass));
  EXPECT_EQ(module->entry()->schedule().size(), 2u);
}

}  // namespace
}  // namespace swage::passes
