// File: compiler/ir/attributes.h
//
// What an instruction carries besides its operands, one plain struct per family of ops. The op table
// names the struct of each op. All are values: copied on clone, compared with ==, printed and parsed
// in HLO's syntax by the text printer and parser.
#ifndef SWAGE_COMPILER_IR_ATTRIBUTES_H_
#define SWAGE_COMPILER_IR_ATTRIBUTES_H_

#include <cstdint>
#include <string>
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

using Attributes =
    std::variant<NoneAttrs, ParameterAttrs, ConstantAttrs, DimensionsAttrs, IotaAttrs,
                 TupleIndexAttrs, SliceAttrs, DynamicSliceAttrs, PadAttrs, DotAttrs, GatherAttrs,
                 ScatterAttrs, CompareAttrs, ReducePrecisionAttrs, WindowAttrs, ConvolutionAttrs,
                 SortAttrs, TopKAttrs, FusionAttrs, CustomCallAttrs>;

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ATTRIBUTES_H_
