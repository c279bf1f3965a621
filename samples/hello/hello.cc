// Tensor code in plain C++, op by op and as one compiled function.
#include <swage/swage.h>

#include <iostream>

namespace sw = swage;

// Works on concrete tensors (each op runs at once) and, inside jit, on traced ones.
sw::Tensor normalise(sw::Tensor x) {
  const sw::Tensor centred = x - sw::mean(x, {-1}, /*keepdims=*/true);
  return centred / sw::sqrt(sw::var(x, {-1}, /*keepdims=*/true) + 1e-5);
}

int main() {
  const sw::Tensor x = sw::array({1.f, 2.f, 3.f, 4.f, 6.f, 8.f}, {2, 3});
  std::cout << "op by op:\n" << normalise(x) << "\n\n";

  auto f = sw::jit(normalise, {.name = "normalise"});
  std::cout << "compiled:\n" << f(x) << "\n\n";  // traces, compiles, runs
  f(x);                                          // runs
  f(sw::ones({2, 4}));                           // another shape: traces and compiles again
  std::cout << f.stats() << f.explain();

  try {
    x + sw::ones({4});
  } catch (const sw::Error& error) {
    std::cout << "\nan error: " << error.what() << "\n";
  }
  return f.stats().misses == 2 && f.stats().hits == 1 ? 0 : 1;
}
