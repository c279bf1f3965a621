// File: codegen/executable.h
//
// Executable: a compiled program, whatever the device. Runs on dense row-major buffers in parameter
// order; writes the leaves of the result in order. Any number of threads may run one at a time
// each; what Run keeps for the next call changes no result.
#ifndef SWAGE_CODEGEN_EXECUTABLE_H_
#define SWAGE_CODEGEN_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/derived_forms.h"
#include "base/key_material.h"
#include "base/memory_bound.h"
#include "base/status.h"
#include "codegen/memory_space.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/dim.h"
#include "compiler/ir/shape.h"

namespace swage::codegen {

// What a compile did; filled by the compiler, shown by stats(), logs and `swage run --bench`.
struct CompileReport {
  // A pass, and the milliseconds of all its runs in this compile.
  struct PassTime {
    std::string pass;
    double ms = 0;
  };
  double total_ms = 0;
  double passes_ms = 0;
  double plan_ms = 0;  // generalise, keys
  double llvm_ms = 0;  // IR, its passes, code generation
  double link_ms = 0;
  double load_ms = 0;  // code onto a GPU
  int64_t kernels = 0;
  int64_t llvm_runs = 0;      // kernels that LLVM generated
  int64_t kernel_hits = 0;    // kernels from the kernel cache
  int64_t quick_kernels = 0;  // kernels generated fast instead of well, because that was asked for
  int64_t kernel_loads = 0;   // kernels from the store of entries
  bool module_load = false;   // the module came from the store: no pass ran
  // In the order of their first runs; null: no pass ran.
  std::shared_ptr<const std::vector<PassTime>> pass_times;
  // The key that the store did not have, shortened; null: it was not asked, or had it.
  std::shared_ptr<const KeyMaterial> missed_key;
};

// An input that is this memory of the host in every call, with elements that never change. Memory
// and forms outlive what is prepared for them.
struct UnchangingInput {
  int index = 0;
  const void* data = nullptr;
  DerivedForms* forms = nullptr;
};

// What a step of a program took in all of some runs.
struct StepTime {
  std::string step;
  double ms = 0;
};

class Executable : public std::enable_shared_from_this<Executable> {
 public:
  virtual ~Executable() = default;
  // inputs[i] and outputs[j] lie in memory() and have the byte sizes of their shapes; an empty
  // array may be null. Outputs never alias each other, nor inputs but as donations() allows. On a
  // device, the work may be done later.
  virtual Status Run(absl::Span<const void* const> inputs, absl::Span<void* const> outputs) = 0;

  // The same, and adds to `times` what each step took, in their order; `times` is empty or of
  // earlier runs, and stays as it is where steps are not timed (on a device).
  virtual Status RunTimed(absl::Span<const void* const> inputs, absl::Span<void* const> outputs,
                          std::vector<StepTime>* times);

  // By input: the output that may be the same memory, if nothing else needs the input any more and
  // no other input is that memory; -1: none. Shorter than the inputs: none for the rest.
  absl::Span<const int32_t> donations() const { return donations_; }

  // Where its buffers lie; null: in the host's memory.
  virtual MemorySpace* memory() const { return nullptr; }

  // A program whose shapes have symbols does not run itself, but gives the one of each set of
  // sizes; no pass and no code generator runs for it. Thread-safe. An internal error for other
  // programs.
  virtual StatusOr<std::shared_ptr<Executable>> ForSizes(const ir::SymbolBinding& sizes) const;

  // The same program for calls with these inputs, with what can be made of them beforehand, such as
  // packed weights; this one where nothing can. Thread-safe.
  virtual StatusOr<std::shared_ptr<Executable>> PreparedFor(
      absl::Span<const UnchangingInput> inputs);

  // What it keeps between calls (steps, constants, an arena for the next call), without kernels.
  virtual int64_t memory_bytes() const { return 0; }
  // When it ran last; whoever runs it touches the stamp.
  UseStamp& use() { return use_; }

  const std::vector<ir::Shape>& input_shapes() const { return input_shapes_; }    // leaves
  const std::vector<ir::Shape>& output_shapes() const { return output_shapes_; }  // leaves
  const CompileReport& report() const { return report_; }

 protected:
  // The shapes of a computation that is the program's whole.
  void SetBorder(const ir::Computation& entry);

  std::vector<int32_t> donations_;
  std::vector<ir::Shape> input_shapes_;
  std::vector<ir::Shape> output_shapes_;
  CompileReport report_;
  UseStamp use_;
};

inline void Executable::SetBorder(const ir::Computation& entry) {
  for (const ir::Instruction* parameter : entry.parameters()) {
    for (ir::Shape& leaf : ir::PlainLeaves(parameter->shape())) {
      input_shapes_.push_back(std::move(leaf));
    }
  }
  output_shapes_ = ir::PlainLeaves(entry.root()->shape());
}

inline StatusOr<std::shared_ptr<Executable>> Executable::ForSizes(const ir::SymbolBinding&) const {
  return Internal("[run] a program without symbols was asked for sizes");
}

inline Status Executable::RunTimed(absl::Span<const void* const> inputs,
                                   absl::Span<void* const> outputs, std::vector<StepTime>*) {
  return Run(inputs, outputs);
}

inline StatusOr<std::shared_ptr<Executable>> Executable::PreparedFor(
    absl::Span<const UnchangingInput>) {
  return shared_from_this();
}

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_EXECUTABLE_H_
