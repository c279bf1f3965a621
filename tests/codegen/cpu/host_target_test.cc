#include "codegen/cpu/host_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "llvm/Target/TargetMachine.h"

namespace swage::cpu {
namespace {

using ::testing::HasSubstr;

std::set<std::string> V3() {
  return {"64bit", "avx",  "avx2", "bmi",  "bmi2",   "cmov",   "crc32", "cx16",
          "cx8",   "f16c", "fma",  "fxsr", "lzcnt",  "mmx",    "movbe", "popcnt",
          "sahf",  "sse",  "sse2", "sse3", "sse4.1", "sse4.2", "ssse3"};
}

std::set<std::string> V4() {
  std::set<std::string> features = V3();
  features.insert({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "evex512"});
  return features;
}

std::string Message(const Status& status) { return std::string(ToStd(status.message())); }

TEST(HostTargetTest, HostIsDescribedFeatureByFeature) {
  const HostTarget target = *HostTarget::Resolve("");
  EXPECT_FALSE(target.cpu().empty());
  EXPECT_NE(target.cpu(), "native");
  EXPECT_TRUE(target.Has("fma"));
  EXPECT_THAT(target.feature_string(), HasSubstr("+fma"));
  EXPECT_EQ(target.vector_bytes() == 64, target.Has("avx512vl") && target.Has("avx512bw"));
}

TEST(HostTargetTest, OlderCpuHasFewerFeatures) {
  const HostTarget target = *HostTarget::ResolveFor("x86-64-v3", "znver4", V4());
  EXPECT_EQ(target.cpu(), "x86-64-v3");
  EXPECT_EQ(target.vector_bytes(), 32);
  EXPECT_TRUE(target.Has("avx2"));
  EXPECT_FALSE(target.Has("avx512f"));
  EXPECT_THAT(target.feature_string(), HasSubstr("-avx512f"));
  EXPECT_EQ(HostTarget::ResolveFor("x86-64-v4", "znver4", V4())->vector_bytes(), 64);
}

TEST(HostTargetTest, EveryCpuOfTheDayMeetsTheFloor) {
  // An old one or one without AVX2 aside, a CPU may be too new for this machine, never too old.
  for (const char* cpu : {"haswell", "skylake", "skylake-avx512", "icelake-server",
                          "sapphirerapids", "znver2", "znver3", "znver4", "znver5"}) {
    const auto target = HostTarget::Resolve(cpu);
    if (target.ok()) continue;
    EXPECT_THAT(Message(target.status()), HasSubstr("is newer than this machine")) << cpu;
  }
}

TEST(HostTargetTest, NewerCpuIsRefusedWithAnAlternative) {
  const Status status = HostTarget::ResolveFor("x86-64-v4", "haswell", V3()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("lacks avx512bw"));
  EXPECT_THAT(Message(status), HasSubstr("x86-64-v3"));
}

TEST(HostTargetTest, UnknownCpuComesWithNearestNames) {
  const Status status = HostTarget::ResolveFor("x86-64-v33", "haswell", V3()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("'x86-64-v3'"));
}

// In a child, since the answer is found once per process.
int VectorBytesUnder(const char* cpu) {
  ::setenv("SWAGE_CPU", cpu, 1);
  const auto target = HostTarget::Get();
  return target.ok() ? (*target)->vector_bytes() : -1;
}

TEST(HostTargetDeathTest, EnvironmentPretendsAnOlderCpu) {
  EXPECT_EXIT(std::exit(VectorBytesUnder("x86-64-v3")), ::testing::ExitedWithCode(32), "");
  EXPECT_EXIT(std::exit(VectorBytesUnder("i486") + 1), ::testing::ExitedWithCode(0), "");
}

TEST(HostTargetTest, BelowTheFloorIsRefused) {
  std::set<std::string> no_fma = V3();
  no_fma.erase("fma");
  const Status host = HostTarget::ResolveFor("", "old", no_fma).status();
  EXPECT_EQ(host.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(host), HasSubstr("lacks fma"));
  const Status pretended = HostTarget::ResolveFor("x86-64-v2", "znver4", V4()).status();
  EXPECT_EQ(pretended.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(pretended), HasSubstr("x86-64-v3"));
}

TEST(HostTargetTest, HiddenSystemFeaturesDoNotMatter) {
  // LLVM's list for a named CPU holds rdpru, pku and such, which a virtual machine does not show.
  std::set<std::string> znver3 = V3();
  znver3.insert({"adx", "aes", "pclmul", "sse4a", "vaes", "vpclmulqdq"});
  const auto target = HostTarget::ResolveFor("znver3", "znver3", znver3);
  ASSERT_TRUE(target.ok()) << target.status().message();
  EXPECT_EQ(target->feature_string().find("rdpru"), std::string::npos);
}

TEST(HostTargetTest, MissingFeaturesOfTheCpuAreSwitchedOff) {
  // A virtual machine on znver4 that hides AVX-512.
  const HostTarget target = *HostTarget::ResolveFor("", "znver4", V3());
  EXPECT_EQ(target.vector_bytes(), 32);
  EXPECT_THAT(target.feature_string(), HasSubstr("-avx512f"));
}

TEST(HostTargetTest, EqualMachinesGiveEqualText) {
  EXPECT_EQ(HostTarget::Resolve("")->feature_string(), HostTarget::Resolve("")->feature_string());
}

TEST(HostTargetTest, TargetMachineIsMadeAtBothLevels) {
  const HostTarget target = *HostTarget::Resolve("");
  for (CodegenLevel level : {CodegenLevel::kNone, CodegenLevel::kDefault}) {
    const auto machine = target.CreateTargetMachine(level);
    ASSERT_TRUE(machine.ok());
    EXPECT_EQ((*machine)->Options.AllowFPOpFusion, llvm::FPOpFusion::Strict);
    EXPECT_TRUE((*machine)->isPositionIndependent());
  }
}

}  // namespace
}  // namespace swage::cpu
