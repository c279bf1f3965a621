// The driver of these tests, and its library of matrix products if they have one, before anything
// asks for them.
#include <cstdlib>

namespace {

const bool chosen = [] {
  setenv("SWAGE_LIBCUDA", EMULATED_LIBCUDA, /*overwrite=*/0);
#ifdef EMULATED_LIBCUBLASLT
  setenv("SWAGE_LIBCUBLASLT", EMULATED_LIBCUBLASLT, /*overwrite=*/0);
#else
  setenv("SWAGE_LIBCUBLASLT", "off", /*overwrite=*/0);
#endif
  setenv("EMULATED_CUDA_LOG", "off", /*overwrite=*/0);
  return true;
}();

}  // namespace
