#include <cmath>
#include <functional>
#include <limits>

#include "tests/compiler/evaluator/evaluate.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::evaluator {
namespace {

using ir::Combiner;

std::string SumOf(const std::string& shape, const std::string& out, const std::string& dims,
                  const std::string& init = "-0.0") {
  return "HloModule m\n" + Combiner("add", "f32", "add") + "ENTRY main {\n x = " + shape +
         " parameter(0)\n z = f32[] constant(" + init + ")\n ROOT r = " + out +
         " reduce(x, z), dimensions={" + dims + "}, to_apply=add\n}\n";
}

ir::Literal Noise(const std::string& shape) {
  ir::Literal x = *ir::Literal::Create(*ir::ParseShape(shape));
  uint32_t state = 7;
  for (float& element : x.mutable_data<float>()) {
    state = state * 1664525 + 1013904223;
    element =
        std::ldexp(static_cast<float>(state >> 8) - 0x1p23f, -20 - static_cast<int>(state % 9));
  }
  return x;
}

// The tree as docs/semantics.md words it, one element at a time: chunks of 64 rounds over the
// partials; partials joined at halving distances; chunks joined pairwise.
float TreeSum(const std::vector<float>& x, int partials) {
  const size_t chunk = 64 * static_cast<size_t>(partials);
  std::vector<float> chunks;
  for (size_t begin = 0; begin < x.size(); begin += chunk) {
    const size_t end = std::min(begin + chunk, x.size());
    std::vector<float> sums;
    for (size_t i = begin; i < end; ++i) {
      const size_t p = (i - begin) % partials;
      if (p < sums.size()) {
        sums[p] += x[i];
      } else {
        sums.push_back(x[i]);
      }
    }
    for (size_t distance = partials / 2; distance >= 1; distance /= 2) {
      for (size_t i = 0; i < distance && i + distance < sums.size(); ++i) {
        sums[i] += sums[i + distance];
      }
    }
    chunks.push_back(sums[0]);
  }
  while (chunks.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i < chunks.size(); i += 2) {
      next.push_back(i + 1 < chunks.size() ? chunks[i] + chunks[i + 1] : chunks[i]);
    }
    chunks = next;
  }
  return chunks[0];
}

TEST(ReduceTest, TheMinorDimensionTakesSixtyFourPartials) {
  for (const int n : {1, 2, 3, 63, 64, 65, 127, 1000, 4095, 4096, 4097, 12289, 50001}) {
    const std::string shape = "f32[3," + std::to_string(n) + "]";
    const ir::Literal x = Noise(shape);
    const ir::Literal got = Eval(SumOf(shape, "f32[3]", "1"), {x});
    for (int row = 0; row < 3; ++row) {
      const auto begin = x.data<float>().begin() + row * n;
      EXPECT_EQ(got.data<float>()[row], TreeSum({begin, begin + n}, 64)) << n << " row " << row;
    }
  }
}

TEST(ReduceTest, OtherDimensionsTakeEightPartials) {
  for (const int n : {1, 2, 7, 8, 9, 100, 511, 512, 513, 2000}) {
    for (const int inner : {1, 3, 700}) {
      const std::string shape = "f32[2," + std::to_string(n) + "," + std::to_string(inner) + "]";
      const ir::Literal x = Noise(shape);
      const ir::Literal got = Eval(SumOf(shape, "f32[2," + std::to_string(inner) + "]", "1"), {x});
      for (int o = 0; o < 2; ++o) {
        for (int i = 0; i < inner; i += 233) {
          std::vector<float> line;
          for (int k = 0; k < n; ++k) line.push_back(x.data<float>()[(o * n + k) * inner + i]);
          EXPECT_EQ(got.data<float>()[o * inner + i], TreeSum(line, 8)) << n << " " << inner;
        }
      }
    }
  }
}

TEST(ReduceTest, SeveralDimensionsAreReducedMinorFirst) {
  const ir::Literal x = Noise("f32[20,70]");
  std::vector<float> rows;
  for (int row = 0; row < 20; ++row) {
    const auto begin = x.data<float>().begin() + row * 70;
    rows.push_back(TreeSum({begin, begin + 70}, 64));
  }
  EXPECT_EQ(Eval(SumOf("f32[20,70]", "f32[]", "0,1"), {x}).data<float>()[0], TreeSum(rows, 8));
  EXPECT_EQ(Eval(SumOf("f32[20,70]", "f32[]", "1,0"), {x}).data<float>()[0], TreeSum(rows, 8));
}

TEST(ReduceTest, TheInitialValueIsCombinedOnceInFront) {
  EXPECT_EQ(Eval(SumOf("f32[2]", "f32[]", "0", "10"), {Value("f32[2]", "{1, 2}")}),
            Value("f32[]", "13"));
  EXPECT_EQ(Eval(SumOf("f32[3,0]", "f32[3]", "1", "10"), {Value("f32[3,0]", "{{}, {}, {}}")}),
            Value("f32[3]", "{10, 10, 10}"));
  EXPECT_EQ(Eval(SumOf("f32[2]", "f32[2]", "", "10"), {Value("f32[2]", "{1, 2}")}),
            Value("f32[2]", "{11, 12}"));
}

TEST(ReduceTest, AMinusZeroSumStaysMinusZero) {
  EXPECT_EQ(Eval(SumOf("f32[3]", "f32[]", "0"), {Value("f32[3]", "{-0.0, -0.0, -0.0}")}),
            Value("f32[]", "-0.0"));
}

TEST(ReduceTest, OperandsOfTheCombinerKeepTheirSides) {
  auto reduce = [](const std::string& root, const std::string& shape, const std::string& values) {
    return Eval(
               "HloModule m\npick {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n"
               " z = s32[] constant(0)\n ROOT r = s32[] " +
                   root + "\n}\nENTRY main {\n x = " + shape +
                   " parameter(0)\n i = s32[] constant(10)\n"
                   " ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=pick\n}\n",
               {Value(shape, values)})
        .GetInt(0);
  };
  EXPECT_EQ(reduce("subtract(a, b)", "s32[1]", "{7}"), 3);
  EXPECT_EQ(reduce("subtract(b, a)", "s32[1]", "{7}"), -3);
  // The left side is the initial value; the right one what the tree joins last: 5 partials join as
  // (0, 4), then (0, 2) and (1, 3), then (0, 1).
  EXPECT_EQ(reduce("add(a, z)", "s32[5]", "{1, 2, 3, 4, 5}"), 10);
  EXPECT_EQ(reduce("add(b, z)", "s32[5]", "{1, 2, 3, 4, 5}"), 4);
}

TEST(ReduceTest, ArgmaxAsAVariadicReduce) {
  const std::string hlo = std::string("HloModule m\n") + ir::kArgmaxCombiner + R"(ENTRY main {
  x = f32[2,300] parameter(0)
  i = s32[2,300] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[2], s32[2]) reduce(x, i, low, zero), dimensions={1}, to_apply=argmax
})";
  ir::Literal x = *ir::Literal::Create(*ir::ParseShape("f32[2,300]"));
  x.mutable_data<float>()[250] = 5;
  x.mutable_data<float>()[270] = 5;
  x.mutable_data<float>()[300 + 17] = 2;
  const ir::Literal got = Eval(hlo, {x});
  EXPECT_EQ(got.elements()[0], Value("f32[2]", "{5, 2}"));
  EXPECT_EQ(got.elements()[1], Value("s32[2]", "{250, 17}"));
}

TEST(ReduceTest, ACombinerOfArraysInsideRunsElementByElement) {
  // The combiner goes through an array of two and a reduce of its own: it cannot run lane by lane.
  const std::string hlo = "HloModule m\n" + Combiner("inner", "s32", "add") + R"(outer {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  a1 = s32[1] reshape(a)
  b1 = s32[1] reshape(b)
  both = s32[2] concatenate(a1, b1), dimensions={0}
  z = s32[] constant(0)
  ROOT r = s32[] reduce(both, z), dimensions={0}, to_apply=inner
}
ENTRY main {
  x = s32[2,200] iota(), iota_dimension=1
  z = s32[] constant(5)
  ROOT r = s32[2] reduce(x, z), dimensions={1}, to_apply=outer
})";
  EXPECT_EQ(Eval(hlo, {}), Value("s32[2]", "{19905, 19905}"));
}

TEST(ReduceTest, EveryOpAndTypeOfPlainCombiners) {
  struct Case {
    const char* type;
    const char* op;
    const char* init;
    const char* x;
    const char* want;
  };
  const Case cases[] = {{"s32", "multiply", "1", "{2, 3, 4}", "24"},
                        {"u8", "add", "0", "{200, 100, 3}", "47"},
                        {"s64", "minimum", "9", "{3, -4, 5}", "-4"},
                        {"f64", "maximum", "-inf", "{1, nan, 3}", "nan"},
                        {"pred", "and", "true", "{true, false, true}", "false"},
                        {"pred", "or", "false", "{true, false, true}", "true"},
                        {"u32", "xor", "0", "{6, 3, 8}", "13"},
                        {"bf16", "add", "0", "{256, 1, 1}", "256"},
                        {"f16", "maximum", "-inf", "{1, 3, 2}", "3"}};
  for (const Case& test : cases) {
    const std::string type = test.type;
    const ir::Literal got =
        Eval("HloModule m\n" + Combiner("f", type, test.op) + "ENTRY main {\n x = " + type +
                 "[3] parameter(0)\n z = " + type + "[] constant(" + test.init +
                 ")\n ROOT r = " + type + "[] reduce(x, z), dimensions={0}, to_apply=f\n}\n",
             {Value(type + "[3]", test.x)});
    EXPECT_EQ(got.ToString(), Value(type + "[]", test.want).ToString()) << type << " " << test.op;
  }
}

}  // namespace
}  // namespace swage::evaluator
