// File: codegen/gpu/compile.h
//
// The whole compiler for one GPU of this machine.
//
//   SWAGE_ASSIGN_OR_RETURN(auto executable, gpu::Compile(std::move(module), 0, {}));
//   SWAGE_RETURN_IF_ERROR(executable->Run(inputs, outputs));       // addresses on the device
//
// Thread-safe: any number of compiles may run at once.
#ifndef SWAGE_CODEGEN_GPU_COMPILE_H_
#define SWAGE_CODEGEN_GPU_COMPILE_H_

#include <memory>
#include <vector>

#include "codegen/memory_space.h"
#include "codegen/program/compile.h"

namespace swage::gpu {

// codegen::Compile for cuda:`ordinal`. Unavailable without a driver or device, or when it is lost.
StatusOr<std::shared_ptr<codegen::Executable>> Compile(
    std::unique_ptr<ir::Module> module, int ordinal, const codegen::CompileOptions& options,
    std::vector<passes::Message>* messages = nullptr);

// InvalidArgument for a wrong value of an environment variable that is a GPU's.
Status CheckEnvironment();
// Whether there is such a device; Unavailable says why not.
Status CheckDevice(int ordinal);
// The memory of cuda:`ordinal`; errors as CheckDevice.
StatusOr<codegen::MemorySpace*> MemoryOf(int ordinal);
// Gives back device memory that is kept and not in use, of all devices that were opened.
void Trim();

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_COMPILE_H_
