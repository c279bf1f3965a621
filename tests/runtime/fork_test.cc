// What a forked child may do: call warm keys, and compile new ones.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "runtime/background.h"
#include "tests/runtime/tensor_testing.h"

#ifndef __SANITIZE_THREAD__  // it does not follow threads into a child

namespace swage {
namespace {

// Runs `fn` in a child, which has a minute for it.
int ExitCodeOf(const std::function<bool()>& fn) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    bool right = false;
    try {
      right = fn();
    } catch (const std::exception&) {
    }
    _exit(right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(ForkTest, AChildCallsWarmAndNewShapes) {
  auto f = jit([](Tensor x) { return sum(x * 2); }, {.name = "forked"});
  const Tensor warm = ones({100, 100});
  f(warm);
  f(warm);
  EXPECT_EQ(ExitCodeOf([&] {
              bool right = f(warm).item<float>() == 20000;
              for (int n : {3, 4, 500})
                right = right && f(ones({n, n})).item<float>() == 2.0f * n * n;
              auto g = jit([](Tensor x) { return x * 17 - 1; });
              right = right && g(scalar(2)).item<int>() == 33;
              return right && f.stats().misses == 4;
            }),
            0);
  EXPECT_EQ(f.stats().misses, 1);
  EXPECT_EQ(f(ones({3, 3})).item<float>(), 18);
}

TEST(ForkTest, AChildHasAThreadOfItsOwnForTheBackground) {
  const auto run = [](float k) {
    auto f = jit([k](Tensor x) { return exp(x) * k; }, {.on_miss = OnMiss::kBackground});
    const float first = f(scalar(0.0f)).item<float>();
    runtime::BackgroundCompiler::Get().Drain();
    return first == k && f(scalar(0.0f)).item<float>() == k && f.stats().swapped == 1;
  };
  EXPECT_TRUE(run(3));
  EXPECT_EQ(ExitCodeOf([&] { return run(4); }), 0);
}

TEST(ForkTest, AForkWaitsForTheCompilesOfOtherThreads) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's allocator may be locked in the child of a process with threads";
#endif
  std::atomic<bool> leave{false};
  std::atomic<int> compiled{0};
  std::thread other([&] {
    for (int n = 0; !leave; ++n) {
      jit([n](Tensor x) { return softmax(x * float(n), -1); })(ones({3, 4}));
      ++compiled;
    }
  });
  for (int i = 0; i < 10; ++i) {
    const int before = compiled;
    while (compiled == before) std::this_thread::yield();
    EXPECT_EQ(ExitCodeOf([&] {
                auto f = jit([i](Tensor x) { return exp(x) * float(i + 1); });
                return f(scalar(0.0f)).item<float>() == i + 1;
              }),
              0);
  }
  leave = true;
  other.join();
}

TEST(ForkTest, AChildTracesWhatAnotherThreadOfItsParentTraced) {
  std::atomic<bool> inside{false}, go_on{false};
  auto f = jit([&](Tensor x) {
    inside = true;
    while (!go_on) std::this_thread::yield();
    return x + 1;
  });
  std::thread other([&] { f(scalar(1)); });
  while (!inside) std::this_thread::yield();
  EXPECT_EQ(ExitCodeOf([&] {
              go_on = true;
              return f(scalar(1)).item<int>() == 2;
            }),
            0);
  go_on = true;
  other.join();
}

}  // namespace
}  // namespace swage

#endif
