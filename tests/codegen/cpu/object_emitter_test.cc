#include "codegen/cpu/object_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "codegen/cpu/object_file.h"
#include "codegen/cpu/symbol_check.h"
#include "codegen/emit/backend.h"
#include "llvm/Target/TargetMachine.h"
#include "tests/codegen/cpu/test_modules.h"

namespace swage::cpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr CodegenLevel kLevels[] = {CodegenLevel::kNone, CodegenLevel::kDefault};

constexpr char kMulAdd[] = R"(
  define void @kernel(ptr %p) {
    %x = load <8 x float>, ptr %p
    %m = fmul <8 x float> %x, %x
    %s = fadd <8 x float> %m, %x
    store <8 x float> %s, ptr %p
    ret void
  })";

constexpr char kConstantTable[] = R"(
  @table = private constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
  define void @kernel(ptr %p, i64 %i) {
    %slot = getelementptr [4 x double], ptr @table, i64 0, i64 %i
    %x = load double, ptr %slot
    store double %x, ptr %p
    ret void
  })";

TEST(ObjectEmitterTest, VectorKernelNeedsNoSymbol) {
  for (CodegenLevel level : kLevels) {
    TestModule test = VectorAdd("kernel", 16);
    const auto emitted = EmitObject(*test.module, Host(), {.level = level});
    ASSERT_TRUE(emitted.ok()) << emitted.status().message();
    const std::string_view elf = *UnsealObject(emitted->object);
    EXPECT_TRUE(CheckObjectSymbols(elf).ok());
    EXPECT_EQ(elf.find(".eh_frame"), std::string_view::npos);
    EXPECT_GT(emitted->codegen_ms, 0);
    EXPECT_TRUE(emitted->assembly.empty() && emitted->ir_before.empty() &&
                emitted->ir_after.empty());
  }
}

TEST(ObjectEmitterTest, EqualModulesGiveEqualBytes) {
  TestModule a = VectorAdd("kernel", 16);
  TestModule b = VectorAdd("kernel", 16);
  EXPECT_EQ(EmitObject(*a.module, Host(), {.keep_assembly = true})->object,
            EmitObject(*b.module, Host())->object);
}

// A code generator's passes serve many modules, each in a context of its own.
TEST(ObjectEmitterTest, OtherModulesBeforeLeaveNoTrace) {
  const auto generator = [] { return *Host().CreateTargetMachine(CodegenLevel::kDefault); };
  const auto used_machine = generator();
  emit::CodeGenerator used(*used_machine, llvm::CodeGenFileType::ObjectFile);
  const std::string texts[] = {kMulAdd, kConstantTable, "define void @kernel() { ret void }"};
  for (int round = 0; round < 3; ++round) {
    for (const std::string& text : texts) {
      const auto machine = generator();
      const auto code = [&](emit::CodeGenerator& objects) {
        TestModule test = ParseModule(text);
        test.module->setDataLayout(machine->createDataLayout());
        return *objects.Run(*test.module);
      };
      emit::CodeGenerator fresh(*machine, llvm::CodeGenFileType::ObjectFile);
      EXPECT_EQ(code(used), code(fresh)) << text;
    }
  }
}

TEST(ObjectEmitterTest, AnErrorOfTheCodeGeneratorLeavesNoTrace) {
  const auto machine = *Host().CreateTargetMachine(CodegenLevel::kDefault);
  emit::CodeGenerator objects(*machine, llvm::CodeGenFileType::ObjectFile);
  const auto code = [&](const std::string& text) {
    TestModule test = ParseModule(text);
    test.module->setDataLayout(machine->createDataLayout());
    return objects.Run(*test.module);
  };
  const auto before = code(kMulAdd);
  const auto bad =
      code("define float @kernel(float %x) \"target-features\"=\"-sse\" { ret float %x }");
  EXPECT_THAT(bad.status().message(), HasSubstr("[llvm] code generation: "));
  EXPECT_EQ(*code(kMulAdd), *before);
}

TEST(ObjectEmitterTest, EachModuleCountsOnce) {
  const int64_t before = LlvmRunCount();
  TestModule test = VectorAdd("kernel", 16);
  ASSERT_TRUE(EmitObject(*test.module, Host(), {.keep_assembly = true}).ok());
  EXPECT_EQ(LlvmRunCount(), before + 1);
}

TEST(ObjectEmitterTest, RefusedModuleNeverReachesTheCodeGenerator) {
  const int64_t before = LlvmRunCount();
  EXPECT_FALSE(EmitText("define half @f(half %x) { ret half %x }", Host()).ok());
  EXPECT_EQ(LlvmRunCount(), before);
}

TEST(ObjectEmitterTest, TextsAreKeptOnRequest) {
  TestModule test = VectorAdd("kernel", 8);
  const auto emitted = EmitObject(*test.module, Host(), {.keep_ir = true, .keep_assembly = true});
  ASSERT_TRUE(emitted.ok());
  EXPECT_THAT(emitted->ir_before, HasSubstr("define void @kernel"));
  EXPECT_THAT(emitted->ir_after, HasSubstr("define void @kernel"));
  EXPECT_THAT(emitted->assembly, HasSubstr("vaddps"));
}

TEST(ObjectEmitterTest, OlderCpuGetsNoWideRegisters) {
  const HostTarget v3 = *HostTarget::Resolve("x86-64-v3");
  TestModule narrow = VectorAdd("kernel", 16);
  const std::string text = EmitObject(*narrow.module, v3, {.keep_assembly = true})->assembly;
  EXPECT_THAT(text, Not(HasSubstr("zmm")));
  EXPECT_THAT(text, HasSubstr("ymm"));
  if (Host().vector_bytes() < 64) return;
  for (const char* cpu : {"", "x86-64-v4"}) {
    TestModule wide = VectorAdd("kernel", 16);
    EXPECT_THAT(
        EmitObject(*wide.module, *HostTarget::Resolve(cpu), {.keep_assembly = true})->assembly,
        HasSubstr("zmm"));
  }
}

TEST(ObjectEmitterTest, MultiplyAndAddStayApart) {
  for (CodegenLevel level : kLevels) {
    const auto emitted = EmitText(kMulAdd, Host(), {.level = level, .keep_assembly = true});
    EXPECT_THAT(emitted->assembly, HasSubstr("vmulps"));
    EXPECT_THAT(emitted->assembly, Not(HasSubstr("vfmadd")));
  }
}

TEST(ObjectEmitterTest, CopyLoopStaysALoop) {
  const auto emitted = EmitText(R"(
    define void @kernel(ptr noalias %to, ptr noalias %from, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %a = getelementptr i8, ptr %from, i64 %i
      %b = getelementptr i8, ptr %to, i64 %i
      %x = load i8, ptr %a
      store i8 %x, ptr %b
      %next = add i64 %i, 1
      %more = icmp ult i64 %next, %n
      br i1 %more, label %loop, label %done
    done:
      ret void
    })",
                                Host());
  EXPECT_TRUE(emitted.ok()) << emitted.status().message();
}

TEST(ObjectEmitterTest, ConstantTablesAndJumpTablesNeedNoSymbol) {
  std::string cases;
  std::string blocks;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    cases += "i64 " + n + ", label %b" + n + " ";
    blocks += "b" + n + ":\n store i64 " + std::to_string(i * i + 7) + ", ptr %p\n ret void\n";
  }
  const std::string text = R"(
    @table = private constant [4 x double] [double 1.0, double 2.0, double 3.0, double 4.0]
    define void @kernel(ptr %p, i64 %i) {
      %slot = getelementptr [4 x double], ptr @table, i64 0, i64 %i
      %x = load double, ptr %slot
      %y = fadd double %x, 0x400921FB54442D18
      store double %y, ptr %p
      switch i64 %i, label %out [ )" +
                           cases + "]\n" + blocks + "out:\n ret void\n}";
  for (CodegenLevel level : kLevels) {
    const auto emitted = EmitText(text, Host(), {.level = level});
    EXPECT_TRUE(emitted.ok()) << emitted.status().message();
  }
}

TEST(ObjectEmitterTest, ThreadsEmitAtTheSameTime) {
  TestModule reference = VectorAdd("kernel", 16);
  const std::string expected = EmitObject(*reference.module, Host())->object;
  std::vector<std::thread> threads;
  std::vector<std::string> objects(4);
  for (std::string& object : objects) {
    threads.emplace_back([&object] {
      for (int round = 0; round < 5; ++round) {
        TestModule test = VectorAdd("kernel", 16);
        object = EmitObject(*test.module, Host())->object;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& object : objects) EXPECT_EQ(object, expected);
}

}  // namespace
}  // namespace swage::cpu
