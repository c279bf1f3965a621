// No pass is there for nothing: each changes some module of the corpus, or one of modules/, which
// hold what the corpus lacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/filter.h"
#include "compiler/passes/registry.h"
#include "compiler/pipelines/cpu.h"
#include "compiler/pipelines/gpu.h"
#include "tests/hlo_files.h"

namespace swage::pipelines {
namespace {

using Run = Status (*)(ir::Module* module, passes::PassContext& context);

void AddChanges(const std::vector<std::string>& folders, const CompilerOptions& options,
                const cost::DeviceDescription& device, Run run,
                std::map<std::string, int>* changes) {
  for (const std::string& path : HloFilesUnder(folders)) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    passes::PassContext context(options, &device);
    const Status status = run(module->get(), context);
    ASSERT_TRUE(status.ok()) << path << ": " << status.message();
    for (const passes::PassRun& pass : context.runs()) (*changes)[pass.name] += pass.changed;
  }
}

// The passes of a pipeline that changed nothing, anywhere in it.
std::vector<std::string> Idle(const cost::DeviceDescription& device, Run run,
                              const passes::Pipeline& pipeline) {
  std::map<std::string, int> changes;
  AddChanges({"corpus", "compiler/pipelines/modules"}, {}, device, run, &changes);
  CompilerOptions padded;
  padded.padding = passes::Padding::kForced;
  AddChanges({"compiler/pipelines/modules"}, padded, device, run, &changes);
  std::set<std::string> idle;
  for (const passes::PassPlace& place : passes::PlacesOf(pipeline)) {
    const std::string name(place.name);
    // It proves something, and changes nothing by contract.
    if (place.pass->IsPipeline() || name == "buffer-assignment") continue;
    if (changes[name] == 0) idle.insert(name);
  }
  return {idle.begin(), idle.end()};
}

TEST(EveryPass, OfTheCpuChangesSomeModule) {
  const cost::DeviceDescription device = cost::TestCpu();
  EXPECT_THAT(Idle(device, RunCpuPipeline, *CpuPipeline({})), testing::IsEmpty());
}

TEST(EveryPass, OfTheGpuChangesSomeModule) {
  const cost::DeviceDescription device = *cost::GpuNamed("h100");
  EXPECT_THAT(Idle(device, RunGpuPipeline, *GpuPipeline({})), testing::IsEmpty());
}

TEST(EveryPass, IsInAPipeline) {
  std::set<std::string> placed;
  for (const auto& pipeline : {CpuPipeline({}), GpuPipeline({})}) {
    for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
      placed.insert(std::string(place.name));
    }
  }
  for (const passes::PassInfo& info : passes::AllPasses()) {
    EXPECT_TRUE(placed.contains(std::string(info.name))) << info.name;
  }
  EXPECT_GE(passes::AllPasses().size(), 40);
}

}  // namespace
}  // namespace swage::pipelines
