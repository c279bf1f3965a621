// Kernels through NVIDIA's assembler, where it is installed: hot ones of the corpus do not spill.
#include "tests/emulated_cuda/ptxas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/gpu/ptxas_batch.h"
#include "tests/codegen/gpu/ptxas_sweep.h"

namespace swage::gpu {
namespace {

using ::testing::HasSubstr;

// A kernel, with a variable that others have too.
std::string Module(const std::string& body) {
  return ".version 7.8\n.target sm_80\n.address_size 64\n"
         ".global .align 4 .b8 numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
         ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .u64 %p;\n.reg .f32 %x;\n"
         "ld.param.u64 %p, [k_param_0];\nld.global.f32 %x, [numbers+4];\n" +
         body + "\nst.global.f32 [%p], %x;\nret;\n}\n";
}

TEST(Ptxas, ABatchIsManyModulesOfEqualNames) {
  if (emulated_cuda::PtxasPath().empty()) GTEST_SKIP() << "skipped: no ptxas";
  const std::vector<std::string> texts = {Module(""), Module("frobnicate.f32 %x;"),
                                          Module("add.f32 %x, %x, %x;")};
  const std::vector<Assembled> results = AssembleAll(texts, "sm_80");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].error, "");
  EXPECT_THAT(results[1].error, HasSubstr("frobnicate"));
  EXPECT_EQ(results[2].error, "");
  EXPECT_GT(results[0].registers, 0);
  EXPECT_GT(results[2].registers, 0);
}

TEST(Ptxas, SpillsAreCounted) {
  if (emulated_cuda::PtxasPath().empty()) GTEST_SKIP() << "skipped: no ptxas";
  // More values at once than a block of 1024 threads leaves registers for.
  std::string body = ".reg .f32 %v<200>;\n";
  for (int i = 0; i < 200; ++i) {
    body +=
        "ld.volatile.global.f32 %v" + std::to_string(i) + ", [%p+" + std::to_string(4 * i) + "];\n";
  }
  for (int i = 199; i >= 0; --i) {
    body +=
        "fma.rn.f32 %x, %x, %v" + std::to_string(i) + ", %v" + std::to_string(i * 7 % 200) + ";\n";
  }
  std::string text = Module(body);
  text.insert(text.find("\n{"), "\n.maxntid 1024, 1, 1");
  const std::vector<Assembled> results = AssembleAll({text, Module("")}, "sm_90");
  EXPECT_EQ(results[0].error, "");
  EXPECT_GT(results[0].spilled_bytes, 0);
  EXPECT_LE(results[0].registers, 64);
  EXPECT_EQ(results[1].spilled_bytes, 0);
}

TEST(Ptxas, HotProgramsOfTheCorpusAssembleAndDoNotSpill) { ExpectAssembles(HotModules()); }

}  // namespace
}  // namespace swage::gpu
