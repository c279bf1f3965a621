// File: compiler/ir/attributes.h
//
// What an instruction carries besides its operands, one plain struct per family of ops. The op table
// names the struct of each op. All are values: copied on clone, compared with ==, printed and parsed
// in HLO's syntax by the text printer and parser.
#ifndef SWAGE_COMPILER_IR_ATTRIBUTES_H_
#define SWAGE_COMPILER_IR_ATTRIBUTES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/dim.h"
#include "compiler/ir/literal.h"

namespace swage::ir {

using DimList = std::vector<int64_t>;  // numbers of dimensions

struct NoneAttrs {
  bool operator==(const NoneAttrs&) const = default;
};

struct ParameterAttrs {
  int64_t number = 0;
  bool operator==(const ParameterAttrs&) const = default;
};

struct ConstantAttrs {
  Literal literal;
  bool operator==(const ConstantAttrs&) const = default;  // bitwise: -0.0 is not +0.0
};

// broadcast, concatenate (one), get-dimension-size (one), map, reduce, reverse, transpose.
struct DimensionsAttrs {
  DimList dimensions;
  bool operator==(const DimensionsAttrs&) const = default;
};

struct IotaAttrs {
  int64_t dimension = 0;
  bool operator==(const IotaAttrs&) const = default;
};

struct TupleIndexAttrs {
  int64_t index = 0;
  bool operator==(const TupleIndexAttrs&) const = default;
};

// One entry per dimension; the window is [start, limit) in steps of stride.
struct SliceAttrs {
  std::vector<Dim> starts;
  std::vector<Dim> limits;
  std::vector<int64_t> strides;
  bool operator==(const SliceAttrs&) const = default;
};

struct DynamicSliceAttrs {
  std::vector<Dim> sizes;
  bool operator==(const DynamicSliceAttrs&) const = default;
};

struct PadAttrs {
  struct Entry {
    Dim low;              // elements added before; negative cuts
    Dim high;             // elements added behind; negative cuts
    int64_t interior = 0;  // elements added between neighbours
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> dims;
  bool operator==(const PadAttrs&) const = default;
};

struct DotAttrs {
  DimList lhs_batch, rhs_batch;
  DimList lhs_contracting, rhs_contracting;
  bool operator==(const DotAttrs&) const = default;
};

struct GatherAttrs {
  DimList offset_dims;
  DimList collapsed_slice_dims;
  DimList start_index_map;
  DimList operand_batching_dims;
  DimList start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  std::vector<Dim> slice_sizes;
  bool indices_are_sorted = false;
  bool operator==(const GatherAttrs&) const = default;
};

struct ScatterAttrs {
  DimList update_window_dims;
  DimList inserted_window_dims;
  DimList scatter_dims_to_operand_dims;
  DimList input_batching_dims;
  DimList scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
  bool operator==(const ScatterAttrs&) const = default;
};

enum class CompareDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
// kDefault follows the operand's dtype; kTotalOrder orders floats by sign, then magnitude, with
// -NaN < -inf ... -0 < +0 ... inf < NaN.
enum class CompareType : uint8_t { kDefault, kFloat, kTotalOrder, kSigned, kUnsigned };

struct CompareAttrs {
  CompareDirection direction = CompareDirection::kEq;
  CompareType type = CompareType::kDefault;
  bool operator==(const CompareAttrs&) const = default;
};

struct ReducePrecisionAttrs {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  bool operator==(const ReducePrecisionAttrs&) const = default;
};

struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t pad_low = 0;
  int64_t pad_high = 0;
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;
  bool reversal = false;
  bool operator==(const WindowDim&) const = default;
};

// reduce-window, select-and-scatter.
struct WindowAttrs {
  std::vector<WindowDim> dims;
  bool operator==(const WindowAttrs&) const = default;
};

struct ConvolutionAttrs {
  std::vector<WindowDim> window;
  std::string dim_labels;  // "b01f_01io->b01f"
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  bool operator==(const ConvolutionAttrs&) const = default;
};

struct SortAttrs {
  int64_t dimension = 0;
  bool is_stable = false;
  bool operator==(const SortAttrs&) const = default;
};

struct TopKAttrs {
  int64_t k = 0;
  bool largest = true;
  bool operator==(const TopKAttrs&) const = default;
};

enum class FusionKind : uint8_t { kLoop, kInput, kOutput, kCustom };

struct FusionAttrs {
  FusionKind kind = FusionKind::kLoop;
  bool operator==(const FusionAttrs&) const = default;
};

struct CustomCallAttrs {
  std::string target;
  bool operator==(const CustomCallAttrs&) const = default;
};

// A large struct of a few ops behind a pointer, so that it does not make every instruction large.
// Still a value: copies share it until one of them is changed.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value) : box_(std::make_shared<T>(std::move(value))) {}  // NOLINT: a T in a box

  const T& value() const {
    static const T kDefault;
    return box_ == nullptr ? kDefault : *box_;
  }
  T& mutable_value() {
    if (box_ == nullptr || box_.use_count() > 1) box_ = std::make_shared<T>(value());
    return *box_;
  }
  bool operator==(const Boxed& other) const {
    return box_ == other.box_ || value() == other.value();
  }

 private:
  std::shared_ptr<T> box_;  // null: T()
};

using Attributes =
    std::variant<NoneAttrs, ParameterAttrs, Boxed<ConstantAttrs>, DimensionsAttrs, IotaAttrs,
                 TupleIndexAttrs, Boxed<SliceAttrs>, DynamicSliceAttrs, PadAttrs, Boxed<DotAttrs>,
                 Boxed<GatherAttrs>, Boxed<ScatterAttrs>, CompareAttrs, ReducePrecisionAttrs,
                 WindowAttrs, Boxed<ConvolutionAttrs>, SortAttrs, TopKAttrs, FusionAttrs,
                 Boxed<CustomCallAttrs>>;

namespace internal {
template <typename T, typename Variant>
struct IsBoxedIn;
template <typename T, typename... Types>
struct IsBoxedIn<T, std::variant<Types...>>
    : std::bool_constant<(std::is_same_v<Boxed<T>, Types> || ...)> {};
}  // namespace internal

// The struct T of the attributes, boxed or not; null when they hold another.
template <typename T>
const T* AttrsIf(const Attributes& attributes) {
  if constexpr (internal::IsBoxedIn<T, Attributes>::value) {
    const auto* boxed = std::get_if<Boxed<T>>(&attributes);
    return boxed == nullptr ? nullptr : &boxed->value();
  } else {
    return std::get_if<T>(&attributes);
  }
}
template <typename T>
T* MutableAttrsIf(Attributes* attributes) {
  if constexpr (internal::IsBoxedIn<T, Attributes>::value) {
    auto* boxed = std::get_if<Boxed<T>>(attributes);
    return boxed == nullptr ? nullptr : &boxed->mutable_value();
  } else {
    return std::get_if<T>(attributes);
  }
}

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ATTRIBUTES_H_
