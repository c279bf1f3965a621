#include "cache/circuit_breaker.h"

#include <gtest/gtest.h>

namespace swage::cache {
namespace {

using std::chrono::milliseconds;

class CircuitBreakerTest : public ::testing::Test {
 protected:
  CircuitBreaker::TimePoint At(int ms) const {
    return CircuitBreaker::TimePoint() + milliseconds(ms);
  }
  void FailThreeTimes(int ms) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(breaker_.Allow(At(ms)));
      EXPECT_EQ(breaker_.Failure(At(ms)), i == 2);
    }
  }

  CircuitBreaker breaker_{
      {.failures = 3, .first_pause = milliseconds(10), .max_pause = milliseconds(35)}};
};

TEST_F(CircuitBreakerTest, OpensAfterFailuresInARowOnly) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(breaker_.Allow(At(0)));
    EXPECT_FALSE(breaker_.Failure(At(0)));
    ASSERT_TRUE(breaker_.Allow(At(0)));
    EXPECT_FALSE(breaker_.Failure(At(0)));
    ASSERT_TRUE(breaker_.Allow(At(0)));
    breaker_.Success();
  }
  FailThreeTimes(0);
  EXPECT_TRUE(breaker_.open());
  EXPECT_FALSE(breaker_.Allow(At(0)));
  EXPECT_FALSE(breaker_.Allow(At(9)));
}

TEST_F(CircuitBreakerTest, OneProbeAtATimeAndThePauseDoublesToItsBound) {
  FailThreeTimes(0);
  int now = 0;
  for (const int pause : {10, 20, 35, 35}) {
    EXPECT_FALSE(breaker_.Allow(At(now + pause - 1)));
    now += pause;
    EXPECT_TRUE(breaker_.Allow(At(now)));
    EXPECT_FALSE(breaker_.Allow(At(now)));
    EXPECT_FALSE(breaker_.Allow(At(now + 1000)));
    EXPECT_TRUE(breaker_.Failure(At(now)));
  }
}

TEST_F(CircuitBreakerTest, AProbeThatSucceedsStartsAnew) {
  FailThreeTimes(0);
  ASSERT_TRUE(breaker_.Allow(At(10)));
  breaker_.Failure(At(10));
  ASSERT_TRUE(breaker_.Allow(At(30)));
  breaker_.Success();
  EXPECT_FALSE(breaker_.open());
  FailThreeTimes(100);
  EXPECT_FALSE(breaker_.Allow(At(109)));
  EXPECT_TRUE(breaker_.Allow(At(110)));
}

TEST_F(CircuitBreakerTest, LateFailuresOfEarlierQuestionsDoNotLengthenThePause) {
  FailThreeTimes(0);
  EXPECT_FALSE(breaker_.Failure(At(9)));
  EXPECT_TRUE(breaker_.Allow(At(10)));
}

}  // namespace
}  // namespace swage::cache
