// Options of jit and the environment variables that mirror them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/log.h"
#include "runtime/program.h"
#include "tests/runtime/tensor_testing.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sets a variable for the life of a test.
class WithVariable {
 public:
  WithVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~WithVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(OptionsTest, VariablesFillWhatOptionsLeaveOpen) {
  const WithVariable device("SWAGE_DEVICE", "evaluator"), off("SWAGE_DISABLE_PASSES", "cse,dce"),
      fast("SWAGE_FAST_MATH", "1"), bytes("SWAGE_MAX_CONSTANT_BYTES", "4096"),
      dump("SWAGE_DUMP_TO", "/tmp/from_variable");
  const auto resolved = runtime::ResolveOptions({});
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->backend->name, "evaluator");
  EXPECT_THAT(resolved->compiler.disable_passes, ElementsAre("cse", "dce"));
  EXPECT_TRUE(resolved->compiler.fast_math);
  EXPECT_EQ(resolved->compiler.fold_budget_bytes, 4096);
  EXPECT_EQ(resolved->compiler.dump_to, "/tmp/from_variable");
}

TEST(OptionsTest, ASetOptionBeatsItsVariable) {
  const WithVariable device("SWAGE_DEVICE", "evaluator"), off("SWAGE_DISABLE_PASSES", "cse"),
      fast("SWAGE_FAST_MATH", "1"), dump("SWAGE_DUMP_TO", "/tmp/from_variable");
  const auto resolved = runtime::ResolveOptions({.device = "cpu",
                                                 .disable_passes = {"dce"},
                                                 .dump_to = "/tmp/from_option",
                                                 .fast_math = false});
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->backend->name, "cpu");
  EXPECT_THAT(resolved->compiler.disable_passes, ElementsAre("dce"));
  EXPECT_FALSE(resolved->compiler.fast_math);
  EXPECT_EQ(resolved->compiler.dump_to, "/tmp/from_option");
}

TEST(OptionsTest, EveryOptionThatChangesCodeIsInTheKey) {
  const auto key = [](const JitOptions& options) { return runtime::ResolveOptions(options)->key; };
  const std::string plain = key({});
  EXPECT_EQ(key({.name = "other"}), plain);
  EXPECT_NE(key({.device = "evaluator"}), plain);
  EXPECT_NE(key({.disable_passes = {"cse"}}), plain);
  EXPECT_NE(key({.only_passes = {"cse"}}), plain);
  EXPECT_NE(key({.only_passes = {"cse"}}), key({.disable_passes = {"cse"}}));
  EXPECT_NE(key({.disable_passes = {"cse", "dce"}}), key({.disable_passes = {"cse"}}));
  EXPECT_NE(key({.fast_math = true}), plain);
  EXPECT_NE(key({.max_constant_bytes = 1}), plain);
}

std::string ErrorOfOptions(const JitOptions& options) {
  return ErrorOf([&] { jit([](Tensor x) { return x; }, options); });
}

TEST(OptionsTest, BadVariablesAreErrors) {
  for (const auto& [name, value] :
       {std::pair("SWAGE_FAST_MATH", "yes"), std::pair("SWAGE_MAX_COMPILES", "x"),
        std::pair("SWAGE_MAX_CONSTANT_BYTES", "-1"), std::pair("SWAGE_NUM_THREADS", "many"),
        std::pair("SWAGE_ON_MISS", "never")}) {
    const WithVariable bad(name, value);
    EXPECT_THAT(ErrorOfOptions({.name = "bad"}), HasSubstr(std::string(name) + "='" + value + "'"));
  }
}

TEST(OptionsTest, BadOptionsAreErrorsWhereNothingIsCompiled) {
  EXPECT_THAT(
      ErrorOfOptions({.disable_passes = {"ces"}}),
      HasSubstr("disable_passes: 'ces' names no pass of pipeline 'cpu'; did you mean 'cse'"));
  EXPECT_THAT(ErrorOfOptions({.only_passes = {"dcee"}}), HasSubstr("did you mean 'dce'"));
  EXPECT_THAT(ErrorOfOptions({.disable_passes = {"copy-insertion"}}),
              HasSubstr("cannot be disabled"));
  EXPECT_THAT(ErrorOfOptions({.disable_passes = {"cse"}, .only_passes = {"cse"}}),
              HasSubstr("are both given"));
  EXPECT_THAT(ErrorOfOptions({.max_constant_bytes = -5}),
              HasSubstr("got max_constant_bytes = -5, expected 0 or more"));
  EXPECT_THAT(ErrorOfOptions({.max_compiles = -5}),
              HasSubstr("got max_compiles = -5, expected 0 or more"));
  EXPECT_THAT(
      ErrorOfOptions({.device = "gpu"}),
      HasSubstr("got 'gpu', expected cpu, cuda (the first GPU, cuda:0), cuda:1 ... or evaluator"));
}

TEST(OptionsTest, DumpsGoWhereTheyAreAsked) {
  const TempFolder folder;
  jit([](Tensor x) { return softmax(x); },
      {.name = "dumped", .dump_to = folder.path()})(F32({1, 2}));
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/index.json"));
  int named = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    named += file.path().filename().string().find(".dumped.") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(named, 3);
}

TEST(OptionsTest, ACompileLogsOneLine) {
  std::vector<std::string> lines;
  SetLogLevel(LogLevel::kInfo);
  SetLogCallback([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  auto f = jit([](Tensor x) { return x * 3.25f + 0.125f; }, {.name = "logged"});
  const Tensor one = F32({1}), two = F32({1, 2});
  f(one);
  f(one);
  f(two);
  SetLogCallback(nullptr);
  SetLogLevel(LogLevel::kWarn);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("[compile] logged: first key; "));
  EXPECT_THAT(lines[0], HasSubstr(" ms (passes "));
  EXPECT_THAT(lines[1], HasSubstr("argument 0 (f32[2]): dimension 0 is 2, expected 1"));
  EXPECT_THAT(lines[1], HasSubstr("nearest key (f32[1])"));
}

}  // namespace
}  // namespace swage
