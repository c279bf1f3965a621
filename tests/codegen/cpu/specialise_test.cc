// Hot kernels with their sizes baked in: the rules, the trial, and the exchange while threads run.
#include "codegen/cpu/specialise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/cpu_executable.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/run_on_literals.h"
#include "compiler/ir/parser.h"
#include "tools/random_inputs.h"

namespace swage::cpu {
namespace {

using ir::Literal;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLong{120};
constexpr double kMillisecond = 1e6;

constexpr char kLoop[] = R"(
HloModule loop
ENTRY main {
  x = f32[7,37] parameter(0)
  y = f32[37] parameter(1)
  b = f32[7,37] broadcast(y), dimensions={1}
  ROOT r = f32[7,37] add(x, b)
})";
constexpr char kRowReduction[] = R"(
HloModule row_reduction
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[9,31] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[9] reduce(x, zero), dimensions={1}, to_apply=add
})";
constexpr char kColumnReduction[] = R"(
HloModule column_reduction
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[41,19] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[19] reduce(x, zero), dimensions={0}, to_apply=add
})";
constexpr char kRowTile[] = R"(
HloModule row_tile
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
body {
  x = f32[5,33] parameter(0)
  zero = f32[] constant(0)
  s = f32[5] reduce(x, zero), dimensions={1}, to_apply=add
  b = f32[5,33] broadcast(s), dimensions={0}
  ROOT r = f32[5,33] divide(x, b)
}
ENTRY main {
  x = f32[5,33] parameter(0)
  ROOT f = f32[5,33] fusion(x), kind=kInput, calls=body
})";
constexpr char kDot[] = R"(
HloModule dot
ENTRY main {
  x = f32[11,13] parameter(0)
  y = f32[13,17] parameter(1)
  ROOT r = f32[11,17] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

// What the fakes below say.
std::atomic<int64_t> step_ns{int64_t{1000}};
std::atomic<int> steps{1};
std::atomic<double> first_ns{2000};
std::atomic<double> second_ns{1000};
std::atomic<int64_t> compile_ns{0};
std::atomic<bool> same_bits{true};
std::atomic<bool> measuring{false};
std::atomic<bool> gate_closed{false};

thread_local bool runs_programs = false;

// Reading it costs nothing. The first step takes step_ns, of programs of so many steps; a compile
// takes compile_ns.
int64_t FakeNow() {
  thread_local int64_t now = 0;
  if (!runs_programs) return now += compile_ns;
  thread_local int readings = 0, period = 0;
  if (period != 2 + steps) {
    period = 2 + steps;
    readings = 0;
  }
  if (++readings % period == 3 % period) now += step_ns;
  return now;
}

StatusOr<KernelTimes> FakeMeasure(const KernelVersion& first, const KernelVersion& second,
                                  const ir::Computation& fusion, const std::atomic<bool>& stop) {
  measuring = true;
  while (gate_closed && !stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  SWAGE_ASSIGN_OR_RETURN(KernelTimes times, TimeInTurns(first, second, fusion, stop));
  times.first_ns = first_ns;
  times.second_ns = second_ns;
  times.same_bits = times.same_bits && same_bits;
  return times;
}

constexpr Specialisation kFake{.now = &FakeNow, .measure = &FakeMeasure};
const Specialisation kReal;

// An executable with inputs and outputs.
class Program {
 public:
  static std::unique_ptr<Program> Compile(std::string_view text, const Specialisation* how) {
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
    EXPECT_TRUE(module.ok()) << module.status();
    if (!module.ok()) return nullptr;
    auto program = std::make_unique<Program>();
    program->inputs_ = *tools::RandomInputs(**module, 1);
    auto executable = cpu::Compile(*std::move(module), {}, nullptr, how);
    EXPECT_TRUE(executable.ok()) << executable.status();
    if (!executable.ok()) return nullptr;
    program->executable_ = std::dynamic_pointer_cast<CpuExecutable>(*executable);
    return program;
  }

  std::vector<Literal> Run() const {
    runs_programs = true;
    auto results = codegen::RunOnLiterals(*executable_, inputs_);
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? *std::move(results) : std::vector<Literal>();
  }

  // Until a trial has ended, or for so many runs.
  void RunHot(int64_t most_runs = 3'000'000) const {
    const auto count = [] {
      const SpecialiseStats s = specialise_stats();
      return s.specialised + s.too_small + s.not_worth + s.failed + s.dropped;
    };
    const int64_t before = count();
    for (int64_t i = 0; i < most_runs && count() == before; ++i) Run();
    EXPECT_TRUE(FlushTrials(kLong));
  }

  const Step& step(int i) const { return executable_->program().steps[i]; }
  bool IsSwapped(int i = 0) const { return &step(i).kernel.now() != step(i).kernel.first(); }
  const CpuExecutable& executable() const { return *executable_; }
  void Drop() { executable_ = nullptr; }

 private:
  std::shared_ptr<CpuExecutable> executable_;
  std::vector<Literal> inputs_;
};

class SpecialiseTest : public testing::Test {
 protected:
  SpecialiseTest() {
    codegen::KernelCache::Get().Clear();
    step_ns = 1000;
    steps = 1;
    first_ns = 2000;
    second_ns = 1000;
    compile_ns = 0;
    same_bits = true;
    measuring = false;
    gate_closed = false;
    before_ = specialise_stats();
  }
  ~SpecialiseTest() override { gate_closed = false; }

  SpecialiseStats Since() const {
    const SpecialiseStats now = specialise_stats();
    return {now.specialised - before_.specialised, now.too_small - before_.too_small,
            now.not_worth - before_.not_worth, now.failed - before_.failed,
            now.dropped - before_.dropped};
  }

 private:
  SpecialiseStats before_;
};

TEST(SpecialiseRulesTest, ATrialHasToBeAbleToPay) {
  EXPECT_TRUE(IsWorthTrying(2 * kMillisecond, 0.5, kMillisecond));
  EXPECT_FALSE(IsWorthTrying(1.9 * kMillisecond, 0.5, kMillisecond));
  // What can never reach 15 % is not tried however hot it is.
  EXPECT_FALSE(IsWorthTrying(1e18, 0.1, kMillisecond));
  EXPECT_FALSE(IsWorthTrying(1e18, PlausibleSaving(emit::Schedule::kDot, 1e6), kMillisecond));
  EXPECT_TRUE(IsWorthTrying(1e18, PlausibleSaving(emit::Schedule::kRowTile, 1e6), kMillisecond));
}

TEST(SpecialiseRulesTest, TheSavingHasToBeFifteenPercentAndMoreThanTheCompile) {
  const auto judge = [](double first, double second, double spent_ms, double compile_ms) {
    return Judge({first, second, true}, spent_ms * kMillisecond, compile_ms * kMillisecond);
  };
  EXPECT_EQ(judge(115, 100, 1000, 10), Verdict::kSpecialised);
  EXPECT_EQ(judge(114, 100, 1000, 10), Verdict::kTooSmall);
  EXPECT_EQ(judge(90, 100, 1000, 0), Verdict::kTooSmall);
  // Half of what was spent would have been saved.
  EXPECT_EQ(judge(200, 100, 20, 10), Verdict::kSpecialised);
  EXPECT_EQ(judge(200, 100, 19, 10), Verdict::kNotWorth);
  EXPECT_EQ(judge(0, 0, 1000, 10), Verdict::kNotWorth);
}

TEST_F(SpecialiseTest, AHotKernelOfEveryScheduleGetsItsSizesAndKeepsItsBits) {
  for (const char* text : {kLoop, kRowReduction, kColumnReduction, kRowTile, kDot}) {
    SCOPED_TRACE(text);
    step_ns = text == kDot ? 200 : 1000;
    const int64_t specialised = Since().specialised;
    const auto program = Program::Compile(text, &kFake);
    ASSERT_NE(program, nullptr);
    ASSERT_EQ(program->executable().program().steps.size(), 1u);
    const std::vector<Literal> before = program->Run();
    EXPECT_FALSE(program->step(0).kernel.now().dims.empty());
    // Of a dot less is to be saved: its first trial comes too early.
    for (int i = 0; i < 10 && !program->IsSwapped(); ++i) program->RunHot();
    EXPECT_EQ(Since().specialised, specialised + 1);
    EXPECT_TRUE(program->IsSwapped());
    EXPECT_TRUE(program->step(0).kernel.now().dims.empty());
    EXPECT_EQ(program->Run(), before);
  }
}

TEST_F(SpecialiseTest, TheBakedKernelIsTheOneThatBakedDimsGive) {
  const auto program = Program::Compile(kRowTile, &kFake);
  program->RunHot();
  ASSERT_TRUE(program->IsSwapped());
  CompileOptions baked;
  baked.kernels.baked_dims = true;
  const auto executable = Compile(*ir::ParseHlo(kRowTile), baked);
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ((*executable)->report().kernel_hits, 1);
}

TEST_F(SpecialiseTest, AKernelThatRunsSeldomStays) {
  step_ns = 10;
  const auto program = Program::Compile(kRowReduction, &kFake);
  const int64_t llvm_runs = LlvmRunCount();
  for (int i = 0; i < 20'000; ++i) program->Run();
  EXPECT_TRUE(FlushTrials(kLong));
  EXPECT_EQ(LlvmRunCount(), llvm_runs);
  EXPECT_FALSE(program->IsSwapped());
}

TEST_F(SpecialiseTest, ASmallSavingIsRefusedForGood) {
  first_ns = 1100;
  const auto program = Program::Compile(kRowReduction, &kFake);
  program->RunHot();
  EXPECT_EQ(Since().too_small, 1);
  const int64_t llvm_runs = LlvmRunCount();
  program->RunHot(100'000);
  EXPECT_EQ(LlvmRunCount(), llvm_runs);
  EXPECT_EQ(Since().too_small, 1);
  EXPECT_FALSE(program->IsSwapped());
}

TEST_F(SpecialiseTest, WhatIsNotWorthItsCompileIsTriedAgainWhenItMayBe) {
  // Measured alone the kernel takes next to nothing, so that it has spent less than it seemed.
  first_ns = 2;
  second_ns = 1;
  compile_ns = 1'000'000'000;
  const auto program = Program::Compile(kRowReduction, &kFake);
  program->RunHot();
  EXPECT_EQ(Since().not_worth, 1);
  EXPECT_FALSE(program->IsSwapped());
  const int64_t llvm_runs = LlvmRunCount();
  program->RunHot(100'000);
  EXPECT_EQ(Since().not_worth, 1);
  EXPECT_EQ(LlvmRunCount(), llvm_runs);
}

TEST_F(SpecialiseTest, ADotThatIsFullOfWorkIsNotEvenCompiled) {
  step_ns = 1'000'000;
  const auto program = Program::Compile(kDot, &kFake);
  const int64_t llvm_runs = LlvmRunCount();
  program->RunHot();
  EXPECT_EQ(LlvmRunCount(), llvm_runs);
  EXPECT_EQ(Since().too_small, 1);
  EXPECT_FALSE(measuring);
}

TEST_F(SpecialiseTest, OtherBitsAreRefused) {
  same_bits = false;
  const auto program = Program::Compile(kRowReduction, &kFake);
  program->RunHot();
  EXPECT_EQ(Since().failed, 1);
  EXPECT_FALSE(program->IsSwapped());
}

// Large enough that horizontal-fusion leaves them apart.
TEST_F(SpecialiseTest, EqualStepsAreOneTrial) {
  const auto program = Program::Compile(R"(
HloModule twice
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY main {
  x = f32[4000,31] parameter(0)
  y = f32[4000,31] parameter(1)
  zero = f32[] constant(0)
  s = f32[4000] reduce(x, zero), dimensions={1}, to_apply=add
  t = f32[4000] reduce(y, zero), dimensions={1}, to_apply=add
  ROOT r = (f32[4000], f32[4000]) tuple(s, t)
})",
                                        &kFake);
  ASSERT_EQ(program->executable().program().steps.size(), 2u);
  steps = 2;
  program->RunHot();
  EXPECT_EQ(Since().specialised, 1);
  EXPECT_TRUE(program->IsSwapped(0));
  EXPECT_TRUE(program->IsSwapped(1));
}

TEST_F(SpecialiseTest, NothingHappensUnlessItIsAskedForOrWhenItIsLookedAt) {
  EXPECT_TRUE(Program::Compile(kLoop, nullptr)->step(0).kernel.first()->kernel->source.empty());
  codegen::KernelCache::Get().Clear();
  for (const bool baked : {true, false}) {
    CompileOptions options;
    options.kernels.baked_dims = baked;
    options.compiler.check_lies = !baked;
    const auto executable = Compile(*ir::ParseHlo(kLoop), options, nullptr, &kFake);
    ASSERT_TRUE(executable.ok()) << executable.status();
    const auto& program = dynamic_cast<const CpuExecutable&>(**executable).program();
    EXPECT_EQ(program.specialise, nullptr);
  }
}

TEST_F(SpecialiseTest, WhatATrialNeedsIsCountedAsMemory) {
  const int64_t plain = Program::Compile(kLoop, nullptr)->executable().memory_bytes();
  const int64_t kernels = codegen::KernelCache::Get().bytes();
  codegen::KernelCache::Get().Clear();
  const auto program = Program::Compile(kLoop, &kFake);
  EXPECT_GT(program->executable().memory_bytes(), plain);
  EXPECT_GE(codegen::KernelCache::Get().bytes(),
            kernels + static_cast<int64_t>(program->step(0).kernel.first()->kernel->source.size()));
}

TEST_F(SpecialiseTest, ManyThreadsRunWhileTheKernelIsExchanged) {
  const auto program = Program::Compile(kRowTile, &kFake);
  const std::vector<Literal> want = program->Run();
  std::atomic<bool> stop{false};
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (!stop) wrong += program->Run() == want ? 0 : 1;
    });
  }
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  while (!program->IsSwapped() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(program->IsSwapped());
  EXPECT_EQ(wrong, 0);
}

// Runs until the trial is measuring, where it stays.
void RunUntilMeasuring(const Program& program) {
  gate_closed = true;
  while (!measuring) program.Run();
}

TEST_F(SpecialiseTest, AProgramMayGoWhileItsTrialRuns) {
  const auto program = Program::Compile(kRowReduction, &kFake);
  RunUntilMeasuring(*program);
  program->Drop();
  gate_closed = false;
  EXPECT_TRUE(FlushTrials(kLong));
  EXPECT_EQ(Since().dropped, 1);
  EXPECT_EQ(Since().specialised, 0);
  // Nobody holds either kernel any more.
  EXPECT_EQ(codegen::KernelCache::Get().stats().unused, 2);
}

#ifndef __SANITIZE_THREAD__  // it does not follow threads into a child
TEST_F(SpecialiseTest, AForkedChildRunsOnAndSpecialisesItsOwn) {
  const auto program = Program::Compile(kRowReduction, &kFake);
  const std::vector<Literal> want = program->Run();
  RunUntilMeasuring(*program);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gate_closed = false;
    for (int i = 0; i < 2000; ++i) {
      if (program->Run() != want) ::_exit(1);
    }
    if (program->IsSwapped()) ::_exit(2);
    program->Drop();
    const auto own = Program::Compile(kColumnReduction, &kFake);
    own->RunHot();
    ::_exit(own->IsSwapped() ? 0 : 3);
  }
  gate_closed = false;
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(FlushTrials(kLong));
  EXPECT_TRUE(program->IsSwapped());
}
#endif

TEST_F(SpecialiseTest, TheProcessMayEndWhileATrialRuns) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        const auto program = Program::Compile(kRowReduction, &kFake);
        RunUntilMeasuring(*program);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(SpecialiseTest, WithRealTimesATrialEndsOneWayOrTheOtherAndTheBitsStay) {
  const auto program = Program::Compile(kRowReduction, &kReal);
  const std::vector<Literal> want = program->Run();
  const auto deadline = std::chrono::steady_clock::now() + kLong;
  SpecialiseStats since;
  do {
    for (int i = 0; i < 1000; ++i) program->Run();
    since = Since();
  } while (since.specialised + since.too_small + since.not_worth == 0 &&
           std::chrono::steady_clock::now() < deadline);
  EXPECT_TRUE(FlushTrials(kLong));
  EXPECT_GE(since.specialised + since.too_small + since.not_worth, 1);
  EXPECT_EQ(since.failed, 0);
  EXPECT_EQ(program->Run(), want);
}

TEST(KernelTimerTest, BuffersHaveABound) {
  const auto module = *ir::ParseHlo(R"(
HloModule large
ENTRY main {
  x = f32[32768,1024] parameter(0)
  ROOT r = f32[32768,1024] negate(x)
})");
  const std::atomic<bool> stop{false};
  EXPECT_EQ(TimeInTurns({}, {}, *module->entry(), stop).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace swage::cpu
