// What a warm run on a GPU allocates: nothing, neither of the host nor of the driver.
#include <cstdlib>
#include <new>

#include "tests/runtime/cuda/cuda_testing.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local int64_t news = 0;
thread_local bool in_driver = false;  // which allocates what it likes
}  // namespace

__attribute__((noinline)) void* operator new(size_t size) {
  news += !in_driver;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace swage {
namespace {

// A function of the driver, marked as such while it runs.
template <auto member, typename... Args>
struct Marked {
  static inline cuda::CUresult (*function)(Args...) = nullptr;
  static cuda::CUresult Call(Args... args) {
    in_driver = true;
    const cuda::CUresult result = function(args...);
    in_driver = false;
    return result;
  }
};
template <auto member, typename... Args>
void Mark(cuda::Driver& driver, cuda::CUresult (*function)(Args...)) {
  Marked<member, Args...>::function = function;
  driver.*member = Marked<member, Args...>::Call;
}

class CudaAllocation : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    auto& driver = const_cast<cuda::Driver&>(Queue().device().driver());
    Mark<&cuda::Driver::cuCtxPushCurrent>(driver, driver.cuCtxPushCurrent);
    Mark<&cuda::Driver::cuCtxPopCurrent>(driver, driver.cuCtxPopCurrent);
    Mark<&cuda::Driver::cuLaunchKernel>(driver, driver.cuLaunchKernel);
    Mark<&cuda::Driver::cuGraphLaunch>(driver, driver.cuGraphLaunch);
  }
};

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
