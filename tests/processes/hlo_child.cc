// A user's program over libswage.so: `hlo_child FILE [DEVICE]` loads HLO text and compiles it.
// Prints
//   compiles=1 loads=0 llvm_runs=1 kernel_loads=0 tier=compiled stored=build_id,llvm
#include <swage/swage.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    const swage::HloProgram program =
        swage::load_hlo(std::string(argv[1]), {.device = argc > 2 ? argv[2] : "cpu"});
    program.warmup();
    const swage::JitStats stats = program.stats();
    const swage::MissReport report = program.explain();
    std::cout << "compiles=" << stats.compiles << " loads=" << stats.loads
              << " llvm_runs=" << stats.llvm_runs << " kernel_loads=" << stats.kernel_loads
              << " tier=" << report.tier << " stored=";
    for (const std::string& part : report.stored_components) {
      std::cout << (&part == &report.stored_components[0] ? "" : ",") << part;
    }
    std::cout << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
