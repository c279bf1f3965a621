// The cards that a module can be compiled for without one.
//
// Sources, by column:
//   SMs, clock (boost), memory, bandwidth, L2   NVIDIA's data sheets: "A100 Tensor Core GPU" (80 GB
//       SXM), "L4 Tensor Core GPU", "H100 Tensor Core GPU" (SXM), "H200 Tensor Core GPU", "DGX
//       B200"; and the white papers "A100 Tensor Core GPU Architecture", "H100 Tensor Core GPU
//       Architecture", "Ada GPU Architecture", "Blackwell Architecture Technical Brief"
//   registers, threads, shared memory, lanes    "CUDA C++ Programming Guide", tables of compute
//       capabilities: technical specifications, arithmetic instructions
//   bytes per cycle of L1 and L2, latency, launch   public microbenchmarks of these generations
//       (Jia et al. for Volta, Luo et al. for Hopper: about 64 bytes per cycle and SM from L2, 128
//       from L1, 500 to 800 ns of latency under load); launches in a stream start about 2.5 us
//       apart. Estimates: no card has measured them for Swage.

#include "base/nearest.h"
#include "compiler/cost/device_description.h"

namespace swage::cost {
namespace {

struct Row {
  const char* name;
  int compute_capability, multiprocessors;
  double clock_ghz, dram_gb_per_s;
  int64_t memory_gb, l2_mb, l1_kb;
  int f32_lanes, f64_lanes, threads;
  int64_t shared_kb, shared_kb_block;
};

// Sorted by name.
constexpr Row kRows[] = {
    {"a100", 80, 108, 1.41, 2039, 80, 40, 192, 64, 32, 2048, 164, 163},
    {"b200", 100, 148, 1.965, 8000, 180, 126, 256, 128, 64, 2048, 228, 227},
    {"h100", 90, 132, 1.98, 3352, 80, 50, 256, 128, 64, 2048, 228, 227},
    {"h200", 90, 132, 1.98, 4800, 141, 50, 256, 128, 64, 2048, 228, 227},
    {"l4", 89, 58, 2.04, 300, 24, 48, 128, 128, 2, 1536, 100, 99},
};

constexpr double kL1BytesPerCycle = 128, kL2BytesPerCycle = 64;
constexpr double kMemoryLatencyNs = 650;
constexpr int64_t kLaunchNs = 2500;

// Cycles of one operation on all lanes. Divisions and transcendental functions are sequences of
// simple ones (compiler/math): about as many as they have here.
constexpr double kDivisionCycles = 10, kTranscendentalCycles = 24;

DeviceDescription Describe(const Row& row) {
  DeviceDescription device;
  device.name = row.name;
  device.cores = row.multiprocessors;
  device.vector_bytes = 4 * row.f32_lanes;
  device.clock_ghz = row.clock_ghz;
  device.cheap_per_cycle = 1;
  device.division_cycles = kDivisionCycles;
  device.transcendental_cycles = kTranscendentalCycles;
  device.fma_per_cycle = 1;
  device.l1 = {row.l1_kb << 10, kL1BytesPerCycle};
  device.l2 = {row.l2_mb << 20, kL2BytesPerCycle};
  device.l3 = {0, 0};
  device.dram_gb_per_s = row.dram_gb_per_s;
  device.dram_gb_per_s_core = row.dram_gb_per_s / row.multiprocessors;
  device.launch_ns = kLaunchNs;
  device.fork_join_ns = 0;
  GpuTraits& gpu = device.gpu;
  gpu.compute_capability = row.compute_capability;
  gpu.f32_lanes = row.f32_lanes;
  gpu.f64_lanes = row.f64_lanes;
  gpu.threads = row.threads;
  gpu.registers = 64 << 10;
  gpu.shared_bytes = row.shared_kb << 10;
  gpu.shared_bytes_block = row.shared_kb_block << 10;
  gpu.memory_bytes = row.memory_gb * 1000 * 1000 * 1000;
  gpu.memory_latency_ns = kMemoryLatencyNs;
  return device;
}

}  // namespace

const std::vector<DeviceDescription>& KnownGpus() {
  static const auto* const gpus = [] {
    auto* all = new std::vector<DeviceDescription>;
    for (const Row& row : kRows) all->push_back(Describe(row));
    return all;
  }();
  return *gpus;
}

StatusOr<DeviceDescription> GpuNamed(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DeviceDescription& gpu : KnownGpus()) {
    if (gpu.name == name) return gpu;
    names.push_back(gpu.name);
  }
  return NotFound("[target] no GPU '", ToAbsl(name), "'", DidYouMean(name, names));
}

}  // namespace swage::cost
