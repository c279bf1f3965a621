// File: codegen/cpu/object_file.h
//
// The bytes of an emitted kernel: an ELF relocatable object with a seal behind it.
//
// LLVM's linker trusts the offsets inside an object; a flipped bit could make it read or write
// anywhere. So an object is sealed where it is made (length and XXH3-128 of what comes before) and
// linked only if the seal is whole. ELF readers ignore what follows the object, so a sealed file
// still opens in objdump.
#ifndef SWAGE_CODEGEN_CPU_OBJECT_FILE_H_
#define SWAGE_CODEGEN_CPU_OBJECT_FILE_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::cpu {

// `elf` with its seal.
std::string SealObject(std::string_view elf);

// The ELF part of `object`, which it points into; DataLoss when it is truncated, changed, or was
// never sealed.
StatusOr<std::string_view> UnsealObject(std::string_view object);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_OBJECT_FILE_H_
