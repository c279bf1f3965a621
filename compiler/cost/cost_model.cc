#include "compiler/cost/cost_model.h"

#include <algorithm>
#include <cmath>

#include "compiler/ir/computation.h"
#include "compiler/ir/decision_extent.h"

namespace swage::cost {
namespace {

using ir::Instruction;
using ir::Opcode;

constexpr double kMemoryComputeParallelism = 0.95;

int64_t ExtentClass(const ir::Dim& dim) { return SizeClass(ir::DecisionExtent(dim)); }

double CyclesPerVector(ir::CostClass cost, const DeviceDescription& device) {
  switch (cost) {
    case ir::CostClass::kFree:
    case ir::CostClass::kCall:
      return 0;
    case ir::CostClass::kCheap:
    case ir::CostClass::kMemory:
    case ir::CostClass::kReduce:
      return 1 / device.cheap_per_cycle;
    case ir::CostClass::kDivision:
      return device.division_cycles;
    case ir::CostClass::kTranscendental:
      return device.transcendental_cycles;
    case ir::CostClass::kDot:
      return 1 / device.fma_per_cycle;
  }
  return 0;
}

double LanesOf(const ir::Shape& shape, const DeviceDescription& device) {
  if (!shape.is_array()) return 1;
  // Small floats are computed in f32.
  const int bytes =
      ir::IsSmallFloat(shape.dtype()) ? 4 : std::max(1, ir::DTypeBytes(shape.dtype()));
  return std::max(1.0, static_cast<double>(device.vector_bytes) / bytes);
}

double ContractedElements(const Instruction& dot) {
  double product = 1;
  for (int64_t dim : dot.attrs<ir::DotAttrs>().lhs_contracting) {
    product *= static_cast<double>(ExtentClass(dot.operand(0)->shape().dim(static_cast<int>(dim))));
  }
  return product;
}

// Cycles per element of the reduced operand: the combiner's operations.
double CombinerCycles(const Instruction& reduce, const DeviceDescription& device) {
  double cycles = 0;
  for (const Instruction* step : reduce.to_apply()->Instructions()) {
    cycles += CyclesPerVector(ir::InfoOf(step->opcode()).cost, device);
  }
  return cycles;
}

// Bytes per second that `cores` draw from the level that holds `bytes`.
double Bandwidth(double bytes, int cores, const DeviceDescription& device) {
  const double per_core = bytes / cores;
  const double hz = device.clock_ghz * 1e9;
  if (per_core <= static_cast<double>(device.l1.bytes))
    return device.l1.bytes_per_cycle * hz * cores;
  if (per_core <= static_cast<double>(device.l2.bytes))
    return device.l2.bytes_per_cycle * hz * cores;
  if (bytes <= static_cast<double>(device.l3.bytes)) return device.l3.bytes_per_cycle * hz * cores;
  return (cores > 1 ? device.dram_gb_per_s : device.dram_gb_per_s_core) * 1e9;
}

}  // namespace

int64_t SizeClass(int64_t n) {
  if (n <= 1) return n;
  const int exponent = static_cast<int>(std::lround(std::log2(static_cast<double>(n))));
  return exponent >= 62 ? int64_t{1} << 62 : int64_t{1} << exponent;
}

int64_t ElementsClass(const ir::Shape& shape) {
  if (!shape.is_array()) return 0;
  double product = 1;
  for (const ir::Dim& dim : shape.dims()) product *= static_cast<double>(ExtentClass(dim));
  return static_cast<int64_t>(std::min(product, 4e18));
}

int64_t BytesClass(const ir::Shape& shape) {
  if (shape.is_tuple()) {
    int64_t total = 0;
    for (const ir::Shape& element : shape.tuple_shapes()) total += BytesClass(element);
    return total;
  }
  if (!shape.is_array()) return 0;
  const double bytes = static_cast<double>(ElementsClass(shape)) * ir::DTypeBytes(shape.dtype());
  return static_cast<int64_t>(std::min(bytes, 4e18));
}

Work WorkOf(const Instruction& instruction, const DeviceDescription& device) {
  const ir::CostClass cost = ir::InfoOf(instruction.opcode()).cost;
  double vectors;
  double cycles = CyclesPerVector(cost, device);
  if (instruction.opcode() == Opcode::kReduce) {
    const ir::Shape& input = instruction.operand(0)->shape();
    vectors = static_cast<double>(ElementsClass(input)) / LanesOf(input, device);
    cycles = CombinerCycles(instruction, device);
  } else if (instruction.opcode() == Opcode::kDot) {
    vectors = static_cast<double>(ElementsClass(instruction.shape())) *
              ContractedElements(instruction) / LanesOf(instruction.shape(), device);
  } else {
    vectors = static_cast<double>(ElementsClass(instruction.shape())) /
              LanesOf(instruction.shape(), device);
  }
  return {vectors * cycles};
}

double Utilisation(const Instruction& user, int operand_index) {
  const ir::Shape& operand = user.operand(operand_index)->shape();
  const double have = static_cast<double>(ElementsClass(operand));
  if (have <= 0 || !operand.is_array()) return 1;
  const double elements = static_cast<double>(ElementsClass(user.shape()));
  switch (user.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
      return elements / have;
    case Opcode::kGather:
      return operand_index == 0 ? elements / have : std::max(1.0, elements / have);
    case Opcode::kPad:
      return operand_index == 0 ? 1 : elements;
    case Opcode::kReduce: {
      const size_t inputs = user.operands().size() / 2;
      return static_cast<size_t>(operand_index) < inputs ? 1 : elements;
    }
    case Opcode::kDot: {
      // Every row of the other side reads it again.
      return std::max(1.0, elements * ContractedElements(user) / have);
    }
    default:
      return 1;
  }
}

Picoseconds ExecutionTime(double cycles, const Traffic& reads, double written_bytes,
                          const DeviceDescription& device) {
  const auto time = [&](int cores) {
    const double compute = cycles / (device.clock_ghz * 1e9 * cores);
    const double footprint = reads.distinct_bytes + written_bytes;
    double memory = 0;
    if (footprint > 0) memory += footprint / Bandwidth(footprint, cores, device);
    const double repeats = std::max(0.0, reads.total_bytes - reads.distinct_bytes);
    if (repeats > 0) memory += repeats / Bandwidth(reads.distinct_bytes, cores, device);
    return compute + memory - kMemoryComputeParallelism * std::min(compute, memory);
  };
  // The cheaper of one thread and all: monotone in the work, so that less work is never dearer.
  double seconds = time(1);
  if (device.cores > 1) {
    seconds =
        std::min(seconds, time(device.cores) + static_cast<double>(device.fork_join_ns) * 1e-9);
  }
  return static_cast<Picoseconds>(std::min(seconds * 1e12, 4e18));
}

Picoseconds LaunchTime(const DeviceDescription& device) { return device.launch_ns * 1000; }

}  // namespace swage::cost
