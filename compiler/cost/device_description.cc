#include "compiler/cost/device_description.h"

#include <cpuid.h>

#include <cstdlib>
#include <fstream>

#include "base/parallel_for.h"

namespace swage::cost {
namespace {

struct Microarchitecture {
  const char* name;
  int family, first_model, last_model;
  int vector_bytes;
  double clock_ghz;
  double cheap_per_cycle, division_cycles, transcendental_cycles, fma_per_cycle;
  double l1_bytes_per_cycle, l2_bytes_per_cycle, l3_bytes_per_cycle;
};

// Public figures of the makers' optimisation guides; clocks are sustained all-core ones.
constexpr Microarchitecture kTable[] = {
    {"zen2", 0x17, 0x30, 0xff, 32, 3.2, 2, 3.5, 12, 2, 64, 32, 16},
    {"zen3", 0x19, 0x00, 0x0f, 32, 3.4, 2, 3.5, 12, 2, 64, 32, 20},
    {"zen3", 0x19, 0x20, 0x5f, 32, 3.4, 2, 3.5, 12, 2, 64, 32, 20},
    {"zen4", 0x19, 0x10, 0x1f, 64, 3.7, 1, 6, 20, 1, 64, 32, 22},
    {"zen4", 0x19, 0x60, 0xaf, 64, 3.7, 1, 6, 20, 1, 64, 32, 22},
    {"zen5", 0x1a, 0x00, 0xff, 64, 3.8, 2, 6, 14, 2, 128, 64, 24},
    {"skylake-avx512", 0x06, 0x55, 0x55, 64, 2.7, 2, 10, 18, 2, 128, 48, 10},
    {"icelake-server", 0x06, 0x6a, 0x6c, 64, 2.9, 2, 10, 18, 2, 128, 48, 10},
    {"sapphirerapids", 0x06, 0x8f, 0xcf, 64, 2.8, 2, 10, 18, 2, 128, 48, 10},
};
constexpr Microarchitecture kUnknown = {"unknown", 0, 0, 0, 32, 3.0, 2, 5, 14, 2, 64, 32, 12};

const Microarchitecture& Detect() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return kUnknown;
  int family = (eax >> 8) & 0xf, model = (eax >> 4) & 0xf;
  if (family == 0xf) family += (eax >> 20) & 0xff;
  if (family == 0x6 || family >= 0xf) model |= ((eax >> 16) & 0xf) << 4;
  for (const Microarchitecture& row : kTable) {
    if (row.family == family && row.first_model <= model && model <= row.last_model) return row;
  }
  return kUnknown;
}

// Size in bytes of the data cache of `level`; `otherwise` when /sys does not say.
int64_t CacheBytes(int level, int64_t otherwise) {
  for (int index = 0; index < 8; ++index) {
    const std::string base =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    std::ifstream level_file(base + "level"), type_file(base + "type"), size_file(base + "size");
    int found = 0;
    std::string type, size;
    if (!(level_file >> found) || !(type_file >> type) || !(size_file >> size)) continue;
    if (found != level || type == "Instruction") continue;
    const int64_t value = std::strtoll(size.c_str(), nullptr, 10);
    const char unit = size.back();
    if (value <= 0) continue;
    return unit == 'M' ? value << 20 : unit == 'K' ? value << 10 : value;
  }
  return otherwise;
}

DeviceDescription Describe(const Microarchitecture& row) {
  DeviceDescription device;
  device.name = row.name;
  device.vector_bytes = row.vector_bytes;
  device.clock_ghz = row.clock_ghz;
  device.cheap_per_cycle = row.cheap_per_cycle;
  device.division_cycles = row.division_cycles;
  device.transcendental_cycles = row.transcendental_cycles;
  device.fma_per_cycle = row.fma_per_cycle;
  device.l1 = {32 << 10, row.l1_bytes_per_cycle};
  device.l2 = {1 << 20, row.l2_bytes_per_cycle};
  device.l3 = {32 << 20, row.l3_bytes_per_cycle};
  return device;
}

}  // namespace

Hash128 DeviceDescription::Fingerprint() const {
  Hasher hasher;
  hasher.Field(name).Field(cores).Field(vector_bytes).Field(clock_ghz).Field(cheap_per_cycle);
  hasher.Field(division_cycles).Field(transcendental_cycles).Field(fma_per_cycle);
  for (const CacheLevel& level : {l1, l2, l3}) {
    hasher.Field(level.bytes).Field(level.bytes_per_cycle);
  }
  hasher.Field(dram_gb_per_s).Field(dram_gb_per_s_core).Field(launch_ns).Field(fork_join_ns);
  hasher.Field(dot_library).Field(bf16_products);
  if (is_gpu()) {
    hasher.Field(gpu.compute_capability).Field(gpu.f32_lanes).Field(gpu.f64_lanes);
    hasher.Field(gpu.threads).Field(gpu.registers).Field(gpu.shared_bytes);
    hasher.Field(gpu.shared_bytes_block).Field(gpu.memory_bytes).Field(gpu.memory_latency_ns);
    hasher.Field(gpu.matmul_library);
  }
  return hasher.Finish();
}

const DeviceDescription& HostCpu() {
  static const DeviceDescription* const device = [] {
    auto* host = new DeviceDescription(Describe(Detect()));
    host->cores = NumThreads();
    __builtin_cpu_init();
    host->dot_library = true;
    host->bf16_products = __builtin_cpu_supports("avx512bf16");
    host->l1.bytes = CacheBytes(1, host->l1.bytes);
    host->l2.bytes = CacheBytes(2, host->l2.bytes);
    host->l3.bytes = CacheBytes(3, host->l3.bytes);
    // One core cannot saturate the memory; two nearly do on the machines of the table.
    host->dram_gb_per_s = host->dram_gb_per_s_core * (host->cores > 1 ? 1.7 : 1.0);
    return host;
  }();
  return *device;
}

DeviceDescription TestCpu() {
  DeviceDescription device = Describe(kTable[3]);
  device.cores = 2;
  return device;
}

}  // namespace swage::cost
