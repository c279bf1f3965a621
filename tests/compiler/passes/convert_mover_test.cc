#include "compiler/passes/convert_mover.h"

#include <gtest/gtest.h>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

TEST(ConvertMover, MovesDataBeforeItIsWidened) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = bf16[4,n<=9] parameter(0)
  y = bf16[3,n] parameter(1)
  i = s32[] parameter(2)
  a = f32[4,n] convert(x)
  b = f32[3,n] convert(y)
  c = f32[7,n] concatenate(a, b), dimensions={0}
  t = f32[n,7] transpose(c), dimensions={1,0}
  ROOT r = f32[n,5] dynamic-slice(t, i, i), dynamic_slice_sizes={n,5}
})",
             ConvertMover(), R"(
    CHECK: bf16[7,n] concatenate(
    CHECK: bf16[n,7] transpose(
    CHECK: [[S:[a-z.0-9-]+]] = bf16[n,5] dynamic-slice(
    CHECK-NEXT: ROOT {{.*}} = f32[n,5] convert([[S]]))");
}

TEST(ConvertMover, NarrowsBeforeDataIsMoved) {
  ExpectPass(R"(HloModule m
ENTRY e {
  x = f32[4,6] parameter(0)
  t = f32[6,4] transpose(x), dimensions={1,0}
  v = f32[6,4] reverse(t), dimensions={1}
  w = f32[24] reshape(v)
  ROOT r = s8[24] convert(w)
})",
             ConvertMover(), R"(
    CHECK: [[X:[a-z.0-9-]+]] = f32[4,6] parameter(0)
    CHECK-NEXT: [[C:[a-z.0-9-]+]] = s8[4,6] convert([[X]])
    CHECK-NEXT: s8[6,4] transpose([[C]])
    CHECK-NEXT: s8[6,4] reverse(
    CHECK-NEXT: ROOT {{.*}} = s8[24] reshape()");
}

TEST(ConvertMover, NeverConvertsMoreElements) {
  ExpectUnchanged(R"(HloModule m
ENTRY e {
  x = bf16[4] parameter(0)
  a = f32[4] convert(x)
  b = f32[4,8] broadcast(a), dimensions={0}
  y = f32[9] parameter(1)
  s = f32[2] slice(y), slice={[3:5]}
  c = bf16[2] convert(s)
  z = bf16[4] parameter(2)
  d = f32[4] convert(z)
  v = f32[4] reverse(d), dimensions={0}
  ROOT r = (f32[4,8], bf16[2], f32[4], f32[4]) tuple(b, c, v, d)
})",
                  ConvertMover());
}

}  // namespace
}  // namespace swage::passes
