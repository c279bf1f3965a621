// File: tests/codegen/gpu/ptxas_sweep.h
//
// Programs of the corpus to PTX for sm_80 and sm_90, each distinct text through NVIDIA's assembler:
// sm_80's for sm_80, sm_90's for sm_90 and sm_100.
#ifndef SWAGE_TESTS_CODEGEN_GPU_PTXAS_SWEEP_H_
#define SWAGE_TESTS_CODEGEN_GPU_PTXAS_SWEEP_H_

#include <string>
#include <vector>

namespace swage::gpu {

// Paths of corpus programs, as tests/corpus/program/mlp/module.hlo, sorted.
std::vector<std::string> CorpusModules();
// Those whose kernels must not spill: softmax, normalisation, attention, reductions, elementwise
// chains, matrix products.
std::vector<std::string> HotModules();

// Fails where the assembler refuses a module, or spills in one of a hot program; prints registers,
// spills and stack of every kernel. Skips without the assembler. Programs that have no kernels yet
// are left out.
void ExpectAssembles(const std::vector<std::string>& paths);

}  // namespace swage::gpu

#endif  // SWAGE_TESTS_CODEGEN_GPU_PTXAS_SWEEP_H_
