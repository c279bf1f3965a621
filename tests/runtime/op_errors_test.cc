// The text of every error that an op raises for its caller's mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/tensor_testing.h"

namespace swage {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

struct Mistake {
  std::function<Tensor()> fn;
  std::string text;
};

TEST(OpErrorsTest, TextsNameTheOpWhatItGotAndWhatItWants) {
  const Tensor m = zeros({2, 3}), n = zeros({4, 5}), i = S32({1, 2}), p = array({true, false});
  const std::vector<Mistake> mistakes = {
      {[&] { return m + zeros({4}); },
       "[add] got f32[2,3] and f32[4], expected shapes that broadcast: dimension -1 is 3 and 4, "
       "expected equal extents or 1"},
      {[&] { return m + i; }, "[add] got f32[2,3] and s32[2], expected equal dtypes; use convert"},
      {[&] { return i + 1.5; },
       "[add] got the float number 1.5 beside s32[2], expected a float tensor or a whole number; "
       "use "
       "convert"},
      {[&] { return array<uint8_t>({1}) + 300; },
       "[add] got the number 300 beside u8[1], which u8 cannot hold; use convert"},
      {[&] { return array<uint8_t>({1}) - (-1); },
       "[subtract] got the number -1 beside u8[1], which u8 cannot hold; use convert"},
      {[&] { return p & 2; },
       "[bitwise_and] got the number 2 beside pred[2], expected true or false; use convert"},
      {[&] { return add(1, 2); }, "[add] got the numbers 1 and 2, expected a Tensor among them"},
      {[&] { return i / 2; },
       "[divide] got s32[2] and s32[], expected float dtypes; use floor_divide (towards minus "
       "infinity), div (towards zero), or convert"},
      {[&] { return exp(i); }, "[exp] got s32[2], expected a float dtype; use convert"},
      {[&] { return -p; }, "[negative] got pred[2], expected a number dtype; use convert"},
      {[&] { return ~m; },
       "[bitwise_not] got f32[2,3], expected an integer dtype or pred; use convert"},
      {[&] { return popcount(m); },
       "[popcount] got f32[2,3], expected an integer dtype; use convert"},
      {[&] { return m << 1; }, "[left_shift] got f32[2,3], expected an integer dtype; use convert"},
      {[&] { return where(m, 1, m); },
       "[where] got the condition f32[2,3], expected pred; use a comparison, or convert"},
      {[&] {
         return clip(S32({-3, 5}), -0.9, 0.9);
       },
       "[clip] got the float number -0.9 beside s32[2], expected a float tensor or a whole number; "
       "use "
       "convert"},
      {[&] { return bitcast(m, f64); },
       "[bitcast] got f32[2,3] and f64, expected dtypes of the same width, not pred; use convert"},
      {[&] { return Tensor() + 1; },
       "[add] got an undefined Tensor (default-constructed or moved from), expected a value"},
      {[&] { return matmul(m, n); },
       "[matmul] got f32[2,3] and f32[4,5], expected the last dimension of the first (3) to equal "
       "dimension 0 of the second (4)"},
      {[&] { return matmul(m, scalar(1.0f)); },
       "[matmul] got f32[2,3] and f32[], expected rank 1 or more; use multiply"},
      {[&] {
         return matmul(zeros({2, 2, 3}), zeros({5, 3, 2}));
       },
       "[matmul] got f32[2,2,3] and f32[5,3,2], expected leading dimensions that broadcast, got "
       "extents 2 and 5"},
      {[&] { return matmul(p, p); },
       "[matmul] got pred[2] and pred[2], expected a number dtype; use convert"},
      {[&] { return dot(m, n); },
       "[dot] got f32[2,3] and f32[4,5], expected the last dimension of the first (3) to equal "
       "dimension 0 of the second (4)"},
      {[&] {
         return tensordot(m, n, {0}, {0, 1});
       },
       "[tensordot] got 1 and 2 axes, expected as many"},
      {[&] { return tensordot(m, n, {0}, {1}); },
       "[tensordot] got f32[2,3] and f32[4,5], expected axis 0 of the first (2) to equal axis 1 of "
       "the "
       "second (5)"},
      {[&] { return sum(m, {2}); }, "[sum] got axis 2 for rank 2, expected -2 to 1"},
      {[&] {
         return sum(m, {0, -2});
       },
       "[sum] got axis -2 twice, expected each axis once"},
      {[&] { return sum(p); },
       "[sum] got pred[2], expected a number dtype; use convert, any or all"},
      {[&] { return max(zeros({0})); },
       "[max] got f32[0], whose axis 0 has no elements, expected one or more"},
      {[&] { return argmax(scalar(1), 0); },
       "[argmax] got axis 0, expected none for a rank-0 tensor"},
      {[&] { return mean(i); }, "[mean] got s32[2], expected a float dtype; use convert"},
      {[&] { return softmax(i); }, "[softmax] got s32[2], expected a float dtype; use convert"},
      {[&] { return softmax(m, 2); }, "[softmax] got axis 2 for rank 2, expected -2 to 1"},
      {[&] { return layer_norm(m, zeros({2})); },
       "[layer_norm] got f32[2,3] and the scale f32[2], expected f32[3]"},
      {[&] { return one_hot(m, 3); },
       "[one_hot] got f32[2,3], expected an integer dtype; use convert"},
      {[&] {
         return reshape(m, {4, 2});
       },
       "[reshape] got f32[2,3] (6 elements) and the shape [4,2], expected as many elements"},
      {[&] {
         return reshape(m, {4, -1});
       },
       "[reshape] got f32[2,3] (6 elements) and the shape [4,-1], expected as many elements"},
      {[&] {
         return reshape(m, {-1, -1});
       },
       "[reshape] got the shape [-1,-1], expected extents of 0 or more and at most one -1"},
      {[&] { return squeeze(m, {0}); },
       "[squeeze] got axis 0 of f32[2,3], whose extent is 2, expected 1"},
      {[&] {
         return broadcast_to(m, {4, 3});
       },
       "[broadcast_to] got f32[2,3] and the shape [4,3], expected a shape that it broadcasts to"},
      {[&] { return transpose(m, {0}); }, "[transpose] got 1 axes for f32[2,3], expected 2"},
      {[&] {
         return concatenate({m, n});
       },
       "[concatenate] got f32[2,3] and f32[4,5], expected equal extents but along axis 0"},
      {[&] {
         return stack({m, n});
       },
       "[stack] got f32[2,3] and f32[4,5], expected equal shapes"},
      {[&] { return split(m, 2, 1)[0]; },
       "[split] got 2 parts of axis 1 of f32[2,3], expected a divisor of 3"},
      {[&] {
         return pad(m, {{1, 1}});
       },
       "[pad] got 1 widths for f32[2,3], expected 2 pairs"},
      {[&] {
         return pad(i, {{-1, 0}});
       },
       "[pad] got the widths {-1, 0}, expected 0 or more; use slice to cut"},
      {[&] {
         return slice(i, {{}, {}});
       },
       "[slice] got 2 slices for s32[2], expected at most 1"},
      {[&] {
         return slice(i, {{0, 1, 0}});
       },
       "[slice] got step 0 for dimension 0, expected another"},
      {[&] { return index(i, 2); }, "[index] got index 2 for axis 0 of s32[2], expected -2 to 1"},
      {[&] {
         return dynamic_slice(m, {0, 0}, {3, 1});
       },
       "[dynamic_slice] got f32[2,3] and a window of [3,1], expected a window that fits"},
      {[&] {
         return dynamic_slice(m, {0}, {1, 1});
       },
       "[dynamic_slice] got 1 starts for f32[2,3], expected 2"},
      {[&] {
         return dynamic_update_slice(m, n, {0, 0});
       },
       "[dynamic_update_slice] got f32[2,3] and the update f32[4,5], expected an update that fits"},
      {[&] { return take(m, m); }, "[take] got f32[2,3], expected an integer dtype; use convert"},
      {[&] {
         return take(zeros({0, 2}), i);
       },
       "[take] got axis 0 of f32[0,2], which has no elements, expected one or more"},
      {[&] { return take_along_axis(m, i, 0); },
       "[take_along_axis] got f32[2,3] and the indices s32[2], expected equal shapes but along "
       "axis 0"},
      {[&] { return tril(i); }, "[tril] got s32[2], expected rank 2 or more"},
      {[&] { return zeros({-1}); }, "[zeros] got extent -1 for dimension 0, expected 0 or more"},
      {[&] { return full({2}, 1.5, s32); },
       "[full] got the float number 1.5 beside s32, expected a float tensor or a whole number; use "
       "convert"},
      {[&] { return arange(3, pred); }, "[arange] got pred, expected a number dtype"},
  };
  for (const Mistake& mistake : mistakes) {
    EXPECT_EQ(ErrorOf([&] { mistake.fn(); }), mistake.text);
    // The same text when traced.
    const std::string traced =
        ErrorOf([&] { jit([&](Tensor x) { return mistake.fn() == x; })(scalar(1.0f)); });
    EXPECT_EQ(traced, mistake.text);
  }
}

TEST(OpErrorsTest, ErrorsCarryCodeOpAndTheUsersLine) {
  const Tensor m = zeros({2, 3});
  const unsigned line = __LINE__ + 2;
  try {
    m + zeros({4});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.op(), "add");
    EXPECT_EQ(error.where().line(), line);
    EXPECT_THAT(error.what(), EndsWith("op_errors_test.cc:" + std::to_string(line) + ")"));
  }
}

TEST(OpErrorsTest, LinesInsideLayersAreTheUsers) {
  const unsigned line = __LINE__ + 2;
  try {
    layer_norm(S32({1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line(), line);
  }
}

}  // namespace
}  // namespace swage
