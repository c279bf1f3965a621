// The driver of these tests, before anything asks for one.
#include <cstdlib>

namespace {

const bool chosen = [] {
  setenv("SWAGE_LIBCUDA", EMULATED_LIBCUDA, /*overwrite=*/0);
  setenv("EMULATED_CUDA_LOG", "off", /*overwrite=*/0);
  return true;
}();

}  // namespace
