// File: codegen/program/program_plan.h
//
// A program as a list of steps (kernels, copies, calls of other programs) over a table of base
// addresses, before its target makes an executable of it.
#ifndef SWAGE_CODEGEN_PROGRAM_PROGRAM_PLAN_H_
#define SWAGE_CODEGEN_PROGRAM_PROGRAM_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/launch_plan.h"
#include "codegen/executable.h"
#include "codegen/program/dot_problem.h"
#include "codegen/program/kernel_cache.h"
#include "compiler/ir/literal.h"

namespace swage::codegen {

// Where a value lies: an entry of the base table, and an offset in bytes.
struct BufferRef {
  int32_t base = 0;
  int64_t offset = 0;

  bool operator==(const BufferRef&) const = default;
};

// The table: inputs, outputs, constants, then arena slices (one entry each).
struct BaseTable {
  int32_t inputs = 0, outputs = 0, constants = 0;
  int32_t InputBase(int i) const { return i; }
  int32_t OutputBase(int i) const { return inputs + i; }
  int32_t ConstantBase(int i) const { return inputs + outputs + i; }
  int32_t ArenaBase(int i) const { return inputs + outputs + constants + i; }
};

struct ArenaSlice {
  int64_t offset = 0;
  int64_t size = 0;
};

// What the base addresses are.
struct ProgramLayout {
  std::vector<ir::Shape> input_shapes, output_shapes;  // leaves
  BaseTable table;
  std::vector<ir::Literal> constants;
  std::vector<ArenaSlice> slices;
  int64_t arena_bytes = 0;
  std::vector<int32_t> donations;  // Executable::donations
  std::vector<bool> unchanging;    // by input: marked so (compiler/ir/unchanging.h)
};

struct StepPlan {
  enum class Kind : uint8_t { kKernel, kCopy, kCall };
  Kind kind = Kind::kKernel;
  std::string name;                // of the instruction, for errors
  std::vector<BufferRef> buffers;  // operands, then results
  // kKernel
  KernelCache::KernelPtr kernel;
  std::vector<int64_t> dims;      // values of its run-time extents
  emit::LaunchPlan launch;        // with numbers
  std::optional<DotProblem> dot;  // all that the kernel is
  double nanoseconds = 0;         // on one thread of a CPU, about

  int64_t bytes = 0;                   // kCopy; nothing to do where both ends are one place
  std::shared_ptr<Executable> callee;  // kCall
};

struct ProgramPlan {
  ProgramLayout layout;
  std::vector<StepPlan> steps;
};

}  // namespace swage::codegen

#endif  // SWAGE_CODEGEN_PROGRAM_PROGRAM_PLAN_H_
