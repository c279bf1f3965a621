#include "codegen/cpu/symbol_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/cpu/object_file.h"
#include "tests/codegen/cpu/test_modules.h"

namespace swage::cpu {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kExpf = {"expf"};

// An object that needs expf; only an explicit permission gets it through the emitter.
std::string ObjectThatCallsExpf() {
  const std::string sealed = EmitText(R"(
    declare float @expf(float)
    define void @kernel(ptr %p) {
      %x = load float, ptr %p
      %y = call float @expf(float %x)
      store float %y, ptr %p
      ret void
    })",
                                      Host(), {.allowed_calls = kExpf})
                                 ->object;
  return std::string(*UnsealObject(sealed));
}

TEST(SymbolCheckTest, UndefinedSymbolIsNamed) {
  const Status status = CheckObjectSymbols(ObjectThatCallsExpf());
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr("'expf'"));
}

TEST(SymbolCheckTest, AllowedSymbolPasses) {
  EXPECT_TRUE(CheckObjectSymbols(ObjectThatCallsExpf(), kExpf).ok());
}

TEST(SymbolCheckTest, GarbageIsRefused) {
  EXPECT_FALSE(CheckObjectSymbols("").ok());
  EXPECT_FALSE(CheckObjectSymbols("not an object").ok());
  EXPECT_FALSE(CheckObjectSymbols(std::string("\x7f"
                                              "ELF") +
                                  std::string(500, '\0'))
                   .ok());
}

}  // namespace
}  // namespace swage::cpu
