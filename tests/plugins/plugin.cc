// A plugin. Its functions have the names that those of the other plugin have.
#include <swage/swage.h>

namespace sw = swage;

struct Result {
  sw::Tensor value;
};
SWAGE_TREE(Result, value)

namespace {

sw::Tensor Static(sw::Tensor x) { return x + (10 + PLUGIN_NUMBER); }

}  // namespace

struct Step {
  Result operator()(sw::Tensor x) const { return {x + (20 + PLUGIN_NUMBER)}; }
};

extern "C" __attribute__((visibility("default"))) sw::Tensor Plain(sw::Tensor x) {
  return x + (30 + PLUGIN_NUMBER);
}

// x through one of the ways in which jit knows a function.
extern "C" __attribute__((visibility("default"))) float Run(int way, float value) {
  const sw::Tensor x = sw::scalar(value);
  switch (way) {
    case 0:
      return sw::jit([](sw::Tensor y) { return y + PLUGIN_NUMBER; })(x).item<float>();
    case 1:
      return sw::jit(Static)(x).item<float>();
    default:
      return sw::jit(Step{})(x).value.item<float>();
  }
}
