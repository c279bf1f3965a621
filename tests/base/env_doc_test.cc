#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/env.h"

namespace swage {
namespace {

TEST(EnvDocTest, TheDocumentedTableIsTheTableInTheCode) {
  std::ifstream file("docs/environment.md");
  ASSERT_TRUE(file) << "tests run in the repository root";
  std::vector<std::string> documented;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| `SWAGE_")) documented.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  std::vector<std::string> known;
  for (const EnvVariable& variable : KnownEnvVariables()) known.emplace_back(variable.name);
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace swage
