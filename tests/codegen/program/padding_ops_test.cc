// Physical padding of every op of the table: each implemented row has programs here, whose every
// symbol is opened alone and with all others, at sizes 0, 1, bound - 1 and bound. The padded
// results are those of the exact program, and do not depend on what the padding holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/cpu/compile.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/extent_walk.h"
#include "compiler/ir/opcode.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/evaluation_check.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::codegen {
namespace {

using ir::Dim;
using ir::Opcode;
using ir::PaddingRule;

// Behind the known combiners and argmax.
constexpr char kComputations[] = R"(
larger {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  x = f32[] negate(a)
  y = f32[] negate(b)
  m = f32[] minimum(x, y)
  ROOT r = f32[] negate(m)
}
twice {
  a = f32[] parameter(0)
  ROOT r = f32[] add(a, a)
}
rows {
  a = f32[a<=8,b<=6] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[b] reduce(a, zero), dimensions={0}, to_apply=add_f32
}
)";

// Programs of ops that are not elementwise; symbols are a, b, c.
const std::multimap<Opcode, std::string>& Programs() {
  static const auto* const programs = new std::multimap<Opcode, std::string>{
      {Opcode::kBitcast, R"(x = f32[a<=8,6] parameter(0)
         ROOT r = f32[a,2,3] bitcast(x))"},
      {Opcode::kBitcastConvert, R"(x = f32[a<=8,b<=6] parameter(0)
         ROOT r = u32[a,b] bitcast-convert(x))"},
      {Opcode::kBroadcast, R"(x = f32[b<=6] parameter(0)
         y = f32[a<=8] parameter(1)
         p = f32[a,b] broadcast(x), dimensions={1}
         q = f32[a,b] broadcast(y), dimensions={0}
         c = f32[] constant(3)
         s = f32[a,b] broadcast(c), dimensions={}
         ROOT r = (f32[a,b], f32[a,b], f32[a,b]) tuple(p, q, s))"},
      {Opcode::kCall, R"(x = f32[a<=8,b<=6] parameter(0)
         e = f32[a,b] exponential(x)
         ROOT r = f32[b] call(e), to_apply=rows)"},
      {Opcode::kConcatenate, R"(x = f32[a<=8,b<=6] parameter(0)
         y = f32[c<=5,b] parameter(1)
         z = f32[3,b] parameter(2)
         p = f32[a+c+3,b] concatenate(x, y, z), dimensions={0}
         q = f32[3+a,b] concatenate(z, x), dimensions={0}
         ROOT r = (f32[a+c+3,b], f32[3+a,b]) tuple(p, q))"},
      {Opcode::kConstant, R"(x = f32[a<=8,3] parameter(0)
         k = f32[3] constant({1, 2, 3})
         b = f32[a,3] broadcast(k), dimensions={1}
         ROOT r = f32[a,3] multiply(x, b))"},
      {Opcode::kCopy, R"(x = f32[a<=8,b<=6] parameter(0)
         ROOT r = f32[a,b] copy(x))"},
      {Opcode::kDot, R"(x = f32[a<=8,b<=6] parameter(0)
         y = f32[b,c<=5] parameter(1)
         ROOT r = f32[a,c] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
      {Opcode::kDot, R"(x = f32[a<=8,b<=6,c<=5] parameter(0)
         y = f32[a,3,c] parameter(1)
         g = f32[a,b,c] logistic(x)
         ROOT r = f32[a,b,3] dot(g, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2})"},
      {Opcode::kDot, R"(x = f32[a<=8,b<=6] parameter(0)
         y = f32[a,b] parameter(1)
         ROOT r = f32[] dot(x, y), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1})"},
      {Opcode::kDot, R"(x = s32[a<=8,b<=6] parameter(0)
         y = s32[a,2] parameter(1)
         ROOT r = s32[b,2] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0})"},
      {Opcode::kDynamicSlice, R"(x = f32[a<=8,b<=6] parameter(0)
         y = f32[a,9] parameter(1)
         i = s32[] parameter(2)
         j = s32[] parameter(3)
         p = f32[a,4] dynamic-slice(y, i, j), dynamic_slice_sizes={a,4}
         q = f32[1,b] dynamic-slice(x, i, j), dynamic_slice_sizes={1,b}
         ROOT r = (f32[a,4], f32[1,b]) tuple(p, q))"},
      {Opcode::kDynamicUpdateSlice, R"(x = f32[a<=8,9] parameter(0)
         y = f32[a,4] parameter(1)
         z = f32[1,9] parameter(2)
         i = s32[] parameter(3)
         j = s32[] parameter(4)
         p = f32[a,9] dynamic-update-slice(x, y, i, j)
         q = f32[a,9] dynamic-update-slice(x, z, i, j)
         ROOT r = (f32[a,9], f32[a,9]) tuple(p, q))"},
      {Opcode::kGather, R"(t = f32[7,b<=6] parameter(0)
         i = s32[a<=8,1] parameter(1)
         ROOT r = f32[a,b] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,b})"},
      {Opcode::kGather, R"(t = f32[a<=8,b<=6] parameter(0)
         i = s32[c<=5,1] parameter(1)
         ROOT r = f32[c,b] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,b})"},
      {Opcode::kGetDimensionSize, R"(x = f32[a<=8,b<=6] parameter(0)
         y = f32[a+b] parameter(1)
         p = s32[] get-dimension-size(x), dimensions={0}
         q = s32[] get-dimension-size(y), dimensions={0}
         e = f32[a,b] exponential(x)
         t = f32[b,a] transpose(e), dimensions={1,0}
         s = s32[] get-dimension-size(t), dimensions={0}
         m = s32[] multiply(p, q)
         ROOT r = s32[] add(m, s))"},
      {Opcode::kGetTupleElement, R"(x = (f32[a<=8,b<=6], s32[a]) parameter(0)
         f = f32[a,b] get-tuple-element(x), index=0
         i = s32[a] get-tuple-element(x), index=1
         e = f32[a,b] exponential(f)
         t = (f32[a,b], s32[a]) tuple(e, i)
         ROOT r = f32[a,b] get-tuple-element(t), index=0)"},
      {Opcode::kIota, R"(x = f32[a<=8,b<=6] parameter(0)
         i = f32[a,b] iota(), iota_dimension=0
         j = f32[a,b] iota(), iota_dimension=1
         s = f32[a,b] add(i, j)
         ROOT r = f32[a,b] multiply(s, x))"},
      {Opcode::kMap, R"(x = f32[a<=8,b<=6] parameter(0)
         ROOT r = f32[a,b] map(x), dimensions={0,1}, to_apply=twice)"},
      {Opcode::kOptimizationBarrier, R"(x = f32[a<=8,b<=6] parameter(0)
         e = f32[a,b] exponential(x)
         ROOT r = f32[a,b] opt-barrier(e))"},
      {Opcode::kPad, R"(x = f32[a<=8,b<=6] parameter(0)
         v = f32[] constant(7)
         p = f32[a+3,b] pad(x, v), padding=1_2x0_0
         q = f32[a,b+2] pad(x, v), padding=0_0x2_0
         ROOT r = (f32[a+3,b], f32[a,b+2]) tuple(p, q))"},
      {Opcode::kParameter, R"(x = f32[a<=8,b<=6] parameter(0)
         y = (f32[a], (s32[b], pred[])) parameter(1)
         ROOT r = (f32[a,b], (f32[a], (s32[b], pred[]))) tuple(x, y))"},
      {Opcode::kReshape, R"(x = f32[a<=8,2,b<=6] parameter(0)
         p = f32[2*a,b] reshape(x)
         q = f32[a,2*b] reshape(x)
         s = f32[2*a*b] reshape(x)
         t = f32[1,a,2,1,b] reshape(x)
         ROOT r = (f32[2*a,b], f32[a,2*b], f32[2*a*b], f32[1,a,2,1,b]) tuple(p, q, s, t))"},
      {Opcode::kReverse, R"(x = f32[a<=8,b<=6] parameter(0)
         e = f32[a,b] exponential(x)
         p = f32[a,b] reverse(e), dimensions={0}
         q = f32[a,b] reverse(e), dimensions={1}
         ROOT r = (f32[a,b], f32[a,b]) tuple(p, q))"},
      {Opcode::kSlice, R"(x = f32[a<=8,b<=6,9] parameter(0)
         p = f32[a,b,4] slice(x), slice={[0:a],[0:b],[1:9:2]}
         ROOT r = f32[a,b,4] negate(p))"},
      {Opcode::kSlice, R"(x = f32[3+(a<=8),b<=6] parameter(0)
         e = f32[3+a,b] exponential(x)
         p = f32[a,b] slice(e), slice={[3:3+a],[0:b]}
         q = f32[2,b] slice(e), slice={[1:3],[0:b]}
         s = f32[a,b] slice(e), slice={[0:a],[0:b]}
         ROOT r = (f32[a,b], f32[2,b], f32[a,b]) tuple(p, q, s))"},
      {Opcode::kTranspose, R"(x = f32[a<=8,b<=6,c<=5] parameter(0)
         e = f32[a,b,c] exponential(x)
         ROOT r = f32[c,a,b] transpose(e), dimensions={2,0,1})"},
      {Opcode::kTuple, R"(x = f32[a<=8,b<=6] parameter(0)
         e = f32[a,b] exponential(x)
         t = (f32[a,b], f32[a,b]) tuple(x, e)
         ROOT r = ((f32[a,b], f32[a,b]), f32[a,b]) tuple(t, e))"},
  };
  return *programs;
}

// A reduce of each kind; over either dimension and both.
std::vector<std::string> Reduces() {
  std::vector<std::string> programs;
  const auto add = [&](const std::string& dtype, const std::string& init,
                       const std::string& combiner) {
    for (const auto& [dims, left] : {std::pair{"0", "b"}, {"1", "a"}, {"0,1", ""}}) {
      programs.push_back(absl::StrCat("x = ", dtype, "[a<=8,b<=6] parameter(0)\nk = ", dtype,
                                      "[] constant(", init, ")\nROOT r = ", dtype, "[", left,
                                      "] reduce(x, k), dimensions={", dims,
                                      "}, to_apply=", combiner));
    }
  };
  add("f32", "0", "add_f32");
  add("f32", "-0", "add_f32");
  add("f32", "5", "add_f32");
  add("f32", "1", "multiply_f32");
  add("f32", "2", "multiply_f32");
  add("f32", "-inf", "maximum_f32");
  add("f32", "0.25", "maximum_f32");
  add("f32", "inf", "minimum_f32");
  add("s32", "0", "add_s32");
  add("s32", "-2147483648", "maximum_s32");
  add("s32", "2147483647", "minimum_s32");
  add("s32", "-1", "and_s32");
  add("s32", "0", "or_s32");
  add("s32", "0", "xor_s32");
  add("pred", "false", "or_pred");
  add("pred", "true", "and_pred");
  add("bf16", "0", "add_bf16");
  add("f16", "inf", "minimum_f16");
  add("f8e4m3fn", "-448", "maximum_f8e4m3fn");
  add("f64", "1", "multiply_f64");
  add("s8", "-128", "maximum_s8");
  add("u8", "255", "minimum_u8");
  add("s64", "100", "minimum_s64");
  add("f32", "-inf", "larger");
  for (const char* dims : {"0", "1"}) {
    const std::string left = dims[0] == '0' ? "b" : "a";
    programs.push_back(absl::StrCat(R"(x = f32[a<=8,b<=6] parameter(0)
      i = s32[a,b] iota(), iota_dimension=)",
                                    dims, R"(
      low = f32[] constant(-inf)
      zero = s32[] constant(0)
      m = (f32[)",
                                    left, "], s32[", left,
                                    R"(]) reduce(x, i, low, zero), dimensions={)", dims,
                                    R"(}, to_apply=argmax
      ROOT r = s32[)",
                                    left, "] get-tuple-element(m), index=1"));
  }
  return programs;
}

// The dtypes on which a row of the table computes, by its shape rule.
std::string_view ShapeRule(Opcode opcode) {
  static constexpr std::string_view kRules[] = {
#define SWAGE_OP(name, text, arity, attrs, traits, shape, ...) #shape,
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  };
  return kRules[static_cast<int>(opcode)];
}

// An elementwise op with its result, and the sum and maximum of it: what folds fill states.
std::string ElementwiseProgram(Opcode opcode) {
  const std::string op(ir::OpcodeName(opcode));
  const std::string_view rule = ShapeRule(opcode);
  const bool integer = rule == "BinaryInteger" || rule == "UnaryInteger" || rule == "BinaryBits" ||
                       rule == "UnaryBits";
  const std::string dtype = integer ? "s32" : "f32";
  const std::string array = dtype + "[a,b]";
  std::string text =
      absl::StrCat("x = ", dtype, "[a<=8,b<=6] parameter(0)\n", "y = ", array, " parameter(1)\n");
  std::string result = array, summed = dtype, value;
  if (opcode == Opcode::kCompare) {
    result = "pred[a,b]";
    value = "compare(x, y), direction=LT";
  } else if (opcode == Opcode::kIsFinite) {
    result = "pred[a,b]";
    value = "is-finite(x)";
  } else if (opcode == Opcode::kConvert) {
    result = "s32[a,b]";
    value = "convert(x)";
  } else if (opcode == Opcode::kReducePrecision) {
    value = "reduce-precision(x), exponent_bits=5, mantissa_bits=4";
  } else if (opcode == Opcode::kSelect) {
    absl::StrAppend(&text, "p = pred[a,b] compare(x, y), direction=GT\n");
    value = "select(p, x, y)";
  } else if (opcode == Opcode::kClamp) {
    absl::StrAppend(&text, "low = f32[] constant(-0.25)\nhigh = f32[] constant(0.25)\n");
    value = "clamp(low, x, high)";
  } else {
    value = absl::StrCat(op, ir::InfoOf(opcode).arity == 1 ? "(x)" : "(x, y)");
  }
  absl::StrAppend(&text, "v = ", result, " ", value, "\n");
  if (result.starts_with("pred")) {
    absl::StrAppend(&text, "n = ", array, " convert(v)\n");
  } else if (result.starts_with("s32")) {
    absl::StrAppend(&text, "n = s32[a,b] copy(v)\n");
    summed = "s32";
  } else {
    absl::StrAppend(&text, "n = ", array, " copy(v)\n");
  }
  absl::StrAppend(&text, "k = ", summed, "[] constant(0)\n", "rows = ", summed,
                  "[b] reduce(n, k), dimensions={0}, to_apply=add_", summed, "\n",
                  "columns = ", summed, "[a] reduce(n, k), dimensions={1}, to_apply=add_", summed,
                  "\n", "ROOT r = (", result, ", ", summed, "[b], ", summed,
                  "[a]) tuple(v, rows, columns)");
  return text;
}

// Rows that are implemented but have no rule, each with the reason.
const std::map<Opcode, std::string>& Refused() {
  static const auto* const refused = new std::map<Opcode, std::string>{
      {Opcode::kFusion, "fusions are made behind the padding pass"},
  };
  return *refused;
}

std::vector<std::string> ProgramsOf(Opcode opcode) {
  if (ir::IsElementwise(opcode)) return {ElementwiseProgram(opcode)};
  if (opcode == Opcode::kReduce) return Reduces();
  std::vector<std::string> programs;
  const auto [begin, end] = Programs().equal_range(opcode);
  for (auto it = begin; it != end; ++it) programs.push_back(it->second);
  return programs;
}

std::unique_ptr<ir::Module> Parse(const std::string& entry) {
  auto module =
      ir::ParseHlo(absl::StrCat("HloModule m\n", ir::KnownCombiners(), ir::kArgmaxCombiner,
                                kComputations, "ENTRY main {\n", entry, "\n}"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

// The module with all symbols but those of `open` at their bounds.
std::unique_ptr<ir::Module> WithOpen(const ir::Module& module,
                                     absl::Span<const ir::Symbol* const> open) {
  std::vector<std::pair<const ir::Symbol*, Dim>> values;
  for (const ir::Symbol* symbol : ir::SymbolsOf(module)) {
    if (std::find(open.begin(), open.end(), symbol) == open.end()) {
      values.emplace_back(symbol, symbol->max);
    }
  }
  auto copy = module.Clone();
  const auto visit = [&](Dim& dim, auto...) { dim = dim.Substitute(values); };
  ir::ExtentWalk(visit).Walk(copy.get());
  return copy;
}

// Bindings of `symbols` to each of 0, 1, bound - 1, bound: one after another, others at the bound
// - 1.
std::vector<ir::SymbolBinding> Sizes(absl::Span<const ir::Symbol* const> symbols) {
  std::vector<ir::SymbolBinding> all;
  for (size_t open = 0; open < symbols.size(); ++open) {
    for (const int64_t size :
         {int64_t{0}, int64_t{1}, symbols[open]->max - 1, symbols[open]->max}) {
      ir::SymbolBinding binding;
      for (size_t i = 0; i < symbols.size(); ++i) {
        EXPECT_TRUE(binding.Bind(symbols[i], i == open ? size : symbols[i]->max - 1).ok());
      }
      all.push_back(std::move(binding));
    }
  }
  return all;
}

std::string TextOf(const ir::SymbolBinding& sizes) {
  std::string text;
  for (const auto& [symbol, size] : sizes.values()) {
    absl::StrAppend(&text, symbol->name, " = ", size, " ");
  }
  return text;
}

bool HasZero(const ir::SymbolBinding& sizes) {
  return std::any_of(sizes.values().begin(), sizes.values().end(),
                     [](const auto& value) { return value.second == 0; });
}

void CheckProgram(const ir::Module& module) {
  const std::vector<const ir::Symbol*> symbols = ir::SymbolsOf(module);
  // Where numbers are huge, the sum of a dot overflows in one order and not in another.
  std::vector<passes::InputKind> kinds = {passes::InputKind::kOrdinary};
  if (!passes::HasFreeAccumulation(module)) kinds.push_back(passes::InputKind::kSpecial);
  for (const passes::PaddingMasks masks :
       {passes::PaddingMasks::kNeeded, passes::PaddingMasks::kAll}) {
    cpu::CompileOptions options;
    options.compiler.padding_masks = masks;
    const auto check = cpu::MakePaddingCheck(module, options);
    ASSERT_TRUE(check.ok()) << check.status();
    for (const ir::SymbolBinding& sizes : Sizes(symbols)) {
      SCOPED_TRACE(TextOf(sizes));
      const auto exact = module.Clone();
      // One element cannot be taken of none: such a program has no meaning at this size.
      if (!ir::BindSymbols(sizes, exact.get()).ok()) {
        ASSERT_TRUE(HasZero(sizes));
        continue;
      }
      for (const passes::InputKind kind : kinds) {
        const auto arguments = passes::RandomArguments(*exact, kind);
        ASSERT_TRUE(arguments.ok()) << arguments.status();
        std::vector<ir::Literal> leaves;
        for (const ir::Literal& argument : *arguments) ir::AppendLeaves(argument, &leaves);
        const auto results = (*check)->Run(sizes, leaves);
        EXPECT_TRUE(results.ok()) << results.status() << "\n" << module.ToString();
      }
    }
  }
}

void CheckOpcode(Opcode opcode) {
  ir::AssumptionScope sizes_fit;
  for (const std::string& program : ProgramsOf(opcode)) {
    SCOPED_TRACE(program);
    const auto module = Parse(program);
    ASSERT_NE(module, nullptr);
    const std::vector<const ir::Symbol*> symbols = ir::SymbolsOf(*module);
    ASSERT_FALSE(symbols.empty());
    if (symbols.size() > 1) CheckProgram(*module);
    for (const ir::Symbol* symbol : symbols) {
      const std::vector<const ir::Symbol*> open = {symbol};
      CheckProgram(*WithOpen(*module, open));
    }
  }
}

class EveryOp : public ::testing::TestWithParam<int> {};

TEST_P(EveryOp, PaddedIsExact) {
  const auto opcode = static_cast<Opcode>(GetParam());
  const ir::OpInfo& info = ir::InfoOf(opcode);
  if (!info.evaluated || info.padding == PaddingRule::kExactOnly) {
    EXPECT_EQ(info.padding, PaddingRule::kExactOnly) << info.text;
    EXPECT_TRUE(!info.evaluated || Refused().contains(opcode))
        << info.text << ": say here why it has no rule";
    return;
  }
  EXPECT_FALSE(ProgramsOf(opcode).empty()) << info.text << ": it needs a program here";
  CheckOpcode(opcode);
}

INSTANTIATE_TEST_SUITE_P(All, EveryOp, ::testing::Range(0, ir::kNumOpcodes), [](const auto& info) {
  return absl::StrReplaceAll(ToAbsl(ir::OpcodeName(static_cast<Opcode>(info.param))), {{"-", "_"}});
});

}  // namespace
}  // namespace swage::codegen
