// File: codegen/compile_log.h
//
// The line that SWAGE_LOG=info prints for a compile, whoever asked for it.
//
//   LogCompile("attend", executable->report(), "first key");
//   -> [compile] attend: first key; 24.81 ms (passes 1.03, plan 0.20, llvm 23.10, link 0.40),
//      3 kernels, 3 from llvm, 0 from the cache, 0 stored
#ifndef SWAGE_CODEGEN_COMPILE_LOG_H_
#define SWAGE_CODEGEN_COMPILE_LOG_H_

#include <string>
#include <string_view>

#include "codegen/executable.h"

namespace swage::codegen {

// Does nothing where such lines go nowhere. `reason`: why it was compiled, in words.
void LogCompile(const std::string& name, const CompileReport& report, std::string_view reason);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_COMPILE_LOG_H_
