// HLO text: what is read beyond the corpora, and the errors.
#include "compiler/ir/parser.h"

#include <string>

#include "compiler/ir/printer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Module> MustParse(const std::string& text) {
  auto module = ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? std::move(*module) : nullptr;
}

std::string ErrorOf(const std::string& text) {
  auto module = ParseHlo(text, "m.hlo");
  EXPECT_FALSE(module.ok()) << text;
  if (module.ok()) return "";
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(module.status().message());
}

// The body of an entry computation, with x: f32[2,3] at hand.
std::string Entry(const std::string& lines) {
  return "HloModule m\n\nENTRY e {\n  x = f32[2,3] parameter(0)\n" + lines + "\n}\n";
}

void ExpectRoundTrip(const std::string& text) {
  auto module = MustParse(text);
  ASSERT_NE(module, nullptr);
  const std::string printed = ToText(*module);
  auto again = MustParse(printed);
  ASSERT_NE(again, nullptr) << printed;
  std::string why;
  EXPECT_TRUE(ModulesEqual(*module, *again, &why)) << why << "\n" << printed;
  EXPECT_EQ(printed, ToText(*again));
}

TEST(Parser, ReadsBothDialects) {
  auto bare =
      MustParse("HloModule m\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[2] add(x, x) }");
  auto full = MustParse(
      "HloModule m\n\nENTRY %e (x: f32[2]) -> f32[2] {\n"
      "  %x = f32[2] parameter(0) // a comment\n"
      "  ROOT %y = f32[2] add(f32[2] %x, /*index=1*/f32[2] %x)\n}\n");
  std::string why;
  EXPECT_TRUE(ModulesEqual(*bare, *full, &why)) << why;
}

TEST(Parser, KeepsWhatItDoesNotInterpret) {
  const std::string text =
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, num_partitions=2\n\n"
      "ENTRY e {\n"
      "  x = f32[4,8]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}\n"
      "  y = f32[4,8]{1,0} add(x, x), sharding={replicated}, "
      "frontend_attributes={_a=\"{1,\\\"2\\\"}\",b=\"c\"}, metadata={op_type=\"add\" "
      "op_name=\"f/\\\"add\\\"\" source_file=\"f.py\" source_line=7 source_end_line=8}, "
      "backend_config={\"k\":[1,2,{}]}\n"
      "  ROOT z = f32[4,8]{1,0} custom-call(y), custom_call_target=\"a\\\\b\", "
      "operand_layout_constraints={f32[4,8]{1,0}}, api_version=API_VERSION_TYPED_FFI, "
      "backend_config=\"x=\\\"1\\\"\"\n"
      "}\n";
  auto module = MustParse(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(ToText(*module), text);
  const Instruction* y = module->entry()->Instructions()[1];
  EXPECT_EQ(y->metadata()->op_name, "f/\"add\"");
  EXPECT_EQ(y->metadata()->source_line, 7);
  EXPECT_EQ(y->raw_attributes()[0].second, "{replicated}");
}

TEST(Parser, ReadsCollectivesAsRawAttributes) {
  ExpectRoundTrip(
      "HloModule m\n\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT c = f32[] add(a, b)\n}\n\nENTRY e {\n x = f32[4] parameter(0)\n"
      " r = f32[4] all-reduce(x), channel_id=1, replica_groups=[2,4]<=[4,2]T(1,0), "
      "use_global_device_ids=true, to_apply=add\n"
      " ROOT g = f32[8] all-gather(r), replica_groups={{0,1},{2,3}}, dimensions={0}\n}\n");
}

TEST(Parser, ReadsComputationsInAnyOrder) {
  auto module = MustParse(
      "HloModule m\n\nENTRY e {\n x = f32[] parameter(0)\n ROOT y = f32[] call(x), "
      "to_apply=later\n}\n"
      "later {\n ROOT p = f32[] parameter(0)\n}\n");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry()->root()->to_apply()->name(), "later");
}

TEST(Parser, ReadsParametersInAnyOrder) {
  auto module = MustParse(
      "HloModule m\nENTRY e {\n b = f32[2] parameter(1)\n a = f32[3] parameter(0)\n"
      " ROOT t = (f32[3], f32[2]) tuple(a, b)\n}\n");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry()->parameter(0)->name(), "a");
  EXPECT_EQ(module->entry()->parameter(1)->name(), "b");
}

TEST(Parser, ReadsControlFlow) {
  ExpectRoundTrip(
      "HloModule m\n\nc {\n s = (s32[], f32[2]) parameter(0)\n i = s32[] get-tuple-element(s), "
      "index=0\n"
      " n = s32[] constant(3)\n ROOT l = pred[] compare(i, n), direction=LT\n}\n\n"
      "b {\n s = (s32[], f32[2]) parameter(0)\n ROOT r = (s32[], f32[2]) copy(s)\n}\n\n"
      "t {\n ROOT p = f32[2] parameter(0)\n}\n\nf {\n p = f32[2] parameter(0)\n"
      " ROOT q = f32[2] negate(p)\n}\n\n"
      "ENTRY e {\n x = (s32[], f32[2]) parameter(0)\n"
      " w = (s32[], f32[2]) while(x), condition=c, body=b\n"
      " v = f32[2] get-tuple-element(w), index=1\n p = pred[] constant(true)\n"
      " d = f32[2] conditional(p, v, v), false_computation=f, true_computation=t\n"
      " i = s32[] constant(1)\n"
      " ROOT k = f32[2] conditional(i, d, d), branch_computations={t, f}\n}\n");
}

TEST(Parser, KeepsTheSchedule) {
  const std::string text =
      "HloModule m, is_scheduled=true\n\nENTRY e {\n  x = f32[] parameter(0)\n"
      "  b = f32[] negate(x)\n  a = f32[] sine(x)\n  ROOT c = f32[] add(a, b)\n}\n";
  auto module = MustParse(text);
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(module->entry()->schedule().size(), 4u);
  EXPECT_EQ(module->entry()->schedule()[1]->name(), "b");
  EXPECT_EQ(ToText(*module), text);
}

TEST(Parser, HasOneScopeOfSymbolsForAModule) {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[seq<=512,64]{1,0})->f32[2*seq,64]{1,0}}\n\n"
      "ENTRY e {\n  x = f32[seq,64]{1,0} parameter(0)\n"
      "  h = f32[floordiv(seq,2),64]{1,0} slice(x), slice={[0:floordiv(seq,2)], [0:64]}\n"
      "  z = f32[] constant(0)\n"
      "  p = f32[512,64]{1,0} pad(x, z), padding=0_(-seq+512)x0_0\n"
      "  ROOT c = f32[2*seq,64]{1,0} concatenate(x, x), dimensions={0}\n}\n";
  auto module = MustParse(text);
  ASSERT_NE(module, nullptr);
  const Dim seq = Dim::Symbol("seq", 0, 512);
  EXPECT_EQ(module->entry()->parameter(0)->shape().dim(0), seq);
  EXPECT_EQ(module->entry()->root()->shape().dim(0), 2 * seq);
  ExpectRoundTrip(text);
  EXPECT_EQ(ToText(*module), text);
}

TEST(Parser, ReadsWindowsPaddingsAndSlices) {
  ExpectRoundTrip(Entry(
      " z = f32[] constant(0)\n"
      " p = f32[5,9] pad(x, z), padding=1_2x-1_3_2\n"
      " s = f32[1,2] slice(x), slice={[0:2:2], [1:3]}\n"
      " a = f32[2,4,9,8] iota(), iota_dimension=3\n k = f32[6,2,3,3] iota(), iota_dimension=0\n"
      " v = f32[2,6,4,14] convolution(a, k), window={size=3x3 stride=2x1 pad=1_2x0_1 "
      "lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01, "
      "feature_group_count=2\n"
      " ROOT c = pred[2,3] compare(x, x), direction=LT, type=TOTALORDER"));
}

TEST(Parser, LoadsConstantsFromASideFile) {
  auto module = MustParse(Entry(" ROOT c = s32[3] constant({1, 2, 3})"));
  ASSERT_NE(module, nullptr);
  std::vector<Literal> stored;
  PrintOptions print;
  print.inline_elements = 2;
  print.elide = [&](const Instruction& constant) {
    stored.push_back(constant.literal());
    return "big:" + std::to_string(stored.size() - 1);
  };
  const std::string text = ToText(*module, print);
  EXPECT_THAT(text, HasSubstr("constant(@big:0)"));
  ParseOptions parse;
  parse.load_constant = [&](std::string_view key, const Shape&) -> StatusOr<Literal> {
    EXPECT_EQ(key, "big:0");
    return stored[0];
  };
  auto again = ParseHlo(text, parse);
  ASSERT_TRUE(again.ok()) << again.status().message();
  std::string why;
  EXPECT_TRUE(ModulesEqual(*module, **again, &why)) << why;
  EXPECT_THAT(ErrorOf(text), HasSubstr("side file"));
}

// ---- Errors ----

TEST(ParserErrors, ShowThePlaceWithACaret) {
  EXPECT_EQ(ErrorOf(Entry("  ROOT y = f32[2,3] ad(x, x)")),
            "m.hlo:5:21: error: unknown opcode 'ad'; did you mean 'add', 'and' or 'pad'?\n"
            "  ROOT y = f32[2,3] ad(x, x)\n"
            "                    ^");
}

TEST(ParserErrors, ShowAPartOfALongLine) {
  const std::string blanks(500, ' ');
  EXPECT_EQ(ErrorOf("HloModule m\n" + blanks + "?" + blanks),
            "m.hlo:2:501: error: expected a computation's name\n" + std::string(60, ' ') + "?" +
                std::string(59, ' ') + "\n" + std::string(60, ' ') + "^");
}

TEST(ParserErrors, NameAnUndefinedOperand) {
  EXPECT_THAT(ErrorOf(Entry(" ROOT y = f32[2,3] negate(z)\n z = f32[2,3] negate(x)")),
              HasSubstr("m.hlo:5:27: error: 'z' is used before it is defined"));
}

TEST(ParserErrors, NameTheNearestAttribute) {
  EXPECT_THAT(ErrorOf(Entry(" ROOT y = f32[] iota(), iota_dimensio=0")),
              HasSubstr("unknown attribute 'iota_dimensio'; did you mean 'iota_dimension'"));
  EXPECT_THAT(ErrorOf("HloModule m, is_schedule=true\n"), HasSubstr("did you mean 'is_scheduled'"));
}

TEST(ParserErrors, CoverEachRuleOfTheText) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "m.hlo:1:1: error: expected 'HloModule'"},
      {std::string("\0\x01\xff", 3), "expected 'HloModule'"},
      {"HloModule", "expected the module's name"},
      {"HloModule m", "no ENTRY"},
      {"HloModule m\nENTRY e {", "the text ends inside computation 'e'"},
      {"HloModule m\nENTRY e {}", "at least one instruction"},
      {"HloModule m /* never closed", "expected a computation's name"},
      {"HloModule m, num_partitions={1", "no '}' closes the value"},
      {"HloModule m, num_partitions={1)", "expected '}'"},
      {"HloModule m, num_partitions=\"1", "no closing quote"},
      {"HloModule m, entry_computation_layout={(f32[2]}", "expected ')'"},
      {Entry(" x = f32[2,3] negate(x)"), "'x' is defined twice"},
      {Entry(" y = f32[2,3] parameter(0)"), "a second parameter(0)"},
      {Entry(" y = f32[2,3] parameter(2)"), "no parameter(1)"},
      {Entry(" y = f32[2,3] parameter(-1)"), "expected a number below"},
      {Entry(" y = f32[2,3] parameter(99999999999999999999)"), "does not fit in 64 bits"},
      {Entry(" ROOT y = f32[2,3] negate(x)\n ROOT z = f32[2,3] negate(x)"), "a second ROOT"},
      {Entry(" y = f32[2,3] add(x)"), "'add' takes 2 operands, got 1"},
      {Entry(" y = f32[2,3] negate(s32[2,3] x)"), "the operand is written as s32[2,3]"},
      {Entry(" y = f32[3,2] transpose(x)"), "'transpose' needs the attribute 'dimensions'"},
      {Entry(" y = f32[3,2] transpose(x), dimensions={1,0}, dimensions={1,0}"), "given twice"},
      {Entry(" y = f32[2,3] negate(x), dimensions={1,0}"),
       "'negate' has no attribute 'dimensions'"},
      {Entry(" y = f32[2,3] negate(x), to_apply=e"), "'negate' has no attribute 'to_apply'"},
      {Entry(" y = f32[2,3] call(x)"), "'call' needs the attribute 'to_apply'"},
      {Entry(" y = f32[2,3] call(x), to_apply=nobody"), "no computation 'nobody'"},
      {Entry(" y = pred[2,3] compare(x, x), direction=UP"), "unknown value 'UP'"},
      {Entry(" y = f33[2] negate(x)"), "expected a shape"},
      {Entry(" y = f32[2 negate(x)"), "expected ',' or ']'"},
      {Entry(" y = f32[2]{0,1} negate(x)"), "error: "},
      {Entry(" y = f32[2] constant({1, 2, 3})"), "error: "},
      {Entry(" y = f32[9000000000] constant({...})"), "left out"},
      {Entry(" y = s8[2] constant({1000, 2})"), "[constant] 1000 does not fit in s8\n"},
      {Entry(" y = f32[] constant(1e400)"), "[constant] 1e400 "},
      {Entry(" y = f32[9000000000] constant({1})"), "error: "},
      {Entry(" y = f32[2,3] negate(x), metadata={op_name=x}"), "expected a string"},
      {Entry(" y = f32[2,3] negate(x), metadata={op_name=\"\\q\"}"), "bad escape"},
      {Entry(" y = f32[2,3] negate(x), control-predecessors={q}"), "no instruction 'q'"},
      {Entry(" y = f32[2,3] slice(x), slice={[0:99999999999999999999]}"), "error: "},
      {"HloModule m\nENTRY e (x: f32[3]) -> f32[2] {\n ROOT x = f32[2] parameter(0)\n}",
       "parameter 0 is f32[3] in the signature"},
      {"HloModule m\na {\n ROOT x = f32[2] parameter(0)\n}\na {", "'a' is defined twice"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_THAT(ErrorOf(text), HasSubstr(expected)) << text;
}

TEST(ParserErrors, EndQuicklyOnDeepNesting) {
  const std::string deep(1000000, '(');
  EXPECT_THAT(ErrorOf("HloModule m\nENTRY e {\n y = " + deep), HasSubstr("nest deeper"));
  EXPECT_THAT(ErrorOf("HloModule m, num_partitions=" + deep), HasSubstr("closes the value"));
  EXPECT_THAT(ErrorOf(Entry(" y = f32[" + deep)), HasSubstr("error"));
}

TEST(ParserErrors, ComeForEveryPrefixOfAModule) {
  const std::string text = Entry(
      " z = f32[] constant(0)\n p = f32[5,9]{1,0} pad(x, z), padding=1_2x-1_3_2, "
      "metadata={op_name=\"a\" source_line=3}\n ROOT t = (f32[5,9]{1,0}) tuple(p)");
  for (size_t length = 0; length + 2 < text.size(); ++length) ErrorOf(text.substr(0, length));
}

}  // namespace
}  // namespace swage::ir
