#include "compiler/passes/algebraic_simplifier.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "compiler/ir/dtype.h"
#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/passes/rewrite_cases.h"

namespace swage::passes {
namespace {

using ir::DType;

std::vector<DType> DTypesOf(std::string_view groups) {
  std::vector<DType> dtypes;
  for (DType dtype : ir::kAllDTypes) {
    const bool wanted = [&] {
      for (char group : groups) {
        if ((group == 'F' && ir::IsFloat(dtype)) || (group == 'S' && ir::IsSigned(dtype)) ||
            (group == 'U' && ir::IsUnsigned(dtype)) || (group == 'P' && dtype == DType::kPred) ||
            (group == 'C' && ir::IsComplex(dtype)) || (group == 'h' && dtype == DType::kF16) ||
            (group == 'f' && ir::IsFloat(dtype) && dtype != DType::kF64)) {
          return true;
        }
      }
      return false;
    }();
    if (wanted) dtypes.push_back(dtype);
  }
  return dtypes;
}

std::string ExtremeText(DType dtype, bool largest) {
  if (dtype == DType::kPred) return largest ? "true" : "false";
  if (dtype == DType::kF8E4M3FN) return largest ? "448" : "-448";
  if (ir::IsFloat(dtype)) return largest ? "inf" : "-inf";
  const int bits = ir::DTypeBits(dtype);
  if (ir::IsUnsigned(dtype)) {
    return largest ? std::to_string(~uint64_t{0} >> (64 - bits)) : "0";
  }
  const int64_t top = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
  return std::to_string(largest ? top : -top - 1);
}

std::string ConstantText(DType dtype, std::string value) {
  if (value == "LEAST" || value == "LARGEST") value = ExtremeText(dtype, value == "LARGEST");
  if (dtype == DType::kPred && (value == "0" || value == "1"))
    value = value == "1" ? "true" : "false";
  if (ir::IsComplex(dtype)) value = "(" + value + ", 0)";
  return value;
}

// A module from a case: x, y, p are parameters, C(v) and CP(v) become broadcast constants.
std::string ElementwiseModule(std::string body, DType dtype, std::string_view first,
                              std::string_view dims) {
  std::string constants;
  for (std::string_view call : {"C(", "CP("}) {
    size_t at;
    while ((at = body.find(call)) != std::string::npos) {
      const bool pred = call == "CP(";
      const size_t end = body.find(')', at);
      const std::string value = body.substr(at + call.size(), end - at - call.size());
      const std::string name = "k" + std::to_string(constants.size());
      const DType type = pred ? DType::kPred : dtype;
      const std::string text(ir::DTypeName(type));
      constants += name + "s = " + text + "[] constant(" + ConstantText(type, value) + ")\n" +
                   name + " = " + text + "[D] broadcast(" + name + "s), dimensions={}\n";
      body.replace(at, end + 1 - at, name);
    }
  }
  body = absl::StrReplaceAll(body, {{" ROOT", "\nROOT"}, {") ", ")\n"}});
  if (size_t at = body.find("constant("); at != std::string::npos) {
    body = absl::StrReplaceAll(body, {{"LEAST", ExtremeText(dtype, false)}});
  }
  std::string text = "HloModule m\nENTRY e {\n  x = T[E] parameter(0)\n  y = T[D] parameter(1)\n" +
                     std::string("  p = pred[D] parameter(2)\n") + constants + body + "\n}\n";
  text = absl::StrReplaceAll(text, {{"T[", std::string(ir::DTypeName(dtype)) + "["}});
  return absl::StrReplaceAll(
      text, {{"[D]", "[" + std::string(dims) + "]"}, {"[E]", "[" + std::string(first) + "]"}});
}

CompilerOptions OptionsFor(std::string_view rewrite) {
  CompilerOptions options;
  options.fast_math = rewrite.starts_with("fast-");
  return options;
}

TEST(AlgebraicSimplifier, ElementwiseRewritesKeepEveryBit) {
  // The first dims declare the symbol.
  const std::pair<std::string_view, std::string_view> kDims[] = {
      {"1500", "1500"}, {"1", "1"}, {"0,3", "0,3"}, {"", ""}, {"2,n<=9", "2,n"}};
  for (const RewriteCase& test : ElementwiseCases()) {
    for (DType dtype : DTypesOf(test.dtypes)) {
      for (const auto& [first, dims] : kDims) {
        const std::string hlo = ElementwiseModule(std::string(test.body), dtype, first, dims);
        SCOPED_TRACE(std::string(test.rewrite) + "\n" + hlo);
        // Filled to no dims at all, a scalar is no broadcast.
        if (dims.empty() && hlo.find("broadcast") != std::string::npos) continue;
        const auto module = ParseForTest(hlo);
        ASSERT_NE(module, nullptr);
        AlgebraicSimplifier pass(test.rewrite);
        CompilerOptions options = OptionsFor(test.rewrite);
        if (options.fast_math) {  // changes values: only that it fires and verifies
          PassContext context(options);
          const StatusOr<bool> changed = pass.Run(*module, context);
          ASSERT_TRUE(changed.ok() && *changed);
        } else {
          ASSERT_TRUE(RunForTest(*module, pass, options));
        }
        ASSERT_FALSE(::testing::Test::HasFailure());
      }
    }
  }
}

std::string ShapeModule(std::string_view body) {
  return "HloModule m\n"
         "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] add(a, b)\n}\n"
         "max { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b)\n}\n"
         "iadd { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT r = s32[] add(a, b)\n}\n"
         "ENTRY e {\n" +
         std::string(body) + "\n}\n";
}

TEST(AlgebraicSimplifier, ShapeRewritesKeepEveryBit) {
  for (const RewriteCase& test : ShapeCases()) {
    const std::string hlo = ShapeModule(test.body);
    SCOPED_TRACE(std::string(test.rewrite) + "\n" + hlo);
    const auto module = ParseForTest(hlo);
    ASSERT_NE(module, nullptr);
    AlgebraicSimplifier pass(test.rewrite);
    EXPECT_TRUE(RunForTest(*module, pass));
  }
}

TEST(AlgebraicSimplifier, EveryRewriteHasACase) {
  std::set<std::string_view> tested, all;
  for (const RewriteCase& test : ElementwiseCases()) tested.insert(test.rewrite);
  for (const RewriteCase& test : ShapeCases()) tested.insert(test.rewrite);
  for (const Rewrite* rewrite : AllRewrites()) all.insert(rewrite->name);
  EXPECT_EQ(tested, all);
}

TEST(AlgebraicSimplifier, ValueChangingRewritesNeedFastMath) {
  for (const Rewrite* rewrite : AllRewrites()) {
    EXPECT_EQ(rewrite->rewrite_class == RewriteClass::kValueChanging,
              rewrite->name.starts_with("fast-"))
        << rewrite->name;
  }
}

// Every f16, and f32s from all over.
TEST(AlgebraicSimplifier, PowersAreExactWhereTheyAreRewritten) {
  for (std::string_view hlo : {
           R"(HloModule m
ENTRY e {
  i = u16[65536] iota(), iota_dimension=0
  x = f16[65536] bitcast-convert(i)
  t = f16[] constant(2)
  y = f16[65536] broadcast(t), dimensions={}
  ROOT r = f16[65536] power(x, y)
})",
           R"(HloModule m
ENTRY e {
  i = u16[65536] iota(), iota_dimension=0
  x = bf16[65536] bitcast-convert(i)
  t = bf16[] constant(1)
  y = bf16[65536] broadcast(t), dimensions={}
  ROOT r = bf16[65536] power(x, y)
})",
           R"(HloModule m
ENTRY e {
  i = u32[1000000] iota(), iota_dimension=0
  s = u32[] constant(4294967)
  b = u32[1000000] broadcast(s), dimensions={}
  j = u32[1000000] multiply(i, b)
  x = f32[1000000] bitcast-convert(j)
  t = f32[] constant(1)
  y = f32[1000000] broadcast(t), dimensions={}
  ROOT r = f32[1000000] power(x, y)
})"}) {
    const auto module = ParseForTest(hlo);
    ASSERT_NE(module, nullptr);
    AlgebraicSimplifier pass;
    EXPECT_TRUE(RunForTest(*module, pass));
  }
}

std::string Elementwise(std::string_view body) {
  return ElementwiseModule(std::string(body), DType::kF32, "300", "300");
}

TEST(AlgebraicSimplifier, KeepsZerosAndNans) {
  for (std::string_view body : {
           "ROOT r = T[D] add(x, C(0))",          // -0.0 + 0.0 is 0.0
           "ROOT r = T[D] subtract(x, C(-0.0))",  // -0.0 - -0.0 is 0.0
           "ROOT r = T[D] subtract(C(0), x)",     // 0.0 - 0.0 is not -0.0
           "ROOT r = T[D] multiply(x, C(0))",     // inf and NaN
           "ROOT r = T[D] subtract(x, x)",        //
           "ROOT r = T[D] divide(x, x)",          //
           "ROOT r = T[D] maximum(x, C(inf))",    // NaN
           "m = T[D] minimum(x, y) ROOT r = T[D] maximum(x, m)",
           "ROOT r = pred[D] compare(x, x), direction=EQ",
           "c = pred[D] compare(x, y), direction=LT ROOT r = pred[D] not(c)",
           "s = T[D] subtract(x, y) ROOT r = T[D] negate(s)",
       }) {
    ExpectUnchanged(Elementwise(body), AlgebraicSimplifier());
  }
}

TEST(AlgebraicSimplifier, KeepsRootsAndPowersOfFloats) {
  for (std::string_view body : {
           "s = T[D] sqrt(x) ROOT r = T[D] multiply(s, s)",
           "m = T[D] multiply(x, x) ROOT r = T[D] sqrt(m)",
           "ROOT r = T[D] power(x, C(0.5))",
           "ROOT r = T[D] power(x, C(-0.5))",
           "ROOT r = T[D] power(x, C(2))",
           "e = T[D] exponential(x) ROOT r = T[D] log(e)",
           "a = T[D] exponential(x) b = T[D] exponential(y) ROOT r = T[D] multiply(a, b)",
           "s = T[D] sqrt(x) ROOT r = T[D] abs(s)",
       }) {
    ExpectUnchanged(Elementwise(body), AlgebraicSimplifier());
  }
}

TEST(AlgebraicSimplifier, KeepsFloatSumsAndQuotientsThatRound) {
  for (std::string_view body : {
           "a = T[D] add(x, C(1)) ROOT r = T[D] add(a, C(2))",
           "a = T[D] multiply(x, C(3)) ROOT r = T[D] multiply(a, C(5))",
           "a = T[D] add(x, y) ROOT r = T[D] subtract(a, x)", "ROOT r = T[D] divide(x, C(3))",
           "ROOT r = T[D] divide(x, C(1.7014118e38))",  // 2^127: the reciprocal is denormal
       }) {
    ExpectUnchanged(Elementwise(body), AlgebraicSimplifier());
  }
}

TEST(AlgebraicSimplifier, KeepsIntegerDivisionAndShiftsBackAndForth) {
  for (std::string_view body : {
           "ROOT r = T[D] divide(x, x)",
           "a = T[D] negate(x) b = T[D] negate(y) ROOT r = T[D] divide(a, b)",
           "a = T[D] shift-left(x, C(3)) ROOT r = T[D] shift-right-logical(a, C(3))",
           "a = T[D] shift-right-arithmetic(x, C(3)) ROOT r = T[D] shift-left(a, C(3))",
           "ROOT r = T[D] shift-left(x, y)",
       }) {
    ExpectUnchanged(ElementwiseModule(std::string(body), DType::kS32, "300", "300"),
                    AlgebraicSimplifier());
  }
}

TEST(AlgebraicSimplifier, NeverMergesDynamicSlices) {
  ExpectUnchanged(ShapeModule(R"(
    x = f32[12] parameter(0)
    i = s32[] parameter(1)
    j = s32[] parameter(2)
    a = f32[5] dynamic-slice(x, i), dynamic_slice_sizes={5}
    ROOT r = f32[2] dynamic-slice(a, j), dynamic_slice_sizes={2})"),
                  AlgebraicSimplifier());
}

TEST(AlgebraicSimplifier, KeepsTheTreeOfAReduce) {
  for (std::string_view body : {
           // The minor dimension and another, transposed, merged, split.
           "x = f32[40,100] parameter(0) t = f32[100,40] transpose(x), dimensions={1,0} "
           "v = f32[] constant(0) ROOT r = f32[100] reduce(t, v), dimensions={1}, to_apply=add",
           "x = f32[40,100] parameter(0) t = f32[4000] reshape(x) "
           "v = f32[] constant(0) ROOT r = f32[] reduce(t, v), dimensions={0}, to_apply=add",
           "x = f32[4000] parameter(0) t = f32[40,100] reshape(x) "
           "v = f32[] constant(0) ROOT r = f32[] reduce(t, v), dimensions={0,1}, to_apply=add",
           "x = f32[40,1] parameter(0) v = f32[] constant(0) "
           "ROOT r = f32[1] reduce(x, v), dimensions={0}, to_apply=add",
       }) {
    ExpectUnchanged(ShapeModule(body), AlgebraicSimplifier());
  }
}

TEST(AlgebraicSimplifier, DeclinesWhereSymbolsLeaveItOpen) {
  for (std::string_view body : {
           "x = f32[n<=9,6] parameter(0) y = f32[6] parameter(1) "
           "a = f32[n,6] broadcast(y), dimensions={1} b = f32[n,6] add(a, x) "
           "ROOT r = f32[n,1] slice(b), slice={[0:n],[0:1]}",
           "x = f32[2<=n<=9] parameter(0) i = s32[] constant(3) "
           "ROOT r = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}",
           "x = f32[5,m<=9] parameter(0) y = f32[4,m] parameter(1) z = f32[n<=3] parameter(2) "
           "a = f32[9,m] concatenate(x, y), dimensions={0} "
           "ROOT r = f32[9-n,m] slice(a), slice={[n:9],[0:m]}",
           "x = f32[n<=9] parameter(0) v = f32[] constant(0) "
           "ROOT r = f32[] reduce(x, v), dimensions={0}, to_apply=add",
       }) {
    ExpectUnchanged(ShapeModule(body), AlgebraicSimplifier());
  }
}

// What JAX makes of a softmax's maximum.
TEST(AlgebraicSimplifier, DropsTheMaximumWithMinusInfinity) {
  ExpectPass(ShapeModule(R"(
    x = f32[40] parameter(0)
    c = f32[] constant(-inf)
    b = f32[40] broadcast(c), dimensions={}
    m = f32[40] maximum(b, x)
    ROOT r = f32[40,7] broadcast(m), dimensions={0})"),
             AlgebraicSimplifier(), R"(
    CHECK: ENTRY
    CHECK-NEXT: [[X:[a-z.0-9]+]] = f32[40] parameter(0)
    CHECK-NEXT: ROOT {{[a-z.0-9]+}} = f32[40,7] broadcast([[X]]), dimensions={0})");
}

TEST(AlgebraicSimplifier, FollowsWhatItAddsInOneSweep) {
  // A concatenation's part, sliced again, of a broadcast.
  ExpectPass(ShapeModule(R"(
    x = f32[6] parameter(0)
    y = f32[3,6] parameter(1)
    b = f32[4,6] broadcast(x), dimensions={1}
    c = f32[7,6] concatenate(b, y), dimensions={0}
    s = f32[2,6] slice(c), slice={[1:3],[0:6]}
    ROOT r = f32[2,3,2] reshape(s))"),
             AlgebraicSimplifier(), R"(
    CHECK: [[X:[a-z.0-9]+]] = f32[6] parameter(0)
    CHECK-NOT: slice
    CHECK: [[S:[a-z.0-9]+]] = f32[3,2] reshape([[X]])
    CHECK-NEXT: broadcast([[S]]), dimensions={1,2})");
}

TEST(AlgebraicSimplifier, LeavesInstructionsWithControlEdgesAlone) {
  ExpectUnchanged(ShapeModule(R"(
    x = f32[6] parameter(0)
    n = f32[6] negate(x)
    m = f32[6] negate(n), control-predecessors={x}
    ROOT r = (f32[6], f32[6]) tuple(m, x))"),
                  AlgebraicSimplifier());
}

TEST(AlgebraicSimplifier, KeepsTheOriginOfWhatItReplaces) {
  const auto module = ParseForTest(ShapeModule(R"(
    x = f32[6] parameter(0)
    c = f32[] constant(4)
    b = f32[6] broadcast(c), dimensions={}
    ROOT r = f32[6] divide(x, b), metadata={op_name="jit(mean)/div"})"));
  ASSERT_NE(module, nullptr);
  AlgebraicSimplifier pass;
  ASSERT_TRUE(RunForTest(*module, pass));
  const ir::Instruction* root = module->entry()->root();
  EXPECT_EQ(root->opcode(), ir::Opcode::kMultiply);
  ASSERT_NE(root->metadata(), nullptr);
  EXPECT_EQ(root->metadata()->op_name, "jit(mean)/div");
}

double MillisecondsOf(Pass& pass, ir::Module& module) {
  PassContext context;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(pass.Run(module, context).ok());
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - start).count();
}

// Bounds are loose: the machine may be busy, the build slow. Quadratic work would take minutes.
TEST(AlgebraicSimplifier, LongChainsTakeLinearTime) {
  AlgebraicSimplifier pass;
  EXPECT_LT(MillisecondsOf(pass, *ChainForTest(100'000)), 60'000);

  // A chain in which every instruction is rewritten.
  ir::Module module("chain");
  ir::Computation* entry = module.AddComputation("main");
  ir::Instruction* value = entry->AddParameter(0, ir::Shape::Array(DType::kS32, {4}), "x");
  ir::Instruction* one = entry->AddConstant(ir::Literal::Scalar(DType::kS32, 1));
  ir::Instruction* wide =
      entry->Add(ir::Opcode::kBroadcast, value->shape(), {one}, ir::DimensionsAttrs{});
  for (int i = 0; i < 100'000; ++i) {
    value = entry->Add(ir::Opcode::kAdd, value->shape(), {value, wide});
  }
  entry->set_root(value);
  module.set_entry(entry);
  EXPECT_LT(MillisecondsOf(pass, module), 60'000);
  EXPECT_EQ(entry->root()->operand(0)->opcode(), ir::Opcode::kParameter);
  EXPECT_LT(entry->instruction_count(), 10);
}

}  // namespace
}  // namespace swage::passes
