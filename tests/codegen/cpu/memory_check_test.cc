// What a step of a CPU program sees under SWAGE_CHECK=memory: each value, wherever it comes from,
// ends at a page that nobody may touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>

#include "codegen/cpu/cpu_executable.h"
#include "codegen/run_on_literals.h"

namespace swage::cpu {
namespace {

using codegen::BufferRef;
using ::testing::HasSubstr;

// Before anything asks for the mode, which is read once per process.
const bool chosen = [] {
  setenv("SWAGE_CHECK", "memory", /*overwrite=*/1);
  return true;
}();

constexpr uintptr_t kPage = 4096;
constexpr int64_t kBytes = 12;
const ir::Shape kShape = ir::Shape::Array(ir::DType::kF32, {ir::Dim(3)});
volatile char sink;

// Of an argument, a constant, an intermediate value and a result, all f32[3].
using Look = std::function<void(char* argument, char* constant, char* between, char* result)>;

class Probe final : public codegen::Executable {
 public:
  explicit Probe(Look look) : look_(std::move(look)) {
    input_shapes_ = {kShape, kShape};
    output_shapes_ = {kShape, kShape};
  }
  Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) override {
    const auto at = [](const void* data) { return static_cast<char*>(const_cast<void*>(data)); };
    look_(at(inputs[0]), at(inputs[1]), at(outputs[0]), at(outputs[1]));
    return OkStatus();
  }

 private:
  Look look_;
};

// A program whose one step is the probe.
Status RunProbe(Look look) {
  CpuProgram program;
  program.input_shapes = {kShape};
  program.output_shapes = {kShape};
  program.table = {.inputs = 1, .outputs = 1, .constants = 1};
  program.constants = {*ir::Literal::Create(kShape)};
  program.slices = {{.offset = 0, .size = kBytes}};
  program.arena_bytes = 64;
  Step step;
  step.kind = Step::Kind::kCall;
  step.callee = std::make_shared<Probe>(std::move(look));
  const codegen::BaseTable& table = program.table;
  step.buffers = {BufferRef{table.InputBase(0)}, BufferRef{table.ConstantBase(0)},
                  BufferRef{table.ArenaBase(0)}, BufferRef{table.OutputBase(0)}};
  program.steps.push_back(std::move(step));
  CpuExecutable executable(std::move(program), {});
  const ir::Literal argument = *ir::Literal::Create(kShape);
  return codegen::RunOnLiterals(executable, {argument}).status();
}

TEST(MemoryCheckTest, EveryValueEndsAtAPage) {
  EXPECT_TRUE(RunProbe([](char* argument, char* constant, char* between, char* result) {
                for (const char* value : {argument, constant, between, result}) {
                  EXPECT_EQ((reinterpret_cast<uintptr_t>(value) + kBytes) % kPage, 0u);
                }
              }).ok());
}

TEST(MemoryCheckDeathTest, OneElementPastAnyValueStops) {
  for (int which = 0; which < 4; ++which) {
    EXPECT_DEATH(RunProbe([which](char* argument, char* constant, char* between, char* result) {
                   char* const values[] = {argument, constant, between, result};
                   sink = values[which][kBytes];
                 }).IgnoreError(),
                 "")
        << which;
  }
}

TEST(MemoryCheckTest, AWriteBeforeAnyValueIsTold) {
  for (int which = 0; which < 4; ++which) {
    const Status status =
        RunProbe([which](char* argument, char* constant, char* between, char* result) {
          char* const values[] = {argument, constant, between, result};
          values[which][-4] = 0;
        });
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("a write outside a buffer of 12 bytes, at byte offset -4"))
        << which;
  }
}

TEST(MemoryCheckTest, WhatIsNotWrittenIsNoZero) {
  EXPECT_TRUE(RunProbe([](char*, char*, char* between, char* result) {
                EXPECT_NE(between[0], 0);
                EXPECT_NE(result[0], 0);
              }).ok());
}

}  // namespace
}  // namespace swage::cpu
