#include "cache/policy/shape_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "base/files.h"
#include "tests/cache/cache_testing.h"

namespace swage::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kHeader[] = "swage shape trace 1\n";

std::string Error(const std::string& text) {
  const StatusOr<TraceContent> content = ParseTrace(text, "t.trace");
  EXPECT_EQ(content.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(content.status().message());
}

TEST(ShapeTraceTest, CallsAreCountedByFunctionAndDims) {
  ShapeTrace trace;
  trace.Record("encode", {{8, 128}, {}}, 40);
  trace.Record("encode", {{8, 64}, {}}, 20);
  trace.Record("encode", {{8, 128}, {}}, 50);
  trace.Record("a b%\n\xc3\xa4", {});
  trace.RecordCompile("encode", 1000);
  EXPECT_EQ(trace.Text(),
            "swage shape trace 1\n"
            "compile 1 1000 encode\n"
            "call 1 0 a%20b%25%0a%c3%a4\n"
            "call 2 90 encode [8,128] []\n"
            "call 1 20 encode [8,64] []\n");
}

TEST(ShapeTraceTest, WhatIsWrittenIsRead) {
  ShapeTrace trace;
  trace.Record("a b%\n\xc3\xa4", {{1}, {2, 3}}, 7);
  trace.Record("", {});
  trace.RecordCompile("f", 5);
  const StatusOr<TraceContent> content = ParseTrace(trace.Text(), "t.trace");
  ASSERT_TRUE(content.ok()) << content.status();
  ASSERT_EQ(content->calls.size(), 2u);
  EXPECT_EQ(content->calls[0].function, "a b%\n\xc3\xa4");
  EXPECT_THAT(content->calls[0].args, ElementsAre(ElementsAre(1), ElementsAre(2, 3)));
  EXPECT_EQ(content->calls[0].count, 1);
  EXPECT_EQ(content->calls[0].nanoseconds, 7);
  EXPECT_EQ(content->calls[1].function, "unnamed");
  ASSERT_EQ(content->compiles.size(), 1u);
  EXPECT_EQ(content->compiles[0].nanoseconds, 5);
  EXPECT_EQ(content->dropped, 0);
}

TEST(ShapeTraceTest, EqualLinesCommentsAndEmptyLinesAreFine) {
  const StatusOr<TraceContent> content =
      ParseTrace("swage shape trace 1\n# c\n\ncall 2 3 f [1]\ncall 4 5 f [1]\ndropped 6", "t");
  ASSERT_TRUE(content.ok()) << content.status();
  ASSERT_EQ(content->calls.size(), 1u);
  EXPECT_EQ(content->calls[0].count, 6);
  EXPECT_EQ(content->calls[0].nanoseconds, 8);
  EXPECT_EQ(content->dropped, 6);
}

TEST(ShapeTraceTest, HostileLinesAreNamed) {
  EXPECT_EQ(Error(""),
            "t.trace:1: error: not a trace of shapes: the first line must be 'swage shape trace "
            "1'");
  EXPECT_THAT(Error("swage shape trace 2\n"), HasSubstr("t.trace:1: error: not a trace"));
  const std::pair<const char*, const char*> lines[] = {
      {"calls 1 0 f", "expected call, compile or dropped, got 'calls'"},
      {"call", "expected a number of calls from 1 to 2^52, got ''"},
      {"call 0 0 f", "expected a number of calls from 1 to 2^52, got '0'"},
      {"call -1 0 f", "expected a number of calls from 1 to 2^52, got '-1'"},
      {"call 01 0 f", "expected a number of calls from 1 to 2^52, got '01'"},
      {"call 4503599627370497 0 f", "from 1 to 2^52, got '4503599627370497'"},
      {"call 99999999999999999999999 0 f", "got '99999999999999999999999'"},
      {"call 1 x f", "expected nanoseconds, got 'x'"},
      {"call 1 0", "expected the name of a function, got ''"},
      {"call 1 0 f%2", "expected the name of a function, got 'f%2'"},
      {"call 1 0 f%gg", "expected the name of a function, got 'f%gg'"},
      {"call 1 0 f\xff", "expected the name of a function, got 'f?'"},
      {"call 1 0 f 3", "expected dims such as [8,128], got '3'"},
      {"call 1 0 f [3", "expected dims such as [8,128], got '[3'"},
      {"call 1 0 f [3,]", "expected dims such as [8,128], got '[3,]'"},
      {"call 1 0 f [,3]", "expected dims such as [8,128], got '[,3]'"},
      {"call 1 0 f [-3]", "expected dims such as [8,128], got '[-3]'"},
      {"call 1 0 f [3]  [4]", "expected dims such as [8,128], got ''"},
      {"call 1 0 f [1e3]", "expected dims such as [8,128], got '[1e3]'"},
      {"compile 1 0 f [1]", "expected the end of the line, got '[1]'"},
      {"dropped x", "dropped: expected a number of calls, got 'x'"},
  };
  for (const auto& [line, problem] : lines) {
    const std::string error = Error(absl::StrCat(kHeader, "call 1 0 f\n", line, "\ncall 1 0 f\n"));
    EXPECT_THAT(error, ::testing::StartsWith("t.trace:3: error: ")) << line;
    EXPECT_THAT(error, HasSubstr(problem)) << line;
  }
  EXPECT_THAT(Error(absl::StrCat(kHeader, "call 1 0 f [", std::string(200, '1'), "]")),
              HasSubstr("t.trace:2: "));
}

TEST(ShapeTraceTest, TheNumberOfDifferentCallsIsBounded) {
  ShapeTrace trace;
  for (int64_t i = 0; i < static_cast<int64_t>(kMaxTraceCalls) + 10; ++i) trace.Record("f", {{i}});
  trace.Record("f", {{0}});
  const StatusOr<TraceContent> content = ParseTrace(trace.Text(), "t");
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(content->calls.size(), kMaxTraceCalls);
  EXPECT_EQ(content->calls[0].count, 2);
  EXPECT_EQ(content->dropped, 10);
  EXPECT_THAT(Error(trace.Text() + "call 1 0 g\n"), HasSubstr("more than 65536 different calls"));
}

TEST(ShapeTraceTest, TheTextIsBounded) {
  ShapeTrace trace;
  const std::vector<int64_t> dims(16, kMaxTraceNumber);
  std::vector<ShapeTrace::Dims> args(200, dims);
  for (int i = 0; i < 400; ++i) trace.Record(absl::StrCat("f", i), args);
  const std::string text = trace.Text();
  EXPECT_LE(static_cast<int64_t>(text.size()), kMaxTraceBytes);
  const StatusOr<TraceContent> content = ParseTrace(text, "t");
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_GT(content->dropped, 0);
  EXPECT_THAT(Error(std::string(kMaxTraceBytes + 1, '#')), HasSubstr("larger than"));
}

TEST(ShapeTraceTest, ThreadsRecordTogether) {
  ShapeTrace trace;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 1000; ++i) trace.Record("f", {{i % 10}}, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const TraceContent content = *ParseTrace(trace.Text(), "t");
  ASSERT_EQ(content.calls.size(), 10u);
  for (const TraceCall& call : content.calls) {
    EXPECT_EQ(call.count, 400);
    EXPECT_EQ(call.nanoseconds, 400);
  }
}

class ShapeTraceFileTest : public cache::CacheTest {};

TEST_F(ShapeTraceFileTest, FilesAppearWhole) {
  ShapeTrace trace;
  trace.Record("f", {{3}});
  const std::string path = root_ + "/f.trace";
  ASSERT_TRUE(trace.Save(path).ok());
  EXPECT_EQ(*ReadFile(path), trace.Text());
  EXPECT_EQ(ShapeTrace::Load(path)->calls.size(), 1u);
  EXPECT_EQ(trace.Save(root_ + "/absent/f.trace").code(), absl::StatusCode::kNotFound);
}

TEST_F(ShapeTraceFileTest, WhatIsNoFileIsRefused) {
  EXPECT_EQ(ShapeTrace::Load(root_ + "/absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(ShapeTrace::Load(root_).ok());
  EXPECT_FALSE(ShapeTrace::Load("/dev/zero").ok());
  // It has no writer, so reading it would not end.
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  EXPECT_THAT(std::string(ShapeTrace::Load(root_ + "/pipe").status().message()),
              HasSubstr("is not a regular file"));
}

TEST_F(ShapeTraceFileTest, WhatIsNoFileIsNotReplaced) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  for (const std::string& path : {root_ + "/pipe", std::string("/dev/null")}) {
    EXPECT_THAT(std::string(ShapeTrace().Save(path).message()), HasSubstr("is not a regular file"));
    EXPECT_FALSE(std::filesystem::is_regular_file(path));
  }
}

}  // namespace
}  // namespace swage::policy
