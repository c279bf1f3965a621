#include "compiler/passes/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Named : public Pass {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  StatusOr<bool> Run(ir::Module&, PassContext&) override { return false; }

 private:
  std::string name_;
};

class FilterTest : public ::testing::Test {
 protected:
  FilterTest() : pipeline_("cpu") {
    pipeline_.AddPass<Named>("inline");
    Pipeline& inner = pipeline_.AddFixedPoint("simplification");
    inner.AddPass<Named>("cse");
    inner.AddPass<Named>("dce");
    pipeline_.AddPass<Named>("dce");
    places_ = PlacesOf(pipeline_);
  }

  StatusOr<PassFilter> Parse(std::vector<std::string> entries, bool allow_regex = false) {
    return PassFilter::Parse("disable_passes", entries, places_, allow_regex);
  }
  std::string ErrorOf(std::vector<std::string> entries, bool allow_regex = false) {
    const StatusOr<PassFilter> filter = Parse(std::move(entries), allow_regex);
    if (filter.ok()) return "";
    EXPECT_EQ(filter.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(filter.status().message());
  }

  Pipeline pipeline_;
  std::vector<PassPlace> places_;
};

TEST_F(FilterTest, MatchesByName) {
  const StatusOr<PassFilter> filter = Parse({"dce"});
  ASSERT_TRUE(filter.ok()) << filter.status();
  RunCounter counter;
  const std::vector<std::string_view> inner = {"cpu", "simplification"};
  const std::vector<std::string_view> outer = {"cpu"};
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), ElementsAre(0));
  EXPECT_THAT(filter->Matches(counter.Next(inner, "cse")), IsEmpty());
  EXPECT_THAT(filter->Matches(counter.Next(outer, "dce")), ElementsAre(0));
}

TEST_F(FilterTest, MatchesInsideAPipeline) {
  const StatusOr<PassFilter> filter = Parse({"simplification/dce"});
  ASSERT_TRUE(filter.ok()) << filter.status();
  RunCounter counter;
  const std::vector<std::string_view> inner = {"cpu", "simplification"};
  const std::vector<std::string_view> outer = {"cpu"};
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), ElementsAre(0));
  EXPECT_THAT(filter->Matches(counter.Next(outer, "dce")), IsEmpty());
}

TEST_F(FilterTest, TakesThePathThatStatisticsPrint) {
  EXPECT_EQ(ErrorOf({"cpu/simplification/dce"}), "");
}

TEST_F(FilterTest, MatchesTheKthRun) {
  const StatusOr<PassFilter> filter = Parse({"dce:1", "simplification/dce:1"});
  ASSERT_TRUE(filter.ok()) << filter.status();
  RunCounter counter;
  const std::vector<std::string_view> inner = {"cpu", "simplification"};
  const std::vector<std::string_view> outer = {"cpu"};
  EXPECT_THAT(filter->Matches(counter.Next(outer, "dce")), IsEmpty());
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), ElementsAre(0));
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), ElementsAre(1));
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), IsEmpty());
  EXPECT_EQ(counter.Count("", "dce"), 4);
  EXPECT_EQ(counter.Count("simplification", "dce"), 3);
}

TEST_F(FilterTest, MatchesAPipelineByItsName) {
  const StatusOr<PassFilter> filter = Parse({"simplification"});
  ASSERT_TRUE(filter.ok()) << filter.status();
  RunCounter counter;
  EXPECT_THAT(filter->Matches(counter.Next({"cpu"}, "simplification")), ElementsAre(0));
}

TEST_F(FilterTest, AnUnknownNameIsAnErrorWithTheNearest) {
  EXPECT_THAT(ErrorOf({"cse2"}), HasSubstr("'cse2' names no pass of pipeline 'cpu'; did you mean "
                                           "'cse'?"));
  EXPECT_THAT(ErrorOf({"simplification/inline"}),
              HasSubstr("'simplification/inline' names no pass"));
  EXPECT_THAT(ErrorOf({"simplificaton/cse"}), HasSubstr("did you mean 'simplification/cse'"));
}

TEST_F(FilterTest, MalformedEntriesAreErrors) {
  EXPECT_THAT(ErrorOf({""}), HasSubstr("an entry is empty"));
  EXPECT_THAT(ErrorOf({"cse:"}), HasSubstr("'cse:' has no run number"));
  EXPECT_THAT(ErrorOf({"cse:x"}), HasSubstr("has no run number"));
  EXPECT_THAT(ErrorOf({"cse:-1"}), HasSubstr("has no run number"));
  EXPECT_THAT(ErrorOf({"c.*"}), HasSubstr("is no pass name"));
}

TEST_F(FilterTest, DumpsTakeARegexOverThePath) {
  const StatusOr<PassFilter> filter = Parse({"simpl.*/c"}, true);
  ASSERT_TRUE(filter.ok()) << filter.status();
  RunCounter counter;
  const std::vector<std::string_view> inner = {"cpu", "simplification"};
  EXPECT_THAT(filter->Matches(counter.Next(inner, "cse")), ElementsAre(0));
  EXPECT_THAT(filter->Matches(counter.Next(inner, "dce")), IsEmpty());
  EXPECT_THAT(ErrorOf({"layout.*"}, true), HasSubstr("the regex 'layout.*' matches no pass"));
  EXPECT_THAT(ErrorOf({"(c"}, true), HasSubstr("'(c' is not a regular expression"));
}

}  // namespace
}  // namespace swage::passes
