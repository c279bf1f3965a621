#include "compiler/ir/bind_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/ir/fingerprint.h"
#include "compiler/ir/parser.h"

namespace swage::ir {
namespace {

constexpr char kText[] = R"(
HloModule m, entry_computation_layout={(f32[n,m]{1,0})->f32[n,m]{1,0}}
ENTRY e {
  x = f32[n,m] parameter(0)
  half = f32[n,m] slice(x), slice={[0:n],[0:m]}
  zero = f32[] constant(0)
  wide = f32[n+2,m] pad(half, zero), padding=0_2x0_0
  cut = f32[n,m] slice(wide), slice={[2:n+2],[0:m]}
  ROOT sum = f32[n,m] add(cut, x)
})";

std::unique_ptr<Module> Parse(std::string_view text) {
  StatusOr<std::unique_ptr<Module>> module = ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

TEST(BindSymbols, GivesTheModuleThatIsWrittenWithNumbers) {
  const auto module = Parse(kText);
  const std::vector<const Symbol*> symbols = SymbolsOf(*module);
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0]->name, "n");
  EXPECT_EQ(symbols[1]->name, "m");
  SymbolBinding binding;
  ASSERT_TRUE(binding.Bind(symbols[0], 3).ok());
  ASSERT_TRUE(binding.Bind(symbols[1], 5).ok());
  const Status status = BindSymbols(binding, module.get());
  ASSERT_TRUE(status.ok()) << status;
  std::string numbers = kText;
  for (const auto& [from, to] : {std::pair("n+2", "5"),
                                 {"[n,m]", "[3,5]"},
                                 {"0:n", "0:3"},
                                 {"0:m", "0:5"},
                                 {",m]", ",5]"}}) {
    for (size_t at; (at = numbers.find(from)) != numbers.npos;) {
      numbers.replace(at, std::string_view(from).size(), to);
    }
  }
  EXPECT_EQ(CanonicalText(*module), CanonicalText(*Parse(numbers)));
  EXPECT_TRUE(SymbolsOf(*module).empty());
}

TEST(BindSymbols, AnUnboundSymbolIsAnError) {
  const auto module = Parse(kText);
  SymbolBinding binding;
  ASSERT_TRUE(binding.Bind(SymbolsOf(*module)[0], 3).ok());
  const Status status = BindSymbols(binding, module.get());
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("m"));
}

TEST(BindSymbols, AStaticModuleStaysAsItIs) {
  const auto module = Parse("HloModule m\nENTRY e { ROOT x = f32[2] parameter(0) }");
  const std::string before = CanonicalText(*module);
  ASSERT_TRUE(BindSymbols({}, module.get()).ok());
  EXPECT_EQ(CanonicalText(*module), before);
}

}  // namespace
}  // namespace swage::ir
