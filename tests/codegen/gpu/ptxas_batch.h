// File: tests/codegen/gpu/ptxas_batch.h
//
// Many PTX modules through NVIDIA's assembler, where it is installed (PtxasPath of
// tests/emulated_cuda/ptxas.h), a batch per process.
//
//   std::vector<Assembled> all = AssembleAll(texts, "sm_90");
//   EXPECT_EQ(all[0].error, "");
#ifndef SWAGE_TESTS_CODEGEN_GPU_PTXAS_BATCH_H_
#define SWAGE_TESTS_CODEGEN_GPU_PTXAS_BATCH_H_

#include <string>
#include <vector>

namespace swage::gpu {

// What the assembler made of a module of one kernel.
struct Assembled {
  int registers = 0;
  int spilled_bytes = 0;  // stores and loads
  int stack_bytes = 0;
  std::string error;  // what it says if it refuses the module
};

// One for each text, in their order.
std::vector<Assembled> AssembleAll(const std::vector<std::string>& ptx, const std::string& arch);

}  // namespace swage::gpu

#endif  // SWAGE_TESTS_CODEGEN_GPU_PTXAS_BATCH_H_
