// Every program of the corpus compiles for a card that is not there, but for ops without kernels.
#include <gtest/gtest.h>

#include <string>

#include "base/files.h"
#include "tests/codegen/gpu/gpu_modules.h"
#include "tests/codegen/gpu/ptxas_sweep.h"

namespace swage::gpu {
namespace {

TEST(GpuCorpus, CompilesForBothArchitectures) {
  int compiled = 0;
  for (const std::string& path : CorpusModules()) {
    const StatusOr<std::string> text = ReadFile(path);
    ASSERT_TRUE(text.ok()) << path;
    for (const char* card : {"a100", "h200"}) {
      const StatusOr<Compiled> result = CompileText(*text, card);
      compiled += result.ok();
      EXPECT_TRUE(result.ok() || result.status().code() == absl::StatusCode::kUnimplemented)
          << path << " for " << card << ": " << result.status().message();
    }
  }
  EXPECT_GE(compiled, 600);
}

}  // namespace
}  // namespace swage::gpu
