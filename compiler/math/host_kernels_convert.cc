#include "compiler/math/host_loops.h"

namespace swage::math {

namespace {

template <class From, class To>
[[gnu::flatten]] void ConvertKernel(const void* const* in, void* out, int64_t n,
                                    const ElementwiseAttrs&) {
  HostBuilder b;
  UnaryLoop<typename From::Carried, typename To::Carried>(
      in, out, n, [&](auto x) { return ConvertElement<From, To>(b, x); });
}

template <class From>
HostKernel FindConvertFrom(ir::DType to) {
  switch (to) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return ConvertKernel<From, ElementOf<ir::DType::k##name>>;
    SWAGE_MATH_DTYPES(SWAGE_CASE)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

}  // namespace

HostKernel FindConvertKernel(ir::DType from, ir::DType to) {
  switch (from) {
#define SWAGE_CASE(name)   \
  case ir::DType::k##name: \
    return FindConvertFrom<ElementOf<ir::DType::k##name>>(to);
    SWAGE_MATH_DTYPES(SWAGE_CASE)
#undef SWAGE_CASE
    default:
      return nullptr;
  }
}

}  // namespace swage::math
