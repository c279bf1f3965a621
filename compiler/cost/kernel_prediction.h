// File: compiler/cost/kernel_prediction.h
//
// What the cost model expects of a finished kernel: roofline arithmetic, never a measurement.
//
//   const KernelPrediction p = PredictKernel(*fusion, device);
//   // p.bytes / p.time_ps, p.bound
#ifndef SWAGE_COMPILER_COST_KERNEL_PREDICTION_H_
#define SWAGE_COMPILER_COST_KERNEL_PREDICTION_H_

#include <cstdint>
#include <string_view>

#include "compiler/cost/cost_model.h"
#include "compiler/cost/device_description.h"
#include "compiler/ir/instruction.h"

namespace swage::cost {

// What most of a kernel's time goes into: the bandwidth of the memory, or arithmetic, as a device
// at full use would need it; or waiting, where so few threads run that neither is at full use, or
// where the kernel is hardly longer than a load and a store.
enum class Bound : uint8_t { kLatency, kMemory, kCompute };
std::string_view BoundName(Bound bound);

struct KernelPrediction {
  double bytes = 0;         // read and written, each once, of the shapes as they are
  double flops = 0;         // operations of the program: a multiply-add of a dot is two
  Picoseconds time_ps = 0;  // without the launch
  Bound bound = Bound::kLatency;
};

// At the module's own sizes; an open one counts as the extent that decisions are made for.
// Decisions themselves round to size classes, so their times may differ.
KernelPrediction PredictKernel(const ir::Instruction& fusion, const DeviceDescription& device);

}  // namespace swage::cost

#endif  // SWAGE_COMPILER_COST_KERNEL_PREDICTION_H_
