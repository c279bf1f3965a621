// What a user's first program needs to compile, link and find at run time.
#include <swage/version.h>

#include <iostream>
#include <string>

int main() {
  const std::string info = swage::BuildInfo();
  std::cout << info;
  return info.find(swage::Version()) == std::string::npos ? 1 : 0;
}
