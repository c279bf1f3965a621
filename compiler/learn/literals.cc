#include "compiler/learn/literals.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/learn/array_patterns.h"
#include "compiler/learn/size_values.h"

namespace swage::learn {
namespace {

using ir::Dim;
using ir::DType;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

constexpr int64_t kMaxElementwise = 64;  // elements of an array that are solved one by one
constexpr int kMaxNumerator = 8;

// What a float is of an expression of sizes. Computed in f64 and rounded once, as Python does; of
// an f32 also the reciprocal of a root that was rounded to f32.
enum class Form { kValue, kReciprocal, kSqrt, kReciprocalSqrt, kReciprocalSqrtF32, kLog };

struct ScalarForm {
  Form form = Form::kValue;
  int64_t numerator = 1;  // of the reciprocals; -1 negates a root
  Dim dim;
  std::string ToString() const {
    const std::string text = dim.ToString();
    switch (form) {
      case Form::kValue:
        return text;
      case Form::kReciprocal:
        return absl::StrCat(numerator, "/(", text, ")");
      case Form::kSqrt:
        return absl::StrCat(numerator < 0 ? "-" : "", "sqrt(", text, ")");
      case Form::kReciprocalSqrt:
      case Form::kReciprocalSqrtF32:
        return absl::StrCat(numerator, "/sqrt(", text, ")");
      case Form::kLog:
        return absl::StrCat("log(", text, ")");
    }
    return text;
  }
};

// As the instructions compute it.
double Apply(Form form, int64_t numerator, double x) {
  switch (form) {
    case Form::kValue:
      return x;
    case Form::kReciprocal:
      return static_cast<double>(numerator) / x;
    case Form::kSqrt:
      return static_cast<double>(numerator) * std::sqrt(x);
    case Form::kReciprocalSqrt:
      return static_cast<double>(numerator) / std::sqrt(x);
    case Form::kReciprocalSqrtF32:
      return static_cast<float>(numerator) / std::sqrt(static_cast<float>(x));
    case Form::kLog:
      return std::log(x);
  }
  return x;
}

// The x for which Apply gives about `value`.
double Invert(Form form, int64_t numerator, double value) {
  switch (form) {
    case Form::kValue:
      return value;
    case Form::kReciprocal:
      return static_cast<double>(numerator) / value;
    case Form::kSqrt:
      return value * value;
    case Form::kReciprocalSqrt:
    case Form::kReciprocalSqrtF32:
      return static_cast<double>(numerator * numerator) / (value * value);
    case Form::kLog:
      return std::exp(value);
  }
  return value;
}

class LiteralSolver {
 public:
  LiteralSolver(const Merger& merger, const Extents& extents, LearnReport* report)
      : merger_(merger), extents_(extents), report_(report) {}

  Status Replace(const VaryingLiteral& varying) {
    all_ = &varying.constants;
    shape_ = varying.stand_in->shape();
    SizeValues sizes(varying.stand_in->parent());
    sizes_ = &sizes;
    sizes.builder().set_metadata((*all_)[0]->shared_metadata());
    std::vector<Literal> literals;
    for (const Instruction* constant : *all_) literals.push_back(constant->literal());
    SWAGE_ASSIGN_OR_RETURN(Instruction * value,
                           shape_.rank() == 0 ? Scalar(literals, "literal") : Array(literals));
    return varying.stand_in->parent()->Replace(varying.stand_in, value);
  }

 private:
  Place PlaceHere(std::string_view what) const {
    return absl::StrCat(merger_.PlaceOf(*all_), ", ", ToAbsl(what));
  }

  static std::string Texts(absl::Span<const Literal> literals) {
    std::string text;
    for (size_t i = 0; i < literals.size(); ++i) {
      std::string one = literals[i].ToString();
      if (one.size() > 60) one = one.substr(0, 57) + "...";
      absl::StrAppend(&text, i == 0 ? "" : i + 1 == literals.size() ? " and " : ", ", one);
    }
    return text;
  }

  void Report(std::string_view what, absl::Span<const Literal> literals, std::string expression) {
    report_->literals.push_back({PlaceHere(what), Texts(literals), std::move(expression)});
  }

  // A scalar with these values, one per lowering.
  StatusOr<Instruction*> Scalar(absl::Span<const Literal> values, std::string_view what) {
    const Literal& first = values[0];
    if (std::all_of(values.begin(), values.end(), [&](const Literal& v) { return v == first; })) {
      return sizes_->builder().Constant(first);
    }
    SWAGE_ASSIGN_OR_RETURN(const ScalarForm form, Solve(values, what));
    Report(what, values, form.ToString());
    return Emit(form, first.dtype());
  }

  StatusOr<ScalarForm> Solve(absl::Span<const Literal> values, std::string_view what) {
    const DType dtype = values[0].dtype();
    const auto place = [&] { return PlaceHere(what); };
    if (ir::IsInteger(dtype)) {
      Values integers;
      for (const Literal& value : values) integers.push_back(value.GetInt(0));
      SWAGE_ASSIGN_OR_RETURN(const Dim dim, extents_.Choose(integers, place));
      return ScalarForm{.dim = dim};
    }
    if (ir::IsFloat(dtype)) {
      for (const Form form : {Form::kValue, Form::kReciprocal, Form::kSqrt, Form::kReciprocalSqrt,
                              Form::kReciprocalSqrtF32, Form::kLog}) {
        // The logarithm of f64 is not computed to the last bit.
        if (form == Form::kReciprocalSqrtF32 && dtype != DType::kF32) continue;
        if (form == Form::kLog && dtype == DType::kF64) continue;
        const bool has_sign = form != Form::kValue && form != Form::kLog;
        const bool has_numerator = has_sign && form != Form::kSqrt;
        for (int64_t numerator = 1; numerator <= kMaxNumerator; ++numerator) {
          if (numerator > 1 && !has_numerator) break;
          if (auto found = SolveAs(form, numerator, values)) return *found;
          if (!has_sign) continue;
          if (auto found = SolveAs(form, -numerator, values)) return *found;
        }
      }
    }
    // The error of the value itself says most.
    Values integers;
    for (const Literal& value : values) {
      const double number = ir::IsFloat(dtype) ? value.GetDouble(0) : NAN;
      if (std::trunc(number) != number || std::abs(number) > kMaxExact) break;
      integers.push_back(static_cast<int64_t>(number));
    }
    if (integers.size() == values.size()) {
      SWAGE_RETURN_IF_ERROR(extents_.Choose(integers, place).status());
    }
    return InvalidArgument(
        "[learn] ", place(), ": got ", Texts(values), ", expected an expression of ",
        extents_.RootsText(),
        ", its reciprocal, its square root, the reciprocal of that, or its logarithm");
  }

  // The expression that gives exactly these bits in this form.
  std::optional<ScalarForm> SolveAs(Form form, int64_t numerator,
                                    absl::Span<const Literal> values) const {
    Values integers;
    for (const Literal& value : values) {
      const double number = value.GetDouble(0);
      const double x = std::round(Invert(form, numerator, number));
      if (!(std::abs(x) <= kMaxExact) || (form != Form::kValue && x <= 0)) return std::nullopt;
      integers.push_back(static_cast<int64_t>(x));
    }
    const StatusOr<Dim> dim = extents_.Choose(integers, [] { return Place(); });
    if (!dim.ok()) return std::nullopt;
    for (size_t i = 0; i < values.size(); ++i) {
      const double made = Apply(form, numerator, static_cast<double>(integers[i]));
      if (Literal::Scalar(values[i].dtype(), made) != values[i]) return std::nullopt;
    }
    return ScalarForm{form, numerator, *dim};
  }

  StatusOr<Instruction*> Emit(const ScalarForm& form, DType dtype) {
    if (form.form == Form::kValue) return sizes_->Value(form.dim, dtype);
    ir::Builder& b = sizes_->builder();
    const DType wide = form.form == Form::kReciprocalSqrtF32 ? DType::kF32 : DType::kF64;
    SWAGE_ASSIGN_OR_RETURN(Instruction * value, sizes_->Value(form.dim, wide));
    if (form.form == Form::kLog) {
      SWAGE_ASSIGN_OR_RETURN(value, b.Unary(Opcode::kLog, value));
    } else if (form.form != Form::kReciprocal) {
      SWAGE_ASSIGN_OR_RETURN(value, b.Unary(Opcode::kSqrt, value));
    }
    if (form.form == Form::kSqrt && form.numerator < 0) {
      SWAGE_ASSIGN_OR_RETURN(value, b.Unary(Opcode::kNegate, value));
    } else if (form.form != Form::kSqrt && form.form != Form::kLog) {
      Instruction* numerator = b.Scalar(wide, static_cast<double>(form.numerator));
      SWAGE_ASSIGN_OR_RETURN(value, b.Binary(Opcode::kDivide, numerator, value));
    }
    return dtype == wide ? value : b.Convert(value, dtype);
  }

  StatusOr<Instruction*> Array(absl::Span<const Literal> literals) {
    SWAGE_ASSIGN_OR_RETURN(Instruction * value, Uniform(literals));
    for (int d = 0; d < shape_.rank() && value == nullptr; ++d) {
      SWAGE_ASSIGN_OR_RETURN(value, CountingUp(literals, d));
    }
    if (value == nullptr) {
      SWAGE_ASSIGN_OR_RETURN(value, ByDiagonal(literals));
    }
    if (value == nullptr) {
      SWAGE_ASSIGN_OR_RETURN(value, Elements(literals));
    }
    if (value == nullptr) {
      SWAGE_ASSIGN_OR_RETURN(value, Beginning(literals));
    }
    if (value != nullptr) return value;
    return InvalidArgument("[learn] ", PlaceHere("literal"), ": got ", Texts(literals),
                           ", expected one value everywhere, numbers that count up by a step, at ",
                           "most ", kMaxElementwise, " elements, or the beginning of one array");
  }

  // One value everywhere, which may vary.
  StatusOr<Instruction*> Uniform(absl::Span<const Literal> literals) {
    std::vector<Literal> values;
    for (const Literal& literal : literals) {
      if (!literal.IsUniform()) return nullptr;
      values.push_back(literal.ElementAt(0));
    }
    SWAGE_ASSIGN_OR_RETURN(Instruction * scalar, Scalar(values, "literal"));
    return sizes_->builder().BroadcastScalar(scalar, shape_.dims());
  }

  StatusOr<Instruction*> CountingUp(absl::Span<const Literal> literals, int d) {
    std::vector<Literal> starts, steps;
    for (const Literal& literal : literals) {
      const std::optional<Progression> found = FindProgression(literal, d);
      if (!found) return nullptr;
      starts.push_back(Literal::Scalar(shape_.dtype(), found->start));
      steps.push_back(Literal::Scalar(shape_.dtype(), found->step));
    }
    ir::Builder& b = sizes_->builder();
    SWAGE_ASSIGN_OR_RETURN(Instruction * value,
                           b.Iota(Shape::Array(shape_.dtype(), shape_.dims()), d));
    Report("literal", literals, "an iota");
    const auto all_are = [](absl::Span<const Literal> values, double number) {
      return std::all_of(values.begin(), values.end(),
                         [&](const Literal& v) { return v.GetDouble(0) == number; });
    };
    if (!all_are(steps, 1)) {
      SWAGE_ASSIGN_OR_RETURN(Instruction * step, Scalar(steps, "step"));
      SWAGE_ASSIGN_OR_RETURN(step, b.BroadcastScalar(step, shape_.dims()));
      SWAGE_ASSIGN_OR_RETURN(value, b.Binary(Opcode::kMultiply, value, step));
    }
    if (!all_are(starts, 0)) {
      SWAGE_ASSIGN_OR_RETURN(Instruction * start, Scalar(starts, "start"));
      SWAGE_ASSIGN_OR_RETURN(start, b.BroadcastScalar(start, shape_.dims()));
      SWAGE_ASSIGN_OR_RETURN(value, b.Binary(Opcode::kAdd, value, start));
    }
    return value;
  }

  // Below, on and above a diagonal of the last two dimensions: three values.
  StatusOr<Instruction*> ByDiagonal(absl::Span<const Literal> literals) {
    const std::optional<Diagonal> found = FindDiagonal(literals);
    if (!found) return nullptr;
    Report("literal", literals, absl::StrCat("by diagonal ", found->offset));
    ir::Builder& b = sizes_->builder();
    const Shape indices = Shape::Array(DType::kS32, shape_.dims());
    SWAGE_ASSIGN_OR_RETURN(Instruction * row, b.Iota(indices, shape_.rank() - 2));
    SWAGE_ASSIGN_OR_RETURN(Instruction * column, b.Iota(indices, shape_.rank() - 1));
    SWAGE_ASSIGN_OR_RETURN(Instruction * diagonal, b.Binary(Opcode::kSubtract, column, row));
    SWAGE_ASSIGN_OR_RETURN(Instruction * offset,
                           b.BroadcastScalar(b.Scalar(DType::kS32, found->offset), shape_.dims()));
    const auto where = [&](ir::CompareDirection direction, const Literal& then,
                           Instruction* otherwise) -> StatusOr<Instruction*> {
      SWAGE_ASSIGN_OR_RETURN(Instruction * is, b.Compare(diagonal, offset, direction));
      SWAGE_ASSIGN_OR_RETURN(Instruction * value,
                             b.BroadcastScalar(b.Constant(then), shape_.dims()));
      return b.Select(is, value, otherwise);
    };
    SWAGE_ASSIGN_OR_RETURN(Instruction * value,
                           b.BroadcastScalar(b.Constant(found->above), shape_.dims()));
    if (found->on != found->above) {
      SWAGE_ASSIGN_OR_RETURN(value, where(ir::CompareDirection::kLe, found->on, value));
    }
    if (found->below != found->on) {
      SWAGE_ASSIGN_OR_RETURN(value, where(ir::CompareDirection::kLt, found->below, value));
    }
    return value;
  }

  // Few elements: each by itself.
  StatusOr<Instruction*> Elements(absl::Span<const Literal> literals) {
    if (!shape_.is_static() || literals[0].element_count() > kMaxElementwise) return nullptr;
    ir::Builder& b = sizes_->builder();
    std::vector<Instruction*> elements;
    for (int64_t i = 0; i < literals[0].element_count(); ++i) {
      std::vector<Literal> values;
      for (const Literal& literal : literals) values.push_back(literal.ElementAt(i));
      SWAGE_ASSIGN_OR_RETURN(Instruction * scalar, Scalar(values, absl::StrCat("element ", i)));
      SWAGE_ASSIGN_OR_RETURN(elements.emplace_back(), b.Reshape(scalar, {Dim(1)}));
    }
    SWAGE_ASSIGN_OR_RETURN(Instruction * row, b.Concatenate(elements, 0));
    return b.Reshape(row, shape_.dims());
  }

  // Each array begins the longest one.
  StatusOr<Instruction*> Beginning(absl::Span<const Literal> literals) {
    const Literal* longest = FindWhole(literals);
    if (longest == nullptr) return nullptr;
    Report("literal", literals, "the beginning of one array");
    ir::Builder& b = sizes_->builder();
    const std::vector<Dim> starts(shape_.rank(), 0);
    return b.Slice(b.Constant(*longest), starts, shape_.dims());
  }

  const Merger& merger_;
  const Extents& extents_;
  LearnReport* const report_;
  const Instructions* all_ = nullptr;
  Shape shape_;
  SizeValues* sizes_ = nullptr;
};

}  // namespace

Status ReplaceLiterals(const Merger& merger, const Extents& extents, LearnReport* report) {
  LiteralSolver solver(merger, extents, report);
  for (const VaryingLiteral& varying : merger.literals()) {
    SWAGE_RETURN_IF_ERROR(solver.Replace(varying));
  }
  return OkStatus();
}

}  // namespace swage::learn
