// What the end of the CPU pipeline promises to code generation, over the corpus and the models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/analysis/buffer_assignment.h"
#include "compiler/analysis/in_place.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/verifier.h"
#include "compiler/pipelines/cpu.h"
#include "tests/compiler/analysis/memory_model.h"
#include "tests/hlo_files.h"
#include "tests/temp_folder.h"

namespace swage::pipelines {
namespace {

using ir::Instruction;
using ir::Opcode;

const cost::DeviceDescription kDevice = cost::TestCpu();

// Each module of the folders after the pipeline.
template <typename Fn>
void ForEachCompiled(const std::vector<std::string>& folders, Fn&& fn) {
  for (const std::string& path : HloFilesUnder(folders)) {
    SCOPED_TRACE(path);
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
    ASSERT_TRUE(module.ok()) << module.status().message();
    passes::PassContext context({}, &kDevice);
    const Status status = RunCpuPipeline(module->get(), context);
    ASSERT_TRUE(status.ok()) << status.message();
    fn(**module);
  }
}

TEST(LatePasses, ModulesAreLaidOutScheduledAndMadeOfKernels) {
  ForEachCompiled({"corpus", "hlo_text", "models"}, [](const ir::Module& module) {
    const Status verified =
        ir::Verify(module, {.layouts = ir::LayoutPhase::kAfter, .scheduled = true});
    EXPECT_TRUE(verified.ok()) << verified.message();
    for (const ir::Computation* computation : module.ExecutedComputations()) {
      for (const Instruction* instruction : computation->schedule()) {
        const Opcode opcode = instruction->opcode();
        EXPECT_FALSE(ir::IsElementwise(opcode) || opcode == Opcode::kDot ||
                     opcode == Opcode::kReduce || opcode == Opcode::kTranspose)
            << instruction->ToString();
      }
    }
  });
}

TEST(LatePasses, EveryValueIsInItsPlaceWhenItIsRead) {
  int64_t in_place = 0;
  ForEachCompiled({"corpus", "hlo_text", "models"}, [&](const ir::Module& module) {
    for (const ir::Computation* computation : module.ExecutedComputations()) {
      const auto buffers = analysis::AssignBuffers(*computation);
      ASSERT_TRUE(buffers.ok()) << buffers.status().message();
      analysis::ExpectValuesInPlace(*computation, computation->schedule(), *buffers);
      for (const Instruction* step : computation->schedule()) {
        if (step->opcode() != Opcode::kFusion || !step->shape().is_array()) continue;
        for (int i = 0; i < step->operand_count(); ++i) {
          const Instruction* operand = step->operand(i);
          if (operand->shape().NumElements().value_or(0) == 0) continue;
          if (!(buffers->SliceOf(operand) == buffers->SliceOf(step))) continue;
          ++in_place;
          EXPECT_TRUE(analysis::CanWriteOver(*step, i, 0)) << step->ToString();
        }
      }
    }
  });
  EXPECT_GT(in_place, 20);
}

TEST(LatePasses, NoScheduleNeedsMoreThanTheOrderOfTheProgram) {
  ForEachCompiled({"corpus", "models"}, [](const ir::Module& module) {
    for (const ir::Computation* computation : module.ExecutedComputations()) {
      EXPECT_LE(analysis::AssignBuffers(*computation)->arena_bytes(),
                analysis::AssignBuffers(*computation, computation->PostOrder())->arena_bytes());
    }
  });
}

int64_t ArenaBytes(const std::string& path, const CompilerOptions& options) {
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHloFile(path);
  passes::PassContext context(options, &kDevice);
  const Status status = RunCpuPipeline(module->get(), context);
  EXPECT_TRUE(status.ok()) << status.message();
  int64_t bytes = 0;
  for (const ir::Computation* computation : (*module)->ExecutedComputations()) {
    bytes += analysis::AssignBuffers(*computation)->arena_bytes();
  }
  return bytes;
}

TEST(LatePasses, FusionNeedsLessMemoryThanKernelsOfOneOp) {
  int64_t fused = 0, apart = 0;
  for (const std::string& path : HloFilesUnder({"corpus"})) {
    fused += ArenaBytes(path, {});
    apart += ArenaBytes(path, {.disable_passes = {"priority-fusion"}});
  }
  EXPECT_LT(fused, apart);
}

bool IsOddlyLaidOut(const Instruction& instruction) {
  const ir::Shape& shape = instruction.shape();
  return shape.is_array() && shape.has_layout() && !shape.layout().IsRowMajor();
}

TEST(LatePasses, EntryLayoutsAreReadAndWrittenThroughTransposes) {
  auto module = ir::ParseHlo(R"(
HloModule m, entry_computation_layout={(f32[6,4]{0,1}, f32[5,6]{1,0})->(f32[5,4]{0,1}, f32[6,4]{1,0})}
ENTRY main {
  a = f32[6,4] parameter(0)
  b = f32[5,6] parameter(1)
  d = f32[5,4] dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[6,4] exponential(a)
  ROOT t = (f32[5,4], f32[6,4]) tuple(d, e)
})");
  ASSERT_TRUE(module.ok()) << module.status().message();
  CompilerOptions options;
  options.check_passes = true;
  passes::PassContext context(options, &kDevice);
  const Status status = RunCpuPipeline(module->get(), context);
  ASSERT_TRUE(status.ok()) << status.message();
  const ir::Computation& entry = *(*module)->entry();
  EXPECT_EQ(entry.parameter(0)->shape().layout(), (ir::Layout{{0, 1}, ""}));
  EXPECT_EQ(entry.root()->shape().tuple_shape(0).layout(), (ir::Layout{{0, 1}, ""}));
  // Kernels see bytes in order: what is not row-major is only ever a bitcast's end.
  for (const ir::Computation* computation : (*module)->Computations()) {
    for (const Instruction* instruction : computation->Instructions()) {
      if (!IsOddlyLaidOut(*instruction)) continue;
      EXPECT_TRUE(instruction->opcode() == Opcode::kParameter ||
                  instruction->opcode() == Opcode::kBitcast ||
                  instruction->opcode() == Opcode::kFusion)
          << instruction->ToString();
      for (const Instruction* user : instruction->users()) {
        EXPECT_TRUE(user->opcode() == Opcode::kBitcast || user->opcode() == Opcode::kFusion ||
                    user->opcode() == Opcode::kTuple)
            << user->ToString();
      }
    }
  }
}

TEST(LatePasses, DumpsShowLayoutsFromLayoutAssignmentOn) {
  const TempFolder folder;
  auto module = ir::ParseHloFile("tests/corpus/program/kv_decode_step/module.hlo");
  ASSERT_TRUE(module.ok());
  CompilerOptions options;
  options.dump_to = folder.path();
  {
    passes::PassContext context(options, &kDevice);
    ASSERT_TRUE(RunCpuPipeline(module->get(), context).ok());
  }
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(file.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  bool has_layouts = false;
  for (const std::string& name : names) {
    if (name.find(".after_") == std::string::npos) continue;
    has_layouts |= name.find("after_layout-assignment") != std::string::npos;
    auto text = ir::ParseHloFile(folder.path() + "/" + name);
    ASSERT_TRUE(text.ok()) << text.status().message();
    const auto phase = has_layouts ? ir::LayoutPhase::kAfter : ir::LayoutPhase::kBefore;
    const Status verified = ir::Verify(**text, {.layouts = phase});
    EXPECT_TRUE(verified.ok()) << name << ": " << verified.message();
  }
  EXPECT_TRUE(has_layouts);
  EXPECT_THAT(names, testing::Contains(testing::HasSubstr("-buffer-assignment.txt")));
}

}  // namespace
}  // namespace swage::pipelines
