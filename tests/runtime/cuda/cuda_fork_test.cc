// What a forked child may do with what its parent had on a GPU: nothing, and to be told so at once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tests/runtime/cuda/cuda_testing.h"
#include "tests/temp_folder.h"

#ifndef __SANITIZE_THREAD__  // it does not follow threads into a child

namespace swage {
namespace {

// Each in a process of its own. The emulated driver aborts one that calls it after a fork.
class CudaFork : public CudaTest {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    CudaTest::SetUp();
  }
};

// What a parent has on the GPU.
struct Work {
  // Six kernels: recorded as a graph.
  std::function<Tensor(Tensor)> sums = jit(
      [](Tensor x) {
        for (int i = 0; i < 3; ++i) x = x + sum(x, {0}) / 3;
        return x;
      },
      {.device = kCuda});
  std::function<Tensor(Tensor)> dot = jit([](Tensor x) { return matmul(x, x); }, {.device = kCuda});
  std::optional<Tensor> x = Numbers({77, 3}).to(kCuda);

  void Run() const {
    for (int i = 0; i < 4; ++i) sums(*x).to("cpu");
  }
};

void ExpectRefused(const std::function<void()>& fn) {
  const std::string text = ErrorOf(fn);
  if (text.find("before fork()") != std::string::npos) return;
  std::fprintf(stderr, "got <%s>, expected a word about fork()\n", text.c_str());
  _exit(1);
}

// Uses and gives back all there is. `work`: null where the parent had opened nothing.
void UseAll(Work* work) {
  ExpectRefused([] { Numbers({5}).to(kCuda); });
  ExpectRefused([] { jit([](Tensor x) { return x * 7; }, {.device = kCuda})(Numbers({3})); });
  if (has_device(kCuda)) _exit(2);
  if (work != nullptr) {
    ExpectRefused([&] { work->x->to("cpu"); });
    ExpectRefused([&] { work->sums(*work->x); });
    ExpectRefused([&] { work->sums(Numbers({8, 3})); });  // a new key
    work->x.reset();
    work->sums = nullptr;
    work->dot = nullptr;
  }
  trim();
  clear_cache();
  if (jit([](Tensor x) { return x + 1; })(scalar(2.0f)).item<float>() != 3) _exit(3);
}

// The exit code of a child. One that hangs is ended, by signal 14.
int CodeOfChild(Work* work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);
    UseAll(work);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(CudaFork, AChildGivesNothingBackToTheDriver) {
  EXPECT_EXIT(
      {
        Work work;
        work.Run();
        work.dot(ones({176, 176}).to(kCuda)).to("cpu");  // by cuBLASLt
        _exit(CodeOfChild(&work));
      },
      ::testing::ExitedWithCode(0), "");
}

// Begins `enter` in a thread, which stays in this function of the driver for good; then forks.
int CodeWhileBlockedIn(const char* function, Work* work, const std::function<void()>& enter) {
  const TempFolder folder;
  const std::string log = folder.path() + "/log";
  setenv("EMULATED_CUDA_LOG", log.c_str(), 1);
  setenv("EMULATED_CUDA_FAULT", (std::string("blocked=") + function).c_str(), 1);
  std::atomic<bool> returned{false};
  std::thread([&] {
    const std::string text = ErrorOf(enter);
    std::fprintf(stderr, "not blocked: <%s>\n", text.c_str());
    returned = true;
  }).detach();
  for (std::string text; text.find("is blocked") == std::string::npos;) {
    if (returned) return 4;
    std::this_thread::yield();
    std::ifstream file(log);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  return CodeOfChild(work);
}

// Without the fixture, which opens the device.
TEST(CudaForkEarly, AChildWaitsForNoLockWithWhichADeviceIsOpened) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* function : {"cuInit", "cuDevicePrimaryCtxRetain", "cuStreamCreate"}) {
    EXPECT_EXIT(_exit(CodeWhileBlockedIn(function, nullptr, [] { has_device(kCuda); })),
                ::testing::ExitedWithCode(0), "")
        << function;
  }
}

TEST_F(CudaFork, AChildWaitsForNoLockThatIsHeldInACallOfTheDriver) {
  const std::pair<const char*, std::function<void(const Work&)>> kCases[] = {
      {"cuMemAllocAsync", [](const Work&) { Numbers({9000}).to(kCuda); }},
      {"cuMemcpyHtoDAsync_v2", [](const Work&) { Numbers({9}).to(kCuda); }},
      {"cuMemcpyDtoHAsync_v2", [](const Work& work) { work.x->to("cpu"); }},
      {"cuLaunchKernel",
       [](const Work& work) {
         work.sums(Numbers({77, 3}).to(kCuda));
       }},
      {"cuMemFreeAsync", [](const Work&) { trim(); }},
  };
  for (const auto& [function, enter] : kCases) {
    EXPECT_EXIT(
        {
          Work work;
          work.Run();
          _exit(CodeWhileBlockedIn(function, &work, [&] { enter(work); }));
        },
        ::testing::ExitedWithCode(0), "")
        << function;
  }
}

// Forks while two threads make calls that hit (locks of a miss are another matter) and copy.
int CodeWhileThreadsWork() {
  Work work;
  work.Run();
  std::atomic<bool> leave{false};
  const auto busy = [&leave, sums = work.sums, x = *work.x] {
    while (!leave) {
      sums(x);
      x.to("cpu").to(kCuda);
    }
  };
  std::thread first(busy), second(busy);
  int code = 0;
  for (int i = 0; i < 10 && code == 0; ++i) code = CodeOfChild(&work);
  leave = true;
  first.join();
  second.join();
  return code;
}

// Locks that are held for a moment: now and then a fork meets one.
TEST_F(CudaFork, ForksGoOnWhileThreadsCallAndCopy) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's allocator may be locked in the child of a process with threads";
#endif
  EXPECT_EXIT(_exit(CodeWhileThreadsWork()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace swage

#endif
