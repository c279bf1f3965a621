#include "tests/cases/case_forms.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "tests/compiler/ir/combiners_testing.h"

namespace swage::cases {
namespace {

using ir::DType;
using ir::Literal;
using ir::Shape;

std::string Text(const Shape& shape) { return shape.ToString(/*with_layout=*/false); }

// The same elements, of another type.
std::string Typed(const std::string& dtype, const Shape& shape) {
  Shape typed = shape;
  typed.clear_layout();
  const std::string text = Text(typed);
  return dtype + text.substr(text.find('['));
}

// Of a reduction: exact results and integers are summed as bits.
DType SumType(const Shape& shape, bool exact) {
  return exact || !ir::IsFloat(shape.dtype()) ? DType::kU64 : shape.dtype();
}

// `out` is the reduction of the array `in`, whose text begins with `prefix`.
std::string Reduction(const Shape& shape, bool exact, const std::string& in,
                      const std::string& prefix, std::string* out) {
  const std::string dtype(ir::DTypeName(shape.dtype()));
  const auto name = [&](const char* what) { return absl::StrCat(prefix, what); };
  std::string text;
  Shape array = shape;
  array.clear_layout();
  std::string value = in;
  if (shape.rank() == 0) {
    array = Shape::Array(shape.dtype(), {ir::Dim(1)});
    value = name("row");
    text = absl::StrCat(value, " = ", Text(array), " reshape(", in, ")\n");
  }
  std::string dims, combiner = "checksum_u64", type = "u64", init = "0";
  for (int i = 0; i < array.rank(); ++i) absl::StrAppend(&dims, i == 0 ? "" : ",", i);
  if (ir::IsFloat(shape.dtype()) && !exact) {
    combiner = "largest_" + dtype;
    type = dtype;
    init = "-inf";
  } else if (ir::IsFloat(shape.dtype())) {
    const std::string bits = absl::StrCat("u", ir::DTypeBits(shape.dtype()));
    absl::StrAppend(&text, name("nan"), " = ", Typed("pred", array), " compare(", value, ", ",
                    value, "), direction=NE\n");
    absl::StrAppend(&text, name("bits"), " = ", Typed(bits, array), " bitcast-convert(", value,
                    ")\n");
    absl::StrAppend(&text, name("zero"), " = ", bits, "[] constant(0)\n");
    absl::StrAppend(&text, name("zeros"), " = ", Typed(bits, array), " broadcast(", name("zero"),
                    "), dimensions={}\n");
    absl::StrAppend(&text, name("kept"), " = ", Typed(bits, array), " select(", name("nan"), ", ",
                    name("zeros"), ", ", name("bits"), ")\n");
    absl::StrAppend(&text, name("wide"), " = ", Typed("u64", array), " convert(", name("kept"),
                    ")\n");
    value = name("wide");
  } else {
    absl::StrAppend(&text, name("wide"), " = ", Typed("u64", array), " convert(", value, ")\n");
    value = name("wide");
  }
  absl::StrAppend(&text, name("init"), " = ", type, "[] constant(", init, ")\n");
  absl::StrAppend(&text, name("sum"), " = ", type, "[] reduce(", value, ", ", name("init"),
                  "), dimensions={", dims, "}, to_apply=", combiner, "\n");
  *out = name("sum");
  return text;
}

std::string Combiners() {
  std::string text = ir::Combiner("checksum_u64", "u64", "add");
  for (const char* dtype : {"f8e4m3fn", "f8e5m2", "f16", "bf16", "f32", "f64"}) {
    text += ir::Combiner(absl::StrCat("largest_", dtype), dtype, "maximum");
  }
  return text;
}

StatusOr<Literal> Evaluated(const std::string& entry, const Literal& argument) {
  SWAGE_ASSIGN_OR_RETURN(const auto module,
                         ir::ParseHlo(absl::StrCat("HloModule m\n", Combiners(),
                                                   "ENTRY main {\nx = ", Text(argument.shape()),
                                                   " parameter(0)\n", entry, "}\n")));
  return evaluator::Evaluate(*module, {argument});
}

const char* Inverse(const Shape& shape) { return shape.dtype() == DType::kPred ? "not" : "negate"; }

bool IsExact(const tools::Tolerance& tolerance) {
  return tolerance.rtol == 0 && tolerance.atol == 0;
}

// The maximum of results may be as far off as any of them.
tools::Tolerance OfMaximum(const tools::Tolerance& tolerance, const Literal& values) {
  double largest = 0;
  for (int64_t i = 0; i < values.element_count(); ++i) {
    const double value = std::abs(values.GetDouble(i));
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  return {.rtol = tolerance.rtol, .atol = tolerance.atol + tolerance.rtol * largest};
}

// `larger->hlo` calls the case with arguments that are negated again.
Status AddBody(const Case& original, const ir::Module& module, Case* larger) {
  const std::string body =
      absl::StrReplaceAll(original.hlo, {{"HloModule m\n", ""}, {"ENTRY main", "the_case"}});
  larger->hlo = absl::StrCat("HloModule m\n", Combiners(), body, "\nENTRY main {\n");
  std::string operands;
  for (size_t i = 0; i < original.args.size(); ++i) {
    const Shape& shape = module.entry()->parameter(static_cast<int>(i))->shape();
    SWAGE_ASSIGN_OR_RETURN(
        larger->args.emplace_back(),
        Evaluated(absl::StrCat("ROOT r = ", Text(shape), " ", Inverse(shape), "(x)\n"),
                  original.args[i]));
    absl::StrAppend(&larger->hlo, "argument", i, " = ", Text(shape), " parameter(", i, ")\nbefore",
                    i, " = ", Text(shape), " ", Inverse(shape), "(argument", i, ")\n");
    absl::StrAppend(&operands, i == 0 ? "" : ", ", "before", i);
  }
  absl::StrAppend(&larger->hlo, "result = ", Text(module.entry()->root()->shape()), " call(",
                  operands, "), to_apply=the_case\n");
  return OkStatus();
}

}  // namespace

StatusOr<Case> InLargerProgram(const Case& original, bool keep_results) {
  SWAGE_ASSIGN_OR_RETURN(const auto module, ir::ParseHlo(original.hlo, "case.hlo"));
  Case larger;
  SWAGE_RETURN_IF_ERROR(AddBody(original, *module, &larger));
  const Shape root = module->entry()->root()->shape();
  std::string types, names;
  const auto add = [&](const std::string& type, const std::string& name, const Literal& expected,
                       const tools::Tolerance& tolerance) {
    absl::StrAppend(&types, types.empty() ? "" : ", ", type);
    absl::StrAppend(&names, names.empty() ? "" : ", ", name);
    larger.expected.push_back(expected);
    larger.tolerances.push_back(tolerance);
  };
  for (size_t i = 0; i < original.expected.size(); ++i) {
    const Shape& leaf = original.expected[i].shape();
    std::string name = "result";
    if (root.is_tuple()) {
      name = absl::StrCat("leaf", i);
      absl::StrAppend(&larger.hlo, name, " = ", Text(leaf), " get-tuple-element(result), index=", i,
                      "\n");
    }
    const bool exact = IsExact(original.tolerances[i]);
    if (keep_results) add(Text(leaf), name, original.expected[i], original.tolerances[i]);
    const std::string type(ir::DTypeName(SumType(leaf, exact)));
    std::string sum, wanted;
    larger.hlo += Reduction(leaf, exact, name, absl::StrCat("of", i, "_"), &sum);
    std::string entry = Reduction(leaf, exact, "x", "of_", &wanted);
    absl::StrAppend(&entry, "ROOT r = (", type, "[]) tuple(", wanted, ")\n");
    SWAGE_ASSIGN_OR_RETURN(const Literal of_expected, Evaluated(entry, original.expected[i]));
    const Literal& value = of_expected.elements()[0];
    add(Text(value.shape()), sum, value,
        exact ? tools::Tolerance() : OfMaximum(original.tolerances[i], original.expected[i]));
  }
  absl::StrAppend(&larger.hlo, "ROOT all = (", types, ") tuple(", names, ")\n}\n");
  return larger;
}

std::string WithDimension(const std::string& text, const std::string& first,
                          const std::string& rest) {
  std::string out;
  bool seen = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_dimension = text[i] == 'N' && i > 0 &&
                              (text[i - 1] == '[' || text[i - 1] == ',') && i + 1 < text.size() &&
                              (text[i + 1] == ']' || text[i + 1] == ',');
    if (!is_dimension) {
      out += text[i];
      continue;
    }
    out += seen ? rest : first;
    seen = true;
  }
  return out;
}

}  // namespace swage::cases
