// Fusions with symbols of their own, whose extents may turn out to be 0 or 1 at run time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/codegen/emit/kernel_runner.h"

namespace swage::emit {
namespace {

using ir::DType;
using ir::Shape;

// With n at a range of values; `dims` are those of each f32 argument, -1 for n.
void CheckSymbolic(const std::string& hlo, const std::vector<std::vector<int64_t>>& dims,
                   double tolerance = 0) {
  for (int64_t n : {0, 1, 2, 7, 16, 33, 100}) {
    std::vector<ir::Literal> args;
    for (const std::vector<int64_t>& extents : dims) {
      std::vector<ir::Dim> shape;
      for (int64_t extent : extents) shape.push_back(extent < 0 ? n : extent);
      args.push_back(RandomLiteral(Shape::Array(DType::kF32, shape), args.size() + 1));
    }
    const Status status = CheckWithArgs(hlo, args, tolerance);
    EXPECT_TRUE(status.ok()) << "n = " << n << ": " << status.message();
  }
}

TEST(Symbolic, ElementwiseAndBroadcast) {
  CheckSymbolic(R"(
HloModule m
ENTRY e {
  x = f32[n<=100,5] parameter(0)
  y = f32[n] parameter(1)
  b = f32[n,5] broadcast(y), dimensions={0}
  ROOT r = f32[n,5] add(x, b)
})", {{-1, 5}, {-1}});
}

TEST(Symbolic, ReductionsOfNothingAreTheInitialValue) {
  const std::string reduce = R"(
HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$SHAPE] parameter(0)
  half = f32[] constant(0.5)
  ROOT r = f32[3] reduce(x, half), dimensions={$D}, to_apply=f
})";
  const auto with = [&](const std::string& shape, const std::string& d) {
    std::string text = reduce;
    text.replace(text.find("$SHAPE"), 6, shape);
    text.replace(text.find("$D"), 2, d);
    return text;
  };
  CheckSymbolic(with("3,n<=100", "1"), {{3, -1}});
  CheckSymbolic(with("n<=100,3", "0"), {{-1, 3}});
  CheckSymbolic(with("n<=100,3,4", "0,2"), {{-1, 3, 4}});
}

TEST(Symbolic, SoftmaxRows) {
  CheckSymbolic(R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY e {
  x = f32[3,n<=100] parameter(0)
  lowest = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[3] reduce(x, lowest), dimensions={1}, to_apply=max
  mb = f32[3,n] broadcast(m), dimensions={0}
  d = f32[3,n] subtract(x, mb)
  e = f32[3,n] exponential(d)
  s = f32[3] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[3,n] broadcast(s), dimensions={0}
  ROOT r = f32[3,n] divide(e, sb)
})", {{3, -1}});
}

TEST(Symbolic, MovesData) {
  CheckSymbolic(R"(
HloModule m
ENTRY e {
  x = f32[n<=100,6] parameter(0)
  y = f32[4,6] parameter(1)
  c = f32[n+4,6] concatenate(x, y), dimensions={0}
  t = f32[6,n+4] transpose(c), dimensions={1,0}
  ROOT r = f32[2,3,n+4] reshape(t)
})", {{-1, 6}, {4, 6}});
}

TEST(Symbolic, Dots) {
  CheckSymbolic(R"(
HloModule m
ENTRY e {
  x = f32[n<=100,9] parameter(0)
  y = f32[9,n] parameter(1)
  ROOT d = f32[n,n] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})", {{-1, 9}, {9, -1}}, 1e-5);
  CheckSymbolic(R"(
HloModule m
ENTRY e {
  x = f32[5,n<=100] parameter(0)
  y = f32[n,7] parameter(1)
  ROOT d = f32[5,7] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})", {{5, -1}, {-1, 7}}, 1e-5);
}

}  // namespace
}  // namespace swage::emit
