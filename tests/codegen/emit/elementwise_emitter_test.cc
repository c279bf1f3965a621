#include "codegen/emit/elementwise_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/codegen/emit/elementwise_harness.h"

namespace swage::emit {
namespace {

using ir::DType;

constexpr int64_t kCount = 4096;

constexpr DType kDTypes[] = {
#define SWAGE_ENTRY(name) DType::k##name,
    SWAGE_MATH_DTYPES(SWAGE_ENTRY)
#undef SWAGE_ENTRY
};

// What is folded on the host is what a kernel computes, bit for bit.
class FoldedIsRun : public testing::TestWithParam<std::tuple<DType, unsigned>> {
 protected:
  void ExpectEqual(const std::string& cpu) {
    const auto [dtype, lanes] = GetParam();
    const auto target = cpu::HostTarget::Resolve(cpu);
    ASSERT_TRUE(target.ok()) << target.status().message();
    const Status status = CompareWithHost(CasesOn(dtype), lanes, *target, kCount);
    EXPECT_TRUE(status.ok()) << std::string(status.message());
  }
};

TEST_P(FoldedIsRun, OnThisMachine) { ExpectEqual(""); }

TEST_P(FoldedIsRun, OnTheOldestCpu) { ExpectEqual("x86-64-v3"); }

INSTANTIATE_TEST_SUITE_P(Ops, FoldedIsRun,
                         testing::Combine(testing::ValuesIn(kDTypes), testing::Values(0u, 8u, 16u)),
                         [](const auto& info) {
                           return std::string(ir::DTypeName(std::get<0>(info.param))) + "_" +
                                  std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace swage::emit
