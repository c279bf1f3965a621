// File: bench/workloads.h
//
// The functions that the recompilation benchmark calls with one shape after the other, as a user
// would write them, and their inputs. bench/peers/ has the same ones for other systems.
//
//   std::unique_ptr<Workload> f = MakeWorkload("attend");   // a jit object of its own
//   Tensor out = f->Call({31, 31});                         // inputs are made before: Prepare
#ifndef SWAGE_BENCH_WORKLOADS_H_
#define SWAGE_BENCH_WORKLOADS_H_

#include <memory>
#include <string>

#include "bench/streams.h"
#include "runtime/swage.h"

namespace swage::bench {

class Workload {
 public:
  virtual ~Workload() = default;
  // Makes the inputs of an entry.
  virtual void Prepare(const Entry& entry) = 0;
  virtual Tensor Call(const Entry& entry) = 0;
  virtual JitStats stats() const = 0;
};

// f32, width 64. Null for an unknown name.
//   attend   q[first,64], k[second,64], v[second,64] -> softmax(q k^T / 8) v
//   block    x[first,second,64] -> a transformer block with one head and an MLP of 256
// `mode`: whether first and second are symbols; buckets are the default ones, up to 4096.
std::unique_ptr<Workload> MakeWorkload(const std::string& function, Mode mode = Mode::kExact);

}  // namespace swage::bench

#endif  // SWAGE_BENCH_WORKLOADS_H_
