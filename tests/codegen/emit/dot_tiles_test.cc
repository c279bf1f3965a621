// Dots in tiles of a GPU's blocks. One kernel for each text; sizes arrive with the call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"

namespace swage::emit {
namespace {

using ::testing::HasSubstr;

using Sizes = std::vector<std::pair<std::string, int64_t>>;

// A module with open sizes, compiled once for the emulated GPU.
class OpenKernel {
 public:
  explicit OpenKernel(const std::string& hlo) {
    auto module = ir::ParseHlo(hlo);
    if (!module.ok()) {
      ADD_FAILURE() << module.status().message();
      return;
    }
    module_ = std::move(*module);
    CompileOptions options;
    options.emit = EmitOptions::ForGpu();
    kernel_ = CompiledKernel::Compile(*module_->entry(), options);
    EXPECT_TRUE(kernel_.ok()) << kernel_.status().message();
  }

  const CompiledKernel& kernel() const { return *kernel_; }

  // Both kinds of tiles, in `seeds` orders of the threads, all with the same bits.
  void Check(const Sizes& sizes, double tolerance, int seeds = 2) {
    if (!kernel_.ok()) return;
    std::string what;
    ir::SymbolBinding binding;
    for (const auto& [name, size] : sizes) what += name + "=" + std::to_string(size) + " ";
    std::vector<ir::Literal> args;
    for (const ir::Instruction* parameter : module_->entry()->parameters()) {
      ir::Shape shape = parameter->shape();
      for (int d = 0; d < shape.rank(); ++d) {
        if (shape.dim(d).static_value()) continue;
        for (const auto& [name, size] : sizes) {
          if (ToStd(parameter->shape().dim(d).ToString()).substr(0, name.size()) == name) {
            shape.set_dim(d, size);
          }
        }
      }
      args.push_back(RandomLiteral(shape, args.size() + 1));
    }
    const StatusOr<ir::Literal> want = evaluator::Evaluate(*module_, args);
    ASSERT_TRUE(want.ok()) << want.status().message();
    std::vector<ir::Literal> first;
    for (int seed = 0; seed < seeds; ++seed) {
      const auto got = kernel_->Run(args, GuardSide::kEnd, seed);
      ASSERT_TRUE(got.ok()) << what << got.status().message();
      if (seed == 0) first = *got;
      for (const Status& status : {CompareLiterals(*got, ir::Leaves(*want), tolerance, what),
                                   CompareLiterals(*got, first, 0, what + "against itself")}) {
        EXPECT_TRUE(status.ok()) << status.message();
      }
    }
  }

 private:
  std::unique_ptr<ir::Module> module_;
  StatusOr<CompiledKernel> kernel_ = Internal("not compiled");
};

std::string Dot(const std::string& in, const std::string& out) {
  return Substitute(Substitute(R"(
HloModule m
ENTRY e {
  x = IN[m<=300,k<=300] parameter(0)
  y = IN[k,n<=300] parameter(1)
  ROOT d = OUT[m,n] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                               "IN", in),
                    "OUT", out);
}

struct Kind {
  const char *in, *out;
  double tolerance;
};
constexpr Kind kKinds[] = {{"f32", "f32", 1e-5},   {"f64", "f64", 1e-13}, {"bf16", "f32", 1e-5},
                           {"bf16", "bf16", 2e-2}, {"f16", "f32", 1e-5},  {"s8", "s32", 0},
                           {"s64", "s64", 0},      {"pred", "pred", 0}};

TEST(DotTiles, SizesAroundTheEdges) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.in);
    OpenKernel dot(Dot(kind.in, kind.out));
    EXPECT_THAT(dot.kernel().plan(), HasSubstr("by=tile"));
    for (const auto& [m, n, k] :
         {std::tuple{1, 1, 1}, std::tuple{64, 64, 32}, std::tuple{63, 65, 33},
          std::tuple{128, 128, 16}, std::tuple{129, 127, 31}, std::tuple{65, 130, 8}}) {
      dot.Check({{"m", m}, {"n", n}, {"k", k}}, kind.tolerance);
    }
  }
}

TEST(DotTiles, EveryLengthOfATail) {
  for (const char* in : {"f32", "bf16"}) {
    OpenKernel dot(Dot(in, "f32"));
    for (int64_t k = 0; k <= 34; ++k) dot.Check({{"m", 5}, {"n", 12}, {"k", k}}, 1e-5);
  }
}

TEST(DotTiles, NothingIsRun) {
  OpenKernel dot(Dot("f32", "f32"));
  dot.Check({{"m", 0}, {"n", 5}, {"k", 7}}, 0);
  dot.Check({{"m", 5}, {"n", 0}, {"k", 7}}, 0);
}

TEST(DotTiles, ManyOrdersOfTheThreads) {
  for (const char* in : {"f32", "bf16"}) {
    OpenKernel dot(Dot(in, "f32"));
    dot.Check({{"m", 70}, {"n", 136}, {"k", 72}}, 1e-5, /*seeds=*/8);
    dot.Check({{"m", 70}, {"n", 135}, {"k", 71}}, 1e-5, /*seeds=*/8);
  }
}

TEST(DotTiles, TransposedSidesAndBatches) {
  const std::string text = R"(
HloModule m
ENTRY e {
  x = IN[$X] parameter(0)
  y = IN[$Y] parameter(1)
  ROOT d = f32[b,m,n] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={$L}, rhs_contracting_dims={$R}
})";
  for (const char* in : {"f32", "bf16", "f16"}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        std::string hlo = Substitute(text, "IN", in);
        hlo = Substitute(hlo, "$X", left ? "b<=5,k<=300,m<=300" : "b<=5,m<=300,k<=300");
        hlo = Substitute(hlo, "$Y", right ? "b,n<=300,k" : "b,k,n<=300");
        hlo = Substitute(hlo, "$L", left ? "1" : "2");
        hlo = Substitute(hlo, "$R", right ? "2" : "1");
        OpenKernel dot(hlo);
        dot.Check({{"b", 3}, {"m", 72}, {"n", 136}, {"k", 40}}, 1e-5);
        dot.Check({{"b", 2}, {"m", 67}, {"n", 66}, {"k", 35}}, 1e-5);
      }
    }
  }
}

TEST(DotTiles, WhatFollowsIsFused) {
  for (const char* in : {"f32", "bf16"}) {
    OpenKernel dot(Substitute(R"(
HloModule m
ENTRY e {
  x = IN[m<=300,k<=300] parameter(0)
  y = IN[k,n<=300] parameter(1)
  bias = f32[n] parameter(2)
  scale = f32[m] parameter(3)
  residual = bf16[m,n] parameter(4)
  d = f32[m,n] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[m,n] broadcast(bias), dimensions={1}
  s = f32[m,n] broadcast(scale), dimensions={0}
  a = f32[m,n] add(d, b)
  t = f32[m,n] tanh(a)
  p = f32[m,n] multiply(t, s)
  r = f32[m,n] convert(residual)
  z = f32[m,n] add(p, r)
  h = bf16[m,n] convert(z)
  ROOT o = (bf16[m,n], f32[m,n]) tuple(h, z)
})",
                              "IN", in));
    EXPECT_THAT(dot.kernel().plan(), HasSubstr("width=4"));
    dot.Check({{"m", 65}, {"n", 132}, {"k", 24}}, 1e-2, /*seeds=*/4);
    dot.Check({{"m", 130}, {"n", 67}, {"k", 24}}, 1e-2);
  }
}

TEST(DotTiles, WhatComesBeforeIsComputedInPlace) {
  OpenKernel dot(R"(
HloModule m
ENTRY e {
  x = f32[m<=300,k<=300] parameter(0)
  scale = f32[m] parameter(1)
  y = f32[k,75] parameter(2)
  s = f32[m,k] broadcast(scale), dimensions={0}
  p = f32[m,k] multiply(x, s)
  h = bf16[m,k] convert(p)
  w = bf16[k,75] convert(y)
  ROOT d = f32[m,75] dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  dot.Check({{"m", 66}, {"k", 35}}, 1e-5);
  dot.Check({{"m", 1}, {"k", 1}}, 1e-5);
}

TEST(DotTiles, SidesThatAreRepeatedOrTurnedRound) {
  OpenKernel dot(R"(
HloModule m
ENTRY e {
  x = f32[k<=300] parameter(0)
  y = f32[k,n<=300] parameter(1)
  b = f32[80,k] broadcast(x), dimensions={1}
  r = f32[k,n] reverse(y), dimensions={0,1}
  ROOT d = f32[80,n] dot(b, r), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  dot.Check({{"n", 68}, {"k", 36}}, 1e-5);
  dot.Check({{"n", 33}, {"k", 9}}, 1e-5);
}

// A row that is the same for every k, of lengths that leave it unaligned or shorter than a vector.
TEST(DotTiles, SidesThatDoNotDependOnTheDepth) {
  OpenKernel right(R"(
HloModule m
ENTRY e {
  x = f32[70,k<=300] parameter(0)
  v = f32[n<=300] parameter(1)
  w = f32[k,n] broadcast(v), dimensions={1}
  ROOT d = f32[70,n] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  OpenKernel left(R"(
HloModule m
ENTRY e {
  v = f32[n<=300] parameter(0)
  y = f32[k<=300,70] parameter(1)
  w = f32[n,k] broadcast(v), dimensions={0}
  ROOT d = f32[n,70] dot(w, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  for (const int64_t n : {66, 3, 64}) {
    right.Check({{"k", 35}, {"n", n}}, 1e-5);
    left.Check({{"n", n}, {"k", 35}}, 1e-5);
  }
}

TEST(DotTiles, LargeDotsAreCoarseByThemselves) {
  OpenKernel dot(R"(
HloModule m
ENTRY e {
  x = f32[m<=3000,k<=9] parameter(0)
  y = f32[k,n<=3000] parameter(1)
  ROOT d = f32[m,n] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  dot.Check({{"m", 1400}, {"n", 1420}, {"k", 3}}, 1e-5);
}

TEST(DotTiles, NothingIsTiledWhereAnExtentIsOne) {
  const auto plan = [](int m, int n, int k) {
    return OpenKernel(WithSizes(R"(
HloModule m
ENTRY e {
  x = f32[$M,$K] parameter(0)
  y = f32[$K,$N] parameter(1)
  ROOT d = f32[$M,$N] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                {{"$M", m}, {"$N", n}, {"$K", k}}))
        .kernel()
        .plan();
  };
  EXPECT_THAT(plan(40, 40, 40), HasSubstr("by=tile"));
  EXPECT_THAT(plan(1, 40, 40), HasSubstr("by=column"));
  EXPECT_THAT(plan(40, 1, 40), HasSubstr("by=team"));
  EXPECT_THAT(plan(40, 40, 1), HasSubstr("by=thread"));
}

TEST(DotTiles, OneRowIsSharedByThreads) {
  for (const char* in : {"f32", "bf16", "s8"}) {
    const std::string out = std::string(in) == "s8" ? "s32" : "f32";
    OpenKernel dot(Substitute(Substitute(R"(
HloModule m
ENTRY e {
  x = IN[b<=9,1,k<=300] parameter(0)
  y = IN[b,k,n<=300] parameter(1)
  bias = OUT[n] parameter(2)
  d = OUT[b,1,n] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  s = OUT[b,1,n] broadcast(bias), dimensions={2}
  ROOT a = OUT[b,1,n] add(d, s)
})",
                                         "IN", in),
                              "OUT", out));
    EXPECT_THAT(dot.kernel().plan(), HasSubstr("by=column"));
    for (int64_t k : {0, 1, 7, 8, 33, 70, 300}) {
      dot.Check({{"b", 3}, {"n", 45}, {"k", k}}, out == "s32" ? 0 : 1e-5);
    }
  }
}

}  // namespace
}  // namespace swage::emit
