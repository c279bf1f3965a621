// File: codegen/cpu/llvm_errors.h
//
// llvm::Error and llvm::Expected as Status.
#ifndef SWAGE_CODEGEN_CPU_LLVM_ERRORS_H_
#define SWAGE_CODEGEN_CPU_LLVM_ERRORS_H_

#include <string_view>

#include "base/status.h"
#include "llvm/Support/Error.h"

namespace swage::cpu {

// Ok for success, else Internal: "[phase] text of the error".
inline Status FromLlvm(llvm::Error error, std::string_view phase) {
  if (!error) return OkStatus();
  return Internal("[", ToAbsl(phase), "] ", llvm::toString(std::move(error)));
}

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_LLVM_ERRORS_H_
