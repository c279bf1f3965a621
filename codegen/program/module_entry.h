// File: codegen/program/module_entry.h
//
// A compiled module as bytes for a cache: the HLO text behind the passes, scheduled; the bits of
// its constants; and for each fusion the key of its kernel with the numbers of this shape. To make
// a program of it again takes buffer assignment, and the kernels themselves.
//
//   std::string bytes = EncodeModuleEntry(*module, kernels);
//   SWAGE_ASSIGN_OR_RETURN(ModuleEntry entry, DecodeModuleEntry(bytes));
#ifndef SWAGE_CODEGEN_PROGRAM_MODULE_ENTRY_H_
#define SWAGE_CODEGEN_PROGRAM_MODULE_ENTRY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "codegen/program/program_builder.h"
#include "compiler/ir/module.h"

namespace swage::codegen {

struct ModuleEntry {
  std::unique_ptr<ir::Module> module;
  // One per fusion, in the order of Fusions(); without kernels.
  std::vector<KernelJob> jobs;
};

// The fusions of all computations that run, by name: text keeps names, not the order of everything.
std::vector<ir::Instruction*> Fusions(const ir::Module& module);

// `kernels` has every fusion of the module, which has been through all passes.
std::string EncodeModuleEntry(const ir::Module& module, const KernelMap& kernels);

// What EncodeModuleEntry wrote. Any bytes are safe: InvalidArgument or DataLoss, and nothing is
// allocated that the bytes do not pay for. The module verifies, and each job fits its fusion in
// number of operands; that its numbers are right is the writer's word.
StatusOr<ModuleEntry> DecodeModuleEntry(std::string_view bytes);

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_MODULE_ENTRY_H_
