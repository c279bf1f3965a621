// Programs from HLO text.
#include "runtime/hlo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kProgram = R"(
HloModule affine, entry_computation_layout={(f32[2]{0}, (f32[2]{0}, s32[]))->(f32[2]{0}, s32[])}

ENTRY main {
  x = f32[2]{0} parameter(0)
  rest = (f32[2]{0}, s32[]) parameter(1)
  y = f32[2]{0} get-tuple-element(rest), index=0
  n = s32[] get-tuple-element(rest), index=1
  sum = f32[2]{0} add(x, y)
  twice = s32[] add(n, n)
  ROOT out = (f32[2]{0}, s32[]) tuple(sum, twice)
}
)";

TEST(HloTest, RunsOnLeavesAndReturnsLeaves) {
  const HloProgram f = parse_hlo(kProgram);
  EXPECT_EQ(f.parameter_count(), 3);
  EXPECT_EQ(f.parameter_shape(2), "s32[]");
  EXPECT_EQ(f.result_count(), 2);
  EXPECT_EQ(f.result_shape(0), "f32[2]");
  for (int i = 0; i < 2; ++i) {
    const std::vector<Tensor> out = f({F32({1, 2}), F32({10, 20}), scalar(4)});
    EXPECT_THAT(out[0].to_vector<float>(), ElementsAre(11, 22));
    EXPECT_EQ(out[1].item<int>(), 8);
  }
  EXPECT_EQ(f.stats().calls, 2);
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_EQ(f.stats().hits, 1);
  EXPECT_THAT(f.ToString(), HasSubstr("HloModule affine"));
}

TEST(HloTest, ExplainsWhereTheProgramCameFrom) {
  const HloProgram f = parse_hlo(kProgram), again = parse_hlo(kProgram);
  EXPECT_FALSE(f.explain().missed);
  f.warmup();
  EXPECT_TRUE(f.explain().first);
  EXPECT_EQ(f.explain().function, "affine");
  again.warmup();
  EXPECT_EQ(again.explain().tier, "memory");
  EXPECT_THAT(again.explain().stored_components, ::testing::IsEmpty());
}

TEST(HloTest, ArgumentErrorsNameTheParameter) {
  const HloProgram f = parse_hlo(kProgram);
  const Tensor x = F32({1, 2});
  EXPECT_EQ(ErrorOf([&] { f({x}); }), "[affine] got 1 arguments, expected 3");
  EXPECT_EQ(ErrorOf([&] {
              f({x, F32({1}), scalar(1)});
            }),
            "[affine] got f32[1] for parameter 1 (rest{0}), expected f32[2]");
  EXPECT_EQ(ErrorOf([&] {
              f({x, x, scalar(1.0f)});
            }),
            "[affine] got f32[] for parameter 2 (rest{1}), expected s32[]");
  EXPECT_EQ(ErrorOf([&] {
              f({x, x, Tensor()});
            }),
            "[affine] got an undefined Tensor for parameter 2 (rest{1}), expected s32[]");
  EXPECT_THAT(ErrorOf([&] { jit([&](Tensor y) {
                              return f({y, y, scalar(1)});
                            })(x); }),
              HasSubstr("cannot be called inside jit"));
}

TEST(HloTest, BadProgramsAreErrorsOfTheirCaller) {
  const auto code_of = [](const std::function<void()>& fn) {
    try {
      fn();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kInternal;
  };
  EXPECT_EQ(code_of([] { load_hlo("/no/such/file.hlo"); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_of([] { parse_hlo("HloModule"); }), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of([] { parse_hlo(std::string_view("\x7f\x45\x4c\x46\0\1", 6)); }),
            ErrorCode::kInvalidArgument);
  const std::string unknown = "HloModule m\nENTRY e {\n  ROOT x = f32[2] frobnicate()\n}\n";
  EXPECT_EQ(code_of([&] { parse_hlo(unknown); }), ErrorCode::kInvalidArgument);
  EXPECT_THAT(ErrorOf([&] { parse_hlo(unknown); }), HasSubstr("3:"));
  const std::string declared =
      "HloModule m\nENTRY e {\n  x = f32[4,4] parameter(0)\n  ROOT y = f32[4,4] cholesky(x)\n}\n";
  EXPECT_EQ(code_of([&] { parse_hlo(declared); }), ErrorCode::kUnimplemented);
  EXPECT_THAT(ErrorOf([&] { parse_hlo(declared); }), HasSubstr("cholesky"));
}

TEST(HloTest, ACorpusProgramMatchesItsExpectedOutput) {
  const std::string folder = "tests/corpus/program/attend_64/";
  const HloProgram f = load_hlo(folder + "module.hlo");
  std::vector<Tensor> inputs;
  for (int i = 0; i < f.parameter_count(); ++i) {
    inputs.push_back(load_npy(folder + "in_" + std::to_string(i) + ".npy"));
  }
  const std::vector<float> got = f(inputs)[0].to_vector<float>();
  const std::vector<float> want = load_npy(folder + "out_0.npy").to_vector<float>();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5f);
}

// The mean of the rows of f32[n,m].
std::string MeanOfRows(int n, int m, std::string_view divisor) {
  const std::string rows = std::to_string(n), columns = std::to_string(m);
  return "HloModule mean\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
         " ROOT c = f32[] add(a, b)\n}\nENTRY main {\n x = f32[" +
         rows + "," + columns + "] parameter(0)\n zero = f32[] constant(0)\n sum = f32[" + rows +
         "] reduce(x, zero), dimensions={1}, to_apply=add\n count = f32[] constant(" +
         std::string(divisor) + ")\n counts = f32[" + rows +
         "] broadcast(count), dimensions={}\n ROOT mean = f32[" + rows +
         "] divide(sum, counts)\n}\n";
}

TEST(HloTest, AProgramForEverySizeIsLearnedFromTwoLowerings) {
  for (const char* device : {"cpu", "evaluator"}) {
    const HloProgram f =
        parse_hlo({MeanOfRows(7, 5, "5"), MeanOfRows(12, 9, "9")}, {.device = device});
    EXPECT_EQ(f.parameter_shape(0), "f32[n,m]");
    EXPECT_EQ(f.result_shape(0), "f32[n]");
    EXPECT_THAT(f.learned(), HasSubstr("literal m: 5 and 9 (count (main), literal)"));
    for (int i = 0; i < 2; ++i) {
      EXPECT_THAT(f({F32({1, 2, 3, 4}, {2, 2})})[0].to_vector<float>(), ElementsAre(1.5f, 3.5f));
      EXPECT_THAT(f({F32({1, 2, 6}, {1, 3})})[0].to_vector<float>(), ElementsAre(3));
    }
    EXPECT_EQ(f({F32({}, {0, 3})})[0].shape(), (ShapeVector{0}));
    EXPECT_EQ(f.stats().calls, 5);
    EXPECT_EQ(f.stats().misses, 1);
    EXPECT_EQ(f.stats().hits, 4);
    EXPECT_EQ(f.stats().sizings, 3);
  }
}

TEST(HloTest, LoweringsThatDoNotBelongTogetherAreRefused) {
  EXPECT_THAT(ErrorOf([&] {
                parse_hlo({MeanOfRows(7, 5, "5"), MeanOfRows(12, 9, "11")});
              }),
              HasSubstr("count (main), literal: got 5 and 11, expected an expression of n (7 and "
                        "12), m (5 and 9): "));
  EXPECT_THAT(ErrorOf([&] {
                parse_hlo({std::string_view(kProgram), std::string_view(kProgram.substr(1, 9))});
              }),
              HasSubstr("<text>"));
}

TEST(HloTest, SizesOfArgumentsMustAgree) {
  const auto text = [](std::string n) {
    return "HloModule pair\nENTRY e {\n x = f32[" + n + "] parameter(0)\n y = f32[" + n +
           "] parameter(1)\n head = f32[2] slice(x), slice={[0:2]}\n sum = f32[" + n +
           "] add(x, y)\n ROOT t = (f32[" + n + "], f32[2]) tuple(sum, head)\n}\n";
  };
  const HloProgram f = parse_hlo({text("7"), text("12")});
  EXPECT_EQ(
      ErrorOf([&] {
        f({F32({1, 2, 3}), F32({1, 2})});
      }),
      "[pair] argument 1 (y), dimension 0 of f32[2<=n]: got 2 (f32[2]), expected n: [dim] the "
      "symbol '2<=n' is 3 in one place and 2 in another; so far n = 3");
  EXPECT_THAT(ErrorOf([&] {
                f({F32({1}), F32({1})});
              }),
              HasSubstr("argument 0 (x), dimension 0 of f32[2<=n]: got 1 (f32[1]), expected n: "
                        "[dim] 1 is outside the range of '2<=n'"));
  EXPECT_EQ(ErrorOf([&] {
              f({S32({1, 2}), F32({1, 2})});
            }),
            "[pair] argument 0 (x): got s32[2], expected f32[2<=n]");
}

TEST(HloTest, AProgramThatWasMovedFromSaysSo) {
  HloProgram f =
      parse_hlo("HloModule s\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x) }");
  const HloProgram g = std::move(f);
  EXPECT_THAT(g({F32({1, 2})})[0].to_vector<float>(), ElementsAre(-1, -2));
  const std::string expected =
      "[HloProgram] got a program that was moved from, expected one that load_hlo() returned or a "
      "copy of it";
  EXPECT_EQ(ErrorOf([&] { f({F32({1, 2})}); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.parameter_count(); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.result_shape(0); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.stats(); }), expected);
  EXPECT_EQ(ErrorOf([&] { f.ToString(); }), expected);
}

TEST(HloTest, AMissIsAnErrorWhereOnMissSaysSo) {
  const std::string text =
      "HloModule cold\nENTRY e { x = f32[3] parameter(0)\n ROOT y = f32[3] tan(x) }";
  const HloProgram f = parse_hlo(text, {.on_miss = OnMiss::kError});
  EXPECT_EQ(
      ErrorOf([&] {
        f({F32({1, 2, 3})});
      }),
      "[cold] got a miss, expected none (on_miss is error): the program is not compiled, or no "
      "longer; call warmup() first");
  EXPECT_EQ(ErrorOf([&] {
              f.warmup({{f32, {4}}});
            }),
            "[cold] got f32[4] for parameter 0 (x), expected f32[3]");
  f.warmup();
  EXPECT_EQ(f({F32({0, 0, 0})})[0].item<float>({2}), 0);
  f.warmup({{f32, {3}}});
  EXPECT_EQ(f.stats().compiles, 1);
  clear_cache();
  EXPECT_NE(ErrorOf([&] { f({F32({1, 2, 3})}); }), "");
}

TEST(HloTest, OneWarmUpServesAllSizes) {
  const std::string text =
      "HloModule sized\nENTRY e { x = f32[n] parameter(0)\n ROOT y = f32[n] tan(x) }";
  const HloProgram f = parse_hlo(text, {.on_miss = OnMiss::kError});
  EXPECT_THAT(ErrorOf([&] { f({zeros({5})}); }), HasSubstr("call warmup() first"));
  f.warmup();
  EXPECT_EQ(f({zeros({5})})[0].item<float>({4}), 0);
  f.warmup({{f32, {6}}});
  EXPECT_EQ(f.stats().sizings, 2);
  EXPECT_EQ(f({zeros({6})})[0].item<float>({4}), 0);
  EXPECT_EQ(f.stats().sizings, 2);
  EXPECT_EQ(f.stats().compiles, 1);
}

TEST(HloTest, TextWithSymbolsIsAProgramForEverySize) {
  const HloProgram f = parse_hlo(
      "HloModule s\nENTRY e { x = f32[seq<=4] parameter(0)\n ROOT y = f32[seq] negate(x) }");
  EXPECT_THAT(f({F32({1, 2})})[0].to_vector<float>(), ElementsAre(-1, -2));
  EXPECT_THAT(ErrorOf([&] { f({F32({1, 2, 3, 4, 5})}); }), HasSubstr("outside the range"));
}

}  // namespace
}  // namespace swage
