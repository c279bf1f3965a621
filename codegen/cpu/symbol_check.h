// File: codegen/cpu/symbol_check.h
//
// What an emitted object may ask of the linker: nothing, but for the names that the caller allows.
// LLVM turns some operations into calls of libm, libgcc or memcpy; such a call found here is an
// error when the kernel is made, not a missing symbol on a user's machine.
#ifndef SWAGE_CODEGEN_CPU_SYMBOL_CHECK_H_
#define SWAGE_CODEGEN_CPU_SYMBOL_CHECK_H_

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::cpu {

// `elf` is an unsealed object. Internal, naming the symbol or section, when it needs a symbol that
// is not in `allowed`, holds thread-local or unwinding data, or is not an x86-64 relocatable
// object.
Status CheckObjectSymbols(std::string_view elf, std::span<const std::string> allowed = {});

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_SYMBOL_CHECK_H_
