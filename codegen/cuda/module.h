// File: codegen/cuda/module.h
//
// Code on a device: PTX that the driver compiles, or a cubin that it made before; its kernels, and
// launches of them. A ContextScope of the device must be open in the thread.
//
//   SWAGE_ASSIGN_OR_RETURN(Cubin cubin, LinkPtx(device, ptx));           // for the disk
//   SWAGE_ASSIGN_OR_RETURN(Module module, Module::LoadCubin(device, cubin));
//   SWAGE_ASSIGN_OR_RETURN(const Function add, module.Find("add"));
//   SWAGE_RETURN_IF_ERROR(add.Launch(stream, {.grid = {n / 256}, .block = {256}}, parameters));
#ifndef SWAGE_CODEGEN_CUDA_MODULE_H_
#define SWAGE_CODEGEN_CUDA_MODULE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/cuda/device.h"
#include "codegen/cuda/stream.h"

namespace swage::cuda {

struct Cubin {
  std::string code;
  std::string log;  // what the driver's compiler said
};
// InvalidArgument has the driver's log: the line of the PTX, and why.
StatusOr<Cubin> LinkPtx(Device& device, std::string_view ptx);

struct Size3 {
  unsigned x = 1, y = 1, z = 1;
};
struct LaunchShape {
  Size3 grid = {}, block = {};
  unsigned shared_bytes = 0;  // beside what the kernel declares
};

// A kernel of a module that is loaded; of no use after that.
class Function {
 public:
  // What the driver's compiler made of it.
  struct Resources {
    int registers = 0;     // of a thread
    int local_bytes = 0;   // likewise: its arrays, and what was spilled
    int shared_bytes = 0;  // of a block
    int max_threads = 0;   // of a block
  };
  StatusOr<Resources> ReadResources() const;
  // Lets launches ask for so much shared memory, beyond the 48 KiB that all may have.
  Status AllowSharedBytes(int bytes) const;

  // parameters[i] points to the value of the i-th parameter; read before this returns. Takes no
  // lock and allocates nothing. A grid without blocks is no launch.
  Status Launch(const Stream& stream, const LaunchShape& shape,
                absl::Span<void* const> parameters) const;

 private:
  friend class Module;
  Function(Device& device, CUfunction function) : device_(&device), function_(function) {}
  Device* device_;
  CUfunction function_;
};

class Module {
 public:
  // InvalidArgument has the driver's log.
  static StatusOr<Module> LoadPtx(Device& device, std::string_view ptx);
  // Of LinkPtx, unchanged: the driver trusts what is in it.
  static StatusOr<Module> LoadCubin(Device& device, const Cubin& cubin);
  ~Module();
  Module(Module&& other) noexcept;
  Module& operator=(Module&&) = delete;

  // NotFound for a name that it does not have.
  StatusOr<Function> Find(const std::string& name) const;

 private:
  static StatusOr<Module> Load(Device& device, const char* image);
  Module(Device& device, CUmodule module) : device_(&device), module_(module) {}
  Device* device_;
  CUmodule module_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_MODULE_H_
