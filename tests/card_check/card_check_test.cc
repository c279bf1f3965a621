// The card check as a user runs it, on the emulated driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.h"
#include "tests/card_check/run_check.h"
#include "tests/temp_folder.h"

namespace swage::card {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kFew[] =
    "--filter 'program/(softmax_rows|attend_64)$|elementwise/exp$|index/take_rows$'";

TEST(CardCheck, ARehearsalIsFine) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "its timings on the emulated GPU take longer than a case may";
#endif
  const TempFolder folder;
  const Ran ran = Rehearse(folder.path(), kFew);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  for (const std::string& line : ran.With("\"case\"")) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(json.is_object() && json.contains("result")) << line;
  }
  EXPECT_THAT(ran.With("\"result\":\"failed\""), IsEmpty());
  EXPECT_THAT(ran.With("\"case\":\"driver\""), ElementsAre(HasSubstr("\"card\":\"emulator\"")));
  EXPECT_THAT(ran.With("\"case\":\"mma/"), SizeIs(3));
  EXPECT_THAT(ran.With("\"case\":\"approx/"), Not(IsEmpty()));
  for (const std::string& line : ran.With("\"case\":\"kernel/")) {
    EXPECT_THAT(line, HasSubstr("\"ptx\":\"ok\""));
    EXPECT_THAT(line, HasSubstr("\"cubin\":\"skipped: emulator\""));
    EXPECT_THAT(line, HasSubstr("\"registers\":"));
  }
  EXPECT_GE(ran.With("\"case\":\"kernel/").size(), 6u);
  for (const char* what :
       {"time/copy/", "time/elementwise/", "time/reduce/rows", "time/reduce/columns",
        "time/matmul/f32", "time/matmul/bf16", "time/softmax", "time/attention", "launch/empty",
        "library/matmul/f32", "library/matmul/bf16", "pair/softmax", "pair/attention"}) {
    const auto lines = ran.With(std::string("\"case\":\"") + what);
    EXPECT_THAT(lines, Not(IsEmpty())) << what;
    for (const std::string& line : lines) {
      EXPECT_THAT(line, HasSubstr("\"clock\":\"emulator: no card's times\""));
    }
  }
  EXPECT_THAT(ran.lines.back(), HasSubstr("{\"case\":\"summary\",\"result\":\"ok\""));
}

TEST(CardCheck, APlantedFailureIsTheOneThatFails) {
  const TempFolder folder;
  const Ran ran = Rehearse(folder.path(), std::string(kFew) + " --plant-failure -- --no-timings");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto planted = ran.With("planted: ");
  ASSERT_THAT(planted, SizeIs(1));
  const std::string name = "kernel/" + planted[0].substr(std::string("planted: ").size());
  const auto failed = ran.With("\"result\":\"failed\"");
  ASSERT_THAT(failed, SizeIs(2)) << ran.output;  // the case and the summary
  EXPECT_THAT(failed[0], HasSubstr("\"case\":\"" + name + "\""));
  EXPECT_THAT(failed[0], HasSubstr("want"));
  EXPECT_THAT(failed[1], HasSubstr("\"failed_cases\":\"" + name + "\""));
}

class SmallBundle : public ::testing::Test {
 protected:
  static std::string Check(const std::string& libcuda) {
    return "EMULATED_CUDA_LOG=off SWAGE_LIBCUDA=" + libcuda + " " CARD_CHECK " ";
  }
  void SetUp() override {
    const Ran made =
        RunCheck(CARD_BUNDLE " " + path_ + " --no-card-sizes --filter 'elementwise/exp$'");
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }

  const TempFolder folder_;
  const std::string path_ = folder_.path() + "/card.bundle";
};

TEST_F(SmallBundle, ACardOfEitherArchitectureGetsItsPtx) {
  for (const char* capability : {"80", "90"}) {
    const Ran ran = RunCheck(std::string("EMULATED_CUDA_CC=") + capability + " " +
                             Check(EMULATED_LIBCUDA) + path_ + " --only kernel/");
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_THAT(ran.With("\"ptx\":\"ok\""), SizeIs(1)) << ran.output;
  }
  const Ran older = RunCheck("EMULATED_CUDA_CC=90 " + Check(EMULATED_LIBCUDA) + path_ +
                             " --only kernel/ --older-ptx");
  EXPECT_EQ(older.exit_code, 0) << older.output;
}

TEST(CardCheck, AFilterWithoutAKernelIsAnError) {
  const TempFolder folder;
  const Ran none = Rehearse(folder.path(), "--filter nosuchthing");
  EXPECT_EQ(none.exit_code, 3) << none.output;
  EXPECT_THAT(none.output, HasSubstr("--filter 'nosuchthing' matches 0 of the "));
  EXPECT_THAT(none.With("\"case\""), IsEmpty());
}

TEST(CardCheck, WhatABundleLeavesOutIsNamedOnDemand) {
  const TempFolder folder;
  const std::string make =
      CARD_BUNDLE " " + folder.path() +
      "/card.bundle --no-card-sizes --filter '^(elementwise/exp|index/sort_.*)$'";
  const Ran quiet = RunCheck(make);
  EXPECT_EQ(quiet.exit_code, 0) << quiet.output;
  EXPECT_THAT(quiet.output, HasSubstr(" left out (--verbose says which and why)"));
  const Ran told = RunCheck(make + " --verbose");
  EXPECT_THAT(told.With("left out: index/sort_"), Not(IsEmpty())) << told.output;
}

TEST(CardCheck, APackHasTheProgramsOfCardSizes) {
  const TempFolder folder;
  const Ran packed = RunCheck("scripts/card_check --pack --no-build --build-folder " BUILD_FOLDER
                              " --filter 'elementwise/exp$' --out " +
                              folder.path());
  EXPECT_EQ(packed.exit_code, 0) << packed.output;
  const std::string command = folder.path() + "/card_check " + folder.path() + "/card.bundle";
  EXPECT_THAT(packed.lines.back(), HasSubstr(command));
  // The emulator would take hours, and says so.
  const Ran ran = RunCheck("SWAGE_LIBCUDA=" EMULATED_LIBCUDA " " + command + " --only time/");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.With("\"case\":\"time/softmax/f32/16384x4096\",\"result\":\"skipped\""),
              SizeIs(1));
}

TEST_F(SmallBundle, WithoutADriverItSaysSo) {
  const Ran ran = RunCheck(Check("/nowhere/libcuda.so.1") + path_ + " --small");
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no driver"));
  EXPECT_THAT(ran.output, HasSubstr("/nowhere/libcuda.so.1"));
}

TEST_F(SmallBundle, WithoutCublasLtItsLinesSaySo) {
  const Ran ran = RunCheck("SWAGE_LIBCUBLASLT=off " + Check(EMULATED_LIBCUDA) + path_ +
                           " --small --only library/");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.With("\"result\":\"skipped\",\"why\":\"cublasLt not found"), SizeIs(2))
      << ran.output;
}

TEST_F(SmallBundle, CardSizesAreNotTimedOnTheEmulator) {
  const Ran ran = RunCheck(Check(EMULATED_LIBCUDA) + path_ + " --only time/copy");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.With("\"result\":\"skipped\""), SizeIs(2)) << ran.output;
}

TEST_F(SmallBundle, ADamagedOneIsRefused) {
  const StatusOr<std::string> text = ReadFile(path_);
  ASSERT_TRUE(text.ok());
  std::string damaged = *text;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  const std::pair<std::string, std::string> contents[] = {
      {text->substr(0, text->size() / 2), "cut off"}, {"", "not a bundle"}, {damaged, "damaged"}};
  for (const auto& [content, why] : contents) {
    ASSERT_TRUE(WriteFile(path_, content).ok());
    const Ran ran = RunCheck(Check(EMULATED_LIBCUDA) + path_ + " --small");
    EXPECT_EQ(ran.exit_code, 3) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(why));
  }
  const Ran missing = RunCheck(Check(EMULATED_LIBCUDA) + folder_.path() + "/none");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.output, HasSubstr("No such file"));
}

TEST_F(SmallBundle, LinesThatCannotBeWrittenEndTheRun) {
  // In parentheses, so that errors go another way.
  const Ran ran =
      RunCheck("(" + Check(EMULATED_LIBCUDA) + path_ + " --small --no-timings >/dev/full)");
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("cannot write its lines: No space left on device"));
}

TEST(CardCheckProgram, WrongArgumentsAreNamedAndGetTheUsage) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "a bundle is needed"},
      {" a b", "got 'b' besides 'a'"},
      {" --what", "unknown option '--what'"},
      {" a --case-seconds x", "--case-seconds got 'x', expected seconds"},
      {" a --kernel-seconds -1", "--kernel-seconds got '-1'"},
      {" a --only", "--only needs a value"},
  };
  for (const auto& [arguments, why] : kCases) {
    const Ran ran = RunCheck(std::string(CARD_CHECK) + arguments);
    EXPECT_EQ(ran.exit_code, 3) << arguments;
    EXPECT_THAT(ran.output, HasSubstr(why)) << arguments;
    EXPECT_THAT(ran.output, HasSubstr("[--kernel-seconds N]")) << arguments;
  }
}

TEST(CardCheckScript, WhatIsNoVerdictOfACardIsCode3) {
  const TempFolder folder;
  const std::string script = "scripts/card_check --no-build --rehearse ";
  const std::string built = "--build-folder " + std::string(BUILD_FOLDER);
  const Ran nothing = RunCheck(script + "--build-folder " + folder.path() + "/none");
  EXPECT_EQ(nothing.exit_code, 3) << nothing.output;
  EXPECT_THAT(nothing.output, HasSubstr("nothing is built in"));
  const Ran nowhere = RunCheck(script + built + " --out /proc/none");
  EXPECT_EQ(nowhere.exit_code, 3) << nowhere.output;
  // A folder in the place of the lines.
  ASSERT_EQ(RunCheck("mkdir -p " + folder.path() + "/out/card.jsonl").exit_code, 0);
  const Ran lost = RunCheck("EMULATED_CUDA_LOG=off " + script + built + " --out " + folder.path() +
                            "/out --filter 'elementwise/exp$' -- --no-timings --only driver");
  EXPECT_EQ(lost.exit_code, 3) << lost.output;
  EXPECT_THAT(lost.output, HasSubstr("card.jsonl"));
}

TEST(CardCheckScript, ThePackPrintsACommandForAShell) {
  const TempFolder folder;
  const Ran ran =
      RunCheck("scripts/card_check --no-build --pack --build-folder " + std::string(BUILD_FOLDER) +
               " --filter 'elementwise/exp$' --out '" + folder.path() + "/a b'");
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("/a\\ b/card_check "));
}

TEST(CardCheckProgram, NeedsNothingButTheCLibrary) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer brings its own libraries";
#endif
  const Ran ran = RunCheck("ldd " CARD_CHECK);
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  for (const std::string& line : ran.lines) {
    EXPECT_TRUE(
        line.find("linux-vdso") != std::string::npos ||
        line.find("ld-linux") != std::string::npos || line.find("libc.so") != std::string::npos ||
        line.find("libm.so") != std::string::npos || line.find("libdl.so") != std::string::npos ||
        line.find("libpthread.so") != std::string::npos)
        << line;
  }
}

}  // namespace
}  // namespace swage::card
