#include "compiler/passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/compiler/passes/pass_test.h"

namespace swage::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Body = std::function<StatusOr<bool>(ir::Module&)>;

class Fake : public Pass {
 public:
  Fake(std::string name, Body body) : name_(std::move(name)), body_(std::move(body)) {}
  std::string_view name() const override { return name_; }
  StatusOr<bool> Run(ir::Module& module, PassContext&) override { return body_(module); }

 private:
  std::string name_;
  Body body_;
};

class Required : public Fake {
 public:
  using Fake::Fake;
  bool IsRequired() const override { return true; }
};

StatusOr<bool> Nothing(ir::Module&) { return false; }

// Wraps the root in another negate.
StatusOr<bool> Negate(ir::Module& module) {
  ir::Computation* entry = module.entry();
  entry->set_root(entry->Add(ir::Opcode::kNegate, entry->root()->shape(), {entry->root()}));
  return true;
}

// Negates while there are fewer than `n` instructions.
Body NegateUpTo(int64_t n) {
  return [n](ir::Module& module) -> StatusOr<bool> {
    if (module.instruction_count() >= n) return false;
    return Negate(module);
  };
}

class PipelineTest : public ::testing::Test {
 protected:
  PipelineTest() : module_(ChainForTest(0)) {}

  std::string ErrorOf(Pipeline& pipeline, CompilerOptions options = {}) {
    PassContext context(std::move(options));
    const StatusOr<bool> changed = pipeline.Run(*module_, context);
    return changed.ok() ? "" : std::string(changed.status().message());
  }

  std::vector<std::string> WarningsOf(Pipeline& pipeline, CompilerOptions options) {
    PassContext context(std::move(options));
    const StatusOr<bool> changed = pipeline.Run(*module_, context);
    EXPECT_TRUE(changed.ok()) << changed.status();
    std::vector<std::string> warnings;
    for (const Message& message : context.messages()) warnings.push_back(message.text);
    return warnings;
  }

  std::unique_ptr<ir::Module> module_;
};

TEST_F(PipelineTest, RunsPassesInOrderAndRecordsThem) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Fake>("first", Negate);
  Pipeline& inner = pipeline.AddPipeline("inner");
  inner.AddPass<Fake>("second", Nothing);
  inner.AddPass<Fake>("first", Nothing);
  PassContext context;
  const StatusOr<bool> changed = pipeline.Run(*module_, context);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  std::vector<std::string> runs;
  for (const PassRun& run : context.runs()) {
    runs.push_back(absl::StrCat(run.step, " ", run.path, "/", run.name, ":", run.run,
                                run.changed ? " changed" : ""));
  }
  EXPECT_THAT(runs,
              ElementsAre("0 cpu/first:0 changed", "1 cpu/inner/second:0", "2 cpu/inner/first:1"));
}

TEST_F(PipelineTest, AnErrorNamesThePass) {
  Pipeline pipeline("cpu");
  pipeline.AddPipeline("inner").AddPass<Fake>(
      "bad", [](ir::Module&) -> StatusOr<bool> { return Unimplemented("[bad] not today"); });
  EXPECT_EQ(ErrorOf(pipeline), "[passes] in cpu/inner/bad: [bad] not today");
}

TEST_F(PipelineTest, CheckersRunFirstAndAfterEveryChange) {
  int checks = 0;
  Pipeline pipeline("cpu");
  pipeline.AddChecker<Fake>("counter", [&](ir::Module&) -> StatusOr<bool> {
    ++checks;
    return false;
  });
  pipeline.AddPass<Fake>("quiet", Nothing);
  pipeline.AddPass<Fake>("loud", Negate);
  pipeline.AddPipeline("inner").AddPass<Fake>("loud", Negate);
  EXPECT_EQ(ErrorOf(pipeline), "");
  EXPECT_EQ(checks, 3);
}

TEST_F(PipelineTest, ACheckersErrorNamesThePassBeforeIt) {
  Pipeline pipeline("cpu");
  pipeline.AddChecker<Fake>("few", [](ir::Module& module) -> StatusOr<bool> {
    if (module.instruction_count() > 1) return InvalidArgument("too many instructions");
    return false;
  });
  pipeline.AddPipeline("inner").AddPass<Fake>("grow", Negate);
  EXPECT_EQ(ErrorOf(pipeline), "[passes] after cpu/inner/grow: too many instructions");
  // Now the module that comes in is at fault.
  PassContext context;
  const Status status = pipeline.Run(*module_, context).status();
  EXPECT_EQ(status.message(), "[passes] before cpu: too many instructions");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PipelineTest, ACheckerThatChangesTheModuleIsAnError) {
  Pipeline honest("cpu");
  honest.AddChecker<Fake>("meddler", Negate);
  EXPECT_THAT(ErrorOf(honest), HasSubstr("the checker 'meddler' changed the module"));

  Pipeline sly("cpu");
  sly.AddChecker<Fake>("meddler", [](ir::Module& module) -> StatusOr<bool> {
    if (module.instruction_count() > 2) (void)Negate(module);
    return false;
  });
  sly.AddPass<Fake>("grow", Negate);
  sly.AddPass<Fake>("grow", Negate);
  CompilerOptions options;
  options.check_lies = true;
  EXPECT_THAT(ErrorOf(sly, options),
              HasSubstr("after cpu/grow: the checker 'meddler' changed the module"));
}

TEST_F(PipelineTest, APassThatLiesIsAnError) {
  CompilerOptions options;
  options.check_lies = true;
  Pipeline secretive("cpu");
  secretive.AddPass<Fake>("secretive", [](ir::Module& module) -> StatusOr<bool> {
    (void)Negate(module);
    return false;
  });
  EXPECT_EQ(ErrorOf(secretive, options),
            "[passes] cpu/secretive says that it left the module unchanged, but it differs");
  Pipeline boastful("cpu");
  boastful.AddPass<Fake>("boastful", [](ir::Module&) -> StatusOr<bool> { return true; });
  EXPECT_EQ(ErrorOf(boastful, options),
            "[passes] cpu/boastful says that it left the module changed, but it is the same");
}

TEST_F(PipelineTest, EvaluationNamesThePassThatChangesValues) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Fake>("twice", [](ir::Module& module) -> StatusOr<bool> {
    (void)Negate(module);
    return Negate(module);
  });
  pipeline.AddPass<Fake>("once", Negate);
  CompilerOptions options;
  options.check_lies = options.check_passes = true;
  EXPECT_THAT(ErrorOf(pipeline, options),
              HasSubstr("cpu/once changed what module 'chain' computes: result[0] is "));
}

TEST_F(PipelineTest, AFixedPointStopsWhenEveryPassHasSeenTheLastChange) {
  int quiet_runs = 0;
  FixedPoint pipeline("fix");
  pipeline.AddPass<Fake>("grow", NegateUpTo(4));
  pipeline.AddPass<Fake>("quiet", [&](ir::Module&) -> StatusOr<bool> {
    ++quiet_runs;
    return false;
  });
  PassContext context;
  const StatusOr<bool> changed = pipeline.Run(*module_, context);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(module_->instruction_count(), 4);
  EXPECT_EQ(quiet_runs, 3);  // not again after the round in which nothing grew
  EXPECT_EQ(*pipeline.Run(*module_, context), false);
}

TEST_F(PipelineTest, AFixedPointThatNeverRestsNamesItsPasses) {
  Pipeline pipeline("cpu");
  FixedPoint& fix = pipeline.AddFixedPoint("fix", 5);
  fix.AddPass<Fake>("grow", Negate);
  fix.AddPass<Fake>("quiet", Nothing);
  fix.AddPass<Fake>("swell", Negate);
  EXPECT_THAT(ErrorOf(pipeline), HasSubstr("cpu/fix still changes the module after 5 rounds, "
                                           "expected rest; in the last round it was changed by "
                                           "grow, swell"));
}

TEST_F(PipelineTest, AnEmptyFixedPointRests) {
  FixedPoint pipeline("fix");
  EXPECT_EQ(ErrorOf(pipeline), "");
}

TEST_F(PipelineTest, DisabledPassesAreSkipped) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Fake>("grow", Negate);
  pipeline.AddPipeline("inner").AddPass<Fake>("grow", Negate);
  CompilerOptions options;
  options.disable_passes = {"inner/grow"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), 2);
  options.disable_passes = {"inner"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), 3);
  options.disable_passes = {"grow:0"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), 4);
}

TEST_F(PipelineTest, OnlyTheNamedPassesRun) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Fake>("grow", Negate);
  pipeline.AddPass<Required>("needed", Negate);
  Pipeline& inner = pipeline.AddPipeline("inner");
  inner.AddPass<Fake>("grow", Negate);
  inner.AddPass<Fake>("swell", Negate);
  CompilerOptions options;
  options.only_passes = {"swell"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), 3);  // x, needed, swell
  options.only_passes = {"inner"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), 6);
}

TEST_F(PipelineTest, ADisabledPipelineKeepsWhatIsRequired) {
  Pipeline pipeline("cpu");
  Pipeline& outer = pipeline.AddPipeline("outer");
  outer.AddPass<Fake>("grow", Negate);
  Pipeline& inner = outer.AddPipeline("inner");
  inner.AddPass<Fake>("swell", Negate);
  inner.AddPass<Required>("needed", Negate);
  CompilerOptions options;
  for (const char* name : {"outer", "cpu"}) {
    const int64_t before = module_->instruction_count();
    options.disable_passes = {name};
    EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
    EXPECT_EQ(module_->instruction_count(), before + 1) << name;
  }
  const int64_t before = module_->instruction_count();
  options.disable_passes = {"inner"};
  EXPECT_THAT(WarningsOf(pipeline, options), IsEmpty());
  EXPECT_EQ(module_->instruction_count(), before + 2);
}

TEST_F(PipelineTest, AFilterWithoutEffectIsReported) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Fake>("quiet", Nothing);
  pipeline.AddPass<Fake>("grow", Negate);
  CompilerOptions options;
  options.disable_passes = {"quiet", "grow:3", "grow"};
  EXPECT_THAT(WarningsOf(pipeline, options),
              ElementsAre("[passes] disable_passes: 'quiet' had no effect on module 'chain': quiet "
                          "would have changed nothing",
                          "[passes] disable_passes: 'grow:3' had no effect on module 'chain': grow "
                          "ran only 1x"));
  EXPECT_EQ(module_->instruction_count(), 1);
  options.disable_passes.clear();
  options.only_passes = {"quiet"};
  EXPECT_THAT(WarningsOf(pipeline, options),
              ElementsAre("[passes] only_passes: 'quiet' had no effect on module 'chain': quiet "
                          "changed nothing"));
}

TEST_F(PipelineTest, BadFiltersAreErrors) {
  Pipeline pipeline("cpu");
  pipeline.AddPass<Required>("needed", Nothing);
  pipeline.AddPass<Fake>("quiet", Nothing);
  CompilerOptions options;
  options.disable_passes = {"quite"};
  EXPECT_THAT(ErrorOf(pipeline, options), HasSubstr("did you mean 'quiet'"));
  options.disable_passes = {"needed"};
  EXPECT_THAT(ErrorOf(pipeline, options), HasSubstr("'needed' cannot be disabled"));
  options.disable_passes = {"quiet"};
  options.only_passes = {"quiet"};
  EXPECT_THAT(ErrorOf(pipeline, options), HasSubstr("are both given"));
}

}  // namespace
}  // namespace swage::passes
