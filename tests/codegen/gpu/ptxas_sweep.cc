#include "tests/codegen/gpu/ptxas_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/files.h"
#include "tests/codegen/gpu/gpu_modules.h"
#include "tests/codegen/gpu/ptxas_batch.h"
#include "tests/emulated_cuda/ptxas.h"
#include "tests/hlo_files.h"

namespace swage::gpu {
namespace {

// Folders of tests/corpus and cases in them.
constexpr const char* kHotFolders[] = {"dot/", "reduce/"};
constexpr const char* kHotPrograms[] = {"attend_256x128_bf16",
                                        "attend_64",
                                        "attend_causal_mha",
                                        "attend_len31",
                                        "attend_len32",
                                        "attend_len33",
                                        "batchnorm_train",
                                        "black_scholes",
                                        "chain_200",
                                        "cross_entropy_int",
                                        "gelu_exact",
                                        "gpt_12_layers",
                                        "gpt_block",
                                        "kv_decode_step",
                                        "layernorm",
                                        "logsumexp",
                                        "mlp",
                                        "mlp_grad",
                                        "nbody_pairwise",
                                        "rmsnorm",
                                        "rope",
                                        "sgd_step",
                                        "softmax_cols",
                                        "softmax_fully_masked_row",
                                        "softmax_rows"};

const std::string kCorpus = "tests/corpus/";

bool IsHot(const std::string& path) {
  for (const char* folder : kHotFolders) {
    if (path.starts_with(kCorpus + folder)) return true;
  }
  return std::any_of(std::begin(kHotPrograms), std::end(kHotPrograms), [&](const char* name) {
    return path == kCorpus + "program/" + name + "/module.hlo";
  });
}

// A distinct text of PTX and where it is from.
struct Text {
  std::string ptx;
  std::string program, plan;  // the first that has it
  bool hot = false;           // whether a hot one has it
};

// The kernels of all programs for a card, each once.
std::vector<Text> Compile(const std::vector<std::string>& paths, const std::string& card) {
  std::vector<Text> texts;
  std::map<std::string, size_t> by_ptx;
  for (const std::string& path : paths) {
    const StatusOr<std::string> hlo = ReadFile(path);
    EXPECT_TRUE(hlo.ok()) << path;
    if (!hlo.ok()) continue;
    const StatusOr<Compiled> compiled = CompileText(*hlo, card);
    EXPECT_TRUE(compiled.ok() || compiled.status().code() == absl::StatusCode::kUnimplemented)
        << path << " for " << card << ": " << compiled.status().message();
    if (!compiled.ok()) continue;
    for (const GpuKernel& kernel : compiled->kernels) {
      const auto [at, is_new] = by_ptx.emplace(kernel.code->ptx, texts.size());
      if (is_new) texts.push_back({kernel.code->ptx, path, kernel.plan, false});
      texts[at->second].hot |= IsHot(path);
    }
  }
  return texts;
}

void ExpectAssembles(const std::vector<Text>& texts, const std::string& arch) {
  std::vector<std::string> ptx;
  for (const Text& text : texts) ptx.push_back(text.ptx);
  const std::vector<Assembled> results = AssembleAll(ptx, arch);
  int most = 0, spilling = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const Text& text = texts[i];
    const Assembled& result = results[i];
    EXPECT_EQ(result.error, "") << text.program << " for " << arch << "\n" << text.ptx;
    if (text.hot) {
      EXPECT_EQ(result.spilled_bytes, 0) << text.program << " for " << arch << ", " << text.plan;
    }
    most = std::max(most, result.registers);
    spilling += result.spilled_bytes > 0;
    std::printf("%-6s %3d registers %5d spilled %5d stack  %s%s: %s\n", arch.c_str(),
                result.registers, result.spilled_bytes, result.stack_bytes, text.hot ? "hot " : "",
                text.program.c_str(), text.plan.c_str());
  }
  std::printf("%s: %zu kernels, at most %d registers, %d spill\n", arch.c_str(), texts.size(), most,
              spilling);
}

}  // namespace

std::vector<std::string> CorpusModules() { return HloFilesUnder({"corpus"}); }

std::vector<std::string> HotModules() {
  std::vector<std::string> paths = CorpusModules();
  std::erase_if(paths, [](const std::string& path) { return !IsHot(path); });
  return paths;
}

void ExpectAssembles(const std::vector<std::string>& paths) {
  if (emulated_cuda::PtxasPath().empty()) GTEST_SKIP() << "skipped: no ptxas";
  const std::vector<Text> a100 = Compile(paths, "a100");
  ExpectAssembles(a100, "sm_80");
  const std::vector<Text> h200 = Compile(paths, "h200");
  ExpectAssembles(h200, "sm_90");
  // PTX of sm_90 is what a later card gets.
  ExpectAssembles(h200, "sm_100");
}

}  // namespace swage::gpu
