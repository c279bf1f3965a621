#include "tests/card_check/hand_kernel.h"

#include <algorithm>
#include <utility>

namespace swage::card {

StatusOr<HandKernel> HandKernel::Create(Context& context, const std::string& ptx,
                                        const std::string& input, int64_t bytes) {
  HandKernel kernel(context, bytes);
  const auto allocate = [&](int64_t size) -> StatusOr<std::unique_ptr<cuda::DeviceMemory>> {
    SWAGE_ASSIGN_OR_RETURN(cuda::DeviceMemory memory,
                           cuda::DeviceMemory::Allocate(context.stream(), size));
    return std::make_unique<cuda::DeviceMemory>(std::move(memory));
  };
  const auto in = static_cast<int64_t>(input.size());
  SWAGE_ASSIGN_OR_RETURN(kernel.input_, allocate(std::max(in, bytes)));
  SWAGE_ASSIGN_OR_RETURN(kernel.output_, allocate(bytes));
  if (in > 0) {
    SWAGE_RETURN_IF_ERROR(context.stream().CopyIn(kernel.input(), input.data(), in));
    SWAGE_RETURN_IF_ERROR(context.stream().Synchronize());
  }
  SWAGE_ASSIGN_OR_RETURN(cuda::Module module, cuda::Module::LoadPtx(context.device(), ptx));
  SWAGE_ASSIGN_OR_RETURN(const cuda::Function function, module.Find("k"));
  kernel.module_ = std::make_unique<cuda::Module>(std::move(module));
  kernel.function_ = std::make_unique<cuda::Function>(function);
  return kernel;
}

Status HandKernel::Launch(unsigned blocks, unsigned threads) {
  cuda::CUdeviceptr in = input(), out = output();
  void* const parameters[] = {&in, &out};
  return function_->Launch(context_->stream(), {.grid = {blocks}, .block = {threads}}, parameters);
}

StatusOr<std::string> HandKernel::Output() const {
  std::string bytes(static_cast<size_t>(bytes_), '\0');
  SWAGE_RETURN_IF_ERROR(context_->stream().CopyOut(bytes.data(), output(), bytes_));
  SWAGE_RETURN_IF_ERROR(context_->stream().Synchronize());
  return bytes;
}

}  // namespace swage::card
