// .npz files in and out of tensors; compiler/ir/npz_test.cc has the hostile ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/runtime/tensor_testing.h"
#include "tests/temp_folder.h"

namespace swage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TensorNpzTest : public ::testing::Test {
 protected:
  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/x.npz";
};

TEST_F(TensorNpzTest, TensorsRoundTripByName) {
  const Tensor half = convert(F32({0.5f, -2}), bf16);
  for (const bool compress : {false, true}) {
    save_npz(path_,
             {{"w", F32({1, 2, 3, 4}, {2, 2})},
              {"layer/n", scalar(7)},
              {"none", zeros({0, 2})},
              {"half", half}},
             {.compress = compress});
    const std::map<std::string, Tensor> read = load_npz(path_, {.dtypes = {{"half", bf16}}});
    ASSERT_EQ(read.size(), 4u);
    EXPECT_THAT(read.at("w").shape(), ElementsAre(2, 2));
    EXPECT_THAT(read.at("w").to_vector<float>(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(read.at("layer/n").item<int>(), 7);
    EXPECT_THAT(read.at("none").shape(), ElementsAre(0, 2));
    EXPECT_EQ(read.at("half").dtype(), bf16);
    EXPECT_EQ(read.at("half").ToString(), half.ToString());
  }
}

TEST_F(TensorNpzTest, OnlyTheNamesAskedForAreRead) {
  save_npz(path_, {{"weight", scalar(1)}, {"bias", scalar(2)}});
  EXPECT_EQ(load_npz(path_, {.names = {"bias", "bias"}}).size(), 1u);
  EXPECT_EQ(ErrorOf([&] { load_npz(path_, {.names = {"weigth"}}); }),
            "[load_npz] got the name 'weigth', which is no array of " + path_ +
                "; did you mean 'weight'?");
  EXPECT_EQ(ErrorOf([&] {
              load_npz(path_, {.dtypes = {{"bais", bf16}}});
            }),
            "[load_npz] got a dtype for 'bais', which is not read from " + path_);
}

TEST_F(TensorNpzTest, WhatIsReadIsBounded) {
  save_npz(path_, {{"x", zeros({1000})}}, {.compress = true});
  EXPECT_THAT(ErrorOf([&] { load_npz(path_, {.max_bytes = 1000}); }),
              HasSubstr("the limit leaves 1000"));
  EXPECT_THAT(ErrorOf([&] { load_npz(path_, {.max_bytes = -1}); }),
              HasSubstr("expected 0 or more"));
}

TEST_F(TensorNpzTest, ErrorsNameFileAndMember) {
  save_npz(path_, {{"x", scalar(1.f)}});
  EXPECT_THAT(ErrorOf([&] {
                load_npz(path_, {.dtypes = {{"x", bf16}}});
              }),
              HasSubstr("[npy] " + path_ + "(x): dtype mismatch, expected bf16"));
  EXPECT_THAT(ErrorOf([&] { load_npz(folder_.path() + "/none.npz"); }), HasSubstr("none.npz"));
  EXPECT_THAT(ErrorOf([&] {
                save_npz(path_, {{"../x", scalar(1)}});
              }),
              HasSubstr("[npz] got the name '../x'"));
  EXPECT_THAT(ErrorOf([&] {
                save_npz(path_, {{"x", Tensor()}});
              }),
              HasSubstr("[save_npz] got an undefined Tensor"));
  EXPECT_EQ(load_npz(path_).at("x").item<float>(), 1);  // which no failed save touched
}

}  // namespace
}  // namespace swage
