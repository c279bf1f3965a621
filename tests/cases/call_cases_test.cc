// Calls that fail, calls of many threads, and what one call leaves to the next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "runtime/swage.h"
#include "runtime/trace.h"
#include "tests/on_threads.h"

namespace swage::cases {
namespace {

using ::testing::ElementsAre;

// A caller that caught an error goes on as if nothing had been.
void ExpectWorking() {
  EXPECT_EQ(runtime::TraceScope::Depth(), 0);
  EXPECT_EQ((scalar(2) + 3).item<int>(), 5);
  EXPECT_EQ(jit([](Tensor x) { return x * x; })(scalar(6)).item<int>(), 36);
  auto inner = jit([](Tensor x) { return x + 1; });
  EXPECT_EQ(jit([&](Tensor x) { return inner(x) * inner(x); })(scalar(2)).item<int>(), 9);
}

template <typename Thrown, typename Function>
void ExpectThrows(Function function, const Thrown& thrown) {
  auto f = jit([&](Tensor x) {
    const Tensor y = function(x);
    throw thrown;
    return y;
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(f(scalar(1)), Thrown);
    ExpectWorking();
  }
}

TEST(CallCases, WhatTheFunctionThrowsPassesAndLeavesNothing) {
  const auto nothing = [](Tensor x) { return x; };
  const auto op = [](Tensor x) { return x * 2; };
  const auto nested = [](Tensor x) { return jit([](Tensor y) { return y + 1; })(x); };
  ExpectThrows(nothing, 7);
  ExpectThrows(op, 7);
  ExpectThrows(op, std::bad_alloc());
  ExpectThrows(nested, std::string("text"));
  ExpectThrows(nested, std::runtime_error("text"));
}

TEST(CallCases, AnErrorOfAnOpLeavesNothing) {
  auto f = jit([](Tensor x) { return x + zeros({3}); });
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(f(zeros({2})), Error);
    ExpectWorking();
  }
  EXPECT_THAT(f(zeros({3})).to_vector<float>(), ElementsAre(0, 0, 0));
}

// Too much memory: the same error at every call, nothing of what depends on it runs, and other work
// is as it was.
TEST(CallCases, AResultThatFitsNowhereIsAnErrorEveryTime) {
  auto f = jit([](Tensor x) { return broadcast_to(x, {int64_t{1} << 50}) + 1; });
  int ran = 0;
  std::string first;
  for (int i = 0; i < 2; ++i) {
    try {
      const Tensor y = f(scalar(1.0f));
      ++ran;
    } catch (const Error& error) {
      if (first.empty()) first = error.what();
      EXPECT_EQ(first, error.what());
    }
    std::thread([] { EXPECT_EQ((scalar(1) + 1).item<int>(), 2); }).join();
    ExpectWorking();
  }
  EXPECT_EQ(ran, 0);
  EXPECT_THAT(first, ::testing::HasSubstr("bytes"));
}

// One function with and one without fusion: each has as many kernels as alone.
TEST(CallCases, PassesThatOneThreadLeavesOutRunForTheOthers) {
  const auto kernels = [](int i, bool fuse) {
    JitOptions options;
    if (!fuse) options.disable_passes = {"fusion"};
    auto f = jit(
        [i](Tensor x) {
          const Tensor y = x * static_cast<float>(i) + 1;
          return sum(y * y) + max(y);
        },
        options);
    const float y1 = static_cast<float>(i) + 1;
    EXPECT_EQ(f(ones({4})).item<float>(), 4 * y1 * y1 + y1);
    return f.stats().llvm_runs + f.stats().kernel_hits;
  };
  const int64_t fused = kernels(100, true), apart = kernels(101, false);
  EXPECT_LT(fused, apart);
  // Each of its own number: a program that another has compiled would be found.
  OnThreads([&](int i) { EXPECT_EQ(kernels(i + 2, i % 2 == 0), i % 2 == 0 ? fused : apart); });
}

TEST(CallCases, ACacheMayBeClearedUnderThreadsThatCall) {
  auto shared = jit([](Tensor x) { return x * 3 + 1; });
  OnThreads([&](int i) {
    auto own = jit([i](Tensor x) { return x + i; });
    for (int round = 0; round < 30; ++round) {
      if (i == 0) clear_cache();
      EXPECT_EQ(own(scalar(round)).item<int>(), round + i);
      EXPECT_EQ(shared(full({1 + i % 4}, round, s32)).item<int>({0}), 3 * round + 1);
    }
  });
}

TEST(CallCases, AFailingThreadDoesNotDisturbOthers) {
  OnThreads([](int i) {
    auto f = jit([i](Tensor x) {
      if (i % 2 == 0) throw i;
      return x * x + i;
    });
    for (int round = 0; round < 10; ++round) {
      if (i % 2 == 0) {
        EXPECT_THROW(f(scalar(round)), int);
      } else {
        EXPECT_EQ(f(scalar(round)).item<int>(), round * round + i);
      }
    }
  });
  ExpectWorking();
}

// Results that are arguments, constants or one another are values of their own for the caller.
TEST(CallCases, ResultsOutliveLaterCalls) {
  auto f = jit([](Tensor x) {
    const Tensor y = x * 2 + 1;
    return std::vector<Tensor>{y, y, x, full({2}, 7, f32)};
  });
  std::vector<Tensor> argument = {array({1.f, 2.f})};
  const std::vector<Tensor> kept = f(argument[0]);
  for (int i = 0; i < 1000; ++i) f(array({static_cast<float>(i), 0.f}));
  argument.clear();
  EXPECT_THAT(kept[0].to_vector<float>(), ElementsAre(3, 5));
  EXPECT_THAT(kept[1].to_vector<float>(), ElementsAre(3, 5));
  EXPECT_THAT(kept[2].to_vector<float>(), ElementsAre(1, 2));
  EXPECT_THAT(kept[3].to_vector<float>(), ElementsAre(7, 7));
}

TEST(CallCases, ATraceHappensOncePerStructureOfArguments) {
  int count = 0;
  auto k = jit([&](Tensor x) {
    ++count;
    return x;
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(k(scalar(i)).item<int>(), i);
  EXPECT_EQ(count, 1);
  auto n = jit([](Tensor x, std::optional<Tensor> y) {
    return y.has_value() ? std::vector<Tensor>{x + 1, x} : std::vector<Tensor>{x};
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(n(scalar(1), std::optional<Tensor>(scalar(2))).size(), 2u);
    EXPECT_EQ(n(scalar(1), std::optional<Tensor>()).size(), 1u);
  }
}

}  // namespace
}  // namespace swage::cases
