#include "tests/card_check/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace swage::card {
namespace {

using ::testing::HasSubstr;

Bundle Example() {
  Bundle bundle;
  bundle.built = "here";
  bundle.modules = {{"older", "newer"}};
  CardProgram program;
  program.name = "kernel";
  program.about = "loop";
  program.buffers = {{"f32", 8, Fill::kData, "12345678"}, {"f32", 8, Fill::kNothing, ""}};
  program.launches = {
      {.module = 0, .blocks = 3, .threads_x = 32, .buffers = {0, 1}, .extents = {-7, 2}}};
  program.results = {{1, 0.5, true, "abcdefgh"}};
  program.bytes = 16;
  program.product = {};
  program.predicted_us = {{"h200", 2.5}};
  bundle.kernels = {program};
  bundle.timings = {{true, program, {}}};
  return bundle;
}

std::string Refusal(const std::string& text) {
  const StatusOr<Bundle> bundle = ParseBundle(text);
  EXPECT_FALSE(bundle.ok());
  return std::string(ToStd(bundle.status().message()));
}

TEST(CardBundle, WhatIsWrittenIsRead) {
  const Bundle before = Example();
  const StatusOr<Bundle> after = ParseBundle(SerialiseBundle(before));
  ASSERT_TRUE(after.ok()) << after.status().message();
  EXPECT_EQ(after->built, before.built);
  ASSERT_EQ(after->modules.size(), 1u);
  EXPECT_EQ(after->modules[0].sm_90, "newer");
  EXPECT_EQ(after->kernels, before.kernels);
  ASSERT_EQ(after->timings.size(), 1u);
  EXPECT_TRUE(after->timings[0].small);
  EXPECT_EQ(after->timings[0].fused, before.timings[0].fused);
}

TEST(CardBundle, EveryPartOfOneIsRefused) {
  const std::string text = SerialiseBundle(Example());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(Refusal(text.substr(0, size)), HasSubstr("bundle")) << size;
  }
  EXPECT_THAT(Refusal(text + "x"), HasSubstr("added to"));
}

TEST(CardBundle, EveryChangedByteIsFound) {
  const std::string text = SerialiseBundle(Example());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x41);
    EXPECT_FALSE(ParseBundle(changed).ok()) << i;
  }
}

// The same with the checksum made anew: no length or index is believed.
TEST(CardBundle, FieldsAreCheckedWithoutTheChecksumToo) {
  const std::string text = SerialiseBundle(Example());
  constexpr size_t kHashAt = 20, kHeader = 28;
  int refused = 0;
  for (size_t i = kHeader; i < text.size(); ++i) {
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ bits);
      uint64_t hash = 0xcbf29ce484222325;
      for (size_t k = kHeader; k < changed.size(); ++k) {
        hash = (hash ^ static_cast<uint8_t>(changed[k])) * 0x100000001b3;
      }
      changed.replace(kHashAt, sizeof(hash), reinterpret_cast<const char*>(&hash), sizeof(hash));
      refused += !ParseBundle(changed).ok();
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(CardBundle, AProductHasTheSizesOfItsBuffers) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const auto refusal = [](std::vector<int64_t> product, const CardBuffer& result) {
    Bundle bundle = Example();
    CardProgram& program = bundle.kernels[0];
    // f32[2,1] and f32[1,2] are f32[2,2].
    program.buffers = {program.buffers[0], program.buffers[0], result};
    program.results = {{.buffer = 2}};
    program.product = std::move(product);
    const StatusOr<Bundle> parsed = ParseBundle(SerialiseBundle(bundle));
    return parsed.ok() ? "" : std::string(ToStd(parsed.status().message()));
  };
  const CardBuffer square = {"f32", 16};
  EXPECT_EQ(refusal({2, 2, 1}, square), "");
  EXPECT_THAT(refusal({2, 2}, square), HasSubstr("three sizes"));
  EXPECT_THAT(refusal({2, 2, 2}, square), HasSubstr("8 bytes of f32 for f32[2,2]"));
  EXPECT_THAT(refusal({2, 4, 1}, square), HasSubstr("8 bytes of f32 for f32[1,4]"));
  EXPECT_THAT(refusal({2, 2, 1}, {"f32", 12}), HasSubstr("12 bytes of f32 for f32[2,2]"));
  EXPECT_THAT(refusal({2, 2, 1}, {"s32", 16}), HasSubstr("16 bytes of s32 for f32[2,2]"));
  EXPECT_THAT(refusal({-2, -2, -1}, square), HasSubstr("for f32[-2,-1]"));
  EXPECT_THAT(refusal({kHuge, 2, 4}, square), HasSubstr("for f32[4611686018427387904,4]"));
  EXPECT_THAT(refusal({2, 2, kHuge + 1}, square), HasSubstr("for f32[2,4611686018427387905]"));
}

TEST(CardBundle, WhatPointsOutsideIsNamed) {
  Bundle bundle = Example();
  bundle.kernels[0].launches[0].module = 1;
  EXPECT_THAT(Refusal(SerialiseBundle(bundle)), HasSubstr("no module 1"));
  bundle = Example();
  bundle.kernels[0].launches[0].buffers = {2};
  EXPECT_THAT(Refusal(SerialiseBundle(bundle)), HasSubstr("no buffer 2"));
  bundle = Example();
  bundle.kernels[0].results[0].expected = "abc";
  EXPECT_THAT(Refusal(SerialiseBundle(bundle)), HasSubstr("expected are 3"));
  bundle = Example();
  bundle.kernels[0].buffers[0].bytes = -1;
  EXPECT_THAT(Refusal(SerialiseBundle(bundle)), HasSubstr("-1 bytes"));
  bundle = Example();
  bundle.timings[0].fused.launches[0].threads_x = 2048;
  EXPECT_THAT(Refusal(SerialiseBundle(bundle)), HasSubstr("2048"));
  EXPECT_THAT(Refusal("an HLO module"), HasSubstr("not a bundle"));
}

}  // namespace
}  // namespace swage::card
