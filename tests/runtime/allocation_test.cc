// What a warm call allocates: blocks of the pool for its results, and nothing else.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "base/block_pool.h"
#include "tests/runtime/tensor_testing.h"

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

// Per call of `fn`, once it is warm.
template <typename Fn>
int64_t NewsOf(const Fn& fn) {
  for (int i = 0; i < 3; ++i) fn();
  const int64_t before = news, blocks = block_stats().from_system;
  for (int i = 0; i < 100; ++i) fn();
  EXPECT_EQ(block_stats().from_system, blocks);
  return (news - before) / 100;
}

TEST(AllocationTest, AWarmCallAllocatesNothingButItsResult) {
  auto f = jit([](Tensor x, Tensor y, Tensor z) { return x * y + z; });
  const Tensor x = full({8}, 2, f32);
  EXPECT_EQ(NewsOf([&] { f(x, x, x); }), 0);
  const Tensor large = full({300, 1000}, 2, f32);
  EXPECT_EQ(NewsOf([&] { f(large, large, large); }), 0);
}

TEST(AllocationTest, KeysInTurnAndIntermediateValuesAllocateNothing) {
  auto f = jit([](Tensor x) { return matmul(softmax(matmul(x, transpose(x)), -1), x); });
  const Tensor a = full({8, 8}, 2, f32), b = full({9, 8}, 2, f32);
  EXPECT_EQ(NewsOf([&] {
              f(a);
              f(b);
            }),
            0);
}

TEST(AllocationTest, StaticsAndOptionalsOfTheKeyAllocateNothing) {
  auto f =
      jit([](Tensor x, int n, std::optional<Tensor> y) { return y.has_value() ? x * n + *y : x; });
  const Tensor x = full({8}, 2, f32);
  const std::optional<Tensor> some(x);
  EXPECT_EQ(NewsOf([&] { f(x, 3, some); }), 0);
}

}  // namespace
}  // namespace swage

#endif
