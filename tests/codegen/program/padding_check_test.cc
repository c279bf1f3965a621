// What SWAGE_CHECK=padding finds, and what it must not.
#include "codegen/program/padding_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/evaluation_check.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::codegen {
namespace {

using ir::Literal;
using ::testing::HasSubstr;

constexpr char kSoftmax[] = R"(HloModule softmax
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[n<=8] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  highest = f32[] reduce(x, low), dimensions={0}, to_apply=max
  highests = f32[n] broadcast(highest), dimensions={}
  below = f32[n] subtract(x, highests)
  powers = f32[n] exponential(below)
  total = f32[] reduce(powers, zero), dimensions={0}, to_apply=sum
  totals = f32[n] broadcast(total), dimensions={}
  ROOT r = f32[n] divide(powers, totals)
})";

std::unique_ptr<ir::Module> Parse(std::string_view hlo) {
  auto module = ir::ParseHlo(hlo);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

Literal Row(std::vector<float> values) {
  Literal row =
      *Literal::Create(ir::Shape::Array(ir::DType::kF32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), row.mutable_data<float>().begin());
  return row;
}

ir::SymbolBinding Bind(const ir::Module& module, int64_t size) {
  ir::SymbolBinding sizes;
  for (const ir::Symbol* symbol : ir::SymbolsOf(module)) {
    EXPECT_TRUE(sizes.Bind(symbol, size).ok());
  }
  return sizes;
}

// The check of one program on one set of arguments.
Status CheckPadding(const ir::Module& module, const ir::SymbolBinding& sizes,
                    absl::Span<const Literal> arguments, const cpu::CompileOptions& options = {}) {
  SWAGE_ASSIGN_OR_RETURN(const auto check, cpu::MakePaddingCheck(module, options));
  return check->Run(sizes, arguments).status();
}

TEST(PaddingCheck, RightMasksPass) {
  const auto module = Parse(kSoftmax);
  EXPECT_EQ(CheckPadding(*module, Bind(*module, 3), {Row({1, -2, 3})}), OkStatus());
}

TEST(PaddingCheck, AMissingMaskIsFoundAndTheFirstInstructionNamed) {
  const auto module = Parse(kSoftmax);
  cpu::CompileOptions options;
  options.compiler.padding_masks = passes::PaddingMasks::kNone;
  const Status status = CheckPadding(*module, Bind(*module, 3), {Row({1, -2, 3})}, options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  const std::string text(status.message());
  EXPECT_THAT(text, HasSubstr("'softmax'"));
  EXPECT_THAT(text, HasSubstr("with NaN and with large values in the padding differ"));
  EXPECT_THAT(text, HasSubstr("the first instruction that differs is highest = f32[] reduce("));
}

TEST(PaddingCheck, NothingIsFoundWhereThereIsNoPadding) {
  const auto module = Parse(kSoftmax);
  cpu::CompileOptions options;
  options.compiler.padding_masks = passes::PaddingMasks::kNone;
  EXPECT_EQ(CheckPadding(*module, Bind(*module, 8), {Row({1, 2, 3, 4, 5, 6, 7, 8})}, options),
            OkStatus());
}

TEST(PaddingCheck, CompileChecksEveryRun) {
  const auto module = Parse(kSoftmax);
  cpu::CompileOptions options;
  options.compiler.check_padding = true;
  for (const bool masks : {true, false}) {
    if (!masks) options.compiler.padding_masks = passes::PaddingMasks::kNone;
    const auto program = cpu::Compile(module->Clone(), options);
    ASSERT_TRUE(program.ok()) << program.status();
    const auto sized = (*program)->ForSizes(Bind(*module, 2));
    ASSERT_TRUE(sized.ok()) << sized.status();
    const std::vector<Literal> row = {Row({0, 0})};
    const auto results = RunOnLiterals(**sized, row);
    ASSERT_EQ(results.ok(), masks) << results.status();
    if (masks) {
      EXPECT_EQ((*results)[0], Row({0.5, 0.5}));
    }
  }
}

// The bound decides about blocks and their tree: identities behind the elements, or elements that
// are passed over, must not move a bit.
TEST(PaddingCheck, LongReductionsKeepTheirBits) {
  struct Case {
    const char *shape, *dims, *left;
  };
  for (const auto& [shape, dims, left] : {Case{"f32[n<=9000]", "0", ""},
                                          {"f32[n<=9000,3]", "0", "3"},
                                          {"f32[3,n<=9000]", "1", "3"},
                                          {"f32[n<=9000,3]", "0,1", ""},
                                          {"f32[3,n<=9000]", "0,1", ""}}) {
    for (const char* combiner : {"add", "subtract"}) {
      const auto module = Parse(absl::StrCat(
          "HloModule long\n", ir::Combiner("f", "f32", combiner), "ENTRY main {\n  x = ", shape,
          " parameter(0)\n  k = f32[] constant(0)\n  ROOT r = f32[", left,
          "] reduce(x, k), dimensions={", dims, "}, to_apply=f\n}"));
      ASSERT_NE(module, nullptr);
      const auto check = cpu::MakePaddingCheck(*module, {});
      ASSERT_TRUE(check.ok()) << check.status();
      for (const int64_t n : {0, 1, 7, 63, 64, 65, 511, 513, 4095, 4096, 4097, 8193, 8999, 9000}) {
        SCOPED_TRACE(absl::StrCat(combiner, " of ", shape, " over ", dims, ", ", n));
        const auto exact = module->Clone();
        ASSERT_TRUE(ir::BindSymbols(Bind(*module, n), exact.get()).ok());
        const auto arguments = passes::RandomArguments(*exact, passes::InputKind::kOrdinary);
        ASSERT_TRUE(arguments.ok()) << arguments.status();
        const auto results = (*check)->Run(Bind(*module, n), *arguments);
        EXPECT_TRUE(results.ok()) << results.status();
      }
    }
  }
}

TEST(PaddingCheck, AProgramThatCannotBePaddedRunsWithAWarning) {
  const auto module = Parse(R"(HloModule open
ENTRY main {
  x = f32[n] parameter(0)
  ROOT r = f32[n] negate(x)
})");
  cpu::CompileOptions options;
  options.compiler.check_padding = true;
  std::vector<passes::Message> messages;
  const auto program = cpu::Compile(module->Clone(), options, &messages);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.back().severity, passes::Severity::kWarning);
  EXPECT_THAT(messages.back().text, HasSubstr("without an upper bound"));
  const std::vector<Literal> row = {Row({1})};
  const auto results = RunOnLiterals(**(*program)->ForSizes(Bind(*module, 1)), row);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], Row({-1}));
}

TEST(PaddingCheck, FixedSizesAreNotChecked) {
  const auto module =
      Parse("HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] negate(x) }");
  cpu::CompileOptions options;
  options.compiler.check_padding = true;
  const auto program = cpu::Compile(module->Clone(), options);
  ASSERT_TRUE(program.ok()) << program.status();
  const std::vector<Literal> row = {Row({1, 2})};
  EXPECT_EQ((*RunOnLiterals(**program, row))[0], Row({-1, -2}));
}

}  // namespace
}  // namespace swage::codegen
