// Modules and kernels in a store: what comes back computes the same bits, without passes and
// without LLVM, and whatever is wrong in a store only costs time.
#include "codegen/program/module_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/files.h"
#include "base/key_material.h"
#include "codegen/cpu/compile.h"
#include "codegen/cpu/cpu_target.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/program/entry_key.h"
#include "codegen/run_on_literals.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/map_store.h"
#include "tools/random_inputs.h"

namespace swage::codegen {
namespace {

using ir::Literal;

std::unique_ptr<ir::Module> Parse(std::string_view text) {
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return nullptr;
  ir::DropLayouts(module->get());
  return *std::move(module);
}

std::unique_ptr<ir::Module> Corpus(const std::string& name) {
  return Parse(*ReadFile(absl::StrCat("tests/corpus/program/", name, "/module.hlo")));
}

std::shared_ptr<Executable> CompileWith(EntryStore* store, const ir::Module& module,
                                        cpu::CompileOptions options = {}) {
  KernelCache::Get().Clear();  // as in a new process
  options.kernels.store = store;
  auto executable = cpu::Compile(module.Clone(), options);
  EXPECT_TRUE(executable.ok()) << executable.status();
  return executable.ok() ? *executable : nullptr;
}

std::vector<Literal> Execute(Executable& executable, const ir::Module& module) {
  auto results = RunOnLiterals(executable, *tools::RandomInputs(module, 7));
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *std::move(results) : std::vector<Literal>();
}

TEST(ModuleEntry, EveryProgramOfTheCorpusComesBackWithTheSameBits) {
  int loaded = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/corpus/program")) {
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    const auto module = Corpus(name);
    MapStore store;
    KernelCache::Get().Clear();
    cpu::CompileOptions options;
    options.kernels.store = &store;
    const auto first = cpu::Compile(module->Clone(), options);
    if (!first.ok()) {
      // What the CPU cannot compile leaves no module behind.
      EXPECT_EQ(first.status().code(), absl::StatusCode::kUnimplemented) << first.status();
      EXPECT_EQ(store.Count(EntryKind::kModule), 0);
      continue;
    }
    EXPECT_FALSE((*first)->report().module_load);
    const int64_t runs = cpu::LlvmRunCount();
    const auto second = CompileWith(&store, *module);
    ASSERT_NE(second, nullptr);
    EXPECT_TRUE(second->report().module_load);
    EXPECT_EQ(second->report().llvm_runs, 0);
    EXPECT_EQ(second->report().kernels, (*first)->report().kernels);
    EXPECT_EQ(cpu::LlvmRunCount(), runs);
    EXPECT_EQ(Execute(*second, *module), Execute(**first, *module));
    ++loaded;
  }
  EXPECT_GT(loaded, 20);
}

constexpr char kChain[] = R"(
HloModule m
ENTRY e {
  x = f32[N] parameter(0)
  n = f32[3] constant({nan, -0, 1e-45})
  c = f32[N] broadcast(f32[] constant(2)), dimensions={}
  m = f32[N] multiply(x, c)
  s = f32[3] slice(m), slice={[0:3]}
  ROOT r = f32[3] add(s, n)
})";

std::string Text(int n) {
  std::string text = kChain;
  for (size_t at; (at = text.find("[N]")) != text.npos;)
    text.replace(at, 3, absl::StrCat("[", n, "]"));
  text.replace(text.find("broadcast(f32[] constant(2))"), 28, "broadcast(two)");
  return text.insert(text.find("  c ="), "  two = f32[] constant(2)\n");
}

TEST(ModuleEntry, ANewShapeFindsItsKernels) {
  MapStore store;
  ASSERT_NE(CompileWith(&store, *Parse(Text(31))), nullptr);
  const auto next = CompileWith(&store, *Parse(Text(32)));
  ASSERT_NE(next, nullptr);
  EXPECT_FALSE(next->report().module_load);
  EXPECT_EQ(next->report().llvm_runs, 0);
  EXPECT_EQ(next->report().kernel_loads, next->report().kernels);
}

TEST(ModuleEntry, ConstantsKeepTheirBits) {
  // A NaN with a payload, which text does not hold.
  const auto module = Parse(Text(5));
  for (ir::Instruction* instruction : module->entry()->Instructions()) {
    if (instruction->opcode() != ir::Opcode::kConstant) continue;
    if (instruction->shape().rank() == 0) continue;
    Literal literal = instruction->literal();
    literal.SetBits(0, 0x7fc12345);
    ir::Instruction* odd = module->entry()->Add(ir::Opcode::kConstant, instruction->shape(), {},
                                                ir::ConstantAttrs{std::move(literal)});
    ASSERT_TRUE(module->entry()->Replace(instruction, odd).ok());
  }
  MapStore store;
  const auto first = CompileWith(&store, *module);
  const auto second = CompileWith(&store, *module);
  EXPECT_TRUE(second->report().module_load);
  EXPECT_EQ(Execute(*first, *module), Execute(*second, *module));
}

TEST(ModuleEntry, AMissingKernelIsCompiledAlone) {
  const auto module = Corpus("attend_64");
  MapStore store;
  const auto first = CompileWith(&store, *module);
  for (auto it = store.entries.begin(); it != store.entries.end(); ++it) {
    if (it->first.first != EntryKind::kKernel) continue;
    store.entries.erase(it);
    break;
  }
  const auto second = CompileWith(&store, *module);
  EXPECT_TRUE(second->report().module_load);
  EXPECT_EQ(second->report().llvm_runs, 1);
  EXPECT_EQ(Execute(*second, *module), Execute(*first, *module));
  EXPECT_EQ(store.Count(EntryKind::kKernel), first->report().llvm_runs);
}

TEST(ModuleEntry, DamagedPayloadsAreCompiledAgain) {
  const auto module = Corpus("softmax_rows");
  MapStore good;
  const auto first = CompileWith(&good, *module);
  const std::vector<Literal> want = Execute(*first, *module);
  for (const auto& [key, payload] : good.entries) {
    for (const size_t size : {size_t{0}, size_t{1}, payload.size() / 2, payload.size() - 1}) {
      MapStore damaged;
      damaged.entries = good.entries;
      damaged.entries[key] = payload.substr(0, size);
      const auto executable = CompileWith(&damaged, *module);
      ASSERT_NE(executable, nullptr);
      EXPECT_EQ(Execute(*executable, *module), want);
      EXPECT_EQ(damaged.entries[key], payload) << "it is replaced";
    }
  }
}

TEST(ModuleEntry, ChangedBytesOfAModuleNeverCrashTheReader) {
  const auto module = Corpus("softmax_rows");
  MapStore store;
  CompileWith(&store, *module);
  std::string payload;
  for (const auto& [key, bytes] : store.entries) {
    if (key.first == EntryKind::kModule) payload = bytes;
  }
  ASSERT_TRUE(DecodeModuleEntry(payload).ok());
  for (size_t i = 0; i < payload.size(); ++i) {
    std::string changed = payload;
    changed[i] = static_cast<char>(changed[i] ^ (1 << i % 8));
    (void)DecodeModuleEntry(changed);
  }
}

TEST(ModuleEntry, ChecksAndDumpsRunThePasses) {
  const auto module = Corpus("softmax_rows");
  MapStore store;
  CompileWith(&store, *module);
  cpu::CompileOptions options;
  options.compiler.check_passes = true;
  EXPECT_FALSE(CompileWith(&store, *module, options)->report().module_load);
}

TEST(EntryKey, EveryOptionThatChangesTheProgramIsAComponent) {
  const cpu::CpuTarget target(**cpu::HostTarget::Get(), nullptr);
  const passes::CompilerOptions plain;
  const KeyMaterial key = ModuleKey(target, false, plain, "text");
  const auto differs = [&](const KeyMaterial& other) {
    std::vector<std::string> names;
    for (const KeyDifference& difference : DiffKeys(key, other)) names.push_back(difference.name);
    return names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(differs(ModuleKey(target, false, plain, "text")), ElementsAre());
  EXPECT_THAT(differs(ModuleKey(target, true, plain, "text")), ElementsAre("dims"));
  EXPECT_THAT(differs(ModuleKey(target, false, plain, "other")), ElementsAre("program"));
  passes::CompilerOptions options = plain;
  options.fast_math = true;
  EXPECT_THAT(differs(ModuleKey(target, false, options, "text")), ElementsAre("fast_math"));
  options = plain;
  options.disable_passes = {"cse"};
  EXPECT_THAT(differs(ModuleKey(target, false, options, "text")), ElementsAre("disable_passes"));
  options = plain;
  options.fold_budget_bytes = 1;
  EXPECT_THAT(differs(ModuleKey(target, false, options, "text")),
              ElementsAre("max_constant_bytes"));
  const cpu::HostTarget old_host = *cpu::HostTarget::Resolve("x86-64-v3");
  const cpu::CpuTarget older(old_host, nullptr);
  EXPECT_THAT(differs(ModuleKey(older, false, plain, "text")), testing::Contains("cpu_features"));
}

TEST(EntryKey, NamesDumpsAndPlacesAreNotInIt) {
  MapStore store;
  CompileWith(&store, *Parse(Text(5)));
  std::string renamed = Text(5);
  for (const auto& [from, to] :
       {std::pair("HloModule m", "HloModule other"),
        {"  m =", "  zz ="},
        {"slice(m)", "slice(zz)"},
        {"multiply(x, c)", "multiply(x, c), metadata={op_name=\"f\" source_line=3}"}}) {
    renamed.replace(renamed.find(from), std::string(from).size(), to);
  }
  EXPECT_TRUE(CompileWith(&store, *Parse(renamed))->report().module_load);
}

}  // namespace
}  // namespace swage::codegen
