#include "compiler/passes/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace swage::passes {
namespace {

class OptionsTest : public ::testing::Test {
 protected:
  ~OptionsTest() override {
    unsetenv("SWAGE_CHECK");
    unsetenv("SWAGE_DISABLE_PASSES");
    unsetenv("SWAGE_DUMP_TO");
    unsetenv("SWAGE_FAST_MATH");
    unsetenv("SWAGE_MAX_CONSTANT_BYTES");
    unsetenv("SWAGE_PADDING");
    unsetenv("SWAGE_PADDING_FILL");
    unsetenv("SWAGE_PADDING_MASKS");
  }
};

TEST_F(OptionsTest, ComeFromTheEnvironment) {
  setenv("SWAGE_CHECK", "memory, passes", 1);
  setenv("SWAGE_DISABLE_PASSES", "cse, dce ,", 1);
  setenv("SWAGE_FAST_MATH", "1", 1);
  setenv("SWAGE_MAX_CONSTANT_BYTES", "77", 1);
  setenv("SWAGE_DUMP_TO", "/tmp/dump", 1);
  const StatusOr<CompilerOptions> options = OptionsFromEnvironment();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->dump_to, "/tmp/dump");
  EXPECT_EQ(options->disable_passes, (std::vector<std::string>{"cse", "dce"}));
  EXPECT_TRUE(options->fast_math);
  EXPECT_EQ(options->fold_budget_bytes, 77);
  EXPECT_TRUE(options->check_passes);
  EXPECT_TRUE(options->check_lies);
}

TEST_F(OptionsTest, PaddingComesFromTheEnvironment) {
  setenv("SWAGE_CHECK", "padding", 1);
  setenv("SWAGE_PADDING", "forced", 1);
  setenv("SWAGE_PADDING_FILL", "infinity", 1);
  setenv("SWAGE_PADDING_MASKS", "all", 1);
  const StatusOr<CompilerOptions> options = OptionsFromEnvironment();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->check_padding);
  EXPECT_EQ(options->padding, Padding::kForced);
  EXPECT_EQ(options->padding_fill, PaddingFill::kInfinity);
  EXPECT_EQ(options->padding_masks, PaddingMasks::kAll);
}

TEST_F(OptionsTest, AnUnknownWordNamesTheVariableAndTheNearest) {
  setenv("SWAGE_PADDING", "force", 1);
  const Status status = OptionsFromEnvironment().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("SWAGE_PADDING='force', expected one of none, forced"));
}

TEST_F(OptionsTest, PaddingIsInTheKey) {
  const auto key = [](const CompilerOptions& options) {
    KeyMaterial key;
    AddToKey(options, &key);
    return key.Serialise();
  };
  CompilerOptions padded;
  padded.padding = Padding::kForced;
  CompilerOptions filled = padded;
  filled.padding_fill = PaddingFill::kNan;
  CompilerOptions masked = padded;
  masked.padding_masks = PaddingMasks::kAll;
  EXPECT_NE(key({}), key(padded));
  EXPECT_NE(key(padded), key(filled));
  EXPECT_NE(key(padded), key(masked));
}

TEST_F(OptionsTest, AreQuietByDefault) {
  unsetenv("SWAGE_CHECK");
  unsetenv("SWAGE_DUMP_TO");
  const StatusOr<CompilerOptions> options = OptionsFromEnvironment();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->dump_to.empty());
  EXPECT_FALSE(options->check_passes);
  EXPECT_FALSE(options->check_lies);
}

TEST_F(OptionsTest, AnUnknownCheckModeIsAnErrorWithTheNearest) {
  setenv("SWAGE_CHECK", "pases", 1);
  const Status status = OptionsFromEnvironment().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("did you mean 'passes'"));
}

}  // namespace
}  // namespace swage::passes
