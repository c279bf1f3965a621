#include "compiler/ir/dim.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "absl/hash/hash.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::ir {
namespace {

Dim Seq() { return Dim::Symbol("seq", 0, 512); }
Dim Rows() { return Dim::Symbol("rows", 1, 64); }

TEST(DimTest, DefaultIsZeroAndIntegersConvert) {
  EXPECT_EQ(Dim(), Dim(0));
  EXPECT_EQ(Dim(7).static_value(), 7);
  EXPECT_TRUE(Dim(7) == 7);
  EXPECT_FALSE(Seq().is_static());
  EXPECT_EQ(Seq().static_value(), std::nullopt);
}

TEST(DimTest, StaticArithmeticIsPlainIntegerArithmetic) {
  EXPECT_EQ(Dim(6) * 7 + 1 - 3, Dim(40));
  EXPECT_EQ(FloorDiv(-7, 2), Dim(-4));
  EXPECT_EQ(CeilDiv(-7, 2), Dim(-3));
  EXPECT_EQ(CeilDiv(7, -2), Dim(-3));
  EXPECT_EQ(Mod(-7, 2), Dim(1));
  EXPECT_EQ(Mod(7, -2), Dim(-1));
  EXPECT_EQ(Max(3, 5), Dim(5));
  EXPECT_EQ(Min(3, 5), Dim(3));
}

TEST(DimTest, SameNameAndRangeIsTheSameSymbol) {
  EXPECT_EQ(Dim::Symbol("seq", 0, 512), Seq());
  EXPECT_FALSE(Dim::Symbol("seq", 0, 513) == Seq());
  EXPECT_EQ(Dim::Symbol("one", 4, 4), Dim(4));
  EXPECT_EQ(Seq().symbol()->name, "seq");
  EXPECT_EQ((Seq() + 1).symbol(), nullptr);
}

TEST(DimTest, EqualPolynomialsAreEqual) {
  EXPECT_EQ(2 * Seq() + Seq(), 3 * Seq());
  EXPECT_EQ((Seq() + 1) * 2, 2 * Seq() + 2);
  EXPECT_EQ((Seq() + Rows()) * (Seq() - Rows()), Seq() * Seq() - Rows() * Rows());
  EXPECT_EQ(Seq() * Rows(), Rows() * Seq());
  EXPECT_EQ(Seq() - Seq(), Dim(0));
  EXPECT_EQ(0 * Seq(), Dim(0));
  EXPECT_EQ((Seq() + 5) - Seq(), Dim(5));
}

TEST(DimTest, ExactDivisionCancels) {
  EXPECT_EQ(FloorDiv(2 * Seq(), 2), Seq());
  EXPECT_EQ(CeilDiv(2 * Seq(), 2), Seq());
  EXPECT_EQ(Mod(2 * Seq(), 2), Dim(0));
  EXPECT_EQ(FloorDiv(Seq() * Rows(), Rows()), Seq());
  EXPECT_EQ(Mod(Seq() * Rows(), Rows()), Dim(0));
  EXPECT_EQ(FloorDiv(6 * Seq() * Rows(), 2 * Rows()), 3 * Seq());
  EXPECT_EQ(FloorDiv((Seq() + 1) * (Rows() + 2), Rows() + 2), Seq() + 1);
  EXPECT_EQ(FloorDiv(4 * Seq() + 3, 4), Seq());
  EXPECT_EQ(CeilDiv(4 * Seq() + 3, 4), Seq() + 1);
  EXPECT_EQ(FloorDiv(Rows() * 2 + 1, Rows() * 2), 1 + FloorDiv(1, Rows() * 2));
  // seq may be 0, so nothing cancels.
  EXPECT_FALSE(FloorDiv(Seq() * 2, Seq()) == 2);
}

TEST(DimTest, DivisionHasOneForm) {
  EXPECT_EQ(CeilDiv(Seq(), 64), FloorDiv(Seq() + 63, 64));
  EXPECT_EQ(FloorDiv(Seq() - 1, 64), CeilDiv(Seq(), 64) - 1);
  EXPECT_EQ(FloorDiv(2 * Seq() + 1, 4), FloorDiv(Seq(), 2));
  EXPECT_EQ(FloorDiv(FloorDiv(Seq(), 4), 8), FloorDiv(Seq(), 32));
  EXPECT_EQ(FloorDiv(Seq() + 64, 64), FloorDiv(Seq(), 64) + 1);
  EXPECT_EQ(Mod(Seq() + 8, 8), Mod(Seq(), 8));
  EXPECT_EQ(Mod(Mod(Seq(), 64), 8), Mod(Seq(), 8));
  EXPECT_EQ(Mod(2 * Seq(), 8), 2 * Mod(Seq(), 4));
  EXPECT_EQ(FloorDiv(Seq(), 513), Dim(0));
  EXPECT_EQ(Mod(Seq(), 513), Seq());
  EXPECT_EQ(FloorDiv(Seq(), -2), FloorDiv(-1 * Seq(), 2));
}

TEST(DimTest, MaxAndMinUseBounds) {
  EXPECT_EQ(Max(Seq(), 512), Dim(512));
  EXPECT_EQ(Max(Seq(), 0), Seq());
  EXPECT_EQ(Min(Seq(), 512), Seq());
  EXPECT_EQ(Max(Seq() + 1, Seq()), Seq() + 1);
  EXPECT_EQ(Max(Seq(), Rows()), Max(Rows(), Seq()));
  EXPECT_EQ(Max(Max(Seq(), Rows()), 8), Max(Rows(), Max(8, Seq())));
  EXPECT_EQ(Max(Max(Seq(), 8), 9), Max(Seq(), 9));
}

TEST(DimTest, BoundsFollowTheRanges) {
  EXPECT_EQ(Seq().lower_bound(), 0);
  EXPECT_EQ(Seq().upper_bound(), 512);
  EXPECT_EQ((2 * Seq() - 3).lower_bound(), -3);
  EXPECT_EQ((2 * Seq() - 3).upper_bound(), 1021);
  EXPECT_EQ((5 - Seq()).lower_bound(), -507);
  EXPECT_EQ(CeilDiv(Seq(), 64).upper_bound(), 8);
  EXPECT_EQ(FloorDiv(512 - Seq(), 64).upper_bound(), 8);
  EXPECT_EQ(FloorDiv(512 - Seq(), 64).lower_bound(), 0);
  EXPECT_EQ(Mod(Seq(), 8).upper_bound(), 7);
  EXPECT_EQ(Dim::Symbol("n").upper_bound(), kUnbounded);
  EXPECT_EQ((Dim::Symbol("n") * 8 + 1).upper_bound(), kUnbounded);
  EXPECT_EQ((3 - Dim::Symbol("n")).lower_bound(), kUnboundedBelow);
  EXPECT_EQ((3 - Dim::Symbol("n")).upper_bound(), 3);
}

TEST(DimTest, ComparisonsAreProvedOrUnknown) {
  EXPECT_EQ(ProveEqual(Seq(), Seq()), Ternary::kYes);
  EXPECT_EQ(ProveEqual(Seq(), Seq() + 1), Ternary::kNo);
  EXPECT_EQ(ProveEqual(Seq(), Rows()), Ternary::kUnknown);
  EXPECT_EQ(ProveEqual(Seq(), 513), Ternary::kNo);
  EXPECT_EQ(ProveLess(Seq(), 513), Ternary::kYes);
  EXPECT_EQ(ProveLess(Seq(), 512), Ternary::kUnknown);
  EXPECT_EQ(ProveLessEqual(Seq(), 512), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(Seq() + Rows(), Seq()), Ternary::kNo);
  EXPECT_EQ(ProveLess(Seq(), 0), Ternary::kNo);
}

TEST(DimTest, InequalitiesSeeThroughDivisionsMaximaAndMinima) {
  const Dim n = Dim::Symbol("n");
  EXPECT_EQ(ProveLessEqual(FloorDiv(n, 2), n), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(CeilDiv(n, 2), n), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(2 * FloorDiv(n, 2), n), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(n, 64 * CeilDiv(n, 64)), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(64 * CeilDiv(n, 64), n + 63), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(64 * CeilDiv(n, 64), n + 62), Ternary::kUnknown);
  EXPECT_EQ(ProveLess(n, 2 * FloorDiv(n, 2)), Ternary::kNo);
  EXPECT_EQ(ProveLessEqual(Min(n, 8), n), Ternary::kYes);
  EXPECT_EQ(ProveLessEqual(n, Max(n, Seq())), Ternary::kYes);
  EXPECT_EQ(ProveLess(Max(n, Seq()), Seq()), Ternary::kNo);
  EXPECT_EQ(ProveLessEqual(Max(n, 8), n), Ternary::kUnknown);
  EXPECT_EQ(ProveLessEqual(FloorDiv(n, 2), Seq()), Ternary::kUnknown);
}

TEST(DimTest, OverflowPoisonsAndSpreads) {
  const Dim big = kUnbounded;
  for (Dim dim :
       {big + 1, Dim(kUnboundedBelow) - 1, big * 2, FloorDiv(kUnboundedBelow, -1), FloorDiv(1, 0),
        Mod(Seq(), 0), big * Seq() * 2, Dim::Symbol("2bad"), Dim::Symbol("x", 5, 3)}) {
    EXPECT_TRUE(dim.is_poisoned());
    EXPECT_FALSE(dim.is_static());
    EXPECT_EQ(dim.static_value(), std::nullopt);
    EXPECT_TRUE((dim - dim).is_poisoned());
    EXPECT_TRUE(Max(dim, Seq()).is_poisoned());
    EXPECT_TRUE(CeilDiv(dim, 2).is_poisoned());
    EXPECT_EQ(ProveEqual(dim, dim), Ternary::kUnknown);
    EXPECT_EQ(ProveLess(dim, 0), Ternary::kUnknown);
    EXPECT_FALSE(dim.Evaluate({}).ok());
    EXPECT_EQ(dim.ToString(), "overflow");
  }
}

TEST(DimTest, ExpressionsBeyondTheLimitsPoison) {
  Dim power = 1, nested = Seq(), sum = 0;
  for (int i = 0; i < 200; ++i) {
    power *= Seq() + Rows();
    nested = Max(Mod(nested * nested + 1, 1000003 + i), Rows());
  }
  for (int i = 0; i < 1000; ++i) sum += Dim::Symbol("s" + std::to_string(i));
  EXPECT_TRUE(power.is_poisoned());
  EXPECT_TRUE(nested.is_poisoned());
  EXPECT_TRUE(sum.is_poisoned());
}

TEST(DimTest, EvaluateNamesWhatIsWrong) {
  SymbolBinding binding;
  EXPECT_FALSE(Seq().Evaluate(binding).ok());
  ASSERT_TRUE(binding.Bind(Seq(), 37).ok());
  EXPECT_EQ(*(2 * Seq() + 1).Evaluate(binding), 75);
  EXPECT_FALSE(binding.Bind(Seq(), 38).ok());
  EXPECT_FALSE(binding.Bind(Rows(), 65).ok());
  const Status zero = FloorDiv(8, Seq() - 37).Evaluate(binding).status();
  EXPECT_NE(zero.message().find("divides by zero"), absl::string_view::npos);
  EXPECT_FALSE((Seq() * kUnbounded).Evaluate(binding).ok());
}

TEST(DimTest, BindingSolvesLinearDims) {
  SymbolBinding binding;
  ASSERT_TRUE(binding.Bind(2 * Seq() + 1, 75).ok());
  EXPECT_EQ(binding.Find(Seq().symbol()), 37);
  EXPECT_TRUE(binding.Bind(Seq() * Rows(), 74).ok());
  EXPECT_EQ(binding.Find(Rows().symbol()), 2);
  EXPECT_FALSE(binding.Bind(Seq() + Rows(), 40).ok());
  SymbolBinding other;
  EXPECT_FALSE(other.Bind(2 * Seq(), 7).ok());
  EXPECT_FALSE(other.Bind(Seq() * Seq(), 49).ok());
  EXPECT_FALSE(other.Bind(Seq() + Rows(), 49).ok());
  EXPECT_FALSE(other.Bind(FloorDiv(Seq(), 2), 4).ok());
  EXPECT_FALSE(other.Bind(Dim(3), 4).ok());
  EXPECT_TRUE(other.Bind(Dim(4), 4).ok());
}

TEST(DimTest, CollectSymbolsInOrderWithoutRepeats) {
  std::vector<const Symbol*> symbols;
  (Max(Seq(), 2 * Rows()) + Seq() * 3).CollectSymbols(&symbols);
  Dim(4).CollectSymbols(&symbols);
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_NE(symbols[0], symbols[1]);
}

TEST(DimTest, EqualDimsHashEqual) {
  EXPECT_EQ(absl::Hash<Dim>()(2 * Seq() + Seq()), absl::Hash<Dim>()(3 * Seq()));
  EXPECT_EQ(absl::Hash<Dim>()(Dim(3)), absl::Hash<Dim>()(Dim(3)));
}

TEST(DimTest, ThreadsAgreeOnNodes) {
  std::vector<std::vector<Dim>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 1; i < 300; ++i) mine.push_back(FloorDiv(Seq() * i + Rows(), 7) * Rows());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
}

TEST(DimTextTest, PrintsWithoutAndWithRanges) {
  EXPECT_EQ(Seq().ToString(), "seq");
  EXPECT_EQ((2 * Seq()).ToString(), "2*seq");
  EXPECT_EQ((1 + Seq() * 64).ToString(), "64*seq+1");
  EXPECT_EQ((3 - Seq() * Rows() * 2).ToString(), "-2*rows*seq+3");
  EXPECT_EQ(CeilDiv(Seq(), 64).ToString(), "ceildiv(seq,64)");
  SymbolScope scope;
  EXPECT_EQ((2 * Seq()).ToString(scope), "2*(seq<=512)");
  EXPECT_EQ(Seq().ToString(scope), "seq");
  EXPECT_EQ(Rows().ToString(scope), "1<=rows<=64");
  EXPECT_EQ(Dim::Symbol("n").ToString(scope), "n");
  EXPECT_EQ(Dim::Symbol("", 0, 9).ToString(scope), "<=9");
  EXPECT_EQ((2 * Dim::Symbol("", 0, 9)).ToString(scope), "2*(<=9)");
}

TEST(DimTextTest, ParsesEveryForm) {
  EXPECT_EQ(*ParseDim("64"), Dim(64));
  EXPECT_EQ(*ParseDim("seq<=512"), Seq());
  EXPECT_EQ(*ParseDim("1 <= rows <= 64"), Rows());
  EXPECT_EQ(*ParseDim("3<=seq"), Dim::Symbol("seq", 3));
  EXPECT_EQ(*ParseDim("<=512"), Dim::Symbol("", 0, 512));
  EXPECT_EQ(*ParseDim("?"), Dim::Symbol(""));
  EXPECT_EQ(*ParseDim("3<=?<=9"), Dim::Symbol("", 3, 9));
  EXPECT_EQ(*ParseDim("seq*64+1"), Dim::Symbol("seq") * 64 + 1);
  EXPECT_EQ(*ParseDim("ceildiv(2*(seq<=512)+seq,3)"), Seq());
  EXPECT_EQ(*ParseDim("max(a,b,3)"), Max(Max(Dim::Symbol("a"), Dim::Symbol("b")), 3));
  EXPECT_EQ(*ParseDim("2<=n<=2"), Dim(2));
}

TEST(DimTextTest, ANameHasOneRangeInAScope) {
  SymbolScope scope;
  size_t pos = 0;
  ASSERT_TRUE(ParseDim("seq<=512", &pos, scope).ok());
  pos = 0;
  EXPECT_EQ(*ParseDim("seq", &pos, scope), Seq());
  pos = 0;
  EXPECT_EQ(*ParseDim("2*seq]", &pos, scope), 2 * Seq());
  EXPECT_EQ(pos, 5u);
  pos = 0;
  EXPECT_TRUE(ParseDim("seq<=512", &pos, scope).ok());
  pos = 0;
  const Status conflict = ParseDim("seq<=64", &pos, scope).status();
  EXPECT_NE(conflict.message().find("was seq<=512 and is now seq<=64"), absl::string_view::npos);
}

TEST(DimTextTest, RejectsWhatItCannotRead) {
  for (const char* text : {"",          "-",      "+",         "2*",
                           "seq<=",     "9<=",    "9<=seq<=3", "99999999999999999999",
                           "f(1,2)",    "max(1)", "mod(4,0)",  "9223372036854775807*2",
                           "(seq",      "seq)",   "seq seq",   "a<=b",
                           "1<=1",      "<=-1",   "\xff",      "floordiv(1,2,3)",
                           "overflow(", "-3<=seq"}) {
    EXPECT_FALSE(ParseDim(text).ok()) << text;
  }
  EXPECT_FALSE(ParseDim(std::string(100000, '(')).ok());
  std::string deep, wide = "x";
  for (int i = 0; i < 10000; ++i) deep += "max(";
  for (int i = 0; i < 10000; ++i) wide += "*(x+y)";
  EXPECT_FALSE(ParseDim(deep).ok());
  EXPECT_FALSE(ParseDim(wide).ok());
}

// Random expressions: the canonical form must have the value of the expression as written.
class RandomDim {
 public:
  explicit RandomDim(uint32_t seed) : rng_(seed) {}

  struct Pair {
    Dim dim;
    std::optional<int64_t> value;  // nullopt: divides by zero or overflows
  };
  Pair Make(int depth, const std::vector<int64_t>& values) {
    if (depth == 0 || Pick(6) == 0) {
      if (Pick(2) == 0) {
        const int64_t constant = static_cast<int64_t>(Pick(20)) - 6;
        return {constant, constant};
      }
      const int i = Pick(3);
      return {symbols[i], values[i]};
    }
    const Pair a = Make(depth - 1, values), b = Make(depth - 1, values);
    const auto both = [&](auto op) -> std::optional<int64_t> {
      if (!a.value || !b.value) return std::nullopt;
      return op(*a.value, *b.value);
    };
    const auto floor_div = [](int64_t x, int64_t y) -> std::optional<int64_t> {
      if (y == 0) return std::nullopt;
      int64_t q = x / y;
      if (q * y != x && ((x < 0) != (y < 0))) --q;
      return q;
    };
    switch (Pick(8)) {
      case 0:
        return {a.dim + b.dim, both([](int64_t x, int64_t y) { return x + y; })};
      case 1:
        return {a.dim - b.dim, both([](int64_t x, int64_t y) { return x - y; })};
      case 2:
        return {a.dim * b.dim, both([](int64_t x, int64_t y) { return x * y; })};
      case 3:
        return {Max(a.dim, b.dim), both([](int64_t x, int64_t y) { return std::max(x, y); })};
      case 4:
        return {Min(a.dim, b.dim), both([](int64_t x, int64_t y) { return std::min(x, y); })};
      case 5:
        return {FloorDiv(a.dim, b.dim), both(floor_div)};
      case 6:
        return {CeilDiv(a.dim, b.dim), both([&](int64_t x, int64_t y) -> std::optional<int64_t> {
                  if (y == 0) return std::nullopt;
                  return -*floor_div(-x, y);
                })};
      default:
        return {Mod(a.dim, b.dim), both([&](int64_t x, int64_t y) -> std::optional<int64_t> {
                  if (y == 0) return std::nullopt;
                  return x - y * *floor_div(x, y);
                })};
    }
  }
  uint32_t Pick(uint32_t n) { return rng_() % n; }

  const std::vector<Dim> symbols = {Dim::Symbol("a", 0, 9), Dim::Symbol("b", 1, 5),
                                    Dim::Symbol("c", 2, 7)};

 private:
  std::mt19937 rng_;
};

TEST(DimPropertyTest, CanonicalFormsEvaluateLikeTheExpression) {
  int compared = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    RandomDim values_rng(seed);
    const std::vector<int64_t> values = {values_rng.Pick(10), 1 + values_rng.Pick(5),
                                         2 + values_rng.Pick(6)};
    RandomDim random(seed + 1000000);
    const auto [dim, value] = random.Make(1 + seed % 4, values);
    if (!value || dim.is_poisoned()) continue;
    SymbolBinding binding;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(binding.Bind(random.symbols[i], values[i]).ok());
    const StatusOr<int64_t> actual = dim.Evaluate(binding);
    ASSERT_TRUE(actual.ok()) << dim.ToString() << " " << actual.status();
    ASSERT_EQ(*actual, *value) << dim.ToString() << " seed " << seed;
    ASSERT_LE(dim.lower_bound(), *value) << dim.ToString();
    ASSERT_GE(dim.upper_bound(), *value) << dim.ToString();
    SymbolScope print_scope, parse_scope;
    const std::string text = dim.ToString(print_scope);
    size_t pos = 0;
    const StatusOr<Dim> parsed = ParseDim(text, &pos, parse_scope);
    ASSERT_TRUE(parsed.ok()) << text << " " << parsed.status();
    ASSERT_EQ(*parsed, dim) << text << " became " << parsed->ToString();
    ASSERT_EQ(pos, text.size());
    ++compared;
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace swage::ir
