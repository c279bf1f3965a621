#include "tests/emulated_cuda/ptx_module.h"

#include <cstdlib>

namespace swage::emulated_cuda {

bool ParseType(const std::string& name, PtxType* type) {
  if (name == "pred") {
    *type = {PtxType::kPred, 1, 1};
    return true;
  }
  std::string body = name;
  PtxType result;
  if (body.size() > 2 && body.substr(body.size() - 2) == "x2") {
    result.lanes = 2;
    body.resize(body.size() - 2);
  }
  const auto starts = [&](const char* prefix) { return body.rfind(prefix, 0) == 0; };
  size_t letters = 1;
  if (starts("bf")) {
    result.kind = PtxType::kBfloat;
    letters = 2;
  } else if (starts("b")) {
    result.kind = PtxType::kBits;
  } else if (starts("u")) {
    result.kind = PtxType::kUnsigned;
  } else if (starts("s")) {
    result.kind = PtxType::kSigned;
  } else if (starts("f")) {
    result.kind = PtxType::kFloat;
  } else {
    return false;
  }
  const std::string digits = body.substr(letters);
  if (digits != "8" && digits != "16" && digits != "32" && digits != "64" && digits != "128")
    return false;
  result.bits = std::atoi(digits.c_str());
  if (result.kind == PtxType::kBfloat && result.bits != 16) return false;
  if (result.kind == PtxType::kFloat && result.bits != 16 && result.bits != 32 && result.bits != 64)
    return false;
  if (result.lanes == 2 && result.bits != 16) return false;
  *type = result;
  return true;
}

}  // namespace swage::emulated_cuda
