// Tensors in and out by DLPack's structs, hostile ones included.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "base/guard_memory.h"
#include "runtime/dlpack_abi.h"
#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr dlpack::DataType kFloat32 = {dlpack::kFloat, 32, 1};

// A struct as a producer makes it. Each import must delete it exactly once.
template <typename Managed>
class Producer {
 public:
  Producer(const void* data, ShapeVector shape, ShapeVector strides = {},
           dlpack::DataType dtype = kFloat32)
      : shape_(std::move(shape)), strides_(std::move(strides)) {
    managed_.array = {.data = const_cast<void*>(data),
                      .device = {dlpack::kCpu, 0},
                      .rank = static_cast<int32_t>(shape_.size()),
                      .dtype = dtype,
                      .shape = shape_.data(),
                      .strides = strides_.empty() ? nullptr : strides_.data(),
                      .byte_offset = 0};
    managed_.context = this;
    managed_.deleter = [](Managed* self) { ++static_cast<Producer*>(self->context)->deleted_; };
    if constexpr (requires { managed_.version; }) managed_.version = {1, 0};
  }
  ~Producer() { EXPECT_EQ(deleted_, 1); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  Managed* get() { return &managed_; }
  dlpack::Array& array() { return managed_.array; }
  int deleted() const { return deleted_; }

 private:
  ShapeVector shape_, strides_;
  Managed managed_ = {};
  std::atomic<int> deleted_{0};
};

template <typename Managed>
class DlpackTest : public ::testing::Test {
 protected:
  Managed* Out(const Tensor& tensor, DlpackOptions options = {}) {
    if constexpr (std::is_same_v<Managed, DLManagedTensor>) {
      return to_dlpack(tensor, options);
    } else {
      return to_dlpack_versioned(tensor, options);
    }
  }
};
using Structs = ::testing::Types<DLManagedTensor, DLManagedTensorVersioned>;
class StructNames {
 public:
  template <typename T>
  static std::string GetName(int) {
    return std::is_same_v<T, DLManagedTensor> ? "Unversioned" : "Versioned";
  }
};
TYPED_TEST_SUITE(DlpackTest, Structs, StructNames);

TYPED_TEST(DlpackTest, SharesRowMajorElementsUntilTheLastHandle) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  Producer<TypeParam> producer(values.data(), {2, 3}, {3, 1});
  Tensor x = from_dlpack(producer.get());
  EXPECT_EQ(x.data<float>(), values.data());
  EXPECT_THAT(x.shape(), ElementsAre(2, 3));
  EXPECT_THAT((x + 1).template to_vector<float>(), ElementsAre(2, 3, 4, 5, 6, 7));
  EXPECT_EQ(producer.deleted(), 0);
  std::thread([last = std::move(x)] {}).join();
  EXPECT_EQ(producer.deleted(), 1);
}

TYPED_TEST(DlpackTest, NullStridesMeanRowMajor) {
  const std::vector<float> values = {1, 2, 3, 4};
  Producer<TypeParam> producer(values.data(), {2, 2});
  EXPECT_EQ(from_dlpack(producer.get()).template data<float>(), values.data());
}

TYPED_TEST(DlpackTest, StridesOfOneElementDoNotMatter) {
  const std::vector<float> values = {1, 2};
  Producer<TypeParam> producer(values.data(), {1, 2, 1}, {-5, 1, 99});
  EXPECT_EQ(from_dlpack(producer.get()).template data<float>(), values.data());
}

TYPED_TEST(DlpackTest, OtherStridesAreCopiedAndTheProducerIsFree) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  Producer<TypeParam> transposed(values.data(), {3, 2}, {1, 3});
  const Tensor x = from_dlpack(transposed.get());
  EXPECT_EQ(transposed.deleted(), 1);
  Producer<TypeParam> reversed(values.data(), {6}, {-1});
  reversed.array().byte_offset = 5 * sizeof(float);
  const Tensor y = from_dlpack(reversed.get());
  Producer<TypeParam> broadcast(values.data(), {2, 2}, {0, 1});
  const Tensor z = from_dlpack(broadcast.get());
  values.assign(6, 0);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(y.to_vector<float>(), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(z.to_vector<float>(), ElementsAre(1, 2, 1, 2));
}

TYPED_TEST(DlpackTest, OddAddressesAreCopied) {
  alignas(8) std::array<uint8_t, 13> bytes = {};
  const std::array<float, 3> values = {1, 2, 3};
  std::memcpy(bytes.data() + 1, values.data(), sizeof(values));
  Producer<TypeParam> producer(bytes.data(), {3}, {1});
  producer.array().byte_offset = 1;
  const Tensor x = from_dlpack(producer.get());
  EXPECT_EQ(producer.deleted(), 1);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, 2, 3));
}

TYPED_TEST(DlpackTest, ByteOffsetsAreFollowed) {
  const std::vector<float> values = {1, 2, 3, 4};
  Producer<TypeParam> producer(values.data(), {2});
  producer.array().byte_offset = 8;
  EXPECT_EQ(from_dlpack(producer.get()).template data<float>(), values.data() + 2);
}

TYPED_TEST(DlpackTest, RankZeroNeedsNoShape) {
  const float value = 7;
  Producer<TypeParam> producer(&value, {});
  producer.array().shape = nullptr;
  const Tensor x = from_dlpack(producer.get());
  EXPECT_EQ(x.rank(), 0);
  EXPECT_EQ(x.item<float>(), 7);
}

TYPED_TEST(DlpackTest, NoElementsNeedNoData) {
  Producer<TypeParam> producer(nullptr, {2, 0, 3}, {5, std::numeric_limits<int64_t>::max(), -1});
  producer.array().byte_offset = std::numeric_limits<uint64_t>::max();
  const Tensor x = from_dlpack(producer.get());
  EXPECT_THAT(x.shape(), ElementsAre(2, 0, 3));
}

TYPED_TEST(DlpackTest, PinnedHostMemoryIsRead) {
  for (int32_t device : {dlpack::kCudaHost, dlpack::kRocmHost}) {
    const float value = 7;
    Producer<TypeParam> producer(&value, {});
    producer.array().device.type = device;
    EXPECT_EQ(from_dlpack(producer.get()).template item<float>(), 7);
  }
}

TYPED_TEST(DlpackTest, AProducerMayHaveNoDeleter) {
  const float value = 7;
  TypeParam managed = {};
  if constexpr (requires { managed.version; }) managed.version = {1, 9};
  managed.array = {const_cast<float*>(&value), {dlpack::kCpu, 0}, 0, kFloat32, nullptr, nullptr, 0};
  EXPECT_EQ(from_dlpack(&managed).template item<float>(), 7);
  managed.array.dtype.bits = 7;
  EXPECT_THAT(ErrorOf([&] { from_dlpack(&managed); }), HasSubstr("with 7 bits"));
}

TYPED_TEST(DlpackTest, EveryTypeGoesOutAndComesIn) {
  alignas(8) const std::array<uint8_t, 32> bytes = {1, 0, 1, 1};
  for (DType dtype :
       {pred, s8, s16, s32, s64, u8, u16, u32, u64, f8e4m3fn, f8e5m2, f16, bf16, f32, f64}) {
    const size_t size = 4 * static_cast<size_t>(DTypeBytes(dtype));
    const Tensor x = from_bytes(bytes.data(), size, dtype, {2, 2});
    TypeParam* const out = this->Out(x);
    EXPECT_EQ(out->array.dtype.bits, 8 * DTypeBytes(dtype));
    EXPECT_EQ(out->array.dtype.lanes, 1);
    const Tensor y = from_dlpack(out);
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.raw_data(), x.raw_data());
  }
}

TYPED_TEST(DlpackTest, WhatGoesOutKeepsItsElements) {
  Tensor x = F32({1, 2, 3, 4, 5, 6}, {2, 3});
  TypeParam* const out = this->Out(x);
  EXPECT_EQ(out->array.data, x.raw_data());
  x = Tensor();
  EXPECT_EQ(out->array.rank, 2);
  EXPECT_EQ(out->array.shape[0], 2);
  EXPECT_EQ(out->array.shape[1], 3);
  EXPECT_EQ(out->array.strides[0], 3);
  EXPECT_EQ(out->array.strides[1], 1);
  EXPECT_EQ(out->array.byte_offset, 0);
  EXPECT_EQ(out->array.device.type, dlpack::kCpu);
  EXPECT_EQ(static_cast<const float*>(out->array.data)[5], 6);
  std::thread([out] { out->deleter(out); }).join();
}

TYPED_TEST(DlpackTest, RankZeroAndNoElementsGoOut) {
  TypeParam* const one = this->Out(scalar(7.f));
  EXPECT_EQ(one->array.rank, 0);
  EXPECT_EQ(*static_cast<const float*>(one->array.data), 7);
  one->deleter(one);
  TypeParam* const none = this->Out(array(std::vector<float>{}, {0, 3}));
  EXPECT_EQ(none->array.data, nullptr);
  EXPECT_EQ(none->array.shape[1], 3);
  none->deleter(none);
}

TYPED_TEST(DlpackTest, ACopyMayBeWritten) {
  const Tensor x = F32({1, 2});
  TypeParam* const out = this->Out(x, {.copy = true});
  static_cast<float*>(out->array.data)[0] = 9;
  out->deleter(out);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, 2));
}

TYPED_TEST(DlpackTest, HostileShapesAreErrorsAndDeleteOnce) {
  const std::vector<float> values(8);
  const auto error = [&](ShapeVector shape, ShapeVector strides, auto change) {
    Producer<TypeParam> producer(values.data(), std::move(shape), std::move(strides));
    change(producer.array());
    return ErrorOf([&] { from_dlpack(producer.get()); });
  };
  const auto nothing = [](dlpack::Array&) {};
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(error({2}, {}, [](auto& array) { array.rank = -1; }),
            "[from_dlpack] got -1 dimensions, expected 0 to 64");
  EXPECT_EQ(error({2}, {}, [](auto& array) { array.rank = 1 << 30; }),
            "[from_dlpack] got 1073741824 dimensions, expected 0 to 64");
  EXPECT_EQ(error({2}, {}, [](auto& array) { array.shape = nullptr; }),
            "[from_dlpack] got a null shape for 1 dimensions");
  EXPECT_EQ(error({2}, {}, [](auto& array) { array.data = nullptr; }),
            "[from_dlpack] got null data for f32[2], expected 8 bytes");
  EXPECT_EQ(error({2, -3}, {}, nothing),
            "[from_dlpack] got extent -3 for dimension 1, expected 0 or more");
  EXPECT_NE(error({kHuge, 2}, {}, nothing), "");
  EXPECT_NE(error({kHuge / 4 + 1}, {}, nothing), "");
  EXPECT_NE(error({int64_t{1} << 31, int64_t{1} << 31, 4}, {}, nothing), "");
  EXPECT_THAT(error({2}, {}, [](auto& array) { array.byte_offset = ~uint64_t{0}; }),
              HasSubstr("leaves the address space"));
  EXPECT_THAT(error({2}, {kHuge}, nothing), HasSubstr("beyond any address"));
  EXPECT_THAT(error({3, 3}, {kHuge / 8, kHuge / 8}, nothing), HasSubstr("beyond any address"));
  EXPECT_THAT(error({2}, {std::numeric_limits<int64_t>::min()}, nothing),
              HasSubstr("beyond any address"));
  EXPECT_THAT(error({int64_t{1} << 50}, {0}, nothing), HasSubstr("[memory]"));
  EXPECT_THAT(error({3, 2}, {1, -(int64_t{1} << 50)}, nothing), HasSubstr("beyond any address"));
  EXPECT_EQ(error(ShapeVector(65, 1), {}, nothing),
            "[from_dlpack] got 65 dimensions, expected 0 to 64");
}

// The producer's memory ends, or begins, at a page that nobody may touch.
TYPED_TEST(DlpackTest, StridesAreFollowedToTheLastElementAndNotBeyond) {
  for (const GuardSide side : {GuardSide::kEnd, GuardSide::kStart}) {
    const GuardedBuffer buffer = *GuardedBuffer::Create(6 * sizeof(float), 4, side);
    auto* const values = static_cast<float*>(buffer.data());
    for (int i = 0; i < 6; ++i) values[i] = static_cast<float>(i);
    const auto read = [&](ShapeVector shape, ShapeVector strides, uint64_t first) {
      Producer<TypeParam> producer(values, std::move(shape), std::move(strides));
      producer.array().byte_offset = first * sizeof(float);
      return from_dlpack(producer.get()).template to_vector<float>();
    };
    EXPECT_THAT(read({2, 3}, {3, 1}, 0), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(read({3, 2}, {1, 3}, 0), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(read({6}, {-1}, 5), ElementsAre(5, 4, 3, 2, 1, 0));
    EXPECT_THAT(read({2, 3}, {-3, -1}, 5), ElementsAre(5, 4, 3, 2, 1, 0));
    EXPECT_THAT(read({2, 2}, {3, 2}, 0), ElementsAre(0, 2, 3, 5));
    EXPECT_THAT(read({2, 2}, {0, -5}, 5), ElementsAre(5, 0, 5, 0));
    EXPECT_TRUE(buffer.Check().ok());
  }
}

TYPED_TEST(DlpackTest, TypesAndDevicesThatSwageLacksAreNamed) {
  const std::vector<double> values(4);
  const auto error = [&](auto change) {
    Producer<TypeParam> producer(values.data(), {1});
    change(producer.array());
    return ErrorOf([&] { from_dlpack(producer.get()); });
  };
  const auto type = [&](uint8_t code, uint8_t bits, uint16_t lanes) {
    return error([&](auto& array) { array.dtype = {code, bits, lanes}; });
  };
  EXPECT_THAT(type(dlpack::kComplex, 64, 1),
              HasSubstr("complex numbers, which Swage does not have"));
  EXPECT_THAT(type(dlpack::kFloat, 32, 4), HasSubstr("with 32 bits and 4 lanes, expected bool"));
  EXPECT_THAT(type(dlpack::kFloat, 32, 0), HasSubstr("expected bool"));
  for (uint8_t code : {3, 7, 8, 9, 11, 13, 14, 15, 16, 17, 18, 255}) {
    EXPECT_THAT(type(code, 8, 1), HasSubstr("expected bool")) << int{code};
  }
  for (uint8_t bits : {0, 1, 4, 7, 24, 128, 255}) {
    EXPECT_THAT(type(dlpack::kInt, bits, 1), HasSubstr("expected bool")) << int{bits};
  }
  EXPECT_EQ(
      error([](auto& array) {
        array.device = {dlpack::kCuda, 1};
      }),
      "[from_dlpack] got a tensor on the CUDA device 1, expected one on the CPU; copy it there "
      "first, and back with to(\"cuda:1\")");
  for (int32_t device : {-1, 0, 4, 8, 10, 13, 14, 1000}) {
    EXPECT_THAT(error([&](auto& array) { array.device.type = device; }),
                HasSubstr("expected kDLCPU (1)"));
  }
}

TYPED_TEST(DlpackTest, PredBytesAreChecked) {
  const std::array<uint8_t, 3> bytes = {0, 1, 2};
  for (int64_t stride : {1, -1}) {
    Producer<TypeParam> producer(bytes.data(), {3}, {stride}, {dlpack::kBool, 8, 1});
    if (stride < 0) producer.array().byte_offset = 2;
    EXPECT_THAT(ErrorOf([&] { from_dlpack(producer.get()); }), HasSubstr("of pred data"));
  }
}

TYPED_TEST(DlpackTest, WhatCannotGoOutIsAnError) {
  const std::string op =
      std::is_same_v<TypeParam, DLManagedTensor> ? "[to_dlpack] " : "[to_dlpack_versioned] ";
  EXPECT_THAT(ErrorOf([&] { this->Out(Tensor()); }), HasSubstr(op + "got an undefined Tensor"));
  const std::array<uint8_t, 8> bytes = {};
  EXPECT_THAT(ErrorOf([&] { this->Out(from_bytes(bytes.data(), 8, DType::kC64, {})); }),
              HasSubstr(op + "got c64[], a type of element that is not exchanged"));
  EXPECT_THAT(ErrorOf([&] {
                jit([&](Tensor x) {
                  this->Out(x);
                  return x;
                })(scalar(1.f));
              }),
              HasSubstr("got a traced f32[]"));
}

TEST(DlpackVersionTest, TheStructSaysWhetherItMayBeWritten) {
  const Tensor x = F32({1, 2});
  DLManagedTensorVersioned* const shared = to_dlpack_versioned(x);
  EXPECT_EQ(shared->version.major, 1u);
  EXPECT_EQ(shared->flags, dlpack::kReadOnly);
  shared->deleter(shared);
  DLManagedTensorVersioned* const copy = to_dlpack_versioned(x, {.copy = true});
  EXPECT_EQ(copy->flags, dlpack::kIsCopy);
  EXPECT_NE(copy->array.data, x.raw_data());
  copy->deleter(copy);
}

TEST(DlpackVersionTest, ReadOnlyElementsAreTaken) {
  const float value = 7;
  Producer<DLManagedTensorVersioned> producer(&value, {});
  producer.get()->flags = dlpack::kReadOnly | uint64_t{1} << 63;
  EXPECT_EQ(from_dlpack(producer.get()).item<float>(), 7);
}

// Nothing behind the deleter may be looked at.
TEST(DlpackVersionTest, AnotherMajorVersionIsOnlyDeleted) {
  Producer<DLManagedTensorVersioned> producer(nullptr, {2});
  producer.get()->version = {2, 5};
  producer.array().shape = reinterpret_cast<int64_t*>(8);
  EXPECT_EQ(
      ErrorOf([&] { from_dlpack(producer.get()); }),
      "[from_dlpack] got a tensor of version 2.5 of DLPack, expected 1.x; ask the producer for "
      "it (max_version in Python)");
}

TEST(DlpackVersionTest, NullIsAnError) {
  const std::string expected = "[from_dlpack] got a null pointer, expected a managed tensor";
  EXPECT_EQ(ErrorOf([] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); }), expected);
  EXPECT_EQ(ErrorOf([] { from_dlpack(static_cast<DLManagedTensorVersioned*>(nullptr)); }),
            expected);
}

}  // namespace
}  // namespace swage
