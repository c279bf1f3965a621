#include "compiler/passes/reduction_splitter.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/cost/device_description.h"
#include "tests/compiler/passes/pass_test.h"
#include "tests/compiler/passes/reduce_module.h"

namespace swage::passes {
namespace {

// The pass for a card.
class OnGpu : public Pass {
 public:
  std::string_view name() const override { return pass_.name(); }
  StatusOr<bool> Run(ir::Module& module, PassContext& context) override {
    PassContext gpu(context.options(), &device_);
    return pass_.Run(module, gpu);
  }

 private:
  ReductionSplitter pass_;
  const cost::DeviceDescription device_ = *cost::GpuNamed("a100");
};

// Bit by bit: the sum of 100 rows of 700 is another one in any other order.
TEST(ReductionSplitter, ReducesRowsFirst) {
  ExpectPass(ReduceModule(R"(
  x = f32[100,700] parameter(0)
  v = f32[] constant(0.5)
  ROOT r = f32[] reduce(x, v), dimensions={0,1}, to_apply=add)"),
             OnGpu(), R"(
    CHECK: [[I:[a-z.0-9-]+]] = f32[] constant(-0)
    CHECK: [[R:[a-z.0-9-]+]] = f32[100] reduce(x, [[I]]), dimensions={1}
    CHECK: [[T:[a-z.0-9-]+]] = f32[100,1] reshape([[R]])
    CHECK: [[S:[a-z.0-9-]+]] = f32[1] reduce([[T]], v), dimensions={0}
    CHECK: ROOT {{.*}} = f32[] reshape([[S]]))");
}

TEST(ReductionSplitter, KeepsDimensionsBetween) {
  ExpectPass(ReduceModule(R"(
  x = f32[100,3,70] parameter(0)
  v = f32[] parameter(1)
  ROOT r = f32[3] reduce(x, v), dimensions={0,2}, to_apply=add)"),
             OnGpu(), R"(
    CHECK: f32[100,3] reduce
    CHECK: f32[3,1] reduce
    CHECK: ROOT {{.*}} = f32[3] reshape)");
}

TEST(ReductionSplitter, LeavesWhatKeepsTheCardBusy) {
  ExpectUnchanged(ReduceModule(R"(
  x = f32[10,5000,64] parameter(0)
  v = f32[] constant(0)
  ROOT r = f32[5000] reduce(x, v), dimensions={0,2}, to_apply=add)"),
                  OnGpu());
}

TEST(ReductionSplitter, LeavesColumnsShortRowsAndUnknownCombiners) {
  for (std::string_view body : {"x = f32[100,70] parameter(0)\n v = f32[] constant(0)\n"
                                "ROOT r = f32[70] reduce(x, v), dimensions={0}, to_apply=add",
                                "x = f32[100,7] parameter(0)\n v = f32[] constant(0)\n"
                                "ROOT r = f32[] reduce(x, v), dimensions={0,1}, to_apply=add",
                                "x = f32[100,70] parameter(0)\n v = f32[] constant(0)\n"
                                "ROOT r = f32[] reduce(x, v), dimensions={0,1}, to_apply=any"}) {
    ExpectUnchanged(ReduceModule(body), OnGpu());
  }
}

TEST(ReductionSplitter, ACpuSharesOutMuchWorkForFewResults) {
  ExpectPass(ReduceModule(R"(
  x = f32[512,1024] parameter(0)
  v = f32[] constant(0.5)
  ROOT r = f32[] reduce(x, v), dimensions={0,1}, to_apply=add)"),
             ReductionSplitter(), R"(
    CHECK: f32[512] reduce(x, {{.*}}), dimensions={1}
    CHECK: f32[1] reduce(
    CHECK: ROOT {{.*}} = f32[] reshape)");
}

TEST(ReductionSplitter, LittleWorkStaysOnOneCore) {
  ExpectUnchanged(ReduceModule(R"(
  x = f32[100,700] parameter(0)
  v = f32[] constant(0.5)
  ROOT r = f32[] reduce(x, v), dimensions={0,1}, to_apply=add)"),
                  ReductionSplitter());
}

}  // namespace
}  // namespace swage::passes
