// One process of a cache test: `cache_child K [NAME]` runs a jit function f(x) = x * K at x = 3,
// and `cache_child K NAME COUNT` those of K, K + 1, ... one after the other. Prints a line for
// each:
//   VALUE compiles=1 loads=0 llvm_runs=1 kernel_loads=0 stored=build_id,llvm
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>

#include "runtime/swage.h"

namespace {

void Call(int k, const std::string& name) {
  const auto scale =
      swage::jit([k](swage::Tensor x) { return x * static_cast<float>(k); }, {.name = name});
  const swage::Tensor y = scale(swage::full({1}, 3, swage::f32));
  const swage::JitStats stats = scale.stats();
  std::string stored;
  for (const std::string& component : scale.explain().stored_components) {
    stored += (stored.empty() ? "" : ",") + component;
  }
  std::printf("%g compiles=%d loads=%d llvm_runs=%d kernel_loads=%d stored=%s\n",
              static_cast<double>(y.data<float>()[0]), static_cast<int>(stats.compiles),
              static_cast<int>(stats.loads), static_cast<int>(stats.llvm_runs),
              static_cast<int>(stats.kernel_loads), stored.c_str());
}

// Numbers as a German program prints them.
struct German : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

int main(int argc, char** argv) {
  const int k = argc > 1 ? std::atoi(argv[1]) : 2;
  const std::string name = argc > 2 ? argv[2] : "scale";
  const int count = argc > 3 ? std::atoi(argv[3]) : 1;
  if (std::getenv("CACHE_CHILD_LOCALE") != nullptr) {
    std::locale::global(std::locale(std::locale(), new German));
  }
  try {
    for (int i = 0; i < count; ++i) {
      Call(k + i, name);
      // As a daemon does.
      if (std::getenv("CACHE_CHILD_LEAVES") != nullptr) std::filesystem::current_path("/");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
