// File: codegen/emit/light_passes.h
//
// The few IR passes that explicit-vector kernels profit from: SROA, EarlyCSE, InstCombine,
// SimplifyCFG. About 0.3 ms for a kernel of 30 operations.
#ifndef SWAGE_CODEGEN_EMIT_LIGHT_PASSES_H_
#define SWAGE_CODEGEN_EMIT_LIGHT_PASSES_H_

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace swage::emit {

void RunLightPasses(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace swage::emit

#endif  // SWAGE_CODEGEN_EMIT_LIGHT_PASSES_H_
