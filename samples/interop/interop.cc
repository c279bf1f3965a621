// Memory of others: a buffer that the program owns, another library's tensors (DLPack), numpy's
// files of several arrays.
#include <swage/swage.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace sw = swage;

sw::Tensor brighten(sw::Tensor frame, sw::Tensor gain) { return sw::minimum(frame * gain, 1.0f); }

int main() {
  // A frame that a camera fills again and again; Swage reads it where it is.
  std::vector<float> pixels(4 * 6);
  const sw::Tensor frame = sw::from_blob(pixels.data(), {4, 6});
  auto f = sw::jit(brighten, {.name = "brighten"});
  sw::Tensor bright;
  for (int shot = 1; shot <= 3; ++shot) {
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = 0.01f * static_cast<float>(shot * i);
    bright = f(frame, sw::scalar(2.0f));
    std::cout << "shot " << shot << ": mean " << sw::mean(bright).item<float>() << "\n";
  }

  // To another library and back: the same memory, which lives until the last of them is done.
  DLManagedTensorVersioned* const managed = sw::to_dlpack_versioned(bright);
  const sw::Tensor back = sw::from_dlpack(managed);
  std::cout << "shared: " << (back.raw_data() == bright.raw_data() ? "yes" : "no") << "\n";

  // numpy reads the file with np.load, and writes such files with np.savez.
  const std::string path =
      (std::filesystem::temp_directory_path() / "swage_interop_sample.npz").string();
  sw::save_npz(path, {{"bright", bright}, {"gain", sw::scalar(2.0f)}}, {.compress = true});
  const std::map<std::string, sw::Tensor> read = sw::load_npz(path);
  std::filesystem::remove(path);
  const bool same = sw::all(sw::equal(read.at("bright"), bright)).item<bool>();
  std::cout << "read " << read.size() << " arrays, " << (same ? "equal" : "different") << "\n";
  return same && back.raw_data() == bright.raw_data() ? EXIT_SUCCESS : EXIT_FAILURE;
}
