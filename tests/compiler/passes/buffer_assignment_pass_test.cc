#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/passes/buffer_assignment.h"
#include "compiler/passes/pipeline.h"
#include "tests/compiler/passes/pass_test.h"
#include "tests/temp_folder.h"

namespace swage::passes {
namespace {

constexpr char kHlo[] = R"(
HloModule attend
f {
  p = f32[8] parameter(0)
  ROOT n = f32[8] reverse(p), dimensions={0}
}
ENTRY main {
  a = f32[8] parameter(0)
  b = f32[8] reverse(a), dimensions={0}
  c = f32[8] call(b), to_apply=f
  ROOT d = f32[8] reverse(c), dimensions={0}
})";

TEST(BufferAssignmentPass, ChangesNothingAndReportsTheBytes) {
  ExpectUnchanged(kHlo, BufferAssignment());
  auto module = ParseForTest(kHlo);
  BufferAssignment pass;
  PassContext context;
  EXPECT_FALSE(pass.Run(*module, context).value());
  ASSERT_EQ(context.messages().size(), 2u);  // f and main
  EXPECT_THAT(context.messages()[1].text, testing::HasSubstr("main: 128 bytes"));
}

TEST(BufferAssignmentPass, DumpsATableForEachComputation) {
  const TempFolder folder;
  auto module = ParseForTest(kHlo);
  CompilerOptions options;
  options.dump_to = folder.path();
  {
    Pipeline pipeline("cpu");
    pipeline.AddPass<BufferAssignment>();
    PassContext context(options);
    EXPECT_FALSE(pipeline.Run(*module, context).value());
  }
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(file.path().filename().string());
    if (!names.back().ends_with("main-buffer-assignment.txt")) continue;
    std::stringstream text;
    text << std::ifstream(file.path()).rdbuf();
    EXPECT_THAT(text.str(), testing::HasSubstr("buffer assignment of main"));
  }
  EXPECT_THAT(names, testing::Contains(testing::EndsWith("attend.main-buffer-assignment.txt")));
  EXPECT_THAT(names, testing::Contains(testing::EndsWith("attend.f-buffer-assignment.txt")));
}

TEST(BufferAssignmentPass, AnOutputThatNeedsACopyIsAnError) {
  auto module = ParseForTest("HloModule m\nENTRY main {\n ROOT a = f32[4] parameter(0)\n}\n");
  BufferAssignment pass;
  PassContext context;
  EXPECT_EQ(pass.Run(*module, context).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace swage::passes
