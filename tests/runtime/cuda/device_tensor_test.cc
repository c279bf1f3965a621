// Tensors on a GPU: copies there and back, and what reads them.
#include <gmock/gmock.h>

#include <sstream>

#include "tests/runtime/cuda/cuda_testing.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using DeviceTensor = CudaTest;

TEST_F(DeviceTensor, GoesThereAndBackUnchanged) {
  for (const ShapeVector& shape :
       {ShapeVector{}, ShapeVector{1}, ShapeVector{0}, ShapeVector{3, 5}, ShapeVector{3, 0, 2},
        ShapeVector{3'000'001}}) {  // more than the staging memory holds at once
    const Tensor host = Numbers(shape);
    const Tensor device = host.to(kCuda);
    EXPECT_EQ(host.device(), "cpu");
    EXPECT_EQ(device.device(), kCuda);
    EXPECT_EQ(device.shape(), shape);
    ExpectSame(device, host);
  }
}

TEST_F(DeviceTensor, IsItselfWhereItIsAlready) {
  const Tensor x = full({4}, 2, f32).to(kCuda);
  EXPECT_EQ(x.to(kCuda).impl(), x.impl());
  EXPECT_EQ(x.to("cuda").impl(), x.impl());
  const Tensor y = full({4}, 2, f32);
  EXPECT_EQ(y.to("cpu").impl(), y.impl());
}

TEST_F(DeviceTensor, IsReadByCopies) {
  const Tensor x = array({1.f, -2.f, 3.f, 0.f}, {2, 2}).to(kCuda);
  EXPECT_THAT(x.to_vector<float>(), ElementsAre(1, -2, 3, 0));
  EXPECT_EQ(x.item<float>({1, 0}), 3);
  EXPECT_EQ(x.item<float>({-1, -2}), 3);
  EXPECT_EQ(x.ToString(), x.to("cpu").ToString());
  std::ostringstream out;
  out << scalar(7).to(kCuda);
  EXPECT_EQ(out.str(), "7");
  EXPECT_TRUE(bool(scalar(1.f).to(kCuda)));
  EXPECT_FALSE(bool(scalar(-0.f).to(kCuda)));
  const TempFolder folder;
  const std::string path = folder.path() + "/device.npy";
  save_npy(path, x);
  ExpectSame(load_npy(path), x);
}

TEST_F(DeviceTensor, HasNoElementsOnTheHost) {
  const Tensor x = full({2, 3}, 1, f32).to(kCuda);
  EXPECT_THAT(ErrorOf([&] { x.data<float>(); }),
              HasSubstr("[data] got f32[2,3] on cuda:0, expected a tensor on the cpu; copy it with "
                        "to(\"cpu\")"));
  EXPECT_THAT(ErrorOf([&] { x.raw_data(); }), HasSubstr("on cuda:0"));
  EXPECT_THAT(ErrorOf([&] { x.item<float>({2, 0}); }), HasSubstr("got index 2"));
  EXPECT_THAT(ErrorOf([&] { x.item<int>({0, 0}); }), HasSubstr("expected s32"));
}

TEST_F(DeviceTensor, UnknownAndAbsentDevicesAreErrors) {
  const Tensor x = full({2}, 1, f32);
  EXPECT_THAT(ErrorOf([&] { x.to("cuda:7"); }), HasSubstr("cuda:7"));
  EXPECT_THAT(ErrorOf([&] { x.to("cuda:99"); }), HasSubstr("expected cpu, cuda (the first GPU"));
  EXPECT_THAT(ErrorOf([&] { x.to("gpu"); }), HasSubstr("got 'gpu'"));
  EXPECT_THAT(ErrorOf([] { Tensor().to("cpu"); }), HasSubstr("[to]"));
}

TEST_F(DeviceTensor, IsPlacedOutsideOfJitOnly) {
  auto f = jit([](Tensor x) { return x.to(kCuda) + 1; });
  EXPECT_THAT(ErrorOf([&] { f(full({2}, 1, f32)); }), HasSubstr("place tensors before the call"));
  auto g = jit([](Tensor x) { return x.device() == "cpu" ? x : x + 1; });
  EXPECT_THAT(ErrorOf([&] { g(full({2}, 1, f32)); }), HasSubstr("[device] got a traced"));
}

TEST_F(DeviceTensor, OpsFollowTheirOperands) {
  const Tensor host = Numbers({3, 4});
  const Tensor x = host.to(kCuda);
  const Tensor y = exp(x) * 2 - x;
  EXPECT_EQ(y.device(), kCuda);
  ExpectSame(y, exp(host) * 2 - host);
  // A tensor of the host beside one of the device goes there.
  const Tensor z = x + host;
  EXPECT_EQ(z.device(), kCuda);
  ExpectSame(z, host + host);
  EXPECT_EQ(softmax(x, -1).device(), kCuda);
}

TEST_F(DeviceTensor, MemoryIsUsedAgain) {
  trim();
  const Tensor host = Numbers({1000});
  { const Tensor x = host.to(kCuda); }
  const int64_t before = Queue().stats().from_driver;
  for (int i = 0; i < 10; ++i) const Tensor x = host.to(kCuda);
  EXPECT_EQ(Queue().stats().from_driver, before);
  EXPECT_GT(Queue().stats().kept_bytes, 0);
  trim();
  EXPECT_EQ(Queue().stats().kept_bytes, 0);
}

}  // namespace
}  // namespace swage
