// What the cost model says of GPUs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "compiler/cost/cost_model.h"
#include "compiler/cost/kernel_prediction.h"
#include "compiler/ir/parser.h"
#include "tests/compiler/softmax_text.h"

namespace swage::cost {
namespace {

DeviceDescription Gpu(const char* name) {
  const StatusOr<DeviceDescription> gpu = GpuNamed(name);
  EXPECT_TRUE(gpu.ok()) << gpu.status().message();
  return gpu.value_or(DeviceDescription{});
}

TEST(KnownGpus, AreCompleteAndDiffer) {
  std::set<std::string> fingerprints;
  for (const DeviceDescription& gpu : KnownGpus()) {
    EXPECT_TRUE(gpu.is_gpu());
    EXPECT_GE(gpu.gpu.compute_capability, 80) << gpu.name;
    EXPECT_GT(gpu.cores, 50) << gpu.name;
    EXPECT_GT(gpu.l2.bytes, 30 << 20) << gpu.name;
    EXPECT_GT(gpu.gpu.shared_bytes, gpu.gpu.shared_bytes_block) << gpu.name;
    EXPECT_GT(gpu.gpu.memory_bytes, int64_t{20} << 30) << gpu.name;
    EXPECT_TRUE(fingerprints.insert(gpu.Fingerprint().ToHex()).second) << gpu.name;
  }
  EXPECT_EQ(fingerprints.size(), 5u);
}

TEST(KnownGpus, OtherNamesAreNotFoundWithTheNearest) {
  const Status status = GpuNamed("h20").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(std::string(ToStd(status.message())).find("h200"), std::string::npos);
}

TEST(GpuCost, LargeCopiesRunAtTheBandwidthOfTheMemory) {
  const DeviceDescription gpu = Gpu("h200");
  const double bytes = 8e9;
  const Picoseconds time = ExecutionTime(0, {bytes / 2, bytes / 2}, bytes / 2, gpu, bytes / 8);
  EXPECT_NEAR(static_cast<double>(time) * 1e-12, bytes / (gpu.dram_gb_per_s * 1e9), 1e-5);
}

TEST(GpuCost, FewThreadsCannotDrawTheWholeBandwidth) {
  const DeviceDescription gpu = Gpu("h200");
  EXPECT_GT(ExecutionTime(0, {1e9, 1e9}, 1e3, gpu, 256),
            10 * ExecutionTime(0, {1e9, 1e9}, 1e3, gpu, 1e8));
}

TEST(GpuCost, ArithmeticNeedsThreadsToo) {
  const DeviceDescription gpu = Gpu("a100");
  EXPECT_GT(ExecutionTime(1e9, {}, 0, gpu, 128), 10 * ExecutionTime(1e9, {}, 0, gpu, 1e7));
}

TEST(GpuCost, DoublesAreDearWhereThereAreFewLanesForThem) {
  ir::Module module("m");
  ir::Computation* c = module.AddComputation("main");
  ir::Instruction* x = c->AddParameter(0, ir::Shape::Array(ir::DType::kF64, {1024}));
  ir::Instruction* y = c->AddParameter(1, ir::Shape::Array(ir::DType::kF32, {1024}));
  ir::Instruction* nx = c->Add(ir::Opcode::kNegate, x->shape(), {x});
  ir::Instruction* ny = c->Add(ir::Opcode::kNegate, y->shape(), {y});
  EXPECT_EQ(WorkOf(*nx, Gpu("h100")).cycles, 2 * WorkOf(*ny, Gpu("h100")).cycles);
  EXPECT_EQ(WorkOf(*nx, Gpu("l4")).cycles, 64 * WorkOf(*ny, Gpu("l4")).cycles);
}

KernelPrediction Predict(const std::string& hlo, const char* card) {
  const auto module = ir::ParseHlo(hlo);
  EXPECT_TRUE(module.ok()) << module.status().message();
  return PredictKernel(*(*module)->entry()->root(), Gpu(card));
}

constexpr char kLargeAdd[] = R"(
HloModule m
f {
  x = f32[67108864] parameter(0)
  y = f32[67108864] parameter(1)
  m = f32[67108864] multiply(x, y)
  ROOT a = f32[67108864] add(m, x)
}
ENTRY e {
  x = f32[67108864] parameter(0)
  y = f32[67108864] parameter(1)
  ROOT r = f32[67108864] fusion(x, y), kind=kLoop, calls=f
})";

TEST(KernelPredictions, ALargeLoopIsBoundByMemory) {
  const KernelPrediction p = Predict(kLargeAdd, "h200");
  EXPECT_EQ(p.bytes, 3.0 * 4 * 67108864);
  EXPECT_EQ(p.flops, 2.0 * 67108864);
  EXPECT_EQ(p.bound, Bound::kMemory);
  EXPECT_GT(Predict(kLargeAdd, "h100").time_ps, p.time_ps);
}

TEST(KernelPredictions, BytesAndOperationsAreThoseOfTheShapes) {
  const char* const hlo = R"(
HloModule m
f {
  x = f32[1500,1500] parameter(0)
  ROOT a = f32[1500,1500] add(x, x)
}
ENTRY e {
  x = f32[1500,1500] parameter(0)
  ROOT r = f32[1500,1500] fusion(x), kind=kLoop, calls=f
})";
  const KernelPrediction p = Predict(hlo, "h200");
  EXPECT_EQ(p.bytes, 2.0 * 4 * 1500 * 1500);
  EXPECT_EQ(p.flops, 1500.0 * 1500);
  // Decisions go on by classes.
  EXPECT_EQ(ExtentClass(ir::Dim(1500)), 2048);
}

// Three passes over the rows, which are written once.
TEST(KernelPredictions, AValuePerRowIsComputedOncePerRow) {
  const KernelPrediction p = Predict(SoftmaxFusion(16384, 4096), "h200");
  constexpr double kElements = 16384.0 * 4096;
  EXPECT_EQ(p.bytes, 2 * 4 * kElements);
  EXPECT_EQ(p.flops, 7 * kElements);  // max, sum, divide; subtract and exponential twice
  EXPECT_LT(p.time_ps, 3 * Predict(kLargeAdd, "h200").time_ps);
  EXPECT_EQ(p.bound, Bound::kMemory);
}

// A sum over the rows of a tall matrix for one column: one block, whatever the card.
TEST(KernelPredictions, FewThreadsWaitForLatencyAndNotForTheBandwidth) {
  const char* const column = R"(
HloModule m
s { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
f {
  x = f32[16384,1] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[1] reduce(x, z), dimensions={0}, to_apply=s
}
ENTRY e {
  x = f32[16384,1] parameter(0)
  ROOT r = f32[1] fusion(x), kind=kInput, calls=f
})";
  for (const char* const card : {"a100", "h100", "h200", "b200", "l4"}) {
    EXPECT_EQ(Predict(column, card).bound, Bound::kLatency) << card;
    EXPECT_LT(Predict(column, card).time_ps, 50'000'000) << card;  // chunks go side by side
  }
  const char* const vector_times_matrix = R"(
HloModule m
f {
  x = f32[1,768] parameter(0)
  y = f32[768,768] parameter(1)
  ROOT d = f32[1,768] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  x = f32[1,768] parameter(0)
  y = f32[768,768] parameter(1)
  ROOT r = f32[1,768] fusion(x, y), kind=kOutput, calls=f
})";
  EXPECT_EQ(Predict(vector_times_matrix, "h200").bound, Bound::kLatency);
}

TEST(KernelPredictions, ASmallOneByLatencyAndADotByArithmetic) {
  EXPECT_EQ(Predict(R"(
HloModule m
f {
  x = f32[64] parameter(0)
  ROOT n = f32[64] negate(x)
}
ENTRY e {
  x = f32[64] parameter(0)
  ROOT r = f32[64] fusion(x), kind=kLoop, calls=f
})",
                    "h200")
                .bound,
            Bound::kLatency);
  const KernelPrediction dot = Predict(R"(
HloModule m
f {
  x = f32[2048,2048] parameter(0)
  y = f32[2048,2048] parameter(1)
  ROOT d = f32[2048,2048] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY e {
  x = f32[2048,2048] parameter(0)
  y = f32[2048,2048] parameter(1)
  ROOT r = f32[2048,2048] fusion(x, y), kind=kOutput, calls=f
})",
                                       "h200");
  EXPECT_EQ(dot.flops, 2.0 * 2048 * 2048 * 2048);
  EXPECT_EQ(dot.bound, Bound::kCompute);
}

}  // namespace
}  // namespace swage::cost
