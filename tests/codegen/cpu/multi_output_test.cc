// Kernels with several outputs: bit for bit what the evaluator gives, also where an output is
// written over an operand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/analysis/buffer_assignment.h"
#include "compiler/cost/device_description.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/pipelines/cpu.h"

namespace swage::cpu {
namespace {

using ir::Literal;

constexpr char kCombiners[] = R"(HloModule m
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
)";

std::unique_ptr<ir::Module> Parse(std::string_view entry) {
  auto module = ir::ParseHlo(absl::StrCat(kCombiners, "ENTRY main {", ToAbsl(entry), "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// The kernels of the program after the passes for this machine.
std::vector<const ir::Instruction*> KernelsOf(const ir::Module& module) {
  std::vector<const ir::Instruction*> kernels;
  for (const ir::Instruction* op : module.entry()->Instructions()) {
    if (op->opcode() == ir::Opcode::kFusion) kernels.push_back(op);
  }
  return kernels;
}

std::unique_ptr<ir::Module> Optimized(const ir::Module& module) {
  auto optimized = module.Clone();
  const cost::DeviceDescription device = cost::TestCpu();
  passes::PassContext context({}, &device);
  const Status status = pipelines::RunCpuPipeline(optimized.get(), context);
  EXPECT_TRUE(status.ok()) << status;
  return optimized;
}

void ExpectSameBits(const ir::Module& module) {
  for (const auto kind : {passes::InputKind::kOrdinary, passes::InputKind::kSpecial}) {
    const auto arguments = passes::RandomArguments(module, kind);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    const auto want = evaluator::Evaluate(module, *arguments);
    ASSERT_TRUE(want.ok()) << want.status();
    for (const bool baked : {false, true}) {
      CompileOptions options;
      options.kernels.baked_dims = baked;
      const auto executable = Compile(module.Clone(), options);
      ASSERT_TRUE(executable.ok()) << executable.status();
      auto got = codegen::RunOnLiterals(**executable, *arguments);
      ASSERT_TRUE(got.ok()) << got.status();
      const auto difference =
          passes::FirstDifference(*want, Literal::Tuple(*std::move(got)), /*has_dots=*/false);
      EXPECT_FALSE(difference.has_value()) << *difference;
    }
  }
}

// One kernel of the whole, with `outputs` outputs.
void ExpectOneKernel(std::string_view entry, int outputs) {
  const auto module = Parse(entry);
  const auto optimized = Optimized(*module);
  const auto kernels = KernelsOf(*optimized);
  ASSERT_EQ(kernels.size(), 1) << optimized->ToString();
  EXPECT_EQ(kernels[0]->shape().tuple_size(), outputs);
  ExpectSameBits(*module);
}

// The exponentials are stored once or not at all, as the cost model has it.
TEST(MultiOutput, SoftmaxWithItsMaximaAndSums) {
  const auto module = Parse(R"(
  x = f32[130,257] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[130] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[130,257] broadcast(m), dimensions={0}
  s = f32[130,257] subtract(x, mb)
  e = f32[130,257] exponential(s)
  t = f32[130] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[130,257] broadcast(t), dimensions={0}
  r = f32[130,257] divide(e, tb)
  ROOT out = (f32[130,257], f32[130], f32[130]) tuple(r, m, t))");
  EXPECT_LE(KernelsOf(*Optimized(*module)).size(), 2);
  ExpectSameBits(*module);
}

TEST(MultiOutput, MeanAndVarianceOfRows) {
  ExpectOneKernel(R"(
  x = f32[130,1000] parameter(0)
  zero = f32[] constant(0)
  n = f32[] constant(1000)
  total = f32[130] reduce(x, zero), dimensions={1}, to_apply=sum
  nb = f32[130] broadcast(n), dimensions={}
  mean = f32[130] divide(total, nb)
  mb = f32[130,1000] broadcast(mean), dimensions={0}
  d = f32[130,1000] subtract(x, mb)
  q = f32[130,1000] multiply(d, d)
  squares = f32[130] reduce(q, zero), dimensions={1}, to_apply=sum
  variance = f32[130] divide(squares, nb)
  ROOT out = (f32[130], f32[130]) tuple(mean, variance))",
                  2);
}

TEST(MultiOutput, ReductionsOfOneArray) {
  ExpectOneKernel(R"(
  x = f32[130,1000] parameter(0)
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
  total = f32[130] reduce(x, zero), dimensions={1}, to_apply=sum
  q = f32[130,1000] multiply(x, x)
  squares = f32[130] reduce(q, zero), dimensions={1}, to_apply=sum
  largest = f32[130] reduce(x, low), dimensions={1}, to_apply=max
  ROOT out = (f32[130], f32[130], f32[130]) tuple(total, squares, largest))",
                  3);
}

TEST(MultiOutput, ColumnsOfOneArray) {
  ExpectOneKernel(R"(
  x = f32[100,1030] parameter(0)
  zero = f32[] constant(0)
  total = f32[1030] reduce(x, zero), dimensions={0}, to_apply=sum
  q = f32[100,1030] multiply(x, x)
  squares = f32[1030] reduce(q, zero), dimensions={0}, to_apply=sum
  ROOT out = (f32[1030], f32[1030]) tuple(total, squares))",
                  2);
}

constexpr char kOptimizer[] = R"(
  w = f32[4099] parameter(0)
  g = f32[4099] parameter(1)
  m = f32[4099] parameter(2)
  b = f32[] constant(0.9)
  bs = f32[4099] broadcast(b), dimensions={}
  bm = f32[4099] multiply(bs, m)
  m2 = f32[4099] add(bm, g)
  w2 = f32[4099] subtract(w, m2)
  ROOT out = (f32[4099], f32[4099]) tuple(w2, m2))";

TEST(MultiOutput, AnOptimizersStep) { ExpectOneKernel(kOptimizer, 2); }

// As the buffer assignment says: an argument that is given away becomes an output.
TEST(MultiOutput, OutputsAreWrittenOverArgumentsThatAreGivenAway) {
  const auto module = Parse(kOptimizer);
  const auto arguments = *passes::RandomArguments(*module, passes::InputKind::kOrdinary);
  const auto want = ir::Leaves(*evaluator::Evaluate(*module, arguments));
  const auto buffers = analysis::AssignBuffers(*Optimized(*module)->entry());
  ASSERT_TRUE(buffers.ok()) << buffers.status();
  const auto executable = *Compile(module->Clone(), {});
  std::vector<Literal> memory;
  for (const Literal& argument : arguments) memory.push_back(argument);
  std::vector<const void*> in;
  for (const Literal& input : memory) in.push_back(input.bytes().data());
  std::vector<Literal> others;
  std::vector<void*> out(want.size(), nullptr);
  int given = 0;
  for (size_t p = 0; p < memory.size(); ++p) {
    const int64_t output = buffers->donations()[p].output;
    if (output < 0) continue;
    ++given;
    out[output] = memory[p].mutable_bytes().data();
    in[p] = out[output];
  }
  EXPECT_EQ(given, 2);
  for (void* pointer : out) ASSERT_NE(pointer, nullptr);
  const Status status = executable->Run(in, out);
  ASSERT_TRUE(status.ok()) << status;
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(std::memcmp(out[i], want[i].bytes().data(), want[i].bytes().size()), 0) << i;
  }
}

// b reads a transposed: a may not be written over while others still want it.
TEST(MultiOutput, AnOperandReadInAnotherOrderIsKept) {
  const auto module = Parse(R"(
  x = f32[96,96] parameter(0)
  a = f32[96,96] tanh(x)
  t = f32[96,96] transpose(x), dimensions={1,0}
  b = f32[96,96] add(a, t)
  c = f32[96,96] multiply(a, x)
  ROOT out = (f32[96,96], f32[96,96], f32[96,96]) tuple(a, b, c))");
  const auto optimized = Optimized(*module);
  const auto buffers = analysis::AssignBuffers(*optimized->entry());
  ASSERT_TRUE(buffers.ok()) << buffers.status();
  ExpectSameBits(*module);
}

}  // namespace
}  // namespace swage::cpu
