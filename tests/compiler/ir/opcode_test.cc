#include "compiler/ir/opcode.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"

namespace swage::ir {
namespace {

// A module of one op; `extents` is that of operands and result.
std::string ModuleOf(Opcode opcode, const std::string& extents, const std::string& first,
                     const std::string& others, const std::string& result,
                     const std::string& attributes) {
  std::string text = "HloModule m\n\nENTRY main {\n", operands;
  for (int i = 0; i < InfoOf(opcode).arity; ++i) {
    absl::StrAppend(&text, "  p", i, " = ", i == 0 ? first : others, extents, " parameter(", i,
                    ")\n");
    absl::StrAppend(&operands, i == 0 ? "p" : ", p", i);
  }
  return absl::StrCat(text, "  ROOT r = ", result, extents, " ", ToAbsl(OpcodeName(opcode)), "(",
                      operands, ")", attributes, "\n}\n");
}

// The first way to write the op that is right; null where none is.
std::unique_ptr<Module> AnyModuleOf(Opcode opcode, const std::string& extents) {
  for (const char* attributes :
       {"", ", direction=EQ", ", exponent_bits=5, mantissa_bits=7", ", dimensions={0}"}) {
    for (const char* others : {"f32", "s32", "pred"}) {
      for (const char* first : {others, "pred"}) {
        for (const char* result : {others, "pred"}) {
          auto module =
              ParseHlo(ModuleOf(opcode, extents, first, others, result, attributes), "m.hlo");
          if (module.ok()) return *std::move(module);
        }
      }
    }
  }
  return nullptr;
}

TEST(Opcode, NamesAreSortedAndParseBack) {
  std::string_view last;
  for (int code = 0; code < kNumOpcodes; ++code) {
    const auto opcode = static_cast<Opcode>(code);
    EXPECT_LT(last, OpcodeName(opcode));
    EXPECT_EQ(ParseOpcode(OpcodeName(opcode)), opcode);
    EXPECT_FALSE(InfoOf(opcode).doc.empty()) << OpcodeName(opcode);
    last = OpcodeName(opcode);
  }
}

TEST(Opcode, EveryElementwiseRowIsWrittenAndReadAndKeepsSymbols) {
  for (int code = 0; code < kNumOpcodes; ++code) {
    const auto opcode = static_cast<Opcode>(code);
    if (!IsElementwise(opcode)) continue;
    for (const char* extents : {"[]", "[4,3]", "[n,2*n]"}) {
      SCOPED_TRACE(absl::StrCat(ToAbsl(OpcodeName(opcode)), " of ", extents));
      const std::unique_ptr<Module> module = AnyModuleOf(opcode, extents);
      ASSERT_NE(module, nullptr);
      const auto again = ParseHlo(module->ToString(), "again.hlo");
      ASSERT_TRUE(again.ok()) << again.status() << module->ToString();
      std::string why;
      EXPECT_TRUE(ModulesEqual(*module, **again, &why)) << why << module->ToString();
    }
  }
}

}  // namespace
}  // namespace swage::ir
