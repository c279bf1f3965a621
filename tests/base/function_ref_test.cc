#include "base/function_ref.h"

#include <gtest/gtest.h>

#include <string>

namespace swage {
namespace {

int Twice(int x) { return 2 * x; }
int Apply(FunctionRef<int(int)> fn, int x) { return fn(x); }

TEST(FunctionRefTest, CallsLambdasFunctionsAndConstObjects) {
  int calls = 0;
  EXPECT_EQ(Apply(
                [&](int x) {
                  ++calls;
                  return x + 1;
                },
                4),
            5);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Apply(Twice, 4), 8);
  EXPECT_EQ(Apply(&Twice, 4), 8);
  const auto minus = [](int x) { return x - 1; };
  EXPECT_EQ(Apply(minus, 4), 3);
}

TEST(FunctionRefTest, CopyRefersToTheSameObject) {
  int calls = 0;
  auto count = [&](int x) mutable { return calls += x; };
  FunctionRef<int(int)> a = count;
  FunctionRef<int(int)> b = a;
  a(1);
  b(2);
  EXPECT_EQ(calls, 3);
}

TEST(FunctionRefTest, ReferencesPassThrough) {
  std::string text = "a";
  auto append = [](std::string& s) { s += "b"; };
  FunctionRef<void(std::string&)>{append}(text);
  EXPECT_EQ(text, "ab");
}

}  // namespace
}  // namespace swage
