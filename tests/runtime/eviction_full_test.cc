// Very many evictions: neither code nor memory leaks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "codegen/cpu/kernel_loader.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t LiveObjects() { return (*cpu::KernelLoader::Get())->live_objects(); }

TEST(EvictionFullTest, AThousandShapesThroughASmallBoundKeepTheMemoryFlat) {
  constexpr int64_t kLimit = 64 << 20;
  set_cache_memory_bytes(kLimit);
  auto f = jit([](Tensor x) { return matmul(softmax(matmul(x, transpose(x)) / 8, -1), x); });
  const auto round = [&] {
    for (int n = 1; n <= 1000; ++n) f(ones({n, 16}));
  };
  round();
  const int64_t warm = ResidentBytes();
  for (int i = 0; i < 4; ++i) round();
  EXPECT_GT(cache_stats().program_evictions, 1000);
  EXPECT_LE(cache_stats().memory_bytes, kLimit);
  EXPECT_LT(ResidentBytes(), warm + (32 << 20));
}

// The constants of an unrolled chain are baked, so every number has a kernel of its own.
TEST(EvictionFullTest, CodeDoesNotLeakOverManyEvictions) {
  constexpr int kKernels = 20'000;
  set_cache_memory_bytes(2 << 20);
  clear_cache();
  const int64_t objects = LiveObjects();
  auto f = jit([](Tensor x, int n) { return x * float(n) + 1.0f; });
  const Tensor x = full({4}, 3, f32);
  int64_t warm = 0;
  for (int n = 0; n < kKernels; ++n) {
    ASSERT_EQ(f(x, n).item<float>({3}), 3.0f * n + 1);
    if (n == kKernels / 4) warm = ResidentBytes();
  }
  EXPECT_GT(cache_stats().program_evictions + cache_stats().kernel_evictions, 2 * kKernels - 2000);
  EXPECT_LT(LiveObjects() - objects, 1000);
  EXPECT_LT(ResidentBytes(), warm + (32 << 20));
  clear_cache();
  EXPECT_EQ(LiveObjects(), 0);
}

// The kernel is shared, so an eviction costs no run of LLVM.
TEST(EvictionFullTest, AHundredThousandEvictionsOfPrograms) {
  set_cache_memory_bytes(400'000);
  auto f = jit([](Tensor x) { return x + x; });
  const int64_t before = cache_stats().program_evictions;
  int64_t warm = 0;
  for (int n = 0; n < 101'000; ++n) {
    // Keys in turn that are evicted before they come again.
    ASSERT_EQ(f(full({2 + n % 1000}, 3, f32)).item<float>({1}), 6);
    if (n == 10'000) warm = ResidentBytes();
  }
  EXPECT_GT(cache_stats().program_evictions - before, 100'000);
  EXPECT_LT(ResidentBytes(), warm + (32 << 20));
}

}  // namespace
}  // namespace swage
