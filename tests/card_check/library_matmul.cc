#include "tests/card_check/library_matmul.h"

#include <dlfcn.h>

namespace swage::card {

Outcome TimeLibraryMatmul(Context& context) {
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12"}) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) continue;
    dlclose(library);
    return Outcome::Skipped(std::string(name) + " is here, but the card check has no calls of it");
  }
  return Outcome::Skipped("cublasLt not found");
}

}  // namespace swage::card
