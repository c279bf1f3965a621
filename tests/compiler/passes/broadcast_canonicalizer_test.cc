#include "compiler/passes/broadcast_canonicalizer.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(BroadcastCanonicalizer, SortsDimensionsThroughATranspose) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[2,3,5] parameter(0)
  ROOT b = f32[5,7,2,3] broadcast(x), dimensions={2,3,0}
})",
             BroadcastCanonicalizer(), R"(
    CHECK: [[T:[a-z.0-9]+]] = f32[5,2,3] transpose(x), dimensions={2,0,1}
    CHECK: ROOT b = f32[5,7,2,3] broadcast([[T]]), dimensions={0,2,3})");
}

TEST(BroadcastCanonicalizer, WorksWithSymbols) {
  ExpectPass(R"(
HloModule m
ENTRY main {
  x = f32[n<=8,3] parameter(0)
  ROOT b = f32[3,n] broadcast(x), dimensions={1,0}
})",
             BroadcastCanonicalizer(), R"(
    CHECK: [[T:[a-z.0-9]+]] = f32[3,n] transpose(x), dimensions={1,0}
    CHECK: broadcast([[T]]), dimensions={0,1})");
}

TEST(BroadcastCanonicalizer, LeavesSortedOnes) {
  ExpectUnchanged(R"(
HloModule m
ENTRY main {
  x = f32[2,3] parameter(0)
  ROOT b = f32[2,7,3] broadcast(x), dimensions={0,2}
})",
                  BroadcastCanonicalizer());
}

}  // namespace
}  // namespace swage::passes
