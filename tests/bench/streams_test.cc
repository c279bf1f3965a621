#include "bench/streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace swage::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Stream Named(const std::string& name) {
  for (Stream& stream : BuiltInStreams()) {
    if (stream.name == name) return stream;
  }
  ADD_FAILURE() << "no stream " << name;
  return {};
}

TEST(StreamsTest, AFileHasOneOrTwoSizesALine) {
  const StatusOr<Stream> stream = ParseStream("# lengths\n17\n\n1 18  # a token\n2,3\n", "a/b.txt");
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->name, "b");
  EXPECT_THAT(stream->entries, ElementsAre(Entry{17, 17}, Entry{1, 18}, Entry{2, 3}));
}

TEST(StreamsTest, AWrongLineIsNamed) {
  for (const char* line : {"x", "0", "-1", "1 2 3", "99999999999999999999", "1.5", "20000"}) {
    const StatusOr<Stream> stream = ParseStream(std::string("5\n") + line + "\n", "trace.txt");
    ASSERT_FALSE(stream.ok()) << line;
    EXPECT_THAT(std::string(stream.status().message()), HasSubstr("trace.txt:2: "));
  }
  EXPECT_FALSE(ParseStream("# nothing\n", "trace.txt").ok());
  EXPECT_FALSE(ReadStream("bench/streams/absent.txt").ok());
}

TEST(StreamsTest, WhatIsWrittenIsReadBack) {
  for (const Stream& stream : BuiltInStreams()) {
    const StatusOr<Stream> again = ParseStream(ToText(stream), stream.name + ".txt");
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->entries, stream.entries);
  }
}

TEST(StreamsTest, TheUniformStreamHas164LengthsIn200Calls) {
  const StatusOr<Stream> stream = ReadStream("block:bench/streams/uniform.txt");
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(stream->function, "block");
  EXPECT_EQ(stream->entries.size(), 200u);
  EXPECT_EQ(Distinct(*stream), 164);
  EXPECT_EQ(std::ranges::max(stream->entries).first, 510);
}

TEST(StreamsTest, ALanguageModelReadsAPromptThenATokenACall) {
  const Stream stream = Named("llm");
  for (size_t i = 0; i < stream.entries.size(); ++i) {
    const auto [queries, keys] = stream.entries[i];
    if (queries == keys) continue;
    EXPECT_EQ(queries, 1);
    EXPECT_EQ(keys, stream.entries[i - 1].second + 1);
  }
}

TEST(StreamsTest, ZipfRepeatsAFewLengthsOften) {
  const Stream stream = Named("zipf");
  EXPECT_EQ(stream.entries.size(), 200u);
  EXPECT_LT(Distinct(stream), 120);
  EXPECT_GT(Distinct(stream), 40);
}

TEST(StreamsTest, ARampGoesUpAndDown) {
  const Stream stream = Named("ramp");
  EXPECT_EQ(Distinct(stream), 64);
  EXPECT_EQ(stream.entries.front(), stream.entries.back());
  EXPECT_EQ(stream.entries[63], (Entry{64, 16}));
}

}  // namespace
}  // namespace swage::bench
