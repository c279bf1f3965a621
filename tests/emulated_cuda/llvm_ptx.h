// File: tests/emulated_cuda/llvm_ptx.h
//
// LLVM IR text through LLVM: as PTX for a card, or as code for this machine.
#ifndef SWAGE_TESTS_EMULATED_CUDA_LLVM_PTX_H_
#define SWAGE_TESTS_EMULATED_CUDA_LLVM_PTX_H_

#include <memory>
#include <string>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace swage::emulated_cuda {

// PTX for "sm_80" or "sm_90"; fails the test on IR that does not parse.
std::string PtxOf(const std::string& ir, const std::string& target);

// The functions of `ir`, compiled for this machine; null (and a failed test) if that fails.
std::unique_ptr<llvm::orc::LLJIT> HostCodeOf(const std::string& ir);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_LLVM_PTX_H_
