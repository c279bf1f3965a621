// Programs with symbolic sizes: one compile, every size, the bits of the program that has the size
// written in.
#include "codegen/program/symbolic_executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/attention_text.h"

namespace swage::codegen {
namespace {

using ir::Literal;
using ::testing::HasSubstr;

std::unique_ptr<ir::Module> Parse(const std::string& entry) {
  ir::AssumptionScope sizes_fit;
  auto module =
      ir::ParseHlo(absl::StrCat("HloModule m\n", kReducers, "ENTRY main {\n", entry, "}"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

// Small numbers that differ everywhere; integers are 0, 1, 2 in turn.
std::vector<Literal> Arguments(const ir::Module& module) {
  std::vector<Literal> arguments;
  uint32_t state = 1;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    Literal literal = *Literal::Create(parameter->shape());
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      state = state * 1664525 + 1013904223;
      const double x = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
      const bool is_float = ir::IsFloat(literal.dtype());
      literal.SetBits(i, is_float ? Literal::Scalar(literal.dtype(), x).GetBits(0)
                                  : static_cast<uint64_t>(i % 3));
    }
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

bool Close(const Literal& got, const Literal& want, double tolerance) {
  if (!(got.shape() == want.shape())) return false;
  for (int64_t i = 0; i < got.element_count(); ++i) {
    if (got.GetBits(i) == want.GetBits(i)) continue;
    if (!ir::IsFloat(got.dtype())) return false;
    const double g = got.GetDouble(i), w = want.GetDouble(i);
    if (std::isnan(g) && std::isnan(w)) continue;
    if (!(std::abs(g - w) <= tolerance)) return false;
  }
  return true;
}

using Sizes = std::vector<std::pair<std::string, int64_t>>;

ir::SymbolBinding Bound(const ir::Module& module, const Sizes& sizes) {
  ir::SymbolBinding binding;
  for (const ir::Symbol* symbol : ir::SymbolsOf(module)) {
    for (const auto& [name, value] : sizes) {
      if (name != symbol->name) continue;
      EXPECT_TRUE(binding.Bind(symbol, value).ok()) << name << " = " << value;
    }
  }
  return binding;
}

// Compiles once, runs at every one of `all`; the results are the evaluator's, and (bit for bit)
// those of the program compiled for the size alone.
void CheckAtSizes(const std::string& entry, const std::vector<Sizes>& all, double tolerance = 0) {
  SCOPED_TRACE(entry);
  const auto module = Parse(entry);
  ASSERT_NE(module, nullptr);
  const auto symbolic = cpu::Compile(module->Clone(), {});
  ASSERT_TRUE(symbolic.ok()) << symbolic.status();
  for (const Sizes& sizes : all) {
    std::string at;
    for (const auto& [name, value] : sizes) absl::StrAppend(&at, name, "=", value, " ");
    SCOPED_TRACE(at);
    const ir::SymbolBinding binding = Bound(*module, sizes);
    const auto exact = module->Clone();
    ASSERT_TRUE(ir::BindSymbols(binding, exact.get()).ok());
    const std::vector<Literal> arguments = Arguments(*exact);
    const auto want = evaluator::Evaluate(*exact, arguments);
    ASSERT_TRUE(want.ok()) << want.status();
    const auto sized = (*symbolic)->ForSizes(binding);
    ASSERT_TRUE(sized.ok()) << sized.status();
    const auto got = RunOnLiterals(**sized, arguments);
    ASSERT_TRUE(got.ok()) << got.status();
    const std::vector<Literal> leaves = ir::Leaves(*want);
    ASSERT_EQ(got->size(), leaves.size());
    const auto alone = cpu::Compile(exact->Clone(), {});
    ASSERT_TRUE(alone.ok()) << alone.status();
    const auto same = RunOnLiterals(**alone, arguments);
    ASSERT_TRUE(same.ok()) << same.status();
    for (size_t i = 0; i < leaves.size(); ++i) {
      EXPECT_TRUE(Close((*got)[i], leaves[i], tolerance))
          << (*got)[i].ToString() << "\nwant " << leaves[i].ToString();
      EXPECT_TRUE(Close((*got)[i], (*same)[i], 0))
          << (*got)[i].ToString() << "\nalone " << (*same)[i].ToString();
    }
  }
}

std::vector<Sizes> Lengths(std::initializer_list<int64_t> lengths) {
  std::vector<Sizes> all;
  for (int64_t n : lengths) all.push_back({{"n", n}});
  return all;
}

TEST(SymbolicExecutable, ElementwiseAtEverySize) {
  CheckAtSizes(R"(
  x = f32[n,5] parameter(0)
  y = f32[n] parameter(1)
  b = f32[n,5] broadcast(y), dimensions={0}
  a = f32[n,5] add(x, b)
  ROOT r = f32[n,5] multiply(a, a)
)",
               Lengths({0, 1, 2, 3, 16, 33, 500}));
}

TEST(SymbolicExecutable, AttentionAtEveryLength) {
  CheckAtSizes(kAttention, Lengths({0, 1, 2, 7, 31, 32, 33, 100}), 1e-5);
}

TEST(SymbolicExecutable, MeanOverASymbolDividesByItsValue) {
  CheckAtSizes(R"(
  x = f32[n,8] parameter(0)
  zero = f32[] constant(0)
  t = f32[8] reduce(x, zero), dimensions={0}, to_apply=sum
  size = s32[] get-dimension-size(x), dimensions={0}
  count = f32[] convert(size)
  c = f32[8] broadcast(count), dimensions={}
  ROOT r = f32[8] divide(t, c)
)",
               Lengths({1, 2, 3, 64, 65, 300}));
}

TEST(SymbolicExecutable, MovesOfSymbolicArrays) {
  CheckAtSizes(R"(
  x = f32[n,6] parameter(0)
  y = f32[m,6] parameter(1)
  c = f32[n+m,6] concatenate(x, y), dimensions={0}
  t = f32[6,n+m] transpose(c), dimensions={1,0}
  f = f32[6*n+6*m] reshape(t)
  g = f32[6*n+6*m] reverse(f), dimensions={0}
  zero = f32[] constant(7)
  ROOT p = f32[6*n+6*m+3] pad(g, zero), padding=1_2
)",
               {{{"n", 1}, {"m", 1}},
                {{"n", 0}, {"m", 4}},
                {{"n", 5}, {"m", 0}},
                {{"n", 17}, {"m", 3}},
                {{"n", 0}, {"m", 0}}});
}

TEST(SymbolicExecutable, SplitAndMergedDimensions) {
  CheckAtSizes(R"(
  x = f32[n,m,6] parameter(0)
  a = f32[n*m,6] reshape(x)
  b = f32[n*m,2,3] reshape(a)
  t = f32[2,n*m,3] transpose(b), dimensions={1,0,2}
  e = f32[2,n*m,3] negate(t)
  u = f32[2,n,m,3] reshape(e)
  ROOT r = f32[n,m,2,3] transpose(u), dimensions={1,2,0,3}
)",
               {{{"n", 1}, {"m", 1}},
                {{"n", 0}, {"m", 4}},
                {{"n", 5}, {"m", 1}},
                {{"n", 1}, {"m", 9}},
                {{"n", 17}, {"m", 3}}});
}

TEST(SymbolicExecutable, SlicesThatCountFromTheEnd) {
  CheckAtSizes(R"(
  x = f32[n,3] parameter(0)
  tail = f32[n-1,3] slice(x), slice={[1:n], [0:3]}
  head = f32[n-1,3] slice(x), slice={[0:n-1], [0:3]}
  d = f32[n-1,3] subtract(tail, head)
  last = f32[1,3] slice(x), slice={[n-1:n], [0:3]}
  ROOT r = f32[n,3] concatenate(d, last), dimensions={0}
)",
               Lengths({1, 2, 3, 40}));
}

TEST(SymbolicExecutable, IotaAndMasks) {
  CheckAtSizes(R"(
  x = f32[n,n] parameter(0)
  i = s32[n,n] iota(), iota_dimension=0
  j = s32[n,n] iota(), iota_dimension=1
  keep = pred[n,n] compare(i, j), direction=GE
  low = f32[] constant(-inf)
  lows = f32[n,n] broadcast(low), dimensions={}
  s = f32[n,n] select(keep, x, lows)
  ROOT m = f32[n] reduce(s, low), dimensions={1}, to_apply=max
)",
               Lengths({0, 1, 2, 17, 64}));
}

TEST(SymbolicExecutable, RowsTakenByIndex) {
  CheckAtSizes(R"(
  table = f32[n,4] parameter(0)
  places = s32[m] parameter(1)
  g = f32[m,4] gather(table, places), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  ROOT r = (f32[m,4], f32[n,4]) tuple(g, table)
)",
               {{{"n", 3}, {"m", 5}}, {{"n", 9}, {"m", 1}}, {{"n", 1}, {"m", 0}}});
}

TEST(SymbolicExecutable, TwoLengthsOfOneProgramShareEveryKernelWithTheExactOne) {
  const auto module = Parse(R"(
  x = f32[2<=n,8] parameter(0)
  ROOT r = f32[n,8] exponential(x)
)");
  ASSERT_TRUE(cpu::Compile(module->Clone(), {}).ok());
  ASSERT_TRUE(ir::BindSymbols(Bound(*module, {{"n", 50}}), module.get()).ok());
  const auto exact = cpu::Compile(module->Clone(), {});
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_EQ((*exact)->report().llvm_runs, 0);
  EXPECT_EQ((*exact)->report().kernel_hits, (*exact)->report().kernels);
}

TEST(SymbolicExecutable, IsNotRunWithoutSizes) {
  const auto symbolic = cpu::Compile(Parse("  ROOT x = f32[n] parameter(0)\n"), {});
  ASSERT_TRUE(symbolic.ok()) << symbolic.status();
  EXPECT_THAT(std::string((*symbolic)->Run({}, {}).message()), HasSubstr("without sizes"));
  EXPECT_FALSE((*symbolic)->ForSizes({}).ok());
}

TEST(SymbolicExecutable, OtherProgramsHaveNoOtherSizes) {
  const auto exact = cpu::Compile(Parse("  ROOT x = f32[3] parameter(0)\n"), {});
  ASSERT_TRUE(exact.ok()) << exact.status();
  EXPECT_FALSE((*exact)->ForSizes({}).ok());
}

}  // namespace
}  // namespace swage::codegen
