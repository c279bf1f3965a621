// File: compiler/ir/builder.h
//
// Adds instructions to a computation with their shapes inferred: what the tracer and passes use.
//
//   Builder b(computation);
//   SWAGE_ASSIGN_OR_RETURN(Instruction* sum, b.Binary(Opcode::kAdd, x, y));
//   SWAGE_ASSIGN_OR_RETURN(Instruction* row, b.ReduceSimple(sum, zero, {1}, Opcode::kAdd));
//
// Every error is that of the shape rule (shape_inference.h). In a module that has layouts the
// results are row-major, unless a shape with a layout is given. The root is the caller's to set.
#ifndef SWAGE_COMPILER_IR_BUILDER_H_
#define SWAGE_COMPILER_IR_BUILDER_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compiler/ir/module.h"

namespace swage::ir {

class Builder {
 public:
  using Result = StatusOr<Instruction*>;
  using Operands = absl::Span<Instruction* const>;

  explicit Builder(Computation* computation) : computation_(computation) {}

  Computation* computation() const { return computation_; }
  // What every instruction from now on carries; null for none.
  void set_metadata(std::shared_ptr<const Metadata> metadata) { metadata_ = std::move(metadata); }
  // The name that the next instruction takes instead of its opcode's.
  Builder& Named(std::string_view name) {
    name_ = name;
    return *this;
  }

  // The general form. `declared` is for the ops whose shape the operands do not determine; its
  // layout is kept.
  Result Build(Opcode opcode, Operands operands, Attributes attributes = NoneAttrs{},
               std::vector<Computation*> called = {}, const Shape* declared = nullptr);

  // Sources.
  Result Parameter(int64_t number, const Shape& shape);
  Instruction* Constant(Literal literal);
  template <typename T>
  Instruction* Scalar(DType dtype, T value) {
    return Constant(Literal::Scalar(dtype, value));
  }
  Result Iota(const Shape& shape, int64_t dimension);

  // Elementwise.
  Result Unary(Opcode opcode, Instruction* x);
  Result Binary(Opcode opcode, Instruction* x, Instruction* y);
  Result Compare(Instruction* x, Instruction* y, CompareDirection direction,
                 CompareType type = CompareType::kDefault);
  Result Select(Instruction* pred, Instruction* on_true, Instruction* on_false);
  Result Clamp(Instruction* low, Instruction* x, Instruction* high);
  Result Convert(Instruction* x, DType dtype);
  Result BitcastConvert(Instruction* x, const Shape& shape);
  Result ReducePrecision(Instruction* x, int exponent_bits, int mantissa_bits);

  // The same elements elsewhere.
  Result Broadcast(Instruction* x, absl::Span<const Dim> dims,
                   absl::Span<const int64_t> dimensions);
  Result BroadcastScalar(Instruction* x, absl::Span<const Dim> dims) {
    return Broadcast(x, dims, {});
  }
  Result Reshape(Instruction* x, absl::Span<const Dim> dims);
  Result Bitcast(Instruction* x, const Shape& shape);
  Result Copy(Instruction* x);
  Result Transpose(Instruction* x, absl::Span<const int64_t> permutation);
  Result Reverse(Instruction* x, absl::Span<const int64_t> dimensions);
  // No strides: all 1.
  Result Slice(Instruction* x, absl::Span<const Dim> starts, absl::Span<const Dim> limits,
               absl::Span<const int64_t> strides = {});
  Result Concatenate(Operands xs, int64_t dimension);
  Result Pad(Instruction* x, Instruction* value, absl::Span<const PadAttrs::Entry> entries);
  Result DynamicSlice(Instruction* x, Operands starts, absl::Span<const Dim> sizes);
  Result DynamicUpdateSlice(Instruction* x, Instruction* update, Operands starts);
  Result Gather(Instruction* x, Instruction* indices, GatherAttrs attrs);
  Result GetDimensionSize(Instruction* x, int64_t dimension);

  // Combinations of elements.
  Result Reduce(Operands inputs, Operands inits, absl::Span<const int64_t> dimensions,
                Computation* combiner);
  // With the computation that applies `opcode` to two scalars.
  Result ReduceSimple(Instruction* x, Instruction* init, absl::Span<const int64_t> dimensions,
                      Opcode opcode);
  // `dtype`: that of the result, where it is wider than the operands'.
  Result Dot(Instruction* x, Instruction* y, DotAttrs attrs, std::optional<DType> dtype = {});
  Result Map(Operands xs, Computation* function);

  // Whole values.
  Result Tuple(Operands xs);
  Result GetTupleElement(Instruction* tuple, int64_t index);
  Result Call(Operands arguments, Computation* callee);
  Result Fusion(Operands arguments, Computation* body, FusionKind kind);

  // The computation (a, b) -> opcode(a, b) over scalars of `dtype`, from this module where it has
  // one.
  StatusOr<Computation*> ScalarComputation(Opcode opcode, DType dtype);

 private:
  Computation* computation_;
  std::shared_ptr<const Metadata> metadata_;
  std::string_view name_;
  absl::flat_hash_map<std::pair<Opcode, DType>, Computation*> scalar_computations_;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_BUILDER_H_
