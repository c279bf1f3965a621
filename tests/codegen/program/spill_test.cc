// Kernels that spill registers are emitted again with narrower vectors, if that helps.
#include <gtest/gtest.h>

#include "codegen/cpu/cpu_target.h"
#include "codegen/program/compile.h"
#include "codegen/program/kernel_cache.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"

namespace swage::codegen {
namespace {

constexpr int kNarrow = 32, kWide = 64;

// The CPU, but that kernels are said to spill so many bytes, by the width of their vectors.
class SpillingTarget final : public Target {
 public:
  SpillingTarget(int wide, int narrow)
      : cpu_(*cpu::CpuTarget::Create()), wide_(wide), narrow_(narrow) {}

  std::string_view device() const override { return "spilling"; }
  std::string_view scope() const override { return "spilling"; }
  const cost::DeviceDescription& description() const override { return cpu_->description(); }
  Status RunPasses(ir::Module* module, passes::PassContext& context) const override {
    return cpu_->RunPasses(module, context);
  }
  emit::EmitOptions emit_options() const override { return Options(kWide); }
  std::optional<emit::EmitOptions> Narrower(const emit::EmitOptions&) const override {
    return Options(kNarrow);
  }
  void AddMachine(KeyMaterial* key) const override { cpu_->AddMachine(key); }
  void AddDecisions(KeyMaterial* key) const override { cpu_->AddDecisions(key); }
  StatusOr<CompiledKernel> Generate(const emit::KernelPlan& plan,
                                    const GenerateOptions& options) const override {
    StatusOr<CompiledKernel> kernel = cpu_->Generate(plan, options);
    widths.push_back(plan.options.vector_bytes);
    if (kernel.ok()) kernel->spilled_bytes = widths.back() == kWide ? wide_ : narrow_;
    return kernel;
  }
  StatusOr<CompiledKernel> Link(std::string object, EntryStore* store) const override {
    return cpu_->Link(std::move(object), store);
  }
  std::string_view assembly_suffix() const override { return "s"; }
  StatusOr<std::shared_ptr<Executable>> MakeExecutable(ProgramPlan plan,
                                                       const CompileReport& report) const override {
    for (const StepPlan& step : plan.steps) spilled = step.kernel->spilled_bytes;
    return cpu_->MakeExecutable(std::move(plan), report);
  }

  mutable std::vector<int> widths;  // of the kernels that were generated
  mutable int spilled = -1;         // of the one that runs
  int64_t llvm_runs = 0;            // of the report

 private:
  // Without what needs AVX-512.
  static emit::EmitOptions Options(int bytes) {
    emit::EmitOptions options;
    options.vector_bytes = bytes;
    return options;
  }

  std::shared_ptr<const cpu::CpuTarget> cpu_;
  int wide_, narrow_;
};

std::shared_ptr<SpillingTarget> CompileAndRun(int wide, int narrow) {
  KernelCache::Get().Clear();
  auto target = std::make_shared<SpillingTarget>(wide, narrow);
  const auto module = ir::ParseHlo(
      "HloModule m\nENTRY e {\n  x = f32[37] parameter(0)\n  ROOT y = f32[37] exponential(x)\n}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  const auto executable = Compile((*module)->Clone(), target, {});
  EXPECT_TRUE(executable.ok()) << executable.status();
  target->llvm_runs = (*executable)->report().llvm_runs;
  ir::Literal input = *ir::Literal::Create(ir::Shape::Array(ir::DType::kF32, {37}));
  for (int64_t i = 0; i < 37; ++i) input.mutable_data<float>()[i] = static_cast<float>(i) / 8;
  const auto got = RunOnLiterals(**executable, {input});
  EXPECT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0], *evaluator::Evaluate(**module, {input}));
  return target;
}

TEST(Spills, WithoutThemAKernelIsMadeOnce) {
  EXPECT_EQ(CompileAndRun(0, 0)->widths, std::vector<int>{kWide});
}

TEST(Spills, ANarrowerKernelThatSpillsLessIsTaken) {
  const auto target = CompileAndRun(96, 8);
  EXPECT_EQ(target->widths, (std::vector<int>{kWide, kNarrow}));
  EXPECT_EQ(target->spilled, 8);
  EXPECT_EQ(target->llvm_runs, 2);
}

TEST(Spills, OneThatSpillsNoLessIsNot) {
  const auto target = CompileAndRun(96, 96);
  EXPECT_EQ(target->widths.size(), 2u);
  EXPECT_EQ(target->llvm_runs, 2);
  EXPECT_EQ(target->spilled, 96);
}

}  // namespace
}  // namespace swage::codegen
