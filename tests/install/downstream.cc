// What a user's first program needs to compile, link and find at run time.
#include <swage/swage.h>

#include <iostream>
#include <string>

namespace sw = swage;

sw::Tensor twice_and_one(sw::Tensor x) { return x * 2 + 1; }

int main() {
  const std::string info = sw::BuildInfo();
  std::cout << info;
  if (info.find(sw::Version()) == std::string::npos) return 1;

  auto f = sw::jit(twice_and_one);
  const sw::Tensor x = sw::array({1.f, 2.f});
  const sw::Tensor y = f(f(x));
  std::cout << y << "\n" << f.stats();
  if (y.item<float>({0}) != 7 || y.item<float>({1}) != 11 || f.stats().traces != 1) return 1;

  try {
    x + sw::arange(2);
  } catch (const sw::Error& error) {  // thrown in the library, caught here
    return error.code() == sw::ErrorCode::kInvalidArgument ? 0 : 1;
  }
  return 1;
}
