// Tensors over memory of the caller, and copies of what is not row-major.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A page of floats that may only be read: whoever writes there ends the process.
class ReadOnlyFloats {
 public:
  static constexpr int64_t kCount = 1024;

  ReadOnlyFloats() {
    void* const page = mmap(nullptr, kCount * sizeof(float), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(page, MAP_FAILED);
    data_ = static_cast<float*>(page);
    std::iota(data_, data_ + kCount, -512.0f);
    EXPECT_EQ(mprotect(page, kCount * sizeof(float), PROT_READ), 0);
  }
  ~ReadOnlyFloats() { munmap(data_, kCount * sizeof(float)); }
  ReadOnlyFloats(const ReadOnlyFloats&) = delete;
  ReadOnlyFloats& operator=(const ReadOnlyFloats&) = delete;

  const float* data() const { return data_; }

 private:
  float* data_;
};

TEST(BlobTest, ATensorIsTheMemoryItself) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const Tensor x = from_blob(values.data(), {2, 3});
  EXPECT_EQ(x.data<float>(), values.data());
  EXPECT_EQ(x.dtype(), f32);
  EXPECT_THAT(x.shape(), ElementsAre(2, 3));
  EXPECT_EQ(x.device(), "cpu");
  EXPECT_THAT((x * 2).to_vector<float>(), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST(BlobTest, EveryElementTypeIsTaken) {
  alignas(16) const std::array<uint8_t, 16> bytes = {1};
  for (DType dtype :
       {pred, s8, s16, s32, s64, u8, u16, u32, u64, f8e4m3fn, f8e5m2, f16, bf16, f32, f64}) {
    const Tensor x = from_blob(bytes.data(), dtype, {2});
    EXPECT_EQ(x.dtype(), dtype);
    EXPECT_EQ(x.raw_data(), bytes.data());
  }
}

TEST(BlobTest, LaterCallsSeeWhatTheCallerChanged) {
  std::vector<float> frame = {1, 2, 3};
  const Tensor x = from_blob(frame.data(), {3});
  auto f = jit([](Tensor y) { return y + 1; });
  auto captured = jit([x](Tensor y) { return x + y; });
  const Tensor first = f(x);
  EXPECT_THAT(captured(scalar(0.f)).to_vector<float>(), ElementsAre(1, 2, 3));
  frame = {10, 20, 30};
  EXPECT_THAT(f(x).to_vector<float>(), ElementsAre(11, 21, 31));
  EXPECT_THAT(captured(scalar(0.f)).to_vector<float>(), ElementsAre(10, 20, 30));
  EXPECT_THAT(first.to_vector<float>(), ElementsAre(2, 3, 4));
}

TEST(BlobTest, TheDeleterRunsOnceWithTheLastHandle) {
  float value = 3;
  int calls = 0;
  void* given = nullptr;
  Tensor x = from_blob(&value, {}, [&](void* data) { ++calls, given = data; });
  Tensor y = x;
  const Tensor result = x + 1;
  x = Tensor();
  EXPECT_EQ(calls, 0);
  std::thread([last = std::move(y)] {}).join();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(given, &value);
  EXPECT_EQ(result.item<float>(), 4);
}

TEST(BlobTest, AResultThatIsTheTensorKeepsTheMemory) {
  float value = 3;
  int calls = 0;
  Tensor result = jit([](Tensor x) { return x; })(from_blob(&value, {}, [&](void*) { ++calls; }));
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(result.data<float>(), &value);
  result = Tensor();
  EXPECT_EQ(calls, 1);
}

TEST(BlobTest, AFunctionThatCapturedATensorKeepsTheMemory) {
  float value = 3;
  int calls = 0;
  {
    auto f = jit([x = from_blob(&value, {}, [&](void*) { ++calls; })](Tensor y) { return x + y; });
    EXPECT_EQ(f(scalar(1.f)).item<float>(), 4);
    EXPECT_EQ(calls, 0);
  }
}

TEST(BlobTest, TheDeleterRunsOnceOnErrors) {
  alignas(8) std::array<uint8_t, 64> bytes = {2};
  int calls = 0;
  const auto count = [&](void*) { ++calls; };
  EXPECT_EQ(ErrorOf([&] { from_blob(bytes.data() + 1, f32, {2}, count); }),
            "[from_blob] got an address that is no multiple of 4 for f32[2], expected one that is; "
            "from_bytes copies from any address");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(ErrorOf([&] { from_blob(nullptr, f32, {2}, count); }),
            "[from_blob] got a null pointer for f32[2], expected 8 bytes");
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(ErrorOf([&] { from_blob(bytes.data(), f32, {-1}, count); }), HasSubstr("got extent"));
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(ErrorOf([&] {
                from_blob(bytes.data(), f32, {int64_t{1} << 40, int64_t{1} << 40}, count);
              }),
              HasSubstr("[shape]"));
  EXPECT_EQ(calls, 4);
  EXPECT_THAT(ErrorOf([&] { from_blob(bytes.data(), pred, {4}, count); }),
              HasSubstr("got 2 at byte 0 of pred data, expected 0 to 1"));
  EXPECT_EQ(calls, 5);
}

TEST(BlobTest, NoElementsNeedNoMemory) {
  const Tensor x = from_blob(nullptr, f32, {0, 3});
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ((x + 1).ToString(), "[]");
}

// Each writes its result where an operand would be if it were not the caller's: as a whole, in
// place, through a chain, as the argument itself, behind a dot.
TEST(BlobTest, NoProgramWritesToTheMemory) {
  const ReadOnlyFloats page;
  const Tensor x = from_blob(page.data(), {32, 32});
  const std::vector<std::function<Tensor(Tensor)>> functions = {
      [](Tensor y) { return y + 1; },
      [](Tensor y) { return exp(-abs(y)) * 2; },
      [](Tensor y) {
        return dynamic_update_slice(y, zeros({1, 32}, f32), {3, 0});
      },
      [](Tensor y) {
        return concatenate({y, y}, 0);
      },
      [](Tensor y) { return reshape(transpose(y), {1024}); },
      [](Tensor y) { return softmax(y, -1); },
      [](Tensor y) { return matmul(y, y) + y; },
      [](Tensor y) { return sum(y, {0}); },
      [](Tensor y) { return y; },
  };
  for (const auto& f : functions) {
    const Tensor copy = from_data(page.data(), {32, 32});
    const Tensor expected = f(copy);
    EXPECT_EQ(f(x).ToString(), expected.ToString());
    EXPECT_EQ(jit([&f](Tensor y) { return f(y); })(x).ToString(), expected.ToString());
  }
}

TEST(BlobTest, ManyThreadsReadOneBlob) {
  std::vector<float> values(1000, 1.0f);
  std::atomic<int> calls{0};
  {
    const Tensor x = from_blob(values.data(), {1000}, [&](void*) { ++calls; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([x] {
        for (int k = 0; k < 20; ++k) EXPECT_EQ(sum(x).item<float>(), 1000);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(calls, 1);
}

TEST(StridedTest, CopiesWhatIsNotRowMajor) {
  const std::vector<float> m = {1, 2, 3, 4, 5, 6};  // [2, 3]
  EXPECT_THAT(from_strided(m.data(), f32, {3, 2}, {1, 3}).to_vector<float>(),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(from_strided(m.data() + 5, f32, {2, 3}, {-3, -1}).to_vector<float>(),
              ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(from_strided(m.data(), f32, {2, 2}, {0, 1}).to_vector<float>(),
              ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(from_strided(m.data(), f32, {2, 2}, {3, 1}).to_vector<float>(),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(from_strided(m.data(), f32, {}, {}).to_vector<float>(), ElementsAre(1));
  EXPECT_THAT(from_strided(m.data(), f32, {1, 2, 1}, {77, 2, -9}).to_vector<float>(),
              ElementsAre(1, 3));
}

TEST(StridedTest, FollowsFourDimensionsOfEveryWidth) {
  alignas(16) std::array<uint8_t, 16 * 120> bytes;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 37);
  for (DType dtype : {u8, u16, u32, u64}) {
    const ShapeVector shape = {2, 3, 4, 5}, strides = {1, 40, 10, 2};
    const Tensor x = from_strided(bytes.data() + 1, dtype, shape, strides);
    const int64_t width = DTypeBytes(dtype);
    const auto* to = static_cast<const uint8_t*>(x.raw_data());
    for (int64_t i = 0; i < 120; ++i, to += width) {
      const int64_t at = i / 60 * 1 + i / 20 % 3 * 40 + i / 5 % 4 * 10 + i % 5 * 2;
      ASSERT_EQ(std::memcmp(to, bytes.data() + 1 + at * width, width), 0) << i;
    }
  }
}

TEST(StridedTest, RefusesWhatNoMemoryHolds) {
  const float x = 1;
  EXPECT_EQ(ErrorOf([&] {
              from_strided(&x, f32, {2, 2}, {1});
            }),
            "[from_strided] got 1 strides for f32[2,2], expected 2, one for each dimension");
  for (int64_t stride : {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                         int64_t{1} << 60}) {
    EXPECT_THAT(ErrorOf([&] { from_strided(&x, f32, {2}, {stride}); }),
                HasSubstr("whose elements lie beyond any address"));
  }
  // A broadcast of one element to more than the machine has.
  EXPECT_THAT(ErrorOf([&] { from_strided(&x, f32, {int64_t{1} << 50}, {0}); }),
              HasSubstr("[memory]"));
  EXPECT_EQ(from_strided(nullptr, f32, {0, 2}, {5, 6}).size(), 0);
}

}  // namespace
}  // namespace swage
