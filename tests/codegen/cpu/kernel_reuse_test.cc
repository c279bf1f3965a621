// Programs over many lengths: how many kernels there are in all, and where they change.
//
// The cost model rounds extents to size classes, and kernels take theirs at run time. So what a
// program is fused into, and which kernels that needs, may change at the border of a size class
// only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "codegen/cpu/cpu_target.h"
#include "codegen/emit/generalise.h"
#include "codegen/program/entry_key.h"
#include "codegen/program/module_entry.h"
#include "compiler/cost/cost_model.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/parser.h"
#include "compiler/passes/pass.h"
#include "compiler/pipelines/cpu.h"

namespace swage::cpu {
namespace {

// Every N is the length.
constexpr char kAttend[] = R"(
HloModule attend
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  q = f32[N,64] parameter(0)
  k = f32[N,64] parameter(1)
  v = f32[N,64] parameter(2)
  s = f32[N,N] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  eighth = f32[] constant(0.125)
  scale = f32[N,N] broadcast(eighth), dimensions={}
  scaled = f32[N,N] multiply(s, scale)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[N] reduce(scaled, low), dimensions={1}, to_apply=max
  mb = f32[N,N] broadcast(m), dimensions={0}
  d = f32[N,N] subtract(scaled, mb)
  e = f32[N,N] exponential(d)
  t = f32[N] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[N,N] broadcast(t), dimensions={0}
  p = f32[N,N] divide(e, tb)
  ROOT r = f32[N,64] dot(p, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

constexpr char kSoftmax[] = R"(
HloModule softmax
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[32,N] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[32] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[32,N] broadcast(m), dimensions={0}
  d = f32[32,N] subtract(x, mb)
  e = f32[32,N] exponential(d)
  t = f32[32] reduce(e, zero), dimensions={1}, to_apply=sum
  tb = f32[32,N] broadcast(t), dimensions={0}
  ROOT r = f32[32,N] divide(e, tb)
})";

constexpr char kLayerNorm[] = R"(
HloModule layer_norm
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[N,128] parameter(0)
  gain = f32[128] parameter(1)
  bias = f32[128] parameter(2)
  zero = f32[] constant(0)
  share = f32[] constant(0.0078125)
  small = f32[] constant(1e-05)
  shares = f32[N] broadcast(share), dimensions={}
  s = f32[N] reduce(x, zero), dimensions={1}, to_apply=sum
  mean = f32[N] multiply(s, shares)
  mb = f32[N,128] broadcast(mean), dimensions={0}
  d = f32[N,128] subtract(x, mb)
  dd = f32[N,128] multiply(d, d)
  t = f32[N] reduce(dd, zero), dimensions={1}, to_apply=sum
  var = f32[N] multiply(t, shares)
  smalls = f32[N] broadcast(small), dimensions={}
  safe = f32[N] add(var, smalls)
  inverse = f32[N] rsqrt(safe)
  ib = f32[N,128] broadcast(inverse), dimensions={0}
  n = f32[N,128] multiply(d, ib)
  gb = f32[N,128] broadcast(gain), dimensions={1}
  bb = f32[N,128] broadcast(bias), dimensions={1}
  g = f32[N,128] multiply(n, gb)
  ROOT r = f32[N,128] add(g, bb)
})";

constexpr char kMlp[] = R"(
HloModule mlp
ENTRY main {
  x = f32[N,64] parameter(0)
  w1 = f32[64,256] parameter(1)
  b1 = f32[256] parameter(2)
  w2 = f32[256,64] parameter(3)
  b2 = f32[64] parameter(4)
  h = f32[N,256] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b1b = f32[N,256] broadcast(b1), dimensions={1}
  a = f32[N,256] add(h, b1b)
  t = f32[N,256] tanh(a)
  y = f32[N,64] dot(t, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b2b = f32[N,64] broadcast(b2), dimensions={1}
  z = f32[N,64] add(y, b2b)
  ROOT r = f32[N,64] add(x, z)
})";

// The keys of the program's kernels, in order.
std::vector<std::string> KernelsOf(const std::string& program, int64_t n) {
  auto module = ir::ParseHlo(absl::StrReplaceAll(
      program, {{"[N", absl::StrCat("[", n)}, {",N]", absl::StrCat(",", n, "]")}}));
  EXPECT_TRUE(module.ok()) << module.status();
  static const auto* const device = new cost::DeviceDescription(cost::TestCpu());
  passes::PassContext context({}, device);
  const Status passes = pipelines::RunCpuPipeline(module->get(), context);
  EXPECT_TRUE(passes.ok()) << passes;
  const CpuTarget target(**HostTarget::Get(), nullptr);
  std::vector<std::string> keys;
  for (const ir::Instruction* fusion : codegen::Fusions(**module)) {
    const auto general = emit::Generalise(*fusion->fused_computation());
    EXPECT_TRUE(general.ok()) << general.status();
    keys.push_back(
        codegen::KernelKey(target, CodegenLevel::kDefault, target.emit_options(), *general->fusion)
            .Serialise());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

struct Case {
  const char* name;
  const char* text;
  size_t most_kernels;  // over all lengths
};

class KernelReuseTest : public testing::TestWithParam<Case> {};

TEST_P(KernelReuseTest, KernelsChangeAtTheBordersOfSizeClassesOnly) {
  std::set<std::string> all;
  std::vector<std::string> before;
  for (int64_t n = 1; n <= 512; ++n) {
    const std::vector<std::string> kernels = KernelsOf(GetParam().text, n);
    all.insert(kernels.begin(), kernels.end());
    if (cost::SizeClass(n) == cost::SizeClass(n - 1)) {
      EXPECT_TRUE(kernels == before) << "between the lengths " << n - 1 << " and " << n;
    }
    before = kernels;
  }
  RecordProperty("kernels", static_cast<int>(all.size()));
  EXPECT_LE(all.size(), GetParam().most_kernels);
}

INSTANTIATE_TEST_SUITE_P(Programs, KernelReuseTest,
                         testing::Values(Case{"attend", kAttend, 12}, Case{"softmax", kSoftmax, 8},
                                         Case{"layer_norm", kLayerNorm, 6}, Case{"mlp", kMlp, 4}),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace swage::cpu
