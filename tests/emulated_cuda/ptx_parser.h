// File: tests/emulated_cuda/ptx_parser.h
//
// PTX text -> PtxModule. Reads what LLVM's NVPTX backend prints and what people write by hand:
// variables, kernels, registers, labels, nested scopes, debug directives (skipped). What it does
// not know is a PtxError that names it; instructions are checked by the translator.
#ifndef SWAGE_TESTS_EMULATED_CUDA_PTX_PARSER_H_
#define SWAGE_TESTS_EMULATED_CUDA_PTX_PARSER_H_

#include <string_view>

#include "tests/emulated_cuda/ptx_module.h"

namespace swage::emulated_cuda {

// Throws PtxError.
PtxModule ParsePtx(std::string_view source);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTX_PARSER_H_
