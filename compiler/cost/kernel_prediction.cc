#include "compiler/cost/kernel_prediction.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "compiler/cost/exact_extents.h"
#include "compiler/ir/computation.h"

namespace swage::cost {
namespace {

using ir::Instruction;
using ir::Opcode;

// How often each element of a value is used: by ops that are indexed as it is together, by each
// other op apart.
struct Use {
  double shared = 0, apart = 0;
  double times() const { return shared + apart; }
};

double ElementsOf(const Instruction& op) {
  if (op.opcode() == Opcode::kReduce) {
    return static_cast<double>(ElementsClass(op.operand(0)->shape()));
  }
  return static_cast<double>(ElementsClass(op.shape()));
}

double FlopsPerElement(const Instruction& op) {
  switch (ir::InfoOf(op.opcode()).cost) {
    case ir::CostClass::kCheap:
    case ir::CostClass::kDivision:
    case ir::CostClass::kTranscendental:
    case ir::CostClass::kReduce:
      return 1;
    case ir::CostClass::kDot: {
      double depth = 2;
      for (int64_t d : op.attrs<ir::DotAttrs>().lhs_contracting) {
        depth *= static_cast<double>(ExtentClass(op.operand(0)->shape().dim(static_cast<int>(d))));
      }
      return depth;
    }
    default:
      return 0;
  }
}

// The dims of the widest result: those of the kernel's loops.
absl::Span<const ir::Dim> SpaceOf(const ir::Shape& result) {
  if (!result.is_tuple()) return result.dims();
  absl::Span<const ir::Dim> widest;
  for (const ir::Shape& element : result.tuple_shapes()) {
    if (element.is_array() && element.dims().size() >= widest.size()) widest = element.dims();
  }
  return widest;
}

bool ReducesRows(const Instruction& op) {
  if (op.opcode() != Opcode::kReduce) return false;
  const ir::DimList& reduced = op.dimensions();
  return std::find(reduced.begin(), reduced.end(), op.operand(0)->shape().rank() - 1) !=
         reduced.end();
}

// Whether the op spreads over rows what is computed once for each of them: values per result, or
// per row of the results.
bool SpreadsRows(const Instruction& op, absl::Span<const ir::Dim> space) {
  if (op.opcode() != Opcode::kBroadcast) return false;
  const auto dims = op.operand(0)->shape().dims();
  for (size_t d = 0; d < dims.size(); ++d) {
    if (op.dimensions()[d] != static_cast<int64_t>(d)) return false;
  }
  return !dims.empty() && dims.size() <= space.size() && dims.size() + 1 >= space.size() &&
         std::equal(dims.begin(), dims.end(), space.begin());
}

Bound BoundOf(Picoseconds time, double cycles, const Traffic& reads, double written,
              const DeviceDescription& device) {
  const Picoseconds compute = ExecutionTime(cycles, {}, 0, device);
  const Picoseconds least = ExecutionTime(0, {}, 1, device);  // of a load and a store
  const Picoseconds memory = ExecutionTime(0, reads, written, device) - least;
  const Picoseconds busy = ExecutionTime(cycles, reads, written, device) - least;
  if (time - busy > std::max(compute, memory)) return Bound::kLatency;
  return compute > memory ? Bound::kCompute : Bound::kMemory;
}

}  // namespace

std::string_view BoundName(Bound bound) {
  switch (bound) {
    case Bound::kLatency:
      return "latency";
    case Bound::kMemory:
      return "memory";
    case Bound::kCompute:
      return "compute";
  }
  return "?";
}

KernelPrediction PredictKernel(const Instruction& fusion, const DeviceDescription& device) {
  const ExactExtents exact;
  const ir::Computation& body = *fusion.fused_computation();
  absl::flat_hash_map<const Instruction*, Use> uses;
  uses[body.root()].shared = 1;
  std::vector<Instruction*> order = body.PostOrder();
  std::reverse(order.begin(), order.end());
  const absl::Span<const ir::Dim> space = SpaceOf(body.root()->shape());
  // The threads of a GPU go together over a row that is reduced; others compute for themselves.
  const bool by_rows =
      !device.is_gpu() || std::any_of(order.begin(), order.end(),
                                      [](const Instruction* op) { return ReducesRows(*op); });
  KernelPrediction prediction;
  double cycles = 0;
  Traffic reads;
  const Instruction* hero = nullptr;
  for (const Instruction* op : order) {
    const double times = uses[op].times();
    if (op->opcode() == Opcode::kParameter) {
      const auto bytes = static_cast<double>(BytesClass(op->shape()));
      reads.distinct_bytes += std::min(1.0, times) * bytes;
      reads.total_bytes += times * bytes;
      continue;
    }
    if (op->opcode() == Opcode::kReduce || op->opcode() == Opcode::kDot) hero = op;
    cycles += times * WorkOf(*op, device).cycles;
    prediction.flops += times * ElementsOf(*op) * FlopsPerElement(*op);
    const bool alike = ir::IsElementwise(op->opcode()) || op->opcode() == Opcode::kTuple;
    const bool once = by_rows && SpreadsRows(*op, space);
    for (int i = 0; i < op->operand_count(); ++i) {
      Use& use = uses[op->operand(i)];
      if (once) {
        use.shared = std::max(use.shared, std::min(1.0, times));
      } else if (alike) {
        use.shared = std::max(use.shared, times);
      } else {
        use.apart += times * Utilisation(*op, i, device);
      }
    }
  }
  const auto written = static_cast<double>(BytesClass(fusion.shape()));
  const double parallel = ParallelElements(
      body.root()->shape().is_array() ? *body.root() : *body.root()->operand(0), hero);
  prediction.bytes = reads.distinct_bytes + written;
  prediction.time_ps = ExecutionTime(cycles, reads, written, device, parallel);
  prediction.bound = BoundOf(prediction.time_ps, cycles, reads, written, device);
  return prediction;
}

}  // namespace swage::cost
