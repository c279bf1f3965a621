// File: runtime/hlo.h
//
// Programs in HLO text, such as JAX prints:
//   open("m.hlo", "w").write(jax.jit(f).lower(x).compiler_ir("hlo").as_hlo_text())
// and, in C++ with neither Python nor XLA:
//   auto f = swage::load_hlo("m.hlo");
//   std::vector<swage::Tensor> out = f({x});
//
// One lowering is for one size. Two or three lowerings of the same function at different sizes make
// a program for every size:
//   auto g = swage::load_hlo({"n7.hlo", "n12.hlo"});
//   g.parameter_shape(0);                        // "f32[n,64]"
//   g({x});                                      // n is x.dim(0)
#ifndef SWAGE_RUNTIME_HLO_H_
#define SWAGE_RUNTIME_HLO_H_

#include <initializer_list>
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
  // names the parameter. Where shapes have symbols the arguments give their values.
  std::vector<Tensor> operator()(std::span<const Tensor> arguments) const;
  std::vector<Tensor> operator()(std::initializer_list<Tensor> arguments) const;
  // The same; an argument that nobody else holds gives its memory to a result where the program can
  // compute the result there, and is undefined from then on (jit.h).
  std::vector<Tensor> operator()(std::vector<Tensor>&& arguments) const;

  // Compiles and runs nothing, whatever on_miss says. With dtypes and shapes of arguments it is
  // also set up for their sizes, if it has symbols. OnMiss::kError then forbids that a call
  // compiles, for the first time or after an eviction; OnMiss::kBackground waits, as kWait does.
  void warmup(std::initializer_list<TensorSpec> specs = {}) const;

  int parameter_count() const;
  // "f32[64,64]", or "f32[n,64]", of parameter i, result leaf i.
  std::string parameter_shape(int i) const;
  int result_count() const;
  std::string result_shape(int i) const;
  JitStats stats() const;
  // Where the program came from when it was last needed (`tier`), and if it was compiled though it
  // is on disk, why (`stored_components`). A second miss is of a program that was evicted.
  MissReport explain() const;
  std::string ToString() const;  // HLO text of the program as loaded
  // What was learned from several lowerings: the symbols, and every extent and literal that had to
  // be solved, one a line. Empty for one lowering.
  std::string learned() const;

  explicit HloProgram(std::shared_ptr<internal::HloState> state) : state_(std::move(state)) {}

 private:
  internal::HloState& State() const;  // throws when it was moved from

  std::shared_ptr<internal::HloState> state_;
};

// Reads and checks a program. Errors: kNotFound (no such file), kInvalidArgument (file:line:col and
// the line with a caret), kUnimplemented (an op that Swage does not have; it is named).
SWAGE_API HloProgram load_hlo(const std::string& path, JitOptions options = {});
SWAGE_API HloProgram parse_hlo(std::string_view text, JitOptions options = {});

// One program for every size, from its lowerings at two or more sizes: choose sizes that differ
// from one another and from 0 and 1, such as 7 and 12; with two symbols (7, 5) and (12, 9). Sizes
// of the parameters that vary become symbols n, m, k ...; what follows from them, extents and
// numbers such as a mean's divisor, become expressions. kInvalidArgument where the lowerings are
// not one program, or where a value is no clear expression of the sizes: the instruction and its
// values are named, and a third lowering settles what two leave open. The program fails for sizes
// that it is not right for (an x[5] needs n >= 6), naming the argument.
SWAGE_API HloProgram load_hlo(std::span<const std::string> paths, JitOptions options = {});
SWAGE_API HloProgram load_hlo(std::initializer_list<std::string> paths, JitOptions options = {});
SWAGE_API HloProgram parse_hlo(std::initializer_list<std::string_view> texts,
                               JitOptions options = {});

}  // namespace swage

#endif  // SWAGE_RUNTIME_HLO_H_
