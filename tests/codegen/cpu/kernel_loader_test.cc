#include "codegen/cpu/kernel_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "base/files.h"
#include "codegen/cpu/mxcsr.h"
#include "codegen/cpu/object_file.h"
#include "tests/codegen/cpu/test_modules.h"
#include "tests/temp_folder.h"

namespace swage::cpu {
namespace {

using ::testing::HasSubstr;

KernelLoader& Loader() { return **KernelLoader::Get(); }

std::string AddObject(const std::string& name = "kernel") {
  TestModule test = VectorAdd(name, Host().vector_bytes() / 4);
  return EmitObject(*test.module, Host())->object;
}

// Runs an add kernel over [begin, end) of n elements and checks every element.
void ExpectAdds(KernelFn kernel, int64_t n, int64_t begin, int64_t end) {
  std::vector<float> a(static_cast<size_t>(n)), b(a), c(static_cast<size_t>(n), -1.0f);
  for (int64_t i = 0; i < n; ++i) {
    a[static_cast<size_t>(i)] = static_cast<float>(i);
    b[static_cast<size_t>(i)] = 0.5f;
  }
  void* const buffers[] = {a.data(), b.data(), c.data()};
  const KernelArgs args{.buffers = buffers, .dims = nullptr};
  kernel(&args, begin, end);
  for (int64_t i = 0; i < n; ++i) {
    const float want = i >= begin && i < end ? static_cast<float>(i) + 0.5f : -1.0f;
    ASSERT_EQ(c[static_cast<size_t>(i)], want) << i;
  }
}

int64_t ResidentPages() {
  const std::string statm = *ReadFile("/proc/self/statm");
  return std::stoll(statm.substr(statm.find(' ') + 1));
}

TEST(KernelLoaderTest, LoadedKernelRunsAtAnyLength) {
  const auto kernel = Loader().Load(AddObject(), "kernel");
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  for (int64_t n : {1, 7, 15, 16, 17, 31, 32, 33, 1000}) {
    ExpectAdds((*kernel)->entry(), n, 0, n);
    ExpectAdds((*kernel)->entry(), n, n / 3, n - n / 4);
  }
  EXPECT_GE((*kernel)->memory_bytes(), 4096);
}

TEST(KernelLoaderTest, LastReferenceRemovesTheCode) {
  const int64_t before = Loader().live_objects();
  auto kernel = *Loader().Load(AddObject(), "kernel");
  auto second = kernel;
  kernel.reset();
  EXPECT_EQ(Loader().live_objects(), before + 1);
  ExpectAdds(second->entry(), 20, 0, 20);
  second.reset();
  EXPECT_EQ(Loader().live_objects(), before);
}

TEST(KernelLoaderTest, EqualNamesDoNotMeet) {
  const std::string object = AddObject();
  const auto first = *Loader().Load(object, "kernel");
  const auto second = *Loader().Load(object, "kernel");
  EXPECT_NE(first->entry(), second->entry());
  ExpectAdds(first->entry(), 33, 0, 33);
  ExpectAdds(second->entry(), 33, 0, 33);
}

TEST(KernelLoaderTest, SeveralEntriesShareOneObject) {
  const std::string object = EmitText(R"(
    define internal i64 @helper(i64 %x) noinline { %y = mul i64 %x, 3 ret i64 %y }
    define void @three(ptr %a, i64 %b, i64 %e) {
      %out = load ptr, ptr %a
      %p = load ptr, ptr %out
      %y = call i64 @helper(i64 %e)
      store i64 %y, ptr %p
      ret void
    }
    define void @one(ptr %a, i64 %b, i64 %e) {
      %out = load ptr, ptr %a
      %p = load ptr, ptr %out
      store i64 %e, ptr %p
      ret void
    })",
                                      Host())
                                 ->object;
  const int64_t before = Loader().live_objects();
  const std::vector<std::string> names = {"one", "three"};
  auto kernels = *Loader().LoadAll(object, names);
  EXPECT_EQ(Loader().live_objects(), before + 1);
  int64_t result = 0;
  void* const buffers[] = {&result};
  const KernelArgs args{.buffers = buffers, .dims = nullptr};
  kernels[0]->entry()(&args, 0, 5);
  EXPECT_EQ(result, 5);
  const auto kept = kernels[1];
  kernels.clear();
  kept->entry()(&args, 0, 5);
  EXPECT_EQ(result, 15);
}

TEST(KernelLoaderTest, MissingEntryIsNamed) {
  const int64_t before = Loader().live_objects();
  const Status status = Loader().Load(AddObject(), "kernel2").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr("'kernel2'"));
  EXPECT_EQ(Loader().live_objects(), before);
}

TEST(KernelLoaderTest, ObjectThatNeedsASymbolIsRefused) {
  const std::vector<std::string> allowed = {"expf"};
  const std::string object = EmitText(R"(
    declare float @expf(float)
    define void @kernel(ptr %p) {
      %x = load float, ptr %p
      %y = call float @expf(float %x)
      store float %y, ptr %p
      ret void
    })",
                                      Host(), {.allowed_calls = allowed})
                                 ->object;
  EXPECT_THAT(std::string(ToStd(Loader().Load(object, "kernel").status().message())),
              HasSubstr("'expf'"));
}

TEST(KernelLoaderTest, ObjectComesBackFromAFile) {
  const TempFolder folder;
  const std::string path = folder.path() + "/kernel.o";
  ASSERT_TRUE(WriteFileAtomic(path, AddObject()).ok());
  const auto kernel = Loader().Load(*ReadFile(path), "kernel");
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  ExpectAdds((*kernel)->entry(), 77, 0, 77);
}

TEST(KernelLoaderTest, ThousandCyclesKeepMemoryFlat) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  const std::string object = AddObject();
  const auto cycle = [&](int count) {
    for (int i = 0; i < count; ++i)
      ExpectAdds((*Loader().Load(object, "kernel"))->entry(), 20, 0, 20);
  };
  cycle(200);
  const int64_t before = ResidentPages();
  cycle(1000);
  // A leak of one page per cycle would be 1000.
  EXPECT_LT(ResidentPages() - before, 100);
}

TEST(KernelLoaderTest, DamagedBytesNeverCrash) {
  const std::string object = AddObject();
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = object;
    if (round % 2 == 0) {
      damaged.resize(random() % damaged.size());
    } else {
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    EXPECT_EQ(Loader().Load(damaged, "kernel").status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(KernelLoaderTest, WellSealedGarbageIsAnError) {
  for (const std::string& garbage :
       {std::string(), std::string("hello"), std::string(10'000, '\x7f')}) {
    EXPECT_FALSE(Loader().Load(SealObject(garbage), "kernel").ok());
  }
}

TEST(KernelLoaderTest, ThreadsLoadRunAndRemove) {
  const std::string object = AddObject();
  const int64_t before = Loader().live_objects();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        ExpectAdds((*Loader().Load(object, "kernel"))->entry(), 40, 0, 40);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Loader().live_objects(), before);
}

TEST(KernelLoaderTest, BothLevelsComputeTheSame) {
  for (CodegenLevel level : {CodegenLevel::kNone, CodegenLevel::kDefault}) {
    TestModule test = VectorAdd("kernel", 16);
    const auto kernel =
        *Loader().Load(EmitObject(*test.module, Host(), {.level = level})->object, "kernel");
    ExpectAdds(kernel->entry(), 100, 3, 99);
  }
}

TEST(MxcsrTest, ScopeRestoresTheMode) {
  volatile float tiny = std::numeric_limits<float>::min();
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // flush to zero, denormals are zero
  EXPECT_EQ(tiny / 2, 0.0f);
  {
    ScopedMxcsr mode;
    EXPECT_GT(tiny / 2, 0.0f);
  }
  EXPECT_EQ(tiny / 2, 0.0f);
  _mm_setcsr(saved);
}

}  // namespace
}  // namespace swage::cpu
