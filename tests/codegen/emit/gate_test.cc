// The promises that the emitter was built on: a softmax row kernel and a register-tiled dot with
// run-time extents, whose objects live in files, need no symbol, and do not spill. (Their speed
// against baked kernels is bench/gate_bench.cc.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "tests/codegen/emit/kernel_runner.h"
#include "tests/codegen/emit/kernel_texts.h"
#include "tests/temp_folder.h"

namespace swage::emit {
namespace {

using ir::Literal;

StatusOr<CompiledKernel> CompileText(const std::string& hlo, const EmitOptions& target,
                                     bool keep_text = false) {
  SWAGE_ASSIGN_OR_RETURN(std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo));
  CompileOptions options;
  options.emit = target;
  options.keep_text = keep_text;
  return CompiledKernel::Compile(*module->entry(), options);
}

// Through a file and back.
std::string SavedAndRead(const std::string& bytes) {
  const TempFolder folder;
  const std::string path = folder.path() + "/bytes";
  std::ofstream(path, std::ios::binary) << bytes;
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The basic blocks of the assembly that multiply and add and then jump back: inner loops of a dot.
std::vector<std::vector<std::string>> FmaBlocks(const std::string& assembly, const char* fma) {
  std::vector<std::vector<std::string>> blocks(1);
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(".L", 0) == 0) blocks.emplace_back();
    blocks.back().push_back(line);
    if (line.rfind("\tj", 0) == 0) blocks.emplace_back();
  }
  std::erase_if(blocks, [&](const std::vector<std::string>& block) {
    int count = 0;
    for (const std::string& line : block) count += line.find(fma) != std::string::npos;
    return count < 2;
  });
  return blocks;
}

TEST(Gate, SoftmaxIsOneKernelForNeighbouringLengths) {
  for (const EmitOptions& target : TargetsHere()) {
    std::string text, object;
    for (int n : {31, 32, 33}) {
      const std::string hlo = WithSizes(Softmax(), {{"$R", 64}, {"$N", n}});
      auto kernel = CompileText(hlo, target);
      ASSERT_TRUE(kernel.ok()) << kernel.status().message();
      EXPECT_EQ(kernel->schedule(), Schedule::kRowTile);
      if (text.empty()) {
        text = kernel->text();
        object = SavedAndRead(kernel->object());
      }
      EXPECT_EQ(kernel->text(), text);
      // The kernel of the first length, out of its file, serves every length.
      ASSERT_TRUE(kernel->Reload(object).ok());
      auto module = ir::ParseHlo(hlo);
      const Literal x = RandomLiteral((*module)->entry()->parameter(0)->shape(), n);
      auto got = kernel->Run({x});
      auto want = evaluator::Evaluate(**module, {x});
      ASSERT_TRUE(got.ok() && want.ok());
      EXPECT_TRUE((*got)[0] == *want) << "n = " << n;
    }
  }
}

TEST(Gate, DotKeepsItsTileInRegisters) {
  for (const EmitOptions& target : TargetsHere()) {
    for (const char* dtype : {"f32", "bf16"}) {
      const std::string hlo = Substitute(R"(
HloModule m
ENTRY e {
  x = T[70,64] parameter(0)
  y = T[64,70] parameter(1)
  ROOT d = f32[70,70] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                                         "T[", std::string(dtype) + "[");
      auto kernel = CompileText(hlo, target, /*keep_text=*/true);
      ASSERT_TRUE(kernel.ok()) << kernel.status().message();
      EXPECT_EQ(kernel->schedule(), Schedule::kDot);
      const bool pairs = target.has_avx512bf16 && std::string(dtype) == "bf16";
      const auto blocks = FmaBlocks(kernel->assembly(), pairs ? "vdpbf16ps" : "vfmadd");
      ASSERT_GE(blocks.size(), 3u);
      size_t largest = 0;
      for (const auto& block : blocks) {
        size_t count = 0;
        for (const std::string& line : block) {
          EXPECT_EQ(line.find("(%rsp"), std::string::npos) << line;
          count += line.find(pairs ? "vdpbf16ps" : "vfmadd") != std::string::npos;
        }
        largest = std::max(largest, count);
      }
      EXPECT_EQ(largest, target.vector_bytes == 64 ? 28u : 12u);

      ASSERT_TRUE(kernel->Reload(SavedAndRead(kernel->object())).ok());
      const Status right = CheckAgainstEvaluator(hlo, 1e-5);
      EXPECT_TRUE(right.ok()) << right.message();
    }
  }
}

TEST(Gate, ObjectsNeedNoSymbols) {
  // The emitter of objects refuses an undefined symbol, so compiling is the test; the strings of a
  // symbol table would show the usual suspects.
  for (const EmitOptions& target : TargetsHere()) {
    auto kernel = CompileText(WithSizes(Softmax(), {{"$R", 64}, {"$N", 33}}), target);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    for (const char* symbol : {"memcpy", "memset", "expf", "fmaf", "__"}) {
      EXPECT_EQ(kernel->object().find(symbol), std::string::npos) << symbol;
    }
  }
}

}  // namespace
}  // namespace swage::emit
