// Attention on a GPU: keys and values stay there, queries come from the host.
//   attend_gpu [DUMP_FOLDER]   DUMP_FOLDER receives the dumps of all compiles, PTX among them; what
//                              lies there stays. Default: swage_attend_gpu in /tmp.
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

// The names of the PTX files of a folder that may not be there yet.
std::set<std::string> ptx_files(const std::filesystem::path& folder) {
  std::set<std::string> names;
  if (!std::filesystem::is_directory(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") names.insert(entry.path().filename().string());
  }
  return names;
}

int main(int argc, char** argv) {
  std::string missing;
  if (!sw::has_device(kDevice, &missing)) {
    std::cout << "no GPU here: " << missing << "\n";
    return 0;
  }
  const std::filesystem::path dumps =
      argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "swage_attend_gpu";
  const std::set<std::string> before = ptx_files(dumps);
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
  std::cout << "PTX in " << dumps.string() << ":\n";
  for (const std::string& file : ptx_files(dumps)) {
    if (before.count(file) == 0) std::cout << "  " << file << "\n";
  }
  return right ? 0 : 1;
}
