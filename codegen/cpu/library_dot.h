// File: codegen/cpu/library_dot.h
//
// LibraryDot: a dot that oneDNN computes, on the threads of base/parallel_for. Its results are cut
// into slices (compiler/cost/library_dot.h), each a call of oneDNN on one thread; so what is
// computed does not depend on how many threads there are.
//
//   SWAGE_ASSIGN_OR_RETURN(auto dot, LibraryDot::Create(problem, constant_weights));
//   SWAGE_RETURN_IF_ERROR(dot->Run(a, b, c));
//
// Constant weights are packed when it is made: for as long as it lives, or once for all dots of the
// same weights where these keep it (base/derived_forms.h). Immutable: any number of threads may run
// it at once.
#ifndef SWAGE_CODEGEN_CPU_LIBRARY_DOT_H_
#define SWAGE_CODEGEN_CPU_LIBRARY_DOT_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/derived_forms.h"
#include "base/status.h"
#include "codegen/cpu/onednn.h"
#include "codegen/program/dot_problem.h"
#include "compiler/cost/library_dot.h"

namespace swage::cpu {

// The problem as the cost model asks.
cost::DotSizes SizesOf(const codegen::DotProblem& problem, bool constant_weights);

// The right side of products in the order that oneDNN likes best: by batch and slice of columns.
class PackedWeights {
 public:
  PackedWeights() = default;
  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // The memory of one more panel.
  StatusOr<void*> Add(size_t bytes);
  const void* panel(int64_t i) const { return panels_[i].data; }
  int64_t memory_bytes() const;

 private:
  struct Panel {
    void* data = nullptr;
    size_t bytes = 0;
  };
  std::vector<Panel> panels_;
};

class LibraryDot {
 public:
  // `weights`: the right side, if it is the same in every run; null: it is not. `forms` keeps what
  // is made of the weights, which is then no part of this dot's memory; null: it is. Unimplemented
  // for what oneDNN has no code for.
  static StatusOr<std::shared_ptr<const LibraryDot>> Create(const codegen::DotProblem& problem,
                                                            const void* weights,
                                                            DerivedForms* forms = nullptr);

  // Row-major and dense. `b` is not looked at where the weights are packed.
  Status Run(const void* a, const void* b, void* c) const;

  const codegen::DotProblem& problem() const { return problem_; }
  bool is_packed() const { return packed_ != nullptr; }
  int64_t memory_bytes() const;
  // "oneDNN, 1 of f32 64 x 512 times 512 x 2048 to f32, 1 x 8 slices, packed weights".
  std::string ToString() const;

 private:
  // Equal parts of an extent but for one: the first `larger` have one more.
  struct Cut {
    int64_t parts = 1, size = 0, larger = 0;
    Cut(int64_t extent, int64_t count)
        : parts(count), size(extent / count), larger(extent % count) {}
    Cut() = default;
    int64_t Begin(int64_t i) const { return i * size + std::min(i, larger); }
    int64_t SizeOf(int64_t i) const { return size + static_cast<int64_t>(i < larger); }
    int64_t Largest() const { return SizeOf(0); }
  };
  explicit LibraryDot(const codegen::DotProblem& problem) : problem_(problem) {}
  Status Plan(bool packed);
  StatusOr<std::shared_ptr<const PackedWeights>> Pack(const void* weights) const;
  StatusOr<std::shared_ptr<const PackedWeights>> PackOnce(const void* weights,
                                                          DerivedForms* forms) const;
  int64_t PackedForRows() const;
  onednn::MatmulProblem SliceOf(int64_t rows, int64_t columns, bool packed) const;
  const onednn::Matmul& MatmulOf(int64_t row, int64_t column) const {
    return *matmuls_[rows_.SizeOf(row) != rows_.size][columns_.SizeOf(column) != columns_.size];
  }
  Status RunSlice(int64_t slice, const char* a, const char* b, char* c) const;

  codegen::DotProblem problem_;
  Cut rows_, columns_;
  int64_t grain_ = 1;
  // By whether the slice has one row more, and one column more; null where there is none such.
  std::shared_ptr<const onednn::Matmul> matmuls_[2][2];
  std::shared_ptr<const PackedWeights> packed_;
  bool owns_packed_ = false;
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_LIBRARY_DOT_H_
