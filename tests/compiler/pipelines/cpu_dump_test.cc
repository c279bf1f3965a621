// The dumps of one well-known program show what the compiler does to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/verifier.h"
#include "compiler/passes/dump.h"
#include "compiler/pipelines/cpu.h"
#include "tests/temp_folder.h"

namespace swage::pipelines {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class CpuDumpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto module = ir::ParseHloFile("tests/corpus/program/attend_64/module.hlo");
    ASSERT_TRUE(module.ok()) << module.status().message();
    CompilerOptions options;
    options.dump_to = directory_;
    const cost::DeviceDescription device = cost::TestCpu();
    passes::PassContext context(options, &device);
    const Status status = RunCpuPipeline(module->get(), context);
    ASSERT_TRUE(status.ok()) << status.message();
    context.CloseDump();
    for (const passes::Message& message : context.messages()) {
      EXPECT_NE(message.severity, passes::Severity::kWarning) << message.text;
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      const std::string name = entry.path().filename();
      if (name.find(".before_") != std::string::npos) texts_.push_back(name);
    }
    std::sort(texts_.begin(), texts_.end());
  }

  std::string Read(const std::string& name) const {
    const StatusOr<std::string> text = ReadFile(directory_ + "/" + name);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  // The number of the first dump whose name holds `part`.
  size_t Find(std::string_view part) const {
    const auto found = std::find_if(texts_.begin(), texts_.end(), [&](const std::string& name) {
      return name.find(part) != std::string::npos;
    });
    EXPECT_NE(found, texts_.end()) << part;
    return found - texts_.begin();
  }

  const TempFolder folder_;
  const std::string directory_ = folder_.path();
  std::vector<std::string> texts_;
};

TEST_F(CpuDumpTest, BeginAndEndWithThePipeline) {
  ASSERT_GE(texts_.size(), 4u);
  EXPECT_THAT(texts_.front(),
              HasSubstr("module_0000.jit_attend.0000.cpu.after_pipeline-start.before_"));
  EXPECT_THAT(texts_.back(), EndsWith(".before_pipeline-end.txt"));
  EXPECT_LT(Find("simplification.after_"), Find("after_layout-assignment"));
}

TEST_F(CpuDumpTest, LayoutsComeWithLayoutAssignmentAndNotBefore) {
  const size_t layouts = Find("after_layout-assignment");
  for (size_t i = 0; i < texts_.size(); ++i) {
    const auto module = passes::LoadDump(directory_ + "/" + texts_[i]);
    ASSERT_TRUE(module.ok()) << module.status().message();
    ir::VerifierOptions options;
    options.layouts = i < layouts ? ir::LayoutPhase::kBefore : ir::LayoutPhase::kAfter;
    const Status status = ir::Verify(**module, options);
    EXPECT_TRUE(status.ok()) << texts_[i] << ": " << status.message();
  }
}

TEST_F(CpuDumpTest, FusionsHaveOneRoot) {
  const std::string text = Read(texts_.back());
  const size_t begin = text.find("%fused_computation");
  ASSERT_NE(begin, std::string::npos);
  const std::string body = text.substr(begin, text.find("\n}", begin) - begin);
  const size_t root = body.find("ROOT ");
  ASSERT_NE(root, std::string::npos);
  EXPECT_EQ(body.find("ROOT ", root + 1), std::string::npos);
}

}  // namespace
}  // namespace swage::pipelines
