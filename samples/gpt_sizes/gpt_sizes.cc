// A block of a GPT for every batch and length, from two lowerings by JAX: (2, 7) and (3, 12).
//   gpt_sizes [FOLDER]   FOLDER has b2_s7.hlo, b3_s12.hlo and out_b5_s33.npy; lower.py wrote them
#include <swage/swage.h>

#include <iostream>
#include <string>
#include <vector>

namespace sw = swage;

// Numbers that lower.py makes as well.
sw::Tensor wave(const sw::ShapeVector& shape, int k) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return sw::reshape(sw::sin(sw::arange(count, sw::f32) * (0.1f * float(k))), shape);
}

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "samples/gpt_sizes";
  try {
    const sw::HloProgram block = sw::load_hlo({folder + "/b2_s7.hlo", folder + "/b3_s12.hlo"});
    std::cout << block.parameter_shape(0) << " -> " << block.result_shape(0) << "\n"
              << block.learned();

    std::vector<sw::Tensor> arguments = {sw::Tensor()};  // the input comes with each call
    const sw::ShapeVector shapes[] = {{32, 96}, {32, 32}, {32, 128}, {128, 32},
                                      {32},     {32},     {32},      {32}};
    for (int i = 0; i < 8; ++i) arguments.push_back(wave(shapes[i], i + 2) * 0.2f);

    sw::Tensor out;
    for (const auto& [batch, length] : {std::pair(1, 1), {4, 20}, {2, 64}, {5, 33}}) {
      arguments[0] = wave({batch, length, 32}, 1);
      out = block(arguments)[0];
      std::cout << "batch " << batch << ", length " << length << ": mean "
                << sw::mean(out).item<float>() << "\n";
    }
    std::cout << block.stats();

    const sw::Tensor want = sw::load_npy(folder + "/out_b5_s33.npy");
    const float error = sw::max(sw::abs(out - want)).item<float>();
    std::cout << "largest difference to JAX at batch 5, length 33: " << error << "\n";
    return error <= 1e-4f ? 0 : 1;
  } catch (const sw::Error& error) {
    std::cerr << "gpt_sizes: " << error.what() << "\n";
    return 2;
  }
}
