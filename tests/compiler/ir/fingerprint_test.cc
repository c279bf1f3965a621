#include "compiler/ir/fingerprint.h"

#include <chrono>
#include <string>

#include "compiler/ir/builder.h"
#include "compiler/ir/parser.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

std::string TextOf(const std::string& hlo) {
  auto module = ParseHlo(hlo);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return module.ok() ? CanonicalText(**module) : "";
}

std::string Entry(const std::string& lines) {
  return "HloModule m\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
         " ROOT c = f32[] add(a, b)\n}\nENTRY e {\n x = f32[4] parameter(0)\n" +
         lines + "\n}\n";
}

TEST(Fingerprint, IgnoresNamesMetadataAndOrderOfCreation) {
  const std::string one =
      "HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n y = f32[4] parameter(1)\n"
      " s = f32[4] sine(x), metadata={op_name=\"sin\"}\n c = f32[4] cosine(y)\n"
      " ROOT r = f32[4] add(s, c)\n}\n";
  const std::string two =
      "HloModule other\n\nENTRY f {\n  b = f32[4] parameter(1)\n  q = f32[4] cosine(b)\n"
      "  a = f32[4] parameter(0)\n  p = f32[4] sine(a)\n  ROOT t = f32[4] add(p, q)\n}\n";
  EXPECT_EQ(TextOf(one), TextOf(two));
}

TEST(Fingerprint, SeesOpsShapesLayoutsOperandsAndAttributes) {
  const std::string base = TextOf(Entry(" ROOT r = f32[4] negate(x)"));
  EXPECT_NE(base, TextOf(Entry(" ROOT r = f32[4] sine(x)")));
  EXPECT_NE(base, TextOf(Entry(" ROOT r = f32[4]{0} negate(x)")));
  EXPECT_NE(base, TextOf(Entry(" ROOT r = f32[4] negate(x), sharding={replicated}")));
  EXPECT_NE(base, TextOf("HloModule m, num_partitions=2" +
                         Entry(" ROOT r = f32[4] negate(x)").substr(11)));
  EXPECT_NE(TextOf(Entry(" y = f32[4] sine(x)\n ROOT r = f32[4] divide(x, y)")),
            TextOf(Entry(" y = f32[4] sine(x)\n ROOT r = f32[4] divide(y, x)")));
  EXPECT_NE(TextOf(Entry(" ROOT r = f32[2] slice(x), slice={[0:2]}")),
            TextOf(Entry(" ROOT r = f32[2] slice(x), slice={[1:3]}")));
}

TEST(Fingerprint, SeesTheBitsOfConstants) {
  const auto constant = [](const std::string& value) {
    return TextOf(Entry(" ROOT r = f32[] constant(" + value + ")"));
  };
  EXPECT_NE(constant("0"), constant("-0"));
  EXPECT_EQ(constant("1"), constant("1.0"));
  EXPECT_NE(constant("nan"), constant("-nan"));
  Module module("m");
  Computation* entry = module.AddComputation("e");
  module.set_entry(entry);
  Literal big = *Literal::Create(Shape::Array(DType::kF32, {1000}));
  entry->set_root(entry->AddConstant(big));
  const Hash128 zeros = Fingerprint(module);
  big.SetBits(999, 1);
  entry->set_root(entry->AddConstant(big));
  EXPECT_NE(Fingerprint(*entry), zeros);
  EXPECT_LT(CanonicalText(module).size(), 1000u);
}

TEST(Fingerprint, TakesEqualComputationsForOne) {
  const std::string reduce =
      " z = f32[] constant(0)\n p = f32[] reduce(x, z), dimensions={0}, to_apply=add\n"
      " q = f32[] reduce(x, z), dimensions={0}, to_apply=";
  const std::string end = "\n ROOT r = f32[] add(p, q)";
  std::string twice = Entry(reduce + "add2" + end);
  twice.insert(twice.find("ENTRY"),
               "add2 {\n d = f32[] parameter(0)\n e = f32[] parameter(1)\n"
               " ROOT f = f32[] add(d, e)\n}\n");
  EXPECT_EQ(TextOf(Entry(reduce + "add" + end)), TextOf(twice));
}

TEST(Fingerprint, SeesSchedulesAndSymbols) {
  auto module = ParseHlo(
      "HloModule m\nENTRY e {\n x = f32[n<=8] parameter(0)\n"
      " s = f32[n] sine(x)\n c = f32[n] cosine(x)\n ROOT r = f32[n] add(s, c)\n}\n");
  ASSERT_TRUE(module.ok());
  const Hash128 before = Fingerprint(**module);
  Computation* entry = (*module)->entry();
  std::vector<Instruction*> order = entry->Instructions();
  entry->set_schedule(order);
  const Hash128 scheduled = Fingerprint(**module);
  std::swap(order[1], order[2]);
  entry->set_schedule(order);
  EXPECT_NE(scheduled, before);
  EXPECT_NE(Fingerprint(**module), scheduled);
  EXPECT_NE(TextOf("HloModule m\nENTRY e {\n ROOT x = f32[n<=8] parameter(0)\n}\n"),
            TextOf("HloModule m\nENTRY e {\n ROOT x = f32[n<=9] parameter(0)\n}\n"));
}

TEST(Fingerprint, OfACloneIsTheSame) {
  auto module = ParseHloFile("tests/corpus/program/gpt_block/module.hlo");
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(CanonicalText(*(*module)->Clone()), CanonicalText(**module));
}

TEST(Fingerprint, IsQuickOfLongChains) {
  Module module("m");
  Computation* entry = module.AddComputation("e");
  module.set_entry(entry);
  Builder b(entry);
  Instruction* x = *b.Parameter(0, Shape::Array(DType::kF32, {64}));
  for (int i = 0; i < 100000; ++i) x = *b.Binary(Opcode::kAdd, x, x);
  entry->set_root(x);
  const auto start = std::chrono::steady_clock::now();
  Fingerprint(module);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 60.0);  // about 0.1 s; quadratic work takes minutes
}

}  // namespace
}  // namespace swage::ir
