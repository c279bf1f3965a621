// What jit promises: keys, counters, statics, captures, results, errors.
#include "runtime/jit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <new>
#include <sstream>

#include "base/log.h"
#include "runtime/trace.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {

struct Params {
  Tensor w, b;
  int scale = 1;
};
SWAGE_TREE(Params, w, b, scale)

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const MissReport& report) {
  std::ostringstream out;
  out << report;
  return out.str();
}

TEST(JitTest, TracesOncePerKey) {
  int traced = 0;
  auto f = jit([&](Tensor x) {
    ++traced;
    return x * 2 + 1;
  });
  for (int i = 0; i < 5; ++i) EXPECT_THAT(f(F32({1, 2})).to_vector<float>(), ElementsAre(3, 5));
  EXPECT_EQ(traced, 1);
  f(F32({1, 2, 3}));
  f(S32({1, 2}));
  EXPECT_EQ(traced, 3);
  const JitStats stats = f.stats();
  EXPECT_EQ(stats.calls, 7);
  EXPECT_EQ(stats.hits, 4);
  EXPECT_EQ(stats.misses, 3);
  EXPECT_EQ(stats.traces, 3);
}

TEST(JitTest, ATemporaryInALoopCompilesOnce) {
  const Tensor x = ones({7, 5});
  for (int i = 0; i < 4; ++i) jit(Attend)(x, x, x);
  EXPECT_EQ(jit(Attend).stats().traces, 1);
  EXPECT_EQ(jit(Attend).stats().hits, 3);
  for (int i = 0; i < 3; ++i) jit([](Tensor y) { return y + y; }, {.name = "loop"})(x);
  // Each lambda expression is a function of its own; copies of one share its cache.
  auto once = [](Tensor y) { return y - y; };
  for (int i = 0; i < 3; ++i) jit(once)(x);
  EXPECT_EQ(jit(once).stats().traces, 1);
}

TEST(JitTest, ExplainNamesTheDimensionThatDiffered) {
  auto f = jit(Attend, {.name = "attend_explained"});
  EXPECT_EQ(TextOf(f.explain()), "attend_explained: no miss yet\n");
  const auto call = [&](int n) {
    const Tensor q = ones({31, 64}), k = ones({n, 64});
    f(q, k, k);
  };
  call(31);
  EXPECT_TRUE(f.explain().first);
  EXPECT_EQ(TextOf(f.explain()), "attend_explained: missed, first key\n");
  call(32);
  const MissReport report = f.explain();
  EXPECT_EQ(report.argument, 1);
  EXPECT_EQ(report.axis, 0);
  EXPECT_EQ(report.got, "32");
  EXPECT_EQ(report.expected, "31");
  EXPECT_EQ(report.nearest_key, "(f32[31,64], f32[31,64], f32[31,64])");
  EXPECT_EQ(TextOf(report),
            "attend_explained: missed, argument 1 (f32[32,64]): dimension 0 is 32, expected 31; "
            "nearest key (f32[31,64], f32[31,64], f32[31,64])\n");
  call(31);
  call(32);
  EXPECT_EQ(f.stats().misses, 2);
}

TEST(JitTest, TheNearestKeyIsFoundBehindAnOptional) {
  auto f = jit([](Tensor x, std::optional<Tensor> bias, Tensor y) { return bias ? x + y : x; });
  const auto call = [&](int n, std::optional<Tensor> bias) {
    f(ones({n, 2}), bias, ones({n, 2}));
    return f.explain().nearest_key;
  };
  const Tensor bias = ones({4, 2});
  call(8, {});
  call(4, {});
  // Item by item the bias would look like the y of the second key.
  EXPECT_EQ(call(8, bias), "(f32[8,2], no value, f32[8,2])");
  // Another extent is less than another structure.
  EXPECT_EQ(call(5, bias), "(f32[8,2], f32[4,2], f32[8,2])");
  EXPECT_EQ(call(5, {}), "(f32[4,2], no value, f32[4,2])");
}

TEST(JitTest, ExplainOfDtypesStaticsAndStructure) {
  auto f = jit([](Tensor x, int n, std::vector<Tensor> rest) { return x * n; }, {.name = "f"});
  f(F32({1}), 2, std::vector<Tensor>{});
  f(S32({1}), 2, std::vector<Tensor>{});
  EXPECT_THAT(TextOf(f.explain()), HasSubstr("argument 0 is s32[1], expected f32[1]"));
  f(F32({1}), 3, std::vector<Tensor>{});
  EXPECT_THAT(TextOf(f.explain()), HasSubstr("got 3, expected 2; nearest key (f32[1], 2, [])"));
  f(F32({1}), 3, std::vector<Tensor>{F32({1})});
  EXPECT_THAT(TextOf(f.explain()), HasSubstr("parameter 2: got a list of 1, expected a list of 0"));
}

TEST(JitTest, StatsPrint) {
  std::ostringstream out;
  out << JitStats{
      .calls = 3, .hits = 2, .misses = 1, .traces = 1, .compiles = 1, .compile_ms = 1.5};
  EXPECT_EQ(
      out.str(),
      "calls 3, hits 2, misses 1, traces 1, compiles 1 (1.50 ms), kernels: 0 from llvm, 0 from the "
      "cache\n");
}

enum class Mode { kPlus, kMinus };

struct Name {
  std::string first, last;
  bool operator==(const Name&) const = default;
};

}  // namespace
}  // namespace swage

template <>
struct std::hash<swage::Name> {
  size_t operator()(const swage::Name& name) const { return name.first.size(); }
};

namespace swage {
namespace {

TEST(JitTest, StaticArgumentsArePartOfTheKeyByValue) {
  int traced = 0;
  auto f = jit([&](Tensor x, Mode mode, const std::string& name, Name who, bool flag) {
    ++traced;
    const Tensor y = mode == Mode::kPlus ? x + 1 : x - 1;
    return y * float(name.size() + who.last.size()) * (flag ? 1 : -1);
  });
  const Tensor x = scalar(1.0f);
  EXPECT_EQ(f(x, Mode::kPlus, "ab", Name{"a", "b"}, true).item<float>(), 6);
  EXPECT_EQ(f(x, Mode::kPlus, std::string("ab"), Name{"a", "b"}, true).item<float>(), 6);
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(f(x, Mode::kMinus, "ab", Name{"a", "b"}, true).item<float>(), 0);
  EXPECT_EQ(f(x, Mode::kPlus, "abc", Name{"a", "b"}, true).item<float>(), 8);
  // The same hash, another value.
  EXPECT_EQ(f(x, Mode::kPlus, "ab", Name{"a", "bbb"}, true).item<float>(), 10);
  EXPECT_EQ(f(x, Mode::kPlus, "ab", Name{"a", "b"}, false).item<float>(), -6);
  EXPECT_EQ(traced, 5);
  EXPECT_EQ(f(x, Mode::kPlus, "ab", Name{"a", "b"}, true).item<float>(), 6);
  EXPECT_EQ(traced, 5);
}

TEST(JitTest, SignaturesOfAnyLengthWork) {
  std::vector<Tensor> many;
  for (int i = 0; i < 300; ++i) many.push_back(scalar(i * 0.5f));
  auto f = jit([](const std::vector<Tensor>& xs, const std::string& text) {
    Tensor total = xs[0];
    for (size_t i = 1; i < xs.size(); ++i) total = total + xs[i];
    return total + float(text.size());
  });
  EXPECT_EQ(f(many, std::string(1000, 'x')).item<float>(), 23425);
  EXPECT_EQ(f(many, std::string(1000, 'x')).item<float>(), 23425);
  EXPECT_EQ(f.stats().traces, 1);
}

TEST(JitTest, AThirdValueOfOneStaticNumberWarnsOnce) {
  std::vector<std::string> lines;
  SetLogCallback([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  auto f = jit([](Tensor x, float rate) { return x * rate; }, {.name = "step"});
  for (float rate : {0.5f, 0.25f, 0.125f, 0.0625f}) f(F32({1, 2}), rate);
  SetLogCallback(nullptr);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("step"));
  EXPECT_THAT(lines[0], HasSubstr("0.125"));
  EXPECT_THAT(lines[0], HasSubstr("swage::Scalar<T>"));
}

Tensor Step(Tensor x, Scalar<float> rate) { return x * rate + rate; }

TEST(JitTest, ScalarsAreTracedAndConvertPlainNumbers) {
  auto f = jit(Step);
  EXPECT_THAT(f(F32({1, 2}), 3).to_vector<float>(), ElementsAre(6, 9));
  EXPECT_THAT(f(F32({1, 2}), 0.5).to_vector<float>(), ElementsAre(1, 1.5f));
  EXPECT_THAT(f(F32({1, 2}), Scalar<float>(2)).to_vector<float>(), ElementsAre(4, 6));
  EXPECT_THAT(f(F32({1, 2}), scalar(1.0f)).to_vector<float>(), ElementsAre(2, 3));
  EXPECT_EQ(f.stats().traces, 1);
  auto g = jit([](Tensor x, Scalar<int> n) { return x + convert(n, f32); });
  EXPECT_THAT(g(F32({1}), 3).to_vector<float>(), ElementsAre(4));
  EXPECT_EQ(ErrorOf([&] { f(F32({1}), F32({1})); }), "[Scalar] got f32[1], expected f32[]");
}

TEST(JitTest, TreesGoInAndOut) {
  auto f = jit([](const Params& p, std::pair<Tensor, std::optional<Tensor>> in) {
    const Tensor y = matmul(in.first, p.w) + p.b * p.scale;
    return std::make_tuple(y, std::vector<Tensor>{in.second.value_or(y), y}, Params{p.b, p.w, 7});
  });
  const Params params{F32({1, 0, 0, 1}, {2, 2}), F32({10, 20}), 2};
  const auto [y, list, back] =
      f(params, std::make_pair(F32({1, 2}, {1, 2}), std::optional<Tensor>()));
  EXPECT_THAT(y.to_vector<float>(), ElementsAre(21, 42));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_THAT(list[0].to_vector<float>(), ElementsAre(21, 42));
  EXPECT_THAT(back.w.to_vector<float>(), ElementsAre(10, 20));
  EXPECT_EQ(back.scale, 7);
  f(params, std::make_pair(F32({1, 2}, {1, 2}), std::optional<Tensor>(F32({5}))));
  EXPECT_EQ(f.stats().traces, 2);
}

TEST(JitTest, TheStructureOfTheResultFollowsTheKey) {
  auto n = jit([](Tensor x, std::optional<Tensor> y) {
    return y.has_value() ? std::vector<Tensor>{x + 1, x} : std::vector<Tensor>{x};
  });
  EXPECT_EQ(n(scalar(1), std::optional<Tensor>(scalar(2))).size(), 2u);
  EXPECT_EQ(n(scalar(1), std::optional<Tensor>()).size(), 1u);
  EXPECT_EQ(n(scalar(1), std::optional<Tensor>(scalar(2))).size(), 2u);
}

TEST(JitTest, EachCallReturnsFreshValues) {
  auto f = jit([](Tensor x) { return x * 2 + 1; });
  const Tensor r1 = f(F32({1, 2}));
  const Tensor r2 = f(F32({10, 20}));
  const Tensor r3 = f(r1);
  for (int i = 0; i < 1000; ++i) f(r3);
  EXPECT_THAT(r1.to_vector<float>(), ElementsAre(3, 5));
  EXPECT_THAT(r2.to_vector<float>(), ElementsAre(21, 41));
  EXPECT_THAT(r3.to_vector<float>(), ElementsAre(7, 11));
  EXPECT_THAT((r1 == r2).to_vector<bool>(), ElementsAre(false, false));
}

TEST(JitTest, ABufferShiftsAsItsLoopSays) {
  auto f = jit([](Tensor s, Tensor i) { return concatenate({slice(s, {{2, {}}}), i, i}); });
  Tensor s = zeros({4});
  std::vector<std::vector<float>> seen;
  for (int i = 1; i <= 4; ++i) {
    s = f(s, F32({float(i)}));
    seen.push_back(s.to_vector<float>());
  }
  EXPECT_THAT(seen, ElementsAre(ElementsAre(0, 0, 1, 1), ElementsAre(1, 1, 2, 2),
                                ElementsAre(2, 2, 3, 3), ElementsAre(3, 3, 4, 4)));
}

TEST(JitTest, UnchangedArgumentsConstantsAndUndefinedResults) {
  auto f = jit([](Tensor x) {
    return std::vector<Tensor>{x, full({2}, 7, f32), x, Tensor(), x + 0};
  });
  const Tensor x = F32({1, 2});
  const std::vector<Tensor> out = f(x);
  EXPECT_EQ(out[0].raw_data(), x.raw_data());
  EXPECT_THAT(out[1].to_vector<float>(), ElementsAre(7, 7));
  EXPECT_EQ(out[2].raw_data(), x.raw_data());
  EXPECT_FALSE(out[3].defined());
  EXPECT_THAT(out[4].to_vector<float>(), ElementsAre(1, 2));
}

TEST(JitTest, BranchingOnATracedValueIsAnErrorWithTheFix) {
  auto b = jit([](Tensor x) {
    if (x > 0) return x;
    return -x;
  });
  const std::string text = ErrorOf([&] { b(scalar(1.0f)); });
  EXPECT_THAT(text, HasSubstr("[bool] got a traced pred[], made by greater"));
  EXPECT_THAT(text, HasSubstr("where(condition, a, b)"));
  unsigned line = 0;
  try {
    jit([&](Tensor x) {
      line = __LINE__ + 1;
      (void)(x + x).item<float>();
      return x;
    })(scalar(1.0f));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line(), line);
    EXPECT_THAT(error.what(), HasSubstr("[item] got a traced f32[], made by add"));
  }
  auto chosen = jit([](float x) { return full({}, x > 0 ? x : -x, f32); });
  EXPECT_EQ(chosen(5.0f).item<float>(), 5);
  EXPECT_EQ(chosen(-5.0f).item<float>(), 5);
}

TEST(JitTest, ClosuresOfOneTypeHaveEachTheirCache) {
  const auto make = [](float k) { return [k](Tensor x) { return x * k; }; };
  auto f2 = jit(make(2)), f5 = jit(make(5));
  EXPECT_EQ(f2(scalar(3.0f)).item<float>(), 6);
  EXPECT_EQ(f5(scalar(3.0f)).item<float>(), 15);
  EXPECT_EQ(f2(scalar(4.0f)).item<float>(), 8);
}

Tensor SinOf(Tensor x) { return sin(x); }
Tensor CosOf(Tensor x) { return cos(x); }

TEST(JitTest, FunctionPointersAreKnownByTheirAddress) {
  Tensor (*function)(Tensor) = SinOf;
  EXPECT_EQ(jit(function)(scalar(0.0f)).item<float>(), 0);
  function = CosOf;
  EXPECT_EQ(jit(function)(scalar(0.0f)).item<float>(), 1);
}

TEST(JitTest, CapturedTensorsAreBoundWhenTraced) {
  Tensor t = F32({1, 1});
  auto h = jit([&t](Tensor x) { return x + t; });
  EXPECT_THAT(h(F32({1, 2})).to_vector<float>(), ElementsAre(2, 3));
  t = F32({10, 10});
  // The documented rule: rebinding the variable later is not seen.
  EXPECT_THAT(h(F32({1, 2})).to_vector<float>(), ElementsAre(2, 3));
  EXPECT_THAT(jit([&t](Tensor x) { return x + t; })(F32({1, 2})).to_vector<float>(),
              ElementsAre(11, 12));
}

TEST(JitTest, CapturedContentIsNotInTheProgram) {
  // Equal programs over different captured tensors share one compile.
  const auto make = [](Tensor t) { return jit([t](Tensor x) { return x * t - 3.5f; }); };
  auto a = make(F32({1, 2, 3}));
  auto b = make(F32({4, 5, 6}));
  const Tensor x = F32({1, 1, 1});
  EXPECT_THAT(a(x).to_vector<float>(), ElementsAre(-2.5f, -1.5f, -0.5f));
  EXPECT_THAT(b(x).to_vector<float>(), ElementsAre(0.5f, 1.5f, 2.5f));
  EXPECT_EQ(b.stats().compiles, 0);
}

TEST(JitTest, MemberFunctionsStateIsOfTheFirstTrace) {
  float c = 1;
  auto f = jit([&c](Tensor x) { return x + c; });
  EXPECT_EQ(f(scalar(0.0f)).item<float>(), 1);
  c = 7;
  EXPECT_EQ(f(scalar(0.0f)).item<float>(), 1);
  EXPECT_EQ(jit([&c](Tensor x) { return x + c; })(scalar(0.0f)).item<float>(), 7);
}

TEST(JitTest, LongUnrolledProgramsCompileOnce) {
  std::vector<Tensor> captured;
  for (int i = 0; i < 300; ++i) captured.push_back(scalar(i * 0.5f));
  auto f = jit([&](Tensor p0, Tensor p1) {
    Tensor total = zeros({});
    for (int i = 0; i < 300; ++i) total = total + square(p0 * (i * 0.001) + p1 - captured[i]);
    return total;
  });
  const auto call = [&](float a, float b) { return f(scalar(a), scalar(b)).item<float>(); };
  EXPECT_NEAR(call(0, 0), 2238762.5f, 2);
  EXPECT_NEAR(call(500, 0), 0, 1e-3);
  EXPECT_NEAR(call(0, 0), 2238762.5f, 2);
  EXPECT_EQ(f.stats().traces, 1);
}

TEST(JitTest, ProgramsAroundTheOperandLimitOfAKernel) {
  for (const int n : {94, 95, 96, 97, 98, 200}) {
    std::vector<Tensor> many;
    for (int i = 0; i < n; ++i) many.push_back(full({3}, i, f32));
    auto f = jit([](const std::vector<Tensor>& xs) {
      Tensor total = xs[0] * 2;
      for (size_t i = 1; i < xs.size(); ++i) total = total + xs[i] * 2;
      return total;
    });
    for (int call = 0; call < 2; ++call) {
      EXPECT_THAT(f(many).to_vector<float>(), ::testing::Each(n * (n - 1))) << n;
    }
  }
}

TEST(JitTest, UserExceptionsPassAndLeaveNothingBehind) {
  const auto check = [] {
    EXPECT_EQ(runtime::TraceScope::Depth(), 0);
    EXPECT_EQ((scalar(2) + 3).item<int>(), 5);
    EXPECT_EQ(jit([](Tensor x) { return x * x; })(scalar(6)).item<int>(), 36);
  };
  auto at_first_op = jit([](Tensor x) {
    throw 7;
    return x;
  });
  EXPECT_THROW(at_first_op(scalar(1)), int);
  check();
  auto inner = jit([](Tensor x) {
    const Tensor y = x + 1;
    throw std::bad_alloc();
    return y;
  });
  auto outer = jit([&](Tensor x) { return inner(x * 2) + 1; });
  EXPECT_THROW(outer(scalar(1)), std::bad_alloc);
  check();
  EXPECT_THROW(outer(scalar(1)), std::bad_alloc);
  check();
  bool fail = true;
  auto once = jit([&](Tensor x) {
    if (fail) throw std::runtime_error("once");
    return x + 1;
  });
  EXPECT_THROW(once(scalar(1)), std::runtime_error);
  fail = false;
  EXPECT_EQ(once(scalar(1)).item<int>(), 2);
}

TEST(JitTest, ManyFailedTracesDoNotGrow) {
  auto f = jit([](Tensor x) {
    const Tensor y = x + 1;
    throw 7;
    return y;
  });
  const Tensor x = scalar(1);
  for (int i = 0; i < 20000; ++i) EXPECT_THROW(f(x), int);
  EXPECT_EQ(runtime::TraceScope::Depth(), 0);
  EXPECT_EQ(f.stats().misses, 20000);
}

TEST(JitTest, TracedValuesCannotEscape) {
  Tensor kept;
  jit([&](Tensor x) {
    kept = x * 2;
    return x;
  })(F32({1}));
  EXPECT_THAT(ErrorOf([&] { kept + 1; }), HasSubstr("[trace] got a traced f32[1] of multiply"));
  EXPECT_THAT(ErrorOf([&] { jit([](Tensor x) { return x; })(kept); }),
              HasSubstr("outside the jit call that made it"));
  EXPECT_THAT(ErrorOf([&] { jit([&](Tensor x) { return x + kept; })(F32({1})); }),
              HasSubstr("[trace] got a traced f32[1] of multiply"));
}

TEST(JitTest, BadOptionsAndArgumentsAreErrors) {
  EXPECT_EQ(ErrorOf([] { jit(SinOf, {.device = "cpus"}); }),
            "[device] got 'cpus', expected cpu, cuda (the first GPU, cuda:0), cuda:1 ... or "
            "evaluator; did you mean 'cpu'?");
  EXPECT_EQ(
      ErrorOf([] { jit(SinOf, {.name = "named"})(Tensor()); }),
      "[named] got an undefined Tensor (default-constructed or moved from) as tensor argument 0, "
      "expected a value");
}

TEST(JitTest, DevicesGiveTheSameBits) {
  const Tensor x = reshape(arange(64, f32), {8, 8}) * 0.01;
  const Tensor on_cpu = jit(Attend, {.device = "cpu"})(x, x, x);
  const Tensor on_evaluator = jit(Attend, {.device = "evaluator"})(x, x, x);
  const std::vector<float> a = on_cpu.to_vector<float>(), b = on_evaluator.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6f);
}

}  // namespace
}  // namespace swage
