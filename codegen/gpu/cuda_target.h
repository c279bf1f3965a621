// File: codegen/gpu/cuda_target.h
//
// A GPU as a target of the compiler: kernels in PTX, which the driver makes code of, and steps that
// are launches into its queue.
#ifndef SWAGE_CODEGEN_GPU_CUDA_TARGET_H_
#define SWAGE_CODEGEN_GPU_CUDA_TARGET_H_

#include <memory>
#include <optional>
#include <string>

#include "codegen/cuda/module.h"
#include "codegen/gpu/cuda_queue.h"
#include "codegen/gpu/gpu_target.h"
#include "codegen/program/target.h"

namespace swage::gpu {

// A kernel on one device.
class LoadedPtx final : public codegen::LoadedCode {
 public:
  LoadedPtx(CudaQueue& queue, cuda::Module module, cuda::Function function)
      : queue_(queue), module_(std::move(module)), function_(function) {}
  // Waits for the device: it may be running.
  ~LoadedPtx() override;

  const cuda::Function& function() const { return function_; }
  int64_t memory_bytes() const override { return sizeof(*this); }

 private:
  CudaQueue& queue_;
  std::optional<cuda::Module> module_;
  cuda::Function function_;
};

class CudaTarget final : public codegen::Target {
 public:
  // Of a queue that outlives the target and all that it makes.
  static StatusOr<std::shared_ptr<const CudaTarget>> Create(CudaQueue& queue);

  std::string_view device() const override { return name_; }
  const cost::DeviceDescription& description() const override { return description_; }
  Status RunPasses(ir::Module* module, passes::PassContext& context) const override;
  emit::EmitOptions emit_options() const override { return emit::EmitOptions::ForGpu(); }
  std::optional<emit::EmitOptions> Narrower(const emit::EmitOptions& options) const override;
  bool has_levels() const override { return false; }
  void AddMachine(KeyMaterial* key) const override;
  void AddDecisions(KeyMaterial* key) const override;
  std::string_view scope() const override { return name_; }
  StatusOr<codegen::CompiledKernel> Generate(
      const emit::KernelPlan& plan, const codegen::GenerateOptions& options) const override;
  StatusOr<codegen::CompiledKernel> Link(std::string ptx,
                                         codegen::EntryStore* store) const override;
  std::string_view assembly_suffix() const override { return "ptx"; }
  StatusOr<std::shared_ptr<codegen::Executable>> MakeExecutable(
      codegen::ProgramPlan plan, const codegen::CompileReport& report) const override;

 private:
  CudaTarget(CudaQueue& queue, GpuTarget target, cost::DeviceDescription description)
      : queue_(queue),
        name_(queue.name()),
        target_(std::move(target)),
        description_(std::move(description)) {}
  KeyMaterial CubinKey(const std::string& ptx) const;
  // The code of this PTX on the device; times and resources go to `kernel`.
  Status Load(const cuda::Cubin& cubin, codegen::CompiledKernel* kernel) const;

  CudaQueue& queue_;
  const std::string name_;
  const GpuTarget target_;
  const cost::DeviceDescription description_;
};

// What the cost model knows of a card: that of its name, if it is a known one, else by what its
// driver says.
cost::DeviceDescription DescriptionOf(const cuda::DeviceProperties& card);

}  // namespace swage::gpu

#endif  // SWAGE_CODEGEN_GPU_CUDA_TARGET_H_
