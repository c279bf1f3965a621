// g++ makes vectors of these loops.
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bench/peers/cpp/sides.h"

namespace swage::bench {
namespace {

constexpr int64_t kPiece = 2048;  // floats that are computed in the first cache, then streamed

// e^x = 2^n e^r: n is the nearest integer of x / ln 2, e^r a polynomial. Overflows to infinity,
// keeps denormals; within 1 unit in the last place. kInner: |x| is at most 80.
template <bool kInner = false>
inline float Exp(float x) {
  if (!kInner) x = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
  const float n = std::rint(x * 1.44269504f);
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t k = static_cast<int32_t>(n);
  if (kInner) return p * std::bit_cast<float>((k + 127) << 23);
  // 2^n in two factors, each a normal number.
  const int32_t half = k >> 1;
  return p * std::bit_cast<float>((half + 127) << 23) *
         std::bit_cast<float>((k - half + 127) << 23);
}

// Near 0 a polynomial, else 1 - 2 / (e^2x + 1); within 2 units in the last place.
inline float Tanh(float x) {
  const float size = std::min(std::fabs(x), 10.0f), square = x * x;
  float p = -5.70498872745e-3f;
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const float near = x + x * square * p;
  const float far = 1.0f - 2.0f / (Exp<true>(2.0f * size) + 1.0f);
  return size < 0.625f ? near : std::copysign(far, x);
}

inline float Chain(float x) {
  const float t = Exp(Tanh(x * 1.1f + 0.3f) * x - 0.5f) + x;
  return (t > 0.0f ? t : 0.0f) * 0.7f - x;
}

// `out` is on a boundary of 64 bytes.
void Stream(const float* from, float* out, int64_t count) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= count; i += 16) _mm512_stream_ps(out + i, _mm512_loadu_ps(from + i));
#else
  for (; i + 8 <= count; i += 8) _mm256_stream_ps(out + i, _mm256_loadu_ps(from + i));
#endif
  for (; i < count; ++i) out[i] = from[i];
}

// out[i] = f(i).
template <typename F>
void Map(int64_t count, float* out, bool streaming, const F& f) {
#pragma omp parallel for schedule(static)
  for (int64_t start = 0; start < count; start += kPiece) {
    const int64_t size = std::min(kPiece, count - start);
    alignas(64) float piece[kPiece];
    float* const to = streaming ? piece : out + start;
#pragma omp simd
    for (int64_t i = 0; i < size; ++i) to[i] = f(start + i);
    if (streaming) Stream(piece, out + start, size);
  }
  if (streaming) _mm_sfence();
}

// f(row, to) writes the `columns` numbers of a row.
template <typename F>
void Rows(int64_t rows, int64_t columns, float* out, bool streaming, const F& f) {
#pragma omp parallel
  {
    const std::unique_ptr<float[]> piece(streaming ? new float[columns] : nullptr);
#pragma omp for schedule(static)
    for (int64_t row = 0; row < rows; ++row) {
      f(row, streaming ? piece.get() : out + row * columns);
      if (streaming) Stream(piece.get(), out + row * columns, columns);
    }
    if (streaming) _mm_sfence();
  }
}

void SoftmaxRow(const float* x, int64_t columns, float* y) {
  float most = -std::numeric_limits<float>::infinity(), sum = 0;
#pragma omp simd reduction(max : most)
  for (int64_t i = 0; i < columns; ++i) most = x[i] > most ? x[i] : most;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) {
    y[i] = Exp(x[i] - most);
    sum += y[i];
  }
  const float scale = 1 / sum;
#pragma omp simd
  for (int64_t i = 0; i < columns; ++i) y[i] *= scale;
}

float Sum(const float* x, int64_t columns) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < columns; ++i) sum += x[i];
  return sum;
}

void LayerNormRow(const float* x, const float* scale, const float* bias, int64_t columns,
                  float* y) {
  const float mean = Sum(x, columns) / static_cast<float>(columns);
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < columns; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const float factor = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5f);
#pragma omp simd
  for (int64_t i = 0; i < columns; ++i) y[i] = (x[i] - mean) * factor * scale[i] + bias[i];
}

// Each core adds rows of a strip of columns.
void SumColumns(const float* x, int64_t rows, int64_t columns, float* out) {
  constexpr int64_t kStrip = 4096;
#pragma omp parallel for schedule(static)
  for (int64_t start = 0; start < columns; start += kStrip) {
    const int64_t size = std::min(kStrip, columns - start);
    std::fill_n(out + start, size, 0.0f);
    for (int64_t row = 0; row < rows; ++row) {
      const float* const from = x + row * columns + start;
#pragma omp simd
      for (int64_t i = 0; i < size; ++i) out[start + i] += from[i];
    }
  }
}

// Squares of 16 by 16, in which both sides are whole cache lines.
void Transpose(const float* x, int64_t rows, int64_t columns, float* out, bool streaming) {
  constexpr int64_t kSide = 16;
#pragma omp parallel for schedule(static)
  for (int64_t column = 0; column < columns; column += kSide) {
    const int64_t wide = std::min(kSide, columns - column);
    for (int64_t row = 0; row < rows; row += kSide) {
      const int64_t high = std::min(kSide, rows - row);
      alignas(64) float square[kSide][kSide];
      for (int64_t i = 0; i < high; ++i) {
        for (int64_t j = 0; j < wide; ++j) square[j][i] = x[(row + i) * columns + column + j];
      }
      for (int64_t j = 0; j < wide; ++j) {
        float* const to = out + (column + j) * rows + row;
        if (streaming && high == kSide) {
          Stream(square[j], to, kSide);
        } else {
          std::copy_n(square[j], high, to);
        }
      }
    }
  }
  if (streaming) _mm_sfence();
}

void ArgMax(const float* x, int64_t rows, int64_t columns, int32_t* out) {
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < rows; ++row) {
    const float* const from = x + row * columns;
    float most = from[0];
#pragma omp simd reduction(max : most)
    for (int64_t i = 0; i < columns; ++i) most = from[i] > most ? from[i] : most;
    out[row] = static_cast<int32_t>(std::find(from, from + columns, most) - from);
  }
}

void Gather(const float* x, int64_t columns, const int32_t* places, int64_t count, float* out) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(x + places[i] * columns, columns, out + i * columns);
  }
}

// A task whose every call writes the same `out`.
Task Into(Array out, std::function<void()> call) {
  return {call,
          [call, out] {
            call();
            return std::vector<Array>{out};
          },
          nullptr};
}

Task Elementwise(const Work& work, bool streaming) {
  const std::vector<Array>& in = work.inputs;
  const Array out = MakeArray("f32", in[0].shape);
  const int64_t count = static_cast<int64_t>(out.size());
  const float* const x = in[0].as<float>();
  float* const y = out.as<float>();
  // The inputs live in the closure.
  if (work.function == "exp") {
    return Into(out, [=] { Map(count, y, streaming, [x](int64_t i) { return Exp(x[i]); }); });
  }
  if (work.function == "triad") {
    const float* const z = in[1].as<float>();
    return Into(out,
                [=] { Map(count, y, streaming, [x, z](int64_t i) { return 3 * x[i] + z[i]; }); });
  }
  if (work.detail != "10") throw Missing("a loop of ten ops only");
  return Into(out, [=] { Map(count, y, streaming, [x](int64_t i) { return Chain(x[i]); }); });
}

Task OfRows(const Work& work, bool streaming) {
  const std::vector<Array> in = work.inputs;
  const int64_t rows = in[0].shape[0], columns = in[0].shape[1];
  const float* const x = in[0].as<float>();
  const Array out = MakeArray("f32", in[0].shape);
  float* const y = out.as<float>();
  if (work.function == "softmax") {
    return Into(out, [=] {
      Rows(rows, columns, y, streaming,
           [=](int64_t row, float* to) { SoftmaxRow(x + row * columns, columns, to); });
    });
  }
  const float* const scale = in[1].as<float>();
  const float* const bias = in[2].as<float>();
  return Into(out, [=] {
    Rows(rows, columns, y, streaming, [=](int64_t row, float* to) {
      LayerNormRow(x + row * columns, scale, bias, columns, to);
    });
  });
}

// Whose results are small.
Task Reduction(const Work& work) {
  const int64_t rows = work.inputs[0].shape[0], columns = work.inputs[0].shape[1];
  const float* const x = work.inputs[0].as<float>();
  if (work.function == "colsum") {
    const Array out = MakeArray("f32", {columns});
    return Into(out, [=] { SumColumns(x, rows, columns, out.as<float>()); });
  }
  if (work.function == "argmax") {
    const Array out = MakeArray("s32", {rows});
    return Into(out, [=] { ArgMax(x, rows, columns, out.as<int32_t>()); });
  }
  const Array out = MakeArray("f32", {rows});
  return Into(out, [=] {
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; ++row) out.as<float>()[row] = Sum(x + row * columns, columns);
  });
}

Task AnyTask(const Work& work, bool streaming) {
  const std::string& name = work.function;
  if (name == "exp" || name == "triad" || name == "chain") return Elementwise(work, streaming);
  if (name == "softmax" || name == "layernorm") return OfRows(work, streaming);
  if (name == "transpose") {
    const int64_t rows = work.inputs[0].shape[0], columns = work.inputs[0].shape[1];
    const float* const x = work.inputs[0].as<float>();
    const Array out = MakeArray("f32", {columns, rows});
    return Into(out, [=] { Transpose(x, rows, columns, out.as<float>(), streaming); });
  }
  if (streaming) throw Missing("its results are small");
  if (name == "rowsum" || name == "colsum" || name == "argmax") return Reduction(work);
  if (name != "gather") throw Missing("no loop for " + name);
  const Array& table = work.inputs[0];
  const Array& places = work.inputs[1];
  const Array out = MakeArray("f32", {places.shape[0], table.shape[1]});
  return Into(out, [=] {
    Gather(table.as<float>(), table.shape[1], places.as<int32_t>(), places.shape[0],
           out.as<float>());
  });
}

}  // namespace

Task LoopTask(const Work& work, bool streaming) {
  if (work.first) throw Missing("nothing is compiled");
  for (const Array& input : work.inputs) {
    if (input.dtype == "bf16") throw Missing("no loops for bf16");
  }
  Task task = AnyTask(work, streaming);
  // Its loops read the inputs through pointers.
  task.results = [results = task.results, inputs = work.inputs] { return results(); };
  return task;
}

}  // namespace swage::bench
