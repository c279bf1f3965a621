// File: codegen/program/codegen_level.h
//
// How much LLVM's code generator tries.
#ifndef SWAGE_CODEGEN_PROGRAM_CODEGEN_LEVEL_H_
#define SWAGE_CODEGEN_PROGRAM_CODEGEN_LEVEL_H_

#include <cstdint>

namespace swage::codegen {

// kNone compiles 3 to 10 times faster, for a first tier or a cold kernel; the code means the same.
enum class CodegenLevel : uint8_t { kNone, kDefault };

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_CODEGEN_LEVEL_H_
