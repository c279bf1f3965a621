#include "tools/random_inputs.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <new>
#include <numbers>
#include <utility>
#include <vector>

#include "base/parallel_for.h"

namespace swage::tools {
namespace {

// SplitMix64: one multiply-xorshift chain per value, fully specified, unlike std distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += kStep;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Two independent values of the normal distribution, from draws 2 i and 2 i + 1 from here on.
  std::pair<double, double> NormalsAt(int64_t i) const {
    Random at(state_ + 2 * static_cast<uint64_t>(i) * kStep);
    // Box and Muller: from one point of the square.
    const double radius = std::sqrt(-2 * std::log(at.Unit()));
    const double angle = 2 * std::numbers::pi * at.Unit();
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
  void Skip(int64_t draws) { state_ += static_cast<uint64_t>(draws) * kStep; }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  // In (0, 1].
  double Unit() { return (static_cast<double>(Next() >> 11) + 1) * 0x1p-53; }

  uint64_t state_;
};

// `count` values of the normal distribution; store(i, value) is called for each, on any thread.
template <typename Store>
void Normals(int64_t count, Random* random, const Store& store) {
  const int64_t pairs = (count + 1) / 2;
  ParallelFor(pairs, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto [first, second] = random->NormalsAt(i);
      store(2 * i, first);
      if (2 * i + 1 < count) store(2 * i + 1, second);
    }
  });
  random->Skip(2 * pairs);
}

void FillFloats(double deviation, Random* random, ir::Literal* out) {
  const ir::DType dtype = out->dtype();
  if (dtype == ir::DType::kF32) {
    float* const to = out->mutable_data<float>().data();
    Normals(out->element_count(), random,
            [&](int64_t i, double x) { to[i] = static_cast<float>(deviation * x); });
    return;
  }
  const bool complex = ir::IsComplex(dtype);
  std::vector<double> parts(out->element_count() * (complex ? 2 : 1));
  Normals(static_cast<int64_t>(parts.size()), random,
          [&](int64_t i, double x) { parts[i] = deviation * x; });
  const int bytes = ir::DTypeBytes(dtype);
  uint8_t* const to = out->mutable_bytes().data();
  ParallelFor(out->element_count(), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const ir::Literal value =
          complex ? ir::Literal::Scalar(dtype, std::complex<double>(parts[2 * i], parts[2 * i + 1]))
                  : ir::Literal::Scalar(dtype, parts[i]);
      std::memcpy(to + i * bytes, value.bytes().data(), bytes);
    }
  });
}

StatusOr<ir::Literal> RandomValue(const ir::Shape& shape, Random* random) {
  if (shape.is_tuple()) {
    std::vector<ir::Literal> elements;
    for (const ir::Shape& element : shape.tuple_shapes()) {
      SWAGE_ASSIGN_OR_RETURN(elements.emplace_back(), RandomValue(element, random));
    }
    return ir::Literal::Tuple(std::move(elements));
  }
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(shape));
  if (ir::IsFloat(shape.dtype()) || ir::IsComplex(shape.dtype())) {
    FillFloats(shape.rank() >= 2 ? 0.02 : 1, random, &out);
    return out;
  }
  // What a 4-bit integer cannot hold is folded into its range.
  uint64_t range = 100;
  if (shape.dtype() == ir::DType::kPred) range = 2;
  if (shape.dtype() == ir::DType::kS4) range = 8;
  if (shape.dtype() == ir::DType::kU4) range = 16;
  for (int64_t i = 0; i < out.element_count(); ++i) out.SetBits(i, random->Next() % range);
  return out;
}

}  // namespace

StatusOr<std::vector<ir::Literal>> RandomInputs(const ir::Module& module, uint64_t seed) {
  SWAGE_RET_CHECK(module.entry() != nullptr);
  Random random(seed);
  std::vector<ir::Literal> inputs;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    if (!parameter->shape().is_static()) {
      return InvalidArgument("[run] parameter ", parameter->parameter_number(), " is ",
                             parameter->shape().ToString(false),
                             ": --random needs static shapes; give .npy files instead");
    }
    try {
      SWAGE_ASSIGN_OR_RETURN(inputs.emplace_back(), RandomValue(parameter->shape(), &random));
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("[run] no memory for random values of parameter ",
                               parameter->parameter_number(), ", ",
                               parameter->shape().ToString(false));
    }
  }
  return inputs;
}

}  // namespace swage::tools
