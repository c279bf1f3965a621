// Attention, compiled once per shape. Checks itself against the interpreter.
//   attend [DUMP_FOLDER]   DUMP_FOLDER receives the dumps of both compiles; what lies there stays
#include <swage/swage.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>

namespace sw = swage;

sw::Tensor attend(sw::Tensor q, sw::Tensor k, sw::Tensor v) {
  auto s = sw::matmul(q, sw::transpose(k)) / std::sqrt(float(q.dim(-1)));
  return sw::matmul(sw::softmax(s, -1), v);
}

// Numbers between -1 and 1 that repeat late, of any dtype.
sw::Tensor wave(int64_t rows, int64_t columns, double step, sw::DType dtype) {
  const sw::Tensor places = sw::arange(rows * columns, sw::f32);
  return sw::convert(sw::reshape(sw::sin(places * step), {rows, columns}), dtype);
}

// The largest difference to the interpreter's result.
float difference(sw::Tensor got, sw::Tensor q, sw::Tensor k, sw::Tensor v) {
  const sw::Tensor want = sw::jit(attend, {.name = "attend", .device = "evaluator"})(q, k, v);
  return sw::max(sw::abs(sw::convert(got, sw::f32) - sw::convert(want, sw::f32))).item<float>();
}

bool run(sw::JitOptions options, int64_t length, int64_t width, sw::DType dtype, float tolerance) {
  const auto q = wave(length, width, 0.7, dtype), k = wave(length, width, 0.9, dtype);
  const auto v = wave(length, width, 0.3, dtype);
  auto f = sw::jit(attend, options);
  sw::Tensor out = f(q, k, v);  // a miss: trace, compile, run
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {  // hits
    const auto start = std::chrono::steady_clock::now();
    out = f(q, k, v);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  const float error = difference(out, q, k, v);
  const bool right = error <= tolerance;  // false for NaN too
  std::cout << length << "x" << width << " " << sw::DTypeName(dtype) << ": best of 5 " << best
            << " ms, largest difference " << error << (right ? "\n" : ", WRONG\n") << f.stats()
            << f.explain() << "\n";
  return right;
}

int main(int argc, char** argv) {
  sw::JitOptions options{.name = "attend"};
  if (argc > 1) options.dump_to = argv[1];
  const bool small = run(options, 64, 64, sw::f32, 1e-5f);
  const bool large = run(options, 2048, 128, sw::bf16, 0.01f);
  return small && large ? 0 : 1;
}
