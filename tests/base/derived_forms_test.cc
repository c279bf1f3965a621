#include "base/derived_forms.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace swage {
namespace {

StatusOr<DerivedForms::Form> Number(int value) {
  return DerivedForms::Form(std::make_shared<const int>(value));
}
int ValueOf(const StatusOr<DerivedForms::Form>& form) {
  return form.ok() ? *static_cast<const int*>(form->get()) : -1;
}

TEST(DerivedFormsTest, AFormIsMadeOncePerKey) {
  DerivedForms forms;
  EXPECT_EQ(ValueOf(forms.Get("a", [] { return Number(1); })), 1);
  EXPECT_EQ(ValueOf(forms.Get("a", [] { return Number(2); })), 1);
  EXPECT_EQ(ValueOf(forms.Get("b", [] { return Number(3); })), 3);
  EXPECT_EQ(forms.size(), 2u);
}

TEST(DerivedFormsTest, AnErrorIsNotKept) {
  DerivedForms forms;
  const auto failed =
      forms.Get("a", []() -> StatusOr<DerivedForms::Form> { return Internal("none"); });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(forms.size(), 0u);
  EXPECT_EQ(ValueOf(forms.Get("a", [] { return Number(2); })), 2);
}

TEST(DerivedFormsTest, ThreadsShareWhatOneMakes) {
  DerivedForms forms;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(
        [&] { EXPECT_EQ(ValueOf(forms.Get("a", [&] { return Number(++made); })), 1); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace swage
