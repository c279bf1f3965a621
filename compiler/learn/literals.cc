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
constexpr int kMaxFactor = 8;

// What a float is of an expression of sizes. Computed in f64 and rounded once, as Python does; of
// an f32 also the reciprocal of a root that was rounded to f32.
enum class Function { kNone, kSqrt, kLog };
struct Form {
  Function function = Function::kNone;
  bool reciprocal = false;
  bool in_f32 = false;

  // Whether it may be negated: a value is an expression itself, and so is what has a logarithm.
  bool has_sign() const { return reciprocal || function == Function::kSqrt; }
};
constexpr Form kForms[] = {
    {},
    {.reciprocal = true},
    {.function = Function::kSqrt},
    {.function = Function::kSqrt, .reciprocal = true},
    {.function = Function::kSqrt, .reciprocal = true, .in_f32 = true},
    {.function = Function::kLog},
};

struct ScalarForm {
  Form form = {};
  int64_t factor = 1;  // over the rest in a reciprocal, else the sign
  Dim dim;

  std::string ToString() const {
    std::string text = dim.ToString();
    if (form.function == Function::kSqrt) text = absl::StrCat("sqrt(", text, ")");
    if (form.function == Function::kLog) text = absl::StrCat("log(", text, ")");
    if (!form.reciprocal) return absl::StrCat(factor < 0 ? "-" : "", text);
    if (form.function == Function::kNone) text = absl::StrCat("(", text, ")");
    return absl::StrCat(factor, "/", text);
  }
};

// As the instructions compute it.
template <typename Float>
Float Apply(const Form& form, Float factor, Float x) {
  if (form.function == Function::kSqrt) x = std::sqrt(x);
  if (form.function == Function::kLog) x = std::log(x);
  return form.reciprocal ? factor / x : factor * x;
}

double Apply(const Form& form, int64_t factor, int64_t x) {
  if (form.in_f32) return Apply(form, static_cast<float>(factor), static_cast<float>(x));
  return Apply(form, static_cast<double>(factor), static_cast<double>(x));
}

// The x for which Apply gives about `value`.
double Invert(const Form& form, double factor, double value) {
  const double x = form.reciprocal ? factor / value : value / factor;
  if (form.function == Function::kSqrt) return x * x;
  return form.function == Function::kLog ? std::exp(x) : x;
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
    std::vector<std::string> texts;
    for (const Literal& literal : literals) {
      std::string& text = texts.emplace_back(literal.ToString());
      if (text.size() > 60) text = text.substr(0, 57) + "...";
    }
    return ListText(texts);
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
      for (const Form& form : kForms) {
        // The logarithm of f64 is not computed to the last bit.
        if (form.in_f32 && dtype != DType::kF32) continue;
        if (form.function == Function::kLog && dtype == DType::kF64) continue;
        for (int64_t factor = 1; factor <= (form.reciprocal ? kMaxFactor : 1); ++factor) {
          if (auto found = SolveAs(form, factor, values)) return *found;
          if (!form.has_sign()) continue;
          if (auto found = SolveAs(form, -factor, values)) return *found;
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
  std::optional<ScalarForm> SolveAs(const Form& form, int64_t factor,
                                    absl::Span<const Literal> values) const {
    Values integers;
    for (const Literal& value : values) {
      const double x = std::round(Invert(form, static_cast<double>(factor), value.GetDouble(0)));
      const bool positive = form.reciprocal || form.function != Function::kNone;
      if (!(std::abs(x) <= kMaxExact) || (positive && x <= 0)) return std::nullopt;
      integers.push_back(static_cast<int64_t>(x));
    }
    const StatusOr<Dim> dim = extents_.Choose(integers, [] { return Place(); });
    if (!dim.ok()) return std::nullopt;
    for (size_t i = 0; i < values.size(); ++i) {
      const double made = Apply(form, factor, integers[i]);
      if (Literal::Scalar(values[i].dtype(), made) != values[i]) return std::nullopt;
    }
    return ScalarForm{form, factor, *dim};
  }

  StatusOr<Instruction*> Emit(const ScalarForm& scalar, DType dtype) {
    const Form& form = scalar.form;
    if (!form.reciprocal && form.function == Function::kNone) {
      return sizes_->Value(scalar.dim, dtype);
    }
    ir::Builder& b = sizes_->builder();
    const DType wide = form.in_f32 ? DType::kF32 : DType::kF64;
    SWAGE_ASSIGN_OR_RETURN(Instruction * value, sizes_->Value(scalar.dim, wide));
    if (form.function != Function::kNone) {
      const Opcode function = form.function == Function::kLog ? Opcode::kLog : Opcode::kSqrt;
      SWAGE_ASSIGN_OR_RETURN(value, b.Unary(function, value));
    }
    if (form.reciprocal) {
      Instruction* factor = b.Scalar(wide, static_cast<double>(scalar.factor));
      SWAGE_ASSIGN_OR_RETURN(value, b.Binary(Opcode::kDivide, factor, value));
    } else if (scalar.factor < 0) {
      SWAGE_ASSIGN_OR_RETURN(value, b.Unary(Opcode::kNegate, value));
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
    return InvalidArgument(
        "[learn] ", PlaceHere("literal"), ": got ", Texts(literals),
        ", expected one value everywhere, numbers that count up by a step, three ",
        "values by diagonals, at most ", kMaxElementwise,
        " elements, or the beginning of one array");
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
