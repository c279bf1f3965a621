// Every kernel of the corpus in the card check, on the emulated driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/card_check/run_check.h"
#include "tests/temp_folder.h"

namespace swage::card {
namespace {

TEST(CardCheckOfTheCorpus, EveryKernelIsRight) {
  const TempFolder folder;
  const Ran ran = Rehearse(folder.path(), "-- --kernel-seconds 5000");
  EXPECT_EQ(ran.exit_code, 0);
  for (const std::string& line : ran.With("\"result\":\"failed\"")) ADD_FAILURE() << line;
  EXPECT_GE(ran.With("\"ptx\":\"ok\"").size(), 400u);
}

}  // namespace
}  // namespace swage::card
