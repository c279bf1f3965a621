// File: codegen/build_info.h
//
// What the code generator stands on, for `swage --version` and bug reports.
#ifndef SWAGE_CODEGEN_BUILD_INFO_H_
#define SWAGE_CODEGEN_BUILD_INFO_H_

#include <string>

namespace swage::codegen {

// The version of the LLVM that is linked in, such as "19.1.7".
std::string LlvmVersion();

// The version of the oneDNN that the process has loaded.
std::string OneDnnVersion();

// The features of this machine's CPU beyond x86-64-v3 that emitted kernels can use, separated by
// spaces; "x86-64-v3" first, or a note that the CPU lacks it.
std::string HostCpuFeatures();

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_BUILD_INFO_H_
