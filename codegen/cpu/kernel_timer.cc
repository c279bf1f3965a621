#include "codegen/cpu/kernel_timer.h"

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstring>
#include <utility>
#include <vector>

#include "codegen/cpu/mxcsr.h"
#include "compiler/ir/literal.h"

namespace swage::cpu {
namespace {

using ir::DType;
using ir::Literal;

// A repetition is long enough for the clock.
constexpr double kBurstNanoseconds = 20e3;
constexpr double kBudgetNanoseconds = 20e6;
constexpr int kMostRounds = 31, kFewestRounds = 5;

double Nanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Between -1 and 1, and small whole numbers: nothing that is slower to compute with than most.
Literal Element(DType dtype, uint32_t random) {
  const double unit = static_cast<double>(random >> 8) / (1 << 23) - 1;
  if (ir::IsComplex(dtype)) return Literal::Scalar(dtype, std::complex<double>(unit, 1 - unit));
  if (ir::IsFloat(dtype)) return Literal::Scalar(dtype, unit);
  return Literal::Scalar(dtype,
                         static_cast<int64_t>(random >> 29) & (dtype == DType::kPred ? 1 : 7));
}

void Fill(Literal* literal, uint32_t seed) {
  std::vector<uint8_t> pattern;
  for (int i = 0; i < 61; ++i) {
    seed = seed * 1664525 + 1013904223;
    const Literal element = Element(literal->dtype(), seed);
    pattern.insert(pattern.end(), element.bytes().begin(), element.bytes().end());
  }
  const absl::Span<uint8_t> bytes = literal->mutable_bytes();
  for (size_t at = 0; at < bytes.size(); at += pattern.size()) {
    std::memcpy(bytes.data() + at, pattern.data(), std::min(pattern.size(), bytes.size() - at));
  }
}

StatusOr<std::vector<Literal>> Buffers(const std::vector<const ir::Shape*>& shapes) {
  int64_t total = 0;
  for (const ir::Shape* shape : shapes) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape->ByteSize());
    if (__builtin_add_overflow(total, bytes, &total) || total > kMaxTimedBytes) {
      return ResourceExhausted("its buffers are larger than ", kMaxTimedBytes, " bytes");
    }
  }
  std::vector<Literal> buffers;
  for (const ir::Shape* shape : shapes) {
    SWAGE_ASSIGN_OR_RETURN(Literal buffer, Literal::Create(*shape));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

class Runner {
 public:
  Runner(const KernelVersion& version, std::vector<Literal>& inputs, std::vector<Literal>& outputs)
      : version_(version) {
    for (Literal& input : inputs) pointers_.push_back(input.mutable_bytes().data());
    for (Literal& output : outputs) pointers_.push_back(output.mutable_bytes().data());
  }
  // The time of one run.
  double Time(int repetitions) const {
    const KernelArgs args{pointers_.data(), version_.dims.data()};
    const double start = Nanoseconds();
    for (int i = 0; i < repetitions; ++i) version_.fn(&args, 0, version_.tasks);
    return (Nanoseconds() - start) / repetitions;
  }

 private:
  const KernelVersion& version_;
  std::vector<void*> pointers_;
};

double Median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace

StatusOr<KernelTimes> TimeInTurns(const KernelVersion& first, const KernelVersion& second,
                                  const ir::Computation& fusion, const std::atomic<bool>& stop) {
  std::vector<const ir::Shape*> in, out;
  for (const ir::Instruction* parameter : fusion.parameters()) in.push_back(&parameter->shape());
  ir::ForEachLeaf(fusion.root()->shape(),
                  [&](const ir::ShapeIndex&, const ir::Shape& leaf) { out.push_back(&leaf); });
  SWAGE_ASSIGN_OR_RETURN(std::vector<Literal> inputs, Buffers(in));
  SWAGE_ASSIGN_OR_RETURN(std::vector<Literal> first_results, Buffers(out));
  SWAGE_ASSIGN_OR_RETURN(std::vector<Literal> second_results, Buffers(out));
  for (size_t i = 0; i < inputs.size(); ++i) Fill(&inputs[i], static_cast<uint32_t>(i + 1));

  ScopedMxcsr ieee;
  const Runner a(first, inputs, first_results), b(second, inputs, second_results);
  double once = std::max(a.Time(1), b.Time(1));
  KernelTimes times;
  times.same_bits = first_results == second_results;
  once = std::clamp(std::min(a.Time(2), b.Time(2)), 1.0, once);
  const int repetitions = static_cast<int>(std::clamp(kBurstNanoseconds / once, 1.0, 20e3));
  const int rounds = static_cast<int>(std::clamp(kBudgetNanoseconds / (2 * repetitions * once),
                                                 double{kFewestRounds}, double{kMostRounds}));
  std::vector<double> of_a, of_b;
  for (int round = 0; round < rounds; ++round) {
    if (stop) return absl::CancelledError("the process ends");
    if (round % 2 == 0) of_a.push_back(a.Time(repetitions));
    of_b.push_back(b.Time(repetitions));
    if (round % 2 == 1) of_a.push_back(a.Time(repetitions));
  }
  times.first_ns = Median(std::move(of_a));
  times.second_ns = Median(std::move(of_b));
  return times;
}

}  // namespace swage::cpu
