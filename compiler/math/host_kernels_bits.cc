#include "compiler/math/host_loops.h"

namespace swage::math {

namespace {

template <class T>
void SelectKernel(const void* const* in, void* out, int64_t n, const ElementwiseAttrs&) {
  const auto* choice = static_cast<const uint8_t*>(in[0]);
  const auto* x = static_cast<const T*>(in[1]);
  const auto* y = static_cast<const T*>(in[2]);
  auto* result = static_cast<T*>(out);
  SWAGE_VECTOR_LOOP
  for (int64_t i = 0; i < n; ++i) result[i] = choice[i] != 0 ? x[i] : y[i];
}

template <class Traits>
void ReducePrecisionKernel(const void* const* in, void* out, int64_t n,
                           const ElementwiseAttrs& attrs) {
  using Layout = typename ops::LayoutOf<Traits>::type;
  using Bits = typename Layout::Bits;
  HostBuilder b;
  UnaryLoop<Bits, Bits>(in, out, n, [&](auto x) {
    return ops::ReducePrecision::Apply<Layout>(b, x, attrs.reduce_precision);
  });
}

template <ir::CompareDirection kDirection, class Signed>
void TotalOrderKernel(const void* const* in, void* out, int64_t n, const ElementwiseAttrs&) {
  HostBuilder b;
  BinaryLoop<Signed, bool>(in, out, n, [&](auto x, auto y) {
    return ops::Compare::ApplyTotalOrder<kDirection, Signed>(b, x, y);
  });
}

template <class Signed>
HostKernel FindTotalOrder(const ElementwiseAttrs& attrs) {
  return ops::DispatchDirection(attrs.compare.direction,
                                []<ir::CompareDirection kDirection>() -> HostKernel {
                                  return TotalOrderKernel<kDirection, Signed>;
                                });
}

}  // namespace

HostKernel FindSelectKernel(int bytes) {
  switch (bytes) {
    case 1:
      return SelectKernel<uint8_t>;
    case 2:
      return SelectKernel<uint16_t>;
    case 4:
      return SelectKernel<uint32_t>;
    case 8:
      return SelectKernel<uint64_t>;
    default:
      return nullptr;
  }
}

HostKernel FindReducePrecisionKernel(ir::DType dtype) {
  switch (dtype) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return ReducePrecisionKernel<ElementOf<ir::DType::k##name>>;
    SWAGE_CASE(F8E4M3FN)
    SWAGE_CASE(F8E5M2)
    SWAGE_CASE(F16)
    SWAGE_CASE(BF16)
    SWAGE_CASE(F32)
    SWAGE_CASE(F64)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

HostKernel FindTotalOrderKernel(ir::DType dtype, const ElementwiseAttrs& attrs) {
  switch (ir::DTypeBytes(dtype)) {
    case 1:
      return FindTotalOrder<int8_t>(attrs);
    case 2:
      return FindTotalOrder<int16_t>(attrs);
    case 4:
      return FindTotalOrder<int32_t>(attrs);
    default:
      return FindTotalOrder<int64_t>(attrs);
  }
}

}  // namespace swage::math
