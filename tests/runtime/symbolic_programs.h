// File: tests/runtime/symbolic_programs.h
//
// Programs over a batch and a length, both of which may stay open, as a user would write them: what
// one compile for all sizes is tested and measured with.
#ifndef SWAGE_TESTS_RUNTIME_SYMBOLIC_PROGRAMS_H_
#define SWAGE_TESTS_RUNTIME_SYMBOLIC_PROGRAMS_H_

#include <cmath>
#include <string>
#include <vector>

#include "tests/runtime/tensor_testing.h"

namespace swage {

inline constexpr int64_t kProgramWidth = 64;

struct SizedProgram {
  std::string name;
  int arguments = 1;  // each f32[batch,length,64]
  Tensor (*call)(const std::vector<Tensor>& arguments);
};

namespace programs {

inline Tensor Heads(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = matmul(q, transpose(k, {0, 2, 1})) / std::sqrt(float(kProgramWidth));
  return matmul(softmax(scores, -1), v);
}
// The same numbers in every call.
inline Tensor Weight(int k, int64_t rows, int64_t columns) {
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.1f * std::sin(0.1f * static_cast<float>(k) * static_cast<float>(i));
  }
  return array(values, {rows, columns});
}
inline Tensor Mlp(const Tensor& x) {
  const Tensor wide = gelu(matmul(x, Weight(5, kProgramWidth, 4 * kProgramWidth)));
  return matmul(wide, Weight(6, 4 * kProgramWidth, kProgramWidth));
}
inline Tensor GptBlock(const Tensor& x) {
  const auto projected = [](const Tensor& h, int k) {
    return matmul(h, Weight(k, kProgramWidth, kProgramWidth));
  };
  const Tensor h = layer_norm(x);
  const Tensor y = x + projected(Heads(projected(h, 1), projected(h, 2), projected(h, 3)), 4);
  return y + Mlp(layer_norm(y));
}

}  // namespace programs

inline std::vector<SizedProgram> SizedPrograms() {
  using Arguments = std::vector<Tensor>;
  return {
      {"attend", 3, [](const Arguments& x) { return programs::Heads(x[0], x[1], x[2]); }},
      {"layernorm", 1, [](const Arguments& x) { return layer_norm(x[0]); }},
      {"mlp", 1, [](const Arguments& x) { return programs::Mlp(x[0]); }},
      {"gpt_block", 1, [](const Arguments& x) { return programs::GptBlock(x[0]); }},
  };
}

// Its dims, for JitOptions.
inline std::vector<std::string> SizedDims(const SizedProgram& program) {
  return std::vector<std::string>(program.arguments, "[batch<=64,length<=4096,64]");
}

inline std::vector<Tensor> SizedArguments(const SizedProgram& program, int64_t batch,
                                          int64_t length) {
  std::vector<Tensor> arguments;
  for (int i = 0; i < program.arguments; ++i) {
    arguments.push_back(Numbers({batch, length, kProgramWidth}) * float(i + 1));
  }
  return arguments;
}

}  // namespace swage

#endif  // SWAGE_TESTS_RUNTIME_SYMBOLIC_PROGRAMS_H_
