#include "tools/random_inputs.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <optional>
#include <utility>

namespace swage::tools {
namespace {

// SplitMix64: one multiply-xorshift chain per value, fully specified, unlike std distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In (0, 1].
  double Unit() { return (static_cast<double>(Next() >> 11) + 1) * 0x1p-53; }
  // Box and Muller: two independent values from one point of the square.
  double Normal() {
    if (spare_.has_value()) return *std::exchange(spare_, std::nullopt);
    const double radius = std::sqrt(-2 * std::log(Unit()));
    const double angle = 2 * std::numbers::pi * Unit();
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  uint64_t state_;
  std::optional<double> spare_;
};

void FillFloats(double deviation, Random* random, ir::Literal* out) {
  if (out->dtype() == ir::DType::kF32) {
    for (float& x : out->mutable_data<float>())
      x = static_cast<float>(deviation * random->Normal());
    return;
  }
  const int bytes = ir::DTypeBytes(out->dtype());
  uint8_t* to = out->mutable_bytes().data();
  for (int64_t i = 0; i < out->element_count(); ++i, to += bytes) {
    const ir::Literal value =
        ir::IsComplex(out->dtype())
            ? ir::Literal::Scalar(out->dtype(), std::complex<double>(deviation * random->Normal(),
                                                                     deviation * random->Normal()))
            : ir::Literal::Scalar(out->dtype(), deviation * random->Normal());
    std::memcpy(to, value.bytes().data(), bytes);
  }
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
    SWAGE_ASSIGN_OR_RETURN(inputs.emplace_back(), RandomValue(parameter->shape(), &random));
  }
  return inputs;
}

}  // namespace swage::tools
