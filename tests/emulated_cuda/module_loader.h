// File: tests/emulated_cuda/module_loader.h
//
// PTX text -> kernels that can run: parses, lays out variables, translates, compiles with ORC.
//
//   std::unique_ptr<LoadedModule> module = LoadModule(ptx, 80, memory);   // throws PtxError
//   const Kernel* kernel = module->Find("add");
#ifndef SWAGE_TESTS_EMULATED_CUDA_MODULE_LOADER_H_
#define SWAGE_TESTS_EMULATED_CUDA_MODULE_LOADER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/emulated_cuda/device_memory.h"
#include "tests/emulated_cuda/kernel.h"

namespace swage::emulated_cuda {

class LoadedModule {
 public:
  virtual ~LoadedModule() = default;
  // Null if there is no such kernel.
  const Kernel* Find(const std::string& name) const {
    const auto found = kernels.find(name);
    return found == kernels.end() ? nullptr : &found->second;
  }

  std::map<std::string, Kernel> kernels;
  std::vector<uint64_t> globals;  // addresses of its variables in device memory
};

// For a device of the compute capability `capability` (80: 8.0). Module variables live in `memory`
// until the module is destroyed.
std::unique_ptr<LoadedModule> LoadModule(std::string_view ptx, int capability,
                                         DeviceMemory& memory);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_MODULE_LOADER_H_
