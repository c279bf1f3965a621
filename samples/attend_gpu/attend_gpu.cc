// Attention on a GPU: keys and values stay there, queries come from the host.
//   attend_gpu [DUMP_FOLDER]   DUMP_FOLDER receives the dumps of the first compile, PTX among them
// Without a GPU it says so, and ends with 0.
#include <swage/swage.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

namespace sw = swage;

constexpr char kDevice[] = "cuda:0";

sw::Tensor attend(sw::Tensor q, sw::Tensor k, sw::Tensor v) {
  auto s = sw::matmul(q, sw::transpose(k)) / std::sqrt(float(q.dim(-1)));
  return sw::matmul(sw::softmax(s, -1), v);
}

// Numbers between -1 and 1 that repeat late.
sw::Tensor wave(int64_t rows, double step) {
  return sw::reshape(sw::sin(sw::arange(rows * 64, sw::f32) * step), {rows, 64});
}

float difference(sw::Tensor a, sw::Tensor b) {
  return sw::max(sw::abs(a.to("cpu") - b)).item<float>();
}

int main(int argc, char** argv) {
  std::string missing;
  if (!sw::has_device(kDevice, &missing)) {
    std::cout << "no GPU here: " << missing << "\n";
    return 0;
  }
  const std::filesystem::path dumps =
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "swage_attend_gpu";
  std::filesystem::remove_all(dumps);
  auto f = sw::jit(attend, {.name = "attend", .device = kDevice, .dump_to = dumps.string()});
  bool right = true;
  for (const int64_t length : {32, 33, 32, 64, 33}) {
    const auto q = wave(length, 0.7);
    const auto k = wave(length, 0.9).to(kDevice), v = wave(length, 0.3).to(kDevice);
    const sw::Tensor out = f(q, k, v);  // stays on the GPU; to("cpu") waits for it
    const float error = difference(out, sw::jit(attend)(q, k.to("cpu"), v.to("cpu")));
    right = right && error <= 1e-5f;
    std::cout << "length " << length << " on " << out.device() << ": largest difference to the CPU "
              << error << (error <= 1e-5f ? "\n" : ", WRONG\n");
  }
  std::cout << f.stats() << f.explain();
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(dumps)) {
    if (entry.path().extension() == ".ptx") files.insert(entry.path().filename().string());
  }
  std::cout << "PTX in " << dumps.string() << ":\n";
  for (const std::string& file : files) std::cout << "  " << file << "\n";
  return right ? 0 : 1;
}
