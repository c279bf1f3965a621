// File: tests/runtime/tensor_testing.h
//
// What the tests of the public API share: both ways of running a function, and error texts.
#ifndef SWAGE_TESTS_RUNTIME_TENSOR_TESTING_H_
#define SWAGE_TESTS_RUNTIME_TENSOR_TESTING_H_

#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/swage.h"

namespace swage {

// what() of the Error that `fn` throws, without the line at its end; "" when it throws none.
inline std::string ErrorOf(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& error) {
    std::string text = error.what();
    const size_t line = text.rfind(" (");
    const bool has_line = text.ends_with(")") && line != std::string::npos &&
                          text.find(".cc:", line) != std::string::npos;
    return has_line ? text.substr(0, line) : text;
  }
  return "";
}

// The result of `fn` op by op, after checking that one traced program gives the same bits.
inline Tensor Both(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
                   const std::vector<Tensor>& arguments) {
  const Tensor eager = fn(arguments);
  const Tensor traced = jit([&fn](const std::vector<Tensor>& xs) { return fn(xs); })(arguments);
  if (eager.dtype() != traced.dtype() || eager.shape() != traced.shape() ||
      eager.ToString() != traced.ToString()) {
    throw std::runtime_error("eager " + eager.ToString() + " and traced " + traced.ToString() +
                             " differ");
  }
  return eager;
}

template <typename T>
std::vector<T> ValuesOf(const std::function<Tensor(const std::vector<Tensor>&)>& fn,
                        const std::vector<Tensor>& arguments) {
  return Both(fn, arguments).to_vector<T>();
}

inline Tensor Attend(Tensor q, Tensor k, Tensor v) {
  const Tensor s = matmul(q, transpose(k)) / std::sqrt(float(q.dim(-1)));
  return matmul(softmax(s, -1), v);
}

// Numbers that differ everywhere.
inline Tensor Numbers(const ShapeVector& shape) {
  int64_t size = 1;
  for (int64_t extent : shape) size *= extent;
  return sin(reshape(arange(size, f32), shape));
}

inline bool SameBits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw_data(), b.raw_data(), a.byte_size()) == 0;
}

inline Tensor F32(std::initializer_list<float> values) { return array(values); }
inline Tensor F32(std::initializer_list<float> values, const ShapeVector& shape) {
  return array(values, shape);
}
inline Tensor S32(std::initializer_list<int32_t> values) { return array(values); }
inline Tensor S32(std::initializer_list<int32_t> values, const ShapeVector& shape) {
  return array(values, shape);
}

}  // namespace swage

#endif  // SWAGE_TESTS_RUNTIME_TENSOR_TESTING_H_
