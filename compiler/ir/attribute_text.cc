#include "compiler/ir/attribute_text.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "base/nearest.h"
#include "compiler/ir/window_text.h"

namespace swage::ir {
namespace {

constexpr size_t kMaxListLength = 1 << 20;

// ---- Values, one Parse and one Print per type of field ----

template <typename Item>
Status ParseList(AttributeReader& reader, char open, char close, Item item) {
  SWAGE_RETURN_IF_ERROR(reader.lexer.Expect(std::string_view(&open, 1)));
  if (reader.lexer.TryEat(std::string_view(&close, 1))) return OkStatus();
  size_t count = 0;
  do {
    if (++count > kMaxListLength) return reader.lexer.ErrorHere("the list is too long");
    SWAGE_RETURN_IF_ERROR(item());
  } while (reader.lexer.TryEat(","));
  return reader.lexer.Expect(std::string_view(&close, 1));
}

template <typename List, typename Item>
void PrintList(const List& list, std::string& out, Item item) {
  out += '{';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    item(list[i]);
  }
  out += '}';
}

Status Parse(AttributeReader& reader, int64_t* value) {
  SWAGE_ASSIGN_OR_RETURN(*value, reader.lexer.Integer("an integer"));
  return OkStatus();
}
void Print(int64_t value, AttributeWriter& writer) { writer.out += std::to_string(value); }

Status Parse(AttributeReader& reader, int* value) {
  reader.lexer.SkipSpace();
  const size_t start = reader.lexer.pos();
  SWAGE_ASSIGN_OR_RETURN(const int64_t wide, reader.lexer.Integer("an integer"));
  if (wide < 0 || wide > 1024) return reader.lexer.Error(start, "expected a number up to 1024");
  *value = static_cast<int>(wide);
  return OkStatus();
}
void Print(int value, AttributeWriter& writer) { writer.out += std::to_string(value); }

Status Parse(AttributeReader& reader, bool* value) {
  SWAGE_ASSIGN_OR_RETURN(*value, reader.lexer.Bool());
  return OkStatus();
}
void Print(bool value, AttributeWriter& writer) { writer.out += value ? "true" : "false"; }

Status Parse(AttributeReader& reader, std::string* value) {
  SWAGE_ASSIGN_OR_RETURN(*value, reader.lexer.String("a string"));
  return OkStatus();
}
void Print(const std::string& value, AttributeWriter& writer) {
  writer.out += '"';
  writer.out += absl::CEscape(value);
  writer.out += '"';
}

Status Parse(AttributeReader& reader, DimList* list) {
  return ParseList(reader, '{', '}', [&]() -> Status {
    SWAGE_ASSIGN_OR_RETURN(const int64_t value, reader.lexer.Integer("an integer"));
    list->push_back(value);
    return OkStatus();
  });
}
void Print(const DimList& list, AttributeWriter& writer) {
  PrintList(list, writer.out, [&](int64_t value) { writer.out += std::to_string(value); });
}

Status Parse(AttributeReader& reader, std::vector<Dim>* list) {
  return ParseList(reader, '{', '}', [&]() -> Status {
    SWAGE_ASSIGN_OR_RETURN(const Dim dim, ParseDimValue(reader));
    list->push_back(dim);
    return OkStatus();
  });
}
void Print(const std::vector<Dim>& list, AttributeWriter& writer) {
  PrintList(list, writer.out, [&](Dim dim) { PrintDimValue(dim, writer); });
}

// Enumerations, by a table of their names in the order of the enumerators.
template <typename E>
struct EnumNames;
template <>
struct EnumNames<CompareDirection> {
  static constexpr std::array<std::string_view, 6> kNames = {"EQ", "NE", "GE", "GT", "LE", "LT"};
};
template <>
struct EnumNames<CompareType> {
  static constexpr std::array<std::string_view, 5> kNames = {"", "FLOAT", "TOTALORDER", "SIGNED",
                                                             "UNSIGNED"};
};
template <>
struct EnumNames<FusionKind> {
  static constexpr std::array<std::string_view, 4> kNames = {"kLoop", "kInput", "kOutput",
                                                             "kCustom"};
};

template <typename E>
requires std::is_enum_v<E> Status Parse(AttributeReader& reader, E* value) {
  constexpr auto& names = EnumNames<E>::kNames;
  reader.lexer.SkipSpace();
  const size_t start = reader.lexer.pos();
  SWAGE_ASSIGN_OR_RETURN(const std::string_view word, reader.lexer.Word("a word"));
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    return reader.lexer.Error(
        start, absl::StrCat("unknown value ", Quoted(word),
                            DidYouMean(word, std::span<const std::string_view>(names))));
  }
  *value = static_cast<E>(found - names.begin());
  return OkStatus();
}
template <typename E>
requires std::is_enum_v<E>
void Print(E value, AttributeWriter& writer) {
  writer.out += EnumNames<E>::kNames[static_cast<size_t>(value)];
}

// ---- Rows ----

template <auto Member>
struct MemberOf;
template <typename Struct, typename Field, Field Struct::*Member>
struct MemberOf<Member> {
  using StructType = Struct;
  static Field& Of(Attributes* attributes) { return MutableAttrsIf<Struct>(attributes)->*Member; }
  static const Field& Of(const Attributes& attributes) {
    return AttrsIf<Struct>(attributes)->*Member;
  }
};

template <typename Struct>
bool Holds(const Attributes& attributes) {
  return AttrsIf<Struct>(attributes) != nullptr;
}

// An attribute that is one field of a struct.
template <auto Member>
constexpr AttributeRow Field(std::string_view name, Presence presence) {
  using M = MemberOf<Member>;
  using Struct = typename M::StructType;
  return {name,
          presence,
          &Holds<Struct>,
          [](const Attributes& a) { return M::Of(a) == Struct().*Member; },
          [](AttributeReader& reader, Attributes* a) { return Parse(reader, &M::Of(a)); },
          [](const Attributes& a, AttributeWriter& writer) { Print(M::Of(a), writer); }};
}

// An attribute in a syntax of its own, which reads and prints a struct or a part of it.
// `is_default` matters for kIfSet only.
template <typename Struct, Status (*parse)(AttributeReader&, Struct*),
          void (*print)(const Struct&, AttributeWriter&),
          bool (*is_default)(const Struct&) = nullptr>
constexpr AttributeRow Custom(std::string_view name, Presence presence) {
  return {
      name,
      presence,
      &Holds<Struct>,
      [](const Attributes& a) { return is_default != nullptr && is_default(*AttrsIf<Struct>(a)); },
      [](AttributeReader& reader, Attributes* a) {
        return parse(reader, MutableAttrsIf<Struct>(a));
      },
      [](const Attributes& a, AttributeWriter& writer) { print(*AttrsIf<Struct>(a), writer); }};
}

Status ParseSortDimension(AttributeReader& reader, SortAttrs* attrs) {
  SWAGE_RETURN_IF_ERROR(reader.lexer.Expect("{"));
  SWAGE_RETURN_IF_ERROR(Parse(reader, &attrs->dimension));
  return reader.lexer.Expect("}");
}
void PrintSortDimension(const SortAttrs& attrs, AttributeWriter& writer) {
  Print(DimList{attrs.dimension}, writer);
}

bool HasNoWindow(const WindowAttrs& attrs) { return attrs.dims.empty(); }
bool HasNoConvolutionWindow(const ConvolutionAttrs& attrs) { return attrs.window.empty(); }

constexpr Presence kRequired = Presence::kRequired;
constexpr Presence kPrinted = Presence::kPrinted;
constexpr Presence kIfSet = Presence::kIfSet;

constexpr AttributeRow kRows[] = {
    Field<&DimensionsAttrs::dimensions>("dimensions", kRequired),
    Field<&IotaAttrs::dimension>("iota_dimension", kRequired),
    Field<&TupleIndexAttrs::index>("index", kRequired),
    Custom<SliceAttrs, ParseSlice, PrintSlice>("slice", kRequired),
    Field<&DynamicSliceAttrs::sizes>("dynamic_slice_sizes", kRequired),
    Custom<PadAttrs, ParsePadding, PrintPadding>("padding", kRequired),
    Field<&DotAttrs::lhs_batch>("lhs_batch_dims", kIfSet),
    Field<&DotAttrs::lhs_contracting>("lhs_contracting_dims", kPrinted),
    Field<&DotAttrs::rhs_batch>("rhs_batch_dims", kIfSet),
    Field<&DotAttrs::rhs_contracting>("rhs_contracting_dims", kPrinted),
    Field<&GatherAttrs::offset_dims>("offset_dims", kRequired),
    Field<&GatherAttrs::collapsed_slice_dims>("collapsed_slice_dims", kRequired),
    Field<&GatherAttrs::start_index_map>("start_index_map", kRequired),
    Field<&GatherAttrs::operand_batching_dims>("operand_batching_dims", kIfSet),
    Field<&GatherAttrs::start_indices_batching_dims>("start_indices_batching_dims", kIfSet),
    Field<&GatherAttrs::index_vector_dim>("index_vector_dim", kRequired),
    Field<&GatherAttrs::slice_sizes>("slice_sizes", kRequired),
    Field<&GatherAttrs::indices_are_sorted>("indices_are_sorted", kIfSet),
    Field<&ScatterAttrs::update_window_dims>("update_window_dims", kRequired),
    Field<&ScatterAttrs::inserted_window_dims>("inserted_window_dims", kRequired),
    Field<&ScatterAttrs::scatter_dims_to_operand_dims>("scatter_dims_to_operand_dims", kRequired),
    Field<&ScatterAttrs::input_batching_dims>("input_batching_dims", kIfSet),
    Field<&ScatterAttrs::scatter_indices_batching_dims>("scatter_indices_batching_dims", kIfSet),
    Field<&ScatterAttrs::index_vector_dim>("index_vector_dim", kRequired),
    Field<&ScatterAttrs::indices_are_sorted>("indices_are_sorted", kIfSet),
    Field<&ScatterAttrs::unique_indices>("unique_indices", kIfSet),
    Field<&CompareAttrs::direction>("direction", kRequired),
    Field<&CompareAttrs::type>("type", kIfSet),
    Field<&ReducePrecisionAttrs::exponent_bits>("exponent_bits", kRequired),
    Field<&ReducePrecisionAttrs::mantissa_bits>("mantissa_bits", kRequired),
    Custom<WindowAttrs, ParseWindow, PrintWindow, HasNoWindow>("window", kIfSet),
    Custom<ConvolutionAttrs, ParseConvolutionWindow, PrintConvolutionWindow,
           HasNoConvolutionWindow>("window", kIfSet),
    Custom<ConvolutionAttrs, ParseDimLabels, PrintDimLabels>("dim_labels", kRequired),
    Field<&ConvolutionAttrs::feature_group_count>("feature_group_count", kIfSet),
    Field<&ConvolutionAttrs::batch_group_count>("batch_group_count", kIfSet),
    Custom<SortAttrs, ParseSortDimension, PrintSortDimension>("dimensions", kRequired),
    Field<&SortAttrs::is_stable>("is_stable", kIfSet),
    Field<&TopKAttrs::k>("k", kRequired),
    Field<&TopKAttrs::largest>("largest", kPrinted),
    Field<&FusionAttrs::kind>("kind", kRequired),
    Field<&CustomCallAttrs::target>("custom_call_target", kRequired),
};

// Names that no row interprets: of every instruction, and of ops that are declared only.
constexpr std::string_view kRawNames[] = {
    "algorithm",
    "api_version",
    "async_execution_thread",
    "backend_config",
    "bounds",
    "channel_id",
    "composite.attributes",
    "composite.name",
    "composite.version",
    "constrain_layout",
    "cross_program_prefetch_index",
    "custom_call_has_side_effect",
    "custom_call_schedule",
    "delta",
    "distribution",
    "domain",
    "epsilon",
    "feature_index",
    "fft_length",
    "fft_type",
    "frontend_attributes",
    "infeed_config",
    "is_composite",
    "is_cross_program_prefetch",
    "is_host_transfer",
    "left_side",
    "lhs_ragged_dims",
    "literal",
    "lower",
    "operand_layout_constraints",
    "operand_precision",
    "origin",
    "original_value",
    "outfeed_config",
    "outfeed_shape",
    "output_operand_aliasing",
    "output_to_operand_aliasing",
    "parameter_replication",
    "replica_groups",
    "result_accuracy",
    "rhs_group_dims",
    "schedule",
    "sharding",
    "source_target_pairs",
    "sparsity",
    "split_dimension",
    "statistics",
    "transpose_a",
    "unit_diagonal",
    "use_global_device_ids",
};

constexpr std::string_view kToApply[] = {"to_apply"};
constexpr std::string_view kCalls[] = {"calls"};
constexpr std::string_view kWhile[] = {"condition", "body"};
constexpr std::string_view kBranches[] = {"branch_computations"};
constexpr std::string_view kSelectScatter[] = {"select", "scatter"};
constexpr std::string_view kCalledList[] = {"called_computations"};
constexpr std::string_view kCalledNames[] = {"body",
                                             "branch_computations",
                                             "called_computations",
                                             "calls",
                                             "comparator",
                                             "condition",
                                             "false_computation",
                                             "scatter",
                                             "select",
                                             "to_apply",
                                             "true_computation"};

}  // namespace

std::span<const AttributeRow> AttributeRows() { return kRows; }

std::span<const AttributeRow* const> AttributeRowsOf(const Attributes& attributes) {
  using Lists = std::array<std::vector<const AttributeRow*>, std::variant_size_v<Attributes>>;
  static const Lists* const lists = [] {
    auto* made = new Lists();
    for (int i = 0; i < kNumOpcodes; ++i) {
      const Attributes held = DefaultAttributes(static_cast<Opcode>(i));
      std::vector<const AttributeRow*>& list = (*made)[held.index()];
      if (!list.empty()) continue;
      for (const AttributeRow& row : kRows) {
        if (row.applies(held)) list.push_back(&row);
      }
    }
    return made;
  }();
  return (*lists)[attributes.index()];
}

const AttributeRow* FindAttributeRow(std::string_view name, const Attributes& attributes) {
  for (const AttributeRow* row : AttributeRowsOf(attributes)) {
    if (row->name == name) return row;
  }
  return nullptr;
}

Attributes DefaultAttributes(Opcode opcode) {
  switch (opcode) {
#define SWAGE_OP(name, text, arity, attrs, ...) \
  case Opcode::k##name:                         \
    return attrs##Attrs{};
#include "compiler/ir/opcodes.def"
#undef SWAGE_OP
  }
  return NoneAttrs{};
}

bool IsRawAttribute(std::string_view name) {
  return std::find(std::begin(kRawNames), std::end(kRawNames), name) != std::end(kRawNames);
}

const std::vector<std::string_view>& AllAttributeNames() {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string_view>(std::begin(kRawNames), std::end(kRawNames));
    for (const AttributeRow& row : kRows) all->push_back(row.name);
    all->insert(all->end(), std::begin(kCalledNames), std::end(kCalledNames));
    all->push_back("metadata");
    all->push_back("control-predecessors");
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
    return all;
  }();
  return *names;
}

CalledNames CalledNamesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCall:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSort:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return {kToApply};
    case Opcode::kFusion:
      return {kCalls};
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
      return {kCalls, false, true};
    case Opcode::kWhile:
      return {kWhile};
    case Opcode::kConditional:
      return {kBranches, true};
    case Opcode::kSelectAndScatter:
      return {kSelectScatter};
    case Opcode::kCustomCall:
      return {kCalledList, true, true};
    default:
      return {};
  }
}

bool IsCalledName(std::string_view name) {
  return std::find(std::begin(kCalledNames), std::end(kCalledNames), name) !=
         std::end(kCalledNames);
}

std::string_view FusionKindName(FusionKind kind) {
  return EnumNames<FusionKind>::kNames[static_cast<size_t>(kind)];
}

std::string_view CompareDirectionName(CompareDirection direction) {
  return EnumNames<CompareDirection>::kNames[static_cast<size_t>(direction)];
}

}  // namespace swage::ir
