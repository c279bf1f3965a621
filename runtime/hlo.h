// File: runtime/hlo.h
//
// Programs in HLO text, such as JAX prints:
//   open("m.hlo", "w").write(jax.jit(f).lower(x).compiler_ir("hlo").as_hlo_text())
// and, in C++ with neither Python nor XLA:
//   auto f = swage::load_hlo("m.hlo");
//   std::vector<swage::Tensor> out = f({x});
#ifndef SWAGE_RUNTIME_HLO_H_
#define SWAGE_RUNTIME_HLO_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/jit.h"
#include "runtime/tensor.h"

namespace swage {

namespace internal {
class HloState;
}

// A loaded program. Compiled on the first call, then run; calls from many threads are safe. Copies
// share everything.
class SWAGE_API HloProgram {
 public:
  // Arguments in parameter order (tuple parameters leaf by leaf), on the CPU, with the dtypes and
  // shapes of the program; returns the leaves of the result in order. A mismatch is an error that
  // names the parameter.
  std::vector<Tensor> operator()(std::span<const Tensor> arguments) const;
  std::vector<Tensor> operator()(std::initializer_list<Tensor> arguments) const;

  int parameter_count() const;
  // "f32[64,64]" of parameter i, result leaf i.
  std::string parameter_shape(int i) const;
  int result_count() const;
  std::string result_shape(int i) const;
  JitStats stats() const;
  std::string ToString() const;  // HLO text of the program as loaded

  explicit HloProgram(std::shared_ptr<internal::HloState> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<internal::HloState> state_;
};

// Reads and checks a program. Errors: kNotFound (no such file), kInvalidArgument (file:line:col and
// the line with a caret), kUnimplemented (an op that Swage does not have; it is named).
SWAGE_API HloProgram load_hlo(const std::string& path, JitOptions options = {});
SWAGE_API HloProgram parse_hlo(std::string_view text, JitOptions options = {});

}  // namespace swage

#endif  // SWAGE_RUNTIME_HLO_H_
