// What a warm run on a GPU allocates: nothing, neither of the host nor of the driver.
#include <cstdlib>
#include <new>

#include "tests/runtime/cuda/cuda_testing.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local int64_t news = 0;
}

void* operator new(size_t size) {
  ++news;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace swage {
namespace {

using CudaAllocation = CudaTest;

TEST_F(CudaAllocation, AWarmCallAllocatesNothing) {
  auto f = jit([](Tensor x) { return matmul(softmax(matmul(x, transpose(x)), -1), x); },
               {.device = kCuda});
  const Tensor x = full({8, 8}, 2, f32).to(kCuda);
  for (int i = 0; i < 5; ++i) f(x);
  const int64_t before = news, blocks = Queue().stats().from_driver;
  for (int i = 0; i < 50; ++i) f(x);
  EXPECT_EQ(news, before);
  EXPECT_EQ(Queue().stats().from_driver, blocks);
}

}  // namespace
}  // namespace swage

#endif
