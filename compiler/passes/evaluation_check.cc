#include "compiler/passes/evaluation_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "absl/strings/str_join.h"
#include "compiler/evaluator/evaluator.h"

namespace swage::passes {
namespace {

using ir::Dim;
using ir::DType;
using ir::Literal;
using ir::Shape;

// Making larger arguments takes longer than evaluating most modules.
constexpr int64_t kMaxArgumentBytes = int64_t{32} << 20;
constexpr evaluator::Options kLimits = {.max_time_ms = 3000, .max_bytes = int64_t{2} << 30};

// The extent of `dim` where every symbol is 3, or the nearest value in its range.
StatusOr<int64_t> ExtentOf(Dim dim, ir::SymbolBinding* binding) {
  std::vector<const ir::Symbol*> symbols;
  dim.CollectSymbols(&symbols);
  for (const ir::Symbol* symbol : symbols) {
    if (binding->Find(symbol).has_value()) continue;
    SWAGE_RETURN_IF_ERROR(binding->Bind(symbol, std::clamp<int64_t>(3, symbol->min, symbol->max)));
  }
  return dim.Evaluate(*binding);
}

double SpecialFloat(uint64_t choice) {
  static const double kValues[] = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1e-40,
                                   -1e-40,
                                   6e-8,
                                   3e38,
                                   -65504.0,
                                   1.0,
                                   -1.0};
  return kValues[choice % std::size(kValues)];
}

double RandomFloat(std::mt19937_64& random, InputKind kind) {
  if (kind == InputKind::kSpecial && random() % 4 == 0) return SpecialFloat(random());
  return std::uniform_real_distribution<double>(-2.0, 2.0)(random);
}

uint64_t RandomInteger(std::mt19937_64& random, InputKind kind, DType dtype) {
  const int bits = ir::DTypeBits(dtype);
  if (kind == InputKind::kOrdinary || random() % 4 != 0) return random() % 8;
  const uint64_t high = uint64_t{1} << (bits - 1);
  const uint64_t choices[] = {high, high - 1, high - 1 + high, 0, 1};
  return choices[random() % std::size(choices)];
}

// The stored bits of one integer: sign-extended to its byte where it is narrower.
uint64_t StoredBits(DType dtype, uint64_t value) {
  const int bits = ir::DTypeBits(dtype);
  if (bits >= 8) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const bool negative = ir::IsSigned(dtype) && ((value >> (bits - 1)) & 1) != 0;
  return (value & mask) | (negative ? 0xff & ~mask : 0);
}

StatusOr<Literal> RandomArray(const Shape& shape, std::mt19937_64& random, InputKind kind) {
  SWAGE_ASSIGN_OR_RETURN(Literal literal, Literal::Create(shape));
  const DType dtype = shape.dtype();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (dtype == DType::kPred) {
      literal.SetBits(i, random() % 2);
    } else if (ir::IsInteger(dtype)) {
      literal.SetBits(i, StoredBits(dtype, RandomInteger(random, kind, dtype)));
    } else if (dtype == DType::kC64) {
      const std::complex<double> value(RandomFloat(random, kind), RandomFloat(random, kind));
      literal.mutable_data<std::complex<float>>()[i] = std::complex<float>(value);
    } else if (dtype == DType::kC128) {
      const std::complex<double> value(RandomFloat(random, kind), RandomFloat(random, kind));
      literal.mutable_data<std::complex<double>>()[i] = value;
    } else {
      literal.SetBits(i, Literal::Scalar(dtype, RandomFloat(random, kind)).GetBits(0));
    }
  }
  return literal;
}

StatusOr<Literal> RandomLiteral(const Shape& shape, std::mt19937_64& random, InputKind kind,
                                ir::SymbolBinding* binding) {
  if (shape.is_token()) {
    return Unimplemented("[check] a parameter is a token, expected arrays and tuples of them");
  }
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      SWAGE_ASSIGN_OR_RETURN(Literal literal, RandomLiteral(element, random, kind, binding));
      elements.push_back(std::move(literal));
    }
    return Literal::Tuple(std::move(elements));
  }
  Shape fixed = shape;
  fixed.clear_layout();
  for (int i = 0; i < shape.rank(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t extent, ExtentOf(shape.dim(i), binding));
    fixed.set_dim(i, extent);
  }
  return RandomArray(fixed, random, kind);
}

bool SameReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Relative to the largest element: some hundred ULP.
double ToleranceOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kC128:
      return 1e-12;
    case DType::kF32:
    case DType::kC64:
      return 3e-5;
    case DType::kF16:
      return 2e-2;
    default:
      return 0.1;
  }
}

// A NaN or infinity of one must be that of the other.
bool CloseReal(double a, double b, double slack) {
  if (!std::isfinite(a) || !std::isfinite(b)) return SameReal(a, b);
  return std::abs(a - b) <= slack;
}

double LargestFinite(const Literal& literal) {
  double largest = 0;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const std::complex<double> value = literal.GetComplex(i);
    for (double part : {std::abs(value.real()), std::abs(value.imag())}) {
      if (std::isfinite(part)) largest = std::max(largest, part);
    }
  }
  return largest;
}

std::string TextOf(const Literal& literal, int64_t i) { return literal.ElementAt(i).ToString(); }

std::string IndexOf(const Shape& shape, int64_t linear) {
  std::vector<int64_t> index(shape.rank());
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const int64_t extent = shape.dim(d).static_value().value_or(1);
    index[d] = linear % extent;
    linear /= extent;
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

std::optional<std::string> ArrayDifference(const Literal& want, const Literal& got, bool tolerant,
                                           const std::string& where) {
  if (!ir::Compatible(want.shape(), got.shape())) {
    return absl::StrCat(where, " is ", got.shape().ToString(false), ", expected ",
                        want.shape().ToString(false));
  }
  const bool exact = ir::IsInteger(want.dtype()) || want.dtype() == DType::kPred;
  if (want.bytes() == got.bytes()) return std::nullopt;
  const double slack = tolerant && !exact ? ToleranceOf(want.dtype()) * LargestFinite(want) : 0.0;
  for (int64_t i = 0; i < want.element_count(); ++i) {
    bool same;
    if (exact) {
      same = want.GetBits(i) == got.GetBits(i);
    } else {
      const std::complex<double> a = want.GetComplex(i);
      const std::complex<double> b = got.GetComplex(i);
      same = tolerant ? CloseReal(a.real(), b.real(), slack) && CloseReal(a.imag(), b.imag(), slack)
                      : SameReal(a.real(), b.real()) && SameReal(a.imag(), b.imag());
    }
    if (!same) {
      return absl::StrCat(where, IndexOf(want.shape(), i), " is ", TextOf(got, i), ", expected ",
                          TextOf(want, i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> Difference(const Literal& want, const Literal& got, bool tolerant,
                                      const std::string& where) {
  if (want.is_tuple() != got.is_tuple()) return absl::StrCat(where, " has another shape");
  if (!want.is_tuple()) return ArrayDifference(want, got, tolerant, where);
  if (want.elements().size() != got.elements().size()) {
    return absl::StrCat(where, " has ", got.elements().size(), " elements, expected ",
                        want.elements().size());
  }
  for (size_t i = 0; i < want.elements().size(); ++i) {
    auto difference =
        Difference(want.elements()[i], got.elements()[i], tolerant, absl::StrCat(where, ".", i));
    if (difference.has_value()) return difference;
  }
  return std::nullopt;
}

}  // namespace

StatusOr<std::vector<Literal>> RandomArguments(const ir::Module& module, InputKind kind) {
  std::mt19937_64 random(kind == InputKind::kOrdinary ? 1 : 2);
  ir::SymbolBinding binding;
  std::vector<Literal> arguments;
  int64_t bytes = 0;
  for (const ir::Instruction* parameter : module.entry()->parameters()) {
    bytes += parameter->shape().is_static() ? parameter->shape().ByteSize().value_or(0) : 0;
    if (bytes > kMaxArgumentBytes) {
      return ResourceExhausted("[check] the arguments take more than ", kMaxArgumentBytes,
                               " bytes");
    }
    SWAGE_ASSIGN_OR_RETURN(Literal argument,
                           RandomLiteral(parameter->shape(), random, kind, &binding));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::optional<std::string> FirstDifference(const Literal& want, const Literal& got, bool tolerant) {
  return Difference(want, got, tolerant, "result");
}

bool HasFreeAccumulation(const ir::Module& module) {
  for (const ir::Computation* computation : module.Computations()) {
    for (const ir::Instruction* instruction : computation->Instructions()) {
      const ir::Opcode opcode = instruction->opcode();
      if (opcode == ir::Opcode::kDot || opcode == ir::Opcode::kConvolution) return true;
    }
  }
  return false;
}

std::unique_ptr<EvaluationCheck> EvaluationCheck::Start(const ir::Module& module,
                                                        PassContext& context) {
  const bool tolerant = context.options().fast_math || HasFreeAccumulation(module);
  std::unique_ptr<EvaluationCheck> check(new EvaluationCheck(tolerant));
  for (InputKind kind : {InputKind::kOrdinary, InputKind::kSpecial}) {
    StatusOr<std::vector<Literal>> arguments = RandomArguments(module, kind);
    Status status = arguments.status();
    if (status.ok()) {
      StatusOr<Literal> result = evaluator::Evaluate(module, *arguments, kLimits);
      status = result.status();
      if (status.ok()) check->samples_.push_back({std::move(*arguments), std::move(*result)});
    }
    if (!status.ok()) {
      context.Log(Severity::kWarning,
                  absl::StrCat("[check] the passes on module '", module.name(),
                               "' are not checked by evaluation: ", status.message()));
      break;
    }
  }
  return check->samples_.empty() ? nullptr : std::move(check);
}

Status EvaluationCheck::Check(const ir::Module& module, std::string_view pass) {
  for (const Sample& sample : samples_) {
    StatusOr<Literal> result = evaluator::Evaluate(module, sample.arguments, kLimits);
    if (!result.ok()) {
      if (result.status().code() == absl::StatusCode::kResourceExhausted) continue;
      return Internal("[check] after ", ToAbsl(pass), " the module '", module.name(),
                      "' no longer evaluates: ", result.status().message());
    }
    const auto difference = FirstDifference(sample.result, *result, tolerant_);
    if (difference.has_value()) {
      return Internal("[check] ", ToAbsl(pass), " changed what module '", module.name(),
                      "' computes: ", *difference);
    }
  }
  return OkStatus();
}

}  // namespace swage::passes
