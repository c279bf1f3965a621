#define SAME_NAMES_NUMBER 1
#include "tests/runtime/same_names.inc"

namespace swage {

std::vector<float> AllOfA(Tensor x) { return All(x); }

}  // namespace swage
