// Programs on a device: what is kept and found again, graphs, intermediate values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "codegen/gpu/cuda_executable.h"
#include "codegen/gpu/cuda_target.h"
#include "codegen/program/kernel_cache.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "tests/codegen/gpu/cuda_test.h"
#include "tests/codegen/map_store.h"

namespace swage::gpu {
namespace {

using codegen::EntryKind;
using codegen::MapStore;
using ir::Literal;

// A chain of reductions, each a kernel of its own.
std::string Chain(int length, int64_t n) {
  std::string text = absl::StrCat(
      "HloModule chain\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\n\nENTRY e {\n  k = f32[] constant(0)\n  x0 = f32[",
      n, ",", n, "] parameter(0)\n");
  for (int i = 0; i < length; ++i) {
    absl::StrAppend(&text, "  r", i, " = f32[", n, "] reduce(x", i,
                    ", k), dimensions={1}, to_apply=add\n  c", i, " = f32[", n, ",", n,
                    "] broadcast(r", i, "), dimensions={", i % 2, "}\n  x", i + 1, " = f32[", n,
                    ",", n, "] divide(x", i, ", c", i, ")\n");
  }
  return text + absl::StrCat("  ROOT out = f32[", n, ",", n, "] negate(x", length, ")\n}\n");
}

class GpuExecutable : public CudaProgramTest {
 protected:
  void SetUp() override {
    CudaProgramTest::SetUp();
    codegen::KernelCache::Get().Clear();
  }

  static Literal Input(int64_t n) {
    Literal input = *Literal::Create(ir::Shape::Array(ir::DType::kF32, {n, n}));
    for (int64_t i = 0; i < n * n; ++i)
      input.mutable_data<float>()[i] = static_cast<float>(i % 7) + 0.5f;
    return input;
  }
  static void ExpectRight(codegen::Executable& executable, const std::string& text, int64_t n) {
    const auto got = codegen::RunOnLiterals(executable, {Input(n)});
    ASSERT_TRUE(got.ok()) << got.status();
    const auto want = evaluator::Evaluate(*Parse(text), {Input(n)});
    ASSERT_TRUE(want.ok()) << want.status();
    EXPECT_EQ((*got)[0], *want);
  }
};

TEST_F(GpuExecutable, AnotherProcessFindsProgramAndKernelsAndRunsNoPassAndNoLlvm) {
  MapStore store;
  const std::string text = Chain(2, 9);
  const auto first = CompileText(text, &store);
  EXPECT_GT(first->report().llvm_runs, 0);
  EXPECT_GT(store.entries.size(), 2u);
  codegen::KernelCache::Get().Clear();
  const auto second = CompileText(text, &store);
  EXPECT_TRUE(second->report().module_load);
  EXPECT_EQ(second->report().llvm_runs, 0);
  EXPECT_EQ(second->report().kernel_loads, first->report().llvm_runs);
  ExpectRight(*second, text, 9);
}

TEST_F(GpuExecutable, WhatTheDriverRefusesIsMadeAnew) {
  MapStore store;
  const std::string text = Chain(1, 6);
  CompileText(text, &store);
  for (auto& [key, payload] : store.entries) {
    if (key.first == EntryKind::kKernel) payload = "not code";
  }
  codegen::KernelCache::Get().Clear();
  const auto again = CompileText(text, &store);
  ASSERT_NE(again, nullptr);
  EXPECT_GT(again->report().llvm_runs, 0);
  ExpectRight(*again, text, 6);
}

TEST_F(GpuExecutable, ACubinThatIsNoneIsLinkedAnewFromItsPtx) {
  MapStore store;
  const std::string text = Chain(1, 6);
  CompileText(text, &store);
  for (auto& [key, payload] : store.entries) {
    if (key.second.find("cubin") != std::string::npos) payload = "not code";
  }
  codegen::KernelCache::Get().Clear();
  const auto again = CompileText(text, &store);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->report().llvm_runs, 0);
  ExpectRight(*again, text, 6);
}

TEST_F(GpuExecutable, ManyLaunchesWithTheSameBuffersBecomeAGraph) {
  const std::string text = Chain(6, 5);
  const auto executable = CompileText(text);
  auto* const cuda = static_cast<CudaExecutable*>(executable.get());
  ASSERT_GE(cuda->launches(), 4);
  codegen::MemorySpace& memory = *executable->memory();
  const Literal input = Input(5);
  const auto bytes = static_cast<int64_t>(input.bytes().size());
  auto x = codegen::SpaceBlock::Allocate(memory, bytes);
  auto y = codegen::SpaceBlock::Allocate(memory, bytes);
  auto z = codegen::SpaceBlock::Allocate(memory, bytes);
  ASSERT_TRUE(x.ok() && y.ok() && z.ok());
  ASSERT_TRUE(memory.CopyIn(x->data(), input.bytes().data(), bytes).ok());
  const auto run = [&](void* output) {
    const void* const inputs[] = {x->data()};
    void* const outputs[] = {output};
    ASSERT_EQ(executable->Run(inputs, outputs), OkStatus());
    const auto got = codegen::LiteralsAt(&memory, executable->output_shapes(), outputs);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0], *evaluator::Evaluate(*Parse(text), {input}));
  };
  run(y->data());
  EXPECT_FALSE(cuda->is_recorded());
  run(y->data());
  EXPECT_TRUE(cuda->is_recorded());
  run(y->data());
  EXPECT_TRUE(cuda->is_recorded());
  run(z->data());  // other buffers: launched one by one
  EXPECT_FALSE(cuda->is_recorded());
  run(z->data());
  EXPECT_TRUE(cuda->is_recorded());
}

TEST_F(GpuExecutable, NothingToReadWaitsForWhatRuns) {
  codegen::MemorySpace& memory = **MemoryOf(0);
  EXPECT_EQ(memory.CopyOut(nullptr, nullptr, 0), OkStatus());
}

TEST_F(GpuExecutable, AGraphIsRecordedAnewWhenItsIntermediateValuesMove) {
  const std::string text = Chain(6, 5), larger = Chain(6, 200);
  const auto executable = CompileText(text), other = CompileText(larger);
  for (int i = 0; i < 3; ++i) ExpectRight(*executable, text, 5);
  ExpectRight(*other, larger, 200);  // which needs more memory
  for (int i = 0; i < 3; ++i) ExpectRight(*executable, text, 5);
}

TEST(CardDescription, KnownCardsAreThoseOfTheirNames) {
  cuda::DeviceProperties card;
  card.name = "NVIDIA H200";
  card.major = 9;
  EXPECT_EQ(DescriptionOf(card).name, "h200");
  card.name = "NVIDIA A100-SXM4-80GB";
  EXPECT_EQ(DescriptionOf(card).name, "a100");
}

TEST(CardDescription, OthersAreDescribedByTheirDriver) {
  cuda::DeviceProperties card;
  card.name = "NVIDIA GeForce RTX 4090";
  card.major = 8;
  card.minor = 9;
  card.multiprocessors = 128;
  card.clock_ghz = 2.5;
  card.memory_gb_per_s = 1008;
  const cost::DeviceDescription device = DescriptionOf(card);
  EXPECT_EQ(device.gpu.compute_capability, 89);
  EXPECT_EQ(device.cores, 128);
  EXPECT_DOUBLE_EQ(device.dram_gb_per_s, 1008);
}

}  // namespace
}  // namespace swage::gpu
