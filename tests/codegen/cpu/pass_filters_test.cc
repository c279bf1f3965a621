// Every pass that is not required may be switched off, alone and with all others: programs compile
// and mean the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/registry.h"
#include "compiler/pipelines/cpu.h"
#include "tools/corpus_case.h"

namespace swage::cpu {
namespace {

using ir::Literal;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSharding[] =
    R"(custom-call(x), custom_call_target="Sharding", sharding={replicated})";

// Something for every pass: where it does not run, later stages meet what it removes.
constexpr char kEverything[] = R"(
HloModule everything
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
twice { a = f32[] parameter(0) ROOT r = f32[] add(a, a) }
block {
  x = f32[4,6] parameter(0)
  y = f32[4,6] tanh(x)
  z = f32[24] reshape(y)
  ROOT t = (f32[24], f32[4,6]) tuple(z, y)
}
ENTRY main {
  x = f32[4,6] parameter(0)
  w = f32[6,4] parameter(1)
  empty = f32[0,6] parameter(2)
  marked = f32[4,6] SHARDING
  mapped = f32[4,6] map(marked), dimensions={0,1}, to_apply=twice
  called = (f32[24], f32[4,6]) call(mapped), to_apply=block
  again = (f32[24], f32[4,6]) call(x), to_apply=block
  flat = f32[24] get-tuple-element(called), index=0
  square = f32[4,6] get-tuple-element(again), index=1
  back = f32[2,3,4] reshape(flat)
  turned = f32[4,2,3] transpose(back), dimensions={2,0,1}
  pair = (f32[4,2,3], f32[4,6]) tuple(turned, square)
  barrier = (f32[4,2,3], f32[4,6]) opt-barrier(pair)
  kept = f32[4,2,3] get-tuple-element(barrier), index=0
  unchanged = f32[4,6] get-tuple-element(barrier), index=1
  lines = f32[4,6] reshape(kept)
  product = f32[4,4] dot(lines, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  sums = f32[4] reduce(product, zero), dimensions={1}, to_apply=sum
  wide = f32[4,6] broadcast(sums), dimensions={0}
  tall = f32[6,4] broadcast(sums), dimensions={1}
  joined = f32[4,6] concatenate(wide, empty), dimensions={0}
  swapped = f32[4,6,4] broadcast(w), dimensions={1,2}
  ROOT out = (f32[4,6], f32[6,4], f32[0,6], f32[24], f32[4,6], f32[4,6,4])
      tuple(joined, tall, empty, flat, unchanged, swapped)
})";

std::unique_ptr<ir::Module> Everything(const std::string& sharding) {
  std::string text = kEverything;
  text.replace(text.find("SHARDING"), 8, sharding);
  StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

// Of one pass, or of one pipeline: that it does not run, and that nothing else does.
std::vector<passes::CompilerOptions> FiltersOf(const passes::PassPlace& place) {
  std::vector<passes::CompilerOptions> filters(2);
  filters[0].only_passes = {std::string(place.name)};
  filters[1].disable_passes = {std::string(place.name)};
  if (place.pass->IsRequired()) filters.pop_back();
  return filters;
}

std::vector<tools::CorpusCase> Programs() {
  std::vector<tools::CorpusCase> programs;
  tools::CorpusCase everything;
  everything.name = "everything";
  everything.module = Everything(kSharding);
  // The evaluator does not know the marks that sharding-remover drops.
  const auto plain = Everything("copy(x)");
  for (const ir::Instruction* parameter : plain->entry()->parameters()) {
    Literal literal = *Literal::Create(parameter->shape());
    float x = -0.75f;
    for (float& element : literal.mutable_data<float>()) element = x += 0.0625f;
    everything.inputs.push_back(std::move(literal));
  }
  everything.outputs = ir::Leaves(*evaluator::Evaluate(*plain, everything.inputs));
  everything.tolerances.assign(everything.outputs.size(), {.rtol = 1e-5, .atol = 1e-5});
  programs.push_back(std::move(everything));
  for (const char* name : {"program/attend_causal_mha", "program/layernorm", "program/rope"}) {
    StatusOr<tools::CorpusCase> program = tools::ReadCase("tests/corpus", name);
    EXPECT_TRUE(program.ok()) << program.status();
    if (program.ok()) programs.push_back(*std::move(program));
  }
  return programs;
}

TEST(PassFiltersTest, EveryPassAndPipelineMayBeOffAndMayBeTheOnlyOne) {
  const std::vector<tools::CorpusCase> programs = Programs();
  const auto pipeline = pipelines::CpuPipeline({});
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    for (const passes::CompilerOptions& options : FiltersOf(place)) {
      for (const tools::CorpusCase& program : programs) {
        SCOPED_TRACE(absl::StrCat(program.name,
                                  options.only_passes.empty() ? " without " : " with ",
                                  ToAbsl(place.name)));
        auto executable = Compile(program.module->Clone(), {.compiler = options, .kernels = {}});
        ASSERT_TRUE(executable.ok()) << executable.status();
        const auto got = codegen::RunOnLiterals(**executable, program.inputs);
        ASSERT_TRUE(got.ok()) << got.status();
        ASSERT_THAT(tools::CompareOutputs(*got, program), IsEmpty());
      }
    }
  }
}

TEST(PassFiltersTest, ARequiredPassCannotBeOff) {
  int required = 0;
  const auto pipeline = pipelines::CpuPipeline({});
  for (const passes::PassPlace& place : passes::PlacesOf(*pipeline)) {
    if (!place.pass->IsRequired()) continue;
    ++required;
    passes::CompilerOptions options;
    options.disable_passes = {std::string(place.name)};
    const Status status = pipelines::CheckCpuFilters(options);
    EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be disabled")) << place.name;
  }
  EXPECT_EQ(required, 5);
}

}  // namespace
}  // namespace swage::cpu
