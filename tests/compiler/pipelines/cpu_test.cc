#include "compiler/pipelines/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/registry.h"
#include "tests/hlo_files.h"

namespace swage::pipelines {
namespace {

using passes::AllPasses;
using passes::PassContext;

const cost::DeviceDescription kDevice = cost::TestCpu();

TEST(CpuPipeline, HoldsOnlyRegisteredPasses) {
  const std::unique_ptr<passes::Pipeline> pipeline = CpuPipeline({});
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    if (place.pass->IsPipeline()) continue;
    const bool known = std::any_of(AllPasses().begin(), AllPasses().end(),
                                   [&](const passes::PassInfo& i) { return i.name == place.name; });
    EXPECT_TRUE(known) << place.name << " is in no row of compiler/passes/registry.cc";
  }
}

// Every pass is honest about what it changes and keeps what the module computes.
TEST(CpuPipeline, KeepsTheMeaningOfTheCorpus) {
  CompilerOptions options;
  options.check_lies = options.check_passes = true;
  std::map<std::string, int> changes;
  for (const std::string& path : HloFilesUnder({"corpus", "corpus_sizes"})) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    PassContext context(options, &kDevice);
    const Status status = RunCpuPipeline(module->get(), context);
    EXPECT_TRUE(status.ok()) << path << ": " << status.message();
    for (const passes::PassRun& run : context.runs()) changes[run.name] += run.changed;
  }
  for (const auto& [name, count] : changes) RecordProperty(name, count);
}

TEST(CpuPipeline, IsHonestAboutLargeModules) {
  CompilerOptions options;
  options.check_lies = true;
  for (const std::string& path : HloFilesUnder({"hlo_text", "models"})) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    PassContext context(options, &kDevice);
    const Status status = RunCpuPipeline(module->get(), context);
    EXPECT_TRUE(status.ok()) << path << ": " << status.message();
  }
}

// Later passes add what optimization would take away again (copies), so it is run alone.
TEST(CpuPipeline, SecondRunOfOptimizationChangesNothing) {
  for (const std::string& path : HloFilesUnder({"corpus"})) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    ir::DropLayouts(module->get());
    const std::unique_ptr<passes::Pipeline> cpu = CpuPipeline({});
    for (const std::unique_ptr<passes::Pass>& pass : cpu->passes()) {
      PassContext first({}, &kDevice);
      ASSERT_TRUE(pass->Run(**module, first).ok()) << path;
      if (pass->name() != "optimization") continue;
      PassContext second({}, &kDevice);
      ASSERT_TRUE(pass->Run(**module, second).ok()) << path;
      for (const passes::PassRun& run : second.runs()) {
        EXPECT_FALSE(run.changed) << path << ": " << run.path << "/" << run.name;
      }
      break;
    }
  }
}

TEST(CpuPipeline, AnUnknownPassIsTheUsersFault) {
  StatusOr<std::unique_ptr<ir::Module>> module =
      ir::ParseHlo("HloModule m\nENTRY main {\n  ROOT x = f32[4] parameter(0)\n}");
  ASSERT_TRUE(module.ok());
  CompilerOptions options;
  options.disable_passes = {"tuple-simplifer"};
  PassContext context(options, &kDevice);
  const Status status = RunCpuPipeline(module->get(), context);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("did you mean 'tuple-simplifier'"));
}

}  // namespace
}  // namespace swage::pipelines
