#include "bench/line_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <sstream>

namespace swage::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// What Serve answers to these lines, one a line, its name first.
std::vector<std::string> Answers(const std::string& lines,
                                 const std::function<Task(const Work&)>& open) {
  std::istringstream in(lines);
  std::ostringstream out;
  std::streambuf* const old_in = std::cin.rdbuf(in.rdbuf());
  std::streambuf* const old_out = std::cout.rdbuf(out.rdbuf());
  Serve("mine 1.0", open);
  std::cin.rdbuf(old_in);
  std::cout.rdbuf(old_out);
  std::cin.clear();
  std::vector<std::string> answers;
  std::istringstream written(out.str());
  for (std::string line; std::getline(written, line);) answers.push_back(line);
  return answers;
}

Task Doubled(const Work& work) {
  const Array x = work.inputs.at(0), y = MakeArray("f32", x.shape);
  const auto call = [x, y] {
    for (size_t i = 0; i < x.size(); ++i) y.as<float>()[i] = 2 * x.as<float>()[i];
  };
  return {call, [call, y] { return call(), std::vector<Array>{y}; }, nullptr};
}

TEST(LineWorker, EverySideMakesTheseNumbers) {
  const Array x = MakeInput("f32[2,3]*0.5", 1);
  EXPECT_THAT(x.shape, ElementsAre(2, 3));
  for (uint32_t i = 0; i < 6; ++i) {
    const double number = std::fmod((i + 1.0 + 7919) * 2654435761.0, 0x1p32) * 0x1p-31 - 1;
    EXPECT_EQ(x.as<float>()[i], static_cast<float>(number * 0.5)) << i;
  }
  EXPECT_EQ(MakeInput("f32[4]=1", 0).as<float>()[3], 1);
  const Array places = MakeInput("s32[100]%10", 0);
  for (size_t i = 0; i < places.size(); ++i) {
    EXPECT_GE(places.as<int32_t>()[i], 0);
    EXPECT_LT(places.as<int32_t>()[i], 10);
  }
  EXPECT_EQ(MakeInput("bf16[5]", 0).byte_size(), 10u);
}

TEST(LineWorker, Bf16RoundsToNearestEven) {
  EXPECT_EQ(FromBf16(ToBf16(1 + 0x1p-8f)), 1);
  EXPECT_EQ(FromBf16(ToBf16(1 + 3 * 0x1p-8f)), 1 + 0x1p-6f);
  EXPECT_EQ(FromBf16(ToBf16(1 + 0x1p-8f + 0x1p-20f)), 1 + 0x1p-7f);
}

TEST(LineWorker, InputsThatAreNoneAreRefused) {
  for (const char* text : {"f32", "f32[2", "f64[2]", "f32]2[", "f32[x]", "f32[2]*"}) {
    EXPECT_THROW(MakeInput(text, 0), std::exception) << text;
  }
}

TEST(LineWorker, OpensRunsAndCloses) {
  const std::vector<std::string> answers =
      Answers("open warm double f32[2]=3\nrun 0.01\nclose\nrun 0.01\n", Doubled);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[0], R"({"name": "mine 1.0"})");
  EXPECT_EQ(answers[1], R"({"ready": true, "digest": {"count": 2, "sum": 12, "samples": [6, 6]}})");
  EXPECT_THAT(answers[2], StartsWith(R"({"ms": [)"));
  EXPECT_EQ(answers[3], R"({"closed": true})");
  EXPECT_THAT(answers[4], HasSubstr("nothing is open"));
}

TEST(LineWorker, ForgetsBeforeEachFirstCall) {
  int forgotten = 0, called = 0;
  Answers("open first f f32[1]\nrun 0.001\n", [&](const Work& work) {
    EXPECT_TRUE(work.first);
    Task task = Doubled(work);
    task.call = [&] { ++called; };
    task.forget = [&] { EXPECT_EQ(++forgotten, called + 1); };
    return task;
  });
  EXPECT_GE(called, 1);
  EXPECT_EQ(forgotten, called);
}

TEST(LineWorker, CallersShareTheTime) {
  const std::vector<std::string> answers =
      Answers("open callers:3 double f32[8]\nrun 0.02\n", Doubled);
  EXPECT_THAT(answers.back(), StartsWith(R"({"ms": [)"));
}

TEST(LineWorker, SaysWhatIsMissingAndWhatIsWrong) {
  const std::vector<std::string> answers =
      Answers("open warm f:7 f32[1]\nopen cold f f32[1]\nsleep\nopen warm f f32[nan]\n",
              [](const Work& work) -> Task {
                EXPECT_EQ(work.function, "f");
                EXPECT_EQ(work.detail, "7");
                throw Missing("no \"f\"");
              });
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(answers[1], R"({"missing": "no \"f\""})");
  EXPECT_THAT(answers[2], HasSubstr("mode 'cold', expected warm, first or callers:N"));
  EXPECT_THAT(answers[3], HasSubstr("expected open, run SECONDS or close"));
  EXPECT_THAT(answers[4], StartsWith(R"({"error": )"));
}

TEST(LineWorker, NumbersThatJsonLacksAreNull) {
  const auto answers = Answers("open warm f f32[1]\n", [](const Work& work) {
    Task task = Doubled(work);
    task.results = [] {
      Array out = MakeArray("f32", {2});
      out.as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
      out.as<float>()[1] = 1;
      return std::vector<Array>{out};
    };
    return task;
  });
  EXPECT_THAT(answers[1], HasSubstr(R"("sum": null, "samples": [null, 1])"));
}

}  // namespace
}  // namespace swage::bench
