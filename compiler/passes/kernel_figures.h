// File: compiler/passes/kernel_figures.h
//
// What passes that put several kernels into one ask about a finished fusion: the loops that its
// outputs need, where in those loops it reads its operands, and the figures of the cost model.
//
//   const KernelFigures figures = FiguresOf(*fusion, device);
//   // row sums of f32[64,512]: space [64], hero reduces rows,
//   // reads[0].place = {0, kAnywhere}: element (i, any) of the operand for output i
//
// The loops of a kernel run over its `space`: the dims of its widest output. Outputs that have all
// but the last of these are one value per row. One walk of the body, O(its size).
#ifndef SWAGE_COMPILER_PASSES_KERNEL_FIGURES_H_
#define SWAGE_COMPILER_PASSES_KERNEL_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "compiler/cost/cost_model.h"
#include "compiler/ir/instruction.h"

namespace swage::passes {

// For each dimension of an array: the axis of the space whose position is read there, or
// kAnywhere. Dimensions of extent 1 fit every axis.
inline constexpr int8_t kAnywhere = -1;
using Place = absl::InlinedVector<int8_t, 6>;

// How many leading dimensions of an array are read at the position of the same axis.
int LeadingAxes(const Place& place, const ir::Shape& shape);

// The reduce or dot that decides how a kernel runs.
enum class Hero : uint8_t {
  kNone,
  kRows,     // reduces the minor dimension, and no other
  kBlocks,   // reduces the minor dimension and others
  kColumns,  // reduces others
};

struct KernelFigures {
  struct Read {
    ir::Instruction* value = nullptr;  // the operand
    double utilisation = 0;            // times each element is read
    Place place;                       // for all uses alike
  };
  ir::Dims space;
  const char* apart = "";  // why it is never one with another kernel, in words; empty: it may be
  Hero hero = Hero::kNone;
  const ir::Instruction* reduce = nullptr;  // one of those that make it a hero
  double cycles = 0;
  int64_t ir_ops = 0;
  int64_t instructions = 0;
  bool is_expensive = false;
  std::vector<Read> reads;  // by operand; scalars too
};

KernelFigures FiguresOf(const ir::Instruction& fusion, const cost::DeviceDescription& device);

// Whether two reduces walk the same dims in the same way.
bool ReduceAlike(const ir::Instruction& a, const ir::Instruction& b);
// Whether `other` is one value per row of `space`.
bool AreRowsOf(absl::Span<const ir::Dim> other, absl::Span<const ir::Dim> space);
bool SameSpace(absl::Span<const ir::Dim> a, absl::Span<const ir::Dim> b);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_KERNEL_FIGURES_H_
