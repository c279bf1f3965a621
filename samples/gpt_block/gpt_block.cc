// A block of a GPT that JAX lowered to HLO text, run without Python and without XLA.
//   gpt_block [FOLDER]   FOLDER has module.hlo, in_0.npy ... and out_0.npy
//
// The text comes from three lines of Python, for any function f of arrays:
//   import jax
//   text = jax.jit(f).lower(*inputs).compiler_ir("hlo").as_hlo_text()
//   open("module.hlo", "w").write(text)
#include <swage/swage.h>

#include <iostream>
#include <string>
#include <vector>

namespace sw = swage;

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "tests/corpus/program/gpt_block";
  try {
    const sw::HloProgram block = sw::load_hlo(folder + "/module.hlo");
    std::vector<sw::Tensor> inputs;
    for (int i = 0; i < block.parameter_count(); ++i) {
      std::cout << "parameter " << i << ": " << block.parameter_shape(i) << "\n";
      inputs.push_back(sw::load_npy(folder + "/in_" + std::to_string(i) + ".npy"));
    }
    const sw::Tensor out = block(inputs)[0];  // compiles, runs
    block(inputs);                            // runs
    std::cout << "result: " << block.result_shape(0) << ", its corner:\n"
              << sw::slice(out, {{0, 3}, {0, 4}}) << "\n"
              << block.stats();

    const sw::Tensor want = sw::load_npy(folder + "/out_0.npy");
    const float error = sw::max(sw::abs(out - want)).item<float>();
    std::cout << "largest difference to JAX: " << error << "\n";
    return error <= 1e-4f ? 0 : 1;
  } catch (const sw::Error& error) {
    std::cerr << "gpt_block: " << error.what() << "\n";
    return 2;
  }
}
