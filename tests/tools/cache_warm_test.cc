#include "tools/cache_warm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/tools/run_tool.h"

namespace swage::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ParseSizeLists, ReadsNumbersAndRanges) {
  EXPECT_THAT(
      *ParseSizeLists("seq=1:3,8,batch=1:9:4"),
      ElementsAre(Pair("seq", ElementsAre(1, 2, 3, 8)), Pair("batch", ElementsAre(1, 5, 9))));
  EXPECT_TRUE(ParseSizeLists("")->empty());
}

TEST(ParseSizeLists, RefusesWhatIsNoSize) {
  for (const char* text : {"5", "=3", "n=", "n=a", "n=-1", "n=3:1", "n=1:2:0", "n=1:2:3:4",
                           "n=1,n=2", "n=1:9223372036854775807", "n=99999999999999999999"}) {
    const auto lists = ParseSizeLists(text);
    EXPECT_FALSE(lists.ok()) << text;
  }
}

class CacheWarmTest : public ToolTest {
 protected:
  CommandResult Warm(const std::string& more) {
    return Swage("cache warm --dir " + root_ + "/cache " + module_ + " " + more);
  }
  const std::string module_ = Write("m.hlo",
                                    "HloModule m\nENTRY e {\n  x = f32[n,4] parameter(0)\n"
                                    "  ROOT y = f32[n,4] exponential(x)\n}\n");
};

TEST_F(CacheWarmTest, CompilesEverySizeOnceAndOneKernelForAll) {
  const CommandResult first = Warm("--dims n=5:7");
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("n=5: compiled, 1 kernels, 1 from llvm"));
  EXPECT_THAT(first.output, HasSubstr("n=7: compiled, 1 kernels, 0 from llvm"));
  const CommandResult second = Warm("--dims n=6,9");
  EXPECT_THAT(second.output, HasSubstr("n=6: was there, 1 kernels, 0 from llvm"));
  EXPECT_THAT(second.output, HasSubstr("n=9: compiled, 1 kernels, 0 from llvm"));
}

TEST_F(CacheWarmTest, AsksForTheSizesOfEverySymbol) {
  const CommandResult outcome = Warm("");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("symbolic size 'n'"));
}

TEST_F(CacheWarmTest, ASizeThatNoModuleHasIsReported) {
  const CommandResult outcome = Warm("--dims n=3,m=3");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("no module has a symbolic size 'm', expected n"));
}

TEST_F(CacheWarmTest, WithoutADirectoryThereIsNothingToWarm) {
  ::setenv("SWAGE_CACHE_DIR", "off", /*overwrite=*/1);
  const CommandResult outcome = Swage("cache warm " + module_ + " --dims n=3");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--dir"));
}

}  // namespace
}  // namespace swage::tools
