#include "codegen/cpu/symbol_check.h"

#include <algorithm>

#include "codegen/cpu/llvm_errors.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

namespace swage::cpu {
namespace {

constexpr std::string_view kPhase = "kernel object";

Status CheckSections(const llvm::object::ELF64LEObjectFile& object) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) return FromLlvm(name.takeError(), kPhase);
    const uint64_t flags = llvm::object::ELFSectionRef(section).getFlags();
    if (*name == ".eh_frame" || (flags & llvm::ELF::SHF_TLS) != 0) {
      return Internal("[kernel object] section '", name->str(), "': kernels hold no ",
                      (flags & llvm::ELF::SHF_TLS) != 0 ? "thread-local" : "unwinding", " data");
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckObjectSymbols(std::string_view elf, std::span<const std::string> allowed) {
  const llvm::MemoryBufferRef bytes(llvm::StringRef(elf.data(), elf.size()), "kernel");
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createELFObjectFile(bytes);
  if (!file) return FromLlvm(file.takeError(), kPhase);
  const auto* object = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file->get());
  if (object == nullptr || object->getArch() != llvm::Triple::x86_64 ||
      !object->isRelocatableObject()) {
    return Internal("[kernel object] not an x86-64 relocatable object");
  }
  SWAGE_RETURN_IF_ERROR(CheckSections(*object));
  for (const llvm::object::ELFSymbolRef symbol : object->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) return FromLlvm(flags.takeError(), kPhase);
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) == 0) continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) return FromLlvm(name.takeError(), kPhase);
    // The first entry of every symbol table is an unnamed undefined one.
    if (name->empty() || std::find(allowed.begin(), allowed.end(), name->str()) != allowed.end()) {
      continue;
    }
    return Internal("[kernel object] undefined symbol '", name->str(),
                    "': an operation became a call to a library that kernels must not need");
  }
  return OkStatus();
}

}  // namespace swage::cpu
