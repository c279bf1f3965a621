// File: tests/card_check/hand_kernel.h
//
// One of the kernels in ptx_texts.h on the card, with an input and an output.
#ifndef SWAGE_TESTS_CARD_CHECK_HAND_KERNEL_H_
#define SWAGE_TESTS_CARD_CHECK_HAND_KERNEL_H_

#include <memory>
#include <string>

#include "codegen/cuda/module.h"
#include "tests/card_check/cases.h"

namespace swage::card {

class HandKernel {
 public:
  // `input` may be empty: then both buffers have `bytes` bytes that nobody set.
  static StatusOr<HandKernel> Create(Context& context, const std::string& ptx,
                                     const std::string& input, int64_t bytes);

  Status Launch(unsigned blocks, unsigned threads);
  StatusOr<std::string> Output() const;

  cuda::CUdeviceptr input() const { return input_->pointer(); }
  cuda::CUdeviceptr output() const { return output_->pointer(); }

 private:
  HandKernel(Context& context, int64_t bytes) : context_(&context), bytes_(bytes) {}

  Context* context_;
  int64_t bytes_;
  std::unique_ptr<cuda::DeviceMemory> input_, output_;
  std::unique_ptr<cuda::Module> module_;
  std::unique_ptr<cuda::Function> function_;
};

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_HAND_KERNEL_H_
