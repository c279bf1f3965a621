#include "compiler/cost/cost_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/cost/exact_extents.h"
#include "compiler/ir/computation.h"
#include "compiler/ir/decision_extent.h"

namespace swage::cost {
namespace {

using ir::Instruction;
using ir::Opcode;

constexpr double kMemoryComputeParallelism = 0.95;

thread_local bool exact_extents = false;

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
  if (device.is_gpu()) {
    return shape.dtype() == ir::DType::kF64 ? device.gpu.f64_lanes : device.gpu.f32_lanes;
  }
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

// Threads that a GPU runs side by side; each takes the few elements of a vector.
double GpuThreads(double parallel) { return std::max(1.0, parallel / 4); }

// Bytes per second that `threads` draw from what holds `bytes`.
double GpuBandwidth(double bytes, double threads, const DeviceDescription& device) {
  const double hz = device.clock_ghz * 1e9;
  // Half of the L2 lies behind the other partition, and others use it too.
  const bool in_l2 = bytes <= static_cast<double>(device.l2.bytes) / 2;
  const double peak =
      in_l2 ? device.l2.bytes_per_cycle * hz * device.cores : device.dram_gb_per_s * 1e9;
  // Each thread has a load of 16 bytes under way.
  const double in_flight = std::min(threads, double{1} * device.cores * device.gpu.threads) * 16;
  return std::min(peak, in_flight / (device.gpu.memory_latency_ns * 1e-9));
}

Picoseconds GpuExecutionTime(double cycles, const Traffic& reads, double written_bytes,
                             const DeviceDescription& device, double parallel) {
  const double threads = GpuThreads(parallel);
  // Lanes that have a thread, and the wave that is not full.
  const double lanes = double{1} * device.cores * device.gpu.f32_lanes;
  const double wave = double{1} * device.cores * device.gpu.threads;
  const double idle = std::max(1.0, lanes / threads);
  const double tail = threads > wave ? std::ceil(threads / wave) * wave / threads : 1;
  const double compute = cycles / (device.clock_ghz * 1e9 * device.cores) * idle * tail;
  const double footprint = reads.distinct_bytes + written_bytes;
  double memory = footprint / GpuBandwidth(footprint, threads, device);
  const double repeats = std::max(0.0, reads.total_bytes - reads.distinct_bytes);
  if (repeats > 0) {
    const double l1 = device.l1.bytes_per_cycle * device.clock_ghz * 1e9 * device.cores;
    const bool in_l1 = reads.distinct_bytes <= static_cast<double>(device.l1.bytes);
    memory += repeats / (in_l1 ? l1 : GpuBandwidth(reads.distinct_bytes, threads, device));
  }
  const double seconds = compute + memory - kMemoryComputeParallelism * std::min(compute, memory);
  // A load and a store, one after the other.
  const double least = footprint > 0 ? 2 * device.gpu.memory_latency_ns * 1e-9 : 0;
  return static_cast<Picoseconds>(std::min((seconds + least) * 1e12, 4e18));
}

// Elements of a column of so many rows that are under way at a time. A group of eight threads takes
// a chunk of 512 rows, four elements ahead; columns that are too few for a card have more groups.
double SharesOfColumn(double columns, double rows) {
  constexpr double kShares = 8 * 4, kChunk = 512;
  constexpr double kFew = 8 * 128, kMostGroups = 4, kMostGroupsOfBlock = 32;
  if (columns > kFew) return std::min(kShares, std::max(rows, 1.0));
  const double most = std::max(kMostGroups, kMostGroupsOfBlock / std::max(columns, 1.0));
  const double groups = std::min(std::max(std::ceil(rows / kChunk), 1.0), most);
  return std::min(kShares * groups, std::max(rows, 1.0));
}

}  // namespace

int64_t SizeClass(int64_t n) {
  if (n <= 1) return n;
  const int exponent = static_cast<int>(std::lround(std::log2(static_cast<double>(n))));
  return exponent >= 62 ? int64_t{1} << 62 : int64_t{1} << exponent;
}

int64_t ExtentClass(const ir::Dim& dim) {
  const int64_t extent = ir::DecisionExtent(dim);
  return exact_extents ? extent : SizeClass(extent);
}

ExactExtents::ExactExtents() : outer_(std::exchange(exact_extents, true)) {}
ExactExtents::~ExactExtents() { exact_extents = outer_; }

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

bool IsBeyondCaches(const ir::Shape& shape, const DeviceDescription& device) {
  if (device.is_gpu() || !shape.is_static()) return false;
  return BytesClass(shape) > std::max(device.l2.bytes, device.l3.bytes);
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

bool IsLibraryDot(const Instruction& dot, const DeviceDescription& device) {
  if (!device.gpu.matmul_library || dot.opcode() != Opcode::kDot) return false;
  const ir::DType dtype = dot.operand(0)->shape().dtype(), result = dot.shape().dtype();
  switch (dtype) {
    case ir::DType::kBF16:
    case ir::DType::kF16:
    case ir::DType::kF32:
    case ir::DType::kF64:
      break;
    default:
      return false;
  }
  if (dot.operand(1)->shape().dtype() != dtype) return false;
  if (result != dtype && (result != ir::DType::kF32 || dtype == ir::DType::kF64)) return false;
  return 2.0 * static_cast<double>(ElementsClass(dot.shape())) * ContractedElements(dot) >=
         kLibraryFlops;
}

double Utilisation(const Instruction& user, int operand_index, const DeviceDescription& device) {
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
      // Every row of the other side reads it again; on a GPU every tile of rows.
      constexpr double kTileRows = 64;
      const double rows = device.is_gpu() ? kTileRows : 1;
      return std::max(1.0, elements * ContractedElements(user) / have / rows);
    }
    default:
      return 1;
  }
}

double ParallelElements(const Instruction& root, const Instruction* hero) {
  const double results = static_cast<double>(ElementsClass(root.shape()));
  if (hero == nullptr || hero->opcode() != Opcode::kReduce) return results;
  // A team of threads for each result, as large as the row allows.
  constexpr double kShares = 256;
  const ir::Shape& input = hero->operand(0)->shape();
  const ir::DimList& reduced = hero->dimensions();
  if (reduced.empty()) return results;
  const int64_t minor = input.rank() - 1;
  if (std::find(reduced.begin(), reduced.end(), minor) == reduced.end()) {
    const int64_t last = *std::max_element(reduced.begin(), reduced.end());
    return std::max(1.0, results) *
           SharesOfColumn(results,
                          static_cast<double>(ExtentClass(input.dim(static_cast<int>(last)))));
  }
  const auto row = static_cast<double>(ExtentClass(input.dim(static_cast<int>(minor))));
  return std::max(1.0, results) * std::min(std::max(row, 1.0), kShares);
}

Picoseconds ExecutionTime(double cycles, const Traffic& reads, double written_bytes,
                          const DeviceDescription& device, double parallel) {
  if (device.is_gpu()) return GpuExecutionTime(cycles, reads, written_bytes, device, parallel);
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
