// File: codegen/gpu/gpu_target.h
//
// What LLVM compiles GPU kernels for: an architecture of NVIDIA's, and a version of PTX.
//
//   SWAGE_ASSIGN_OR_RETURN(GpuTarget target, GpuTarget::For(device));   // sm_90 for an H200
//
// PTX of an architecture runs on that one and all later ones: the driver finishes it for the card.
// Two are made, sm_80 and sm_90; a later card gets sm_90, since LLVM 19 knows none beyond.
#ifndef SWAGE_CODEGEN_GPU_GPU_TARGET_H_
#define SWAGE_CODEGEN_GPU_GPU_TARGET_H_

#include <memory>
#include <string>

#include "base/key_material.h"
#include "base/status.h"
#include "compiler/cost/device_description.h"

namespace llvm {
class TargetMachine;
}

namespace swage::gpu {

class GpuTarget {
 public:
  // Of a card, by its compute capability. InvalidArgument for a CPU or a card before sm_80.
  static StatusOr<GpuTarget> For(const cost::DeviceDescription& device);

  // "sm_90": with ptx() part of kernel keys.
  const std::string& sm() const { return sm_; }
  // LLVM's feature, "ptx78": what drivers from CUDA 11.8 on read.
  const std::string& ptx() const { return ptx_; }

  // The fields of a key that say what code is for: sm, ptx.
  void AddTo(KeyMaterial* key) const {
    key->Add("sm", sm_);
    key->Add("ptx", ptx_);
  }

  // A code generator for it, with IEEE floating point. One is used by one thread at a time.
  StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine() const;

 private:
  GpuTarget(std::string sm, std::string ptx) : sm_(std::move(sm)), ptx_(std::move(ptx)) {}

  std::string sm_, ptx_;
};

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_GPU_TARGET_H_
