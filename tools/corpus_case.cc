#include "tools/corpus_case.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.h"
#include "compiler/ir/npy.h"
#include "tools/device.h"

namespace swage::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int64_t kMaxJsonBytes = int64_t{4} << 20;

// Names that stay inside their folder.
bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

StatusOr<ir::Shape> ShapeOf(const Json& array, const std::string& where) {
  const auto dtype_field = array.find("dtype"), shape_field = array.find("shape");
  if (dtype_field == array.end() || !dtype_field->is_string() || shape_field == array.end() ||
      !shape_field->is_array()) {
    return InvalidArgument("[corpus] ", where, ": an array needs 'dtype' and 'shape'");
  }
  const auto dtype = ir::ParseDType(dtype_field->get_ref<const std::string&>());
  if (!dtype.has_value() || *dtype == ir::DType::kToken) {
    return InvalidArgument("[corpus] ", where, ": no dtype '",
                           dtype_field->get_ref<const std::string&>(), "'");
  }
  ir::Dims dims;
  for (const Json& extent : *shape_field) {
    if (!extent.is_number_unsigned() ||
        extent.get<uint64_t>() > static_cast<uint64_t>(ir::kUnbounded - 1)) {
      return InvalidArgument("[corpus] ", where, ": an extent must be an integer from 0 on");
    }
    dims.push_back(ir::Dim(static_cast<int64_t>(extent.get<uint64_t>())));
  }
  ir::Shape shape = ir::Shape::Array(*dtype, absl::MakeConstSpan(dims));
  SWAGE_RETURN_IF_ERROR(shape.Check());
  return shape;
}

StatusOr<ir::Literal> ReadArray(const Json& array, const std::string& dir,
                                const std::string& where) {
  if (!array.is_object()) return InvalidArgument("[corpus] ", where, ": not an object");
  const auto file = array.find("file");
  if (file == array.end() || !file->is_string() ||
      !IsPlainName(file->get_ref<const std::string&>())) {
    return InvalidArgument("[corpus] ", where, ": 'file' must name a file of the case's folder");
  }
  SWAGE_ASSIGN_OR_RETURN(const ir::Shape shape, ShapeOf(array, where));
  return ir::ReadNpy(dir + "/" + file->get_ref<const std::string&>(),
                     {.dtype = shape.dtype(), .shape = shape});
}

StatusOr<double> ReadTolerance(const Json& array, const char* field, const std::string& where) {
  const auto value = array.find(field);
  if (value == array.end()) return 0.0;
  if (!value->is_number() || !(value->get<double>() >= 0) || std::isinf(value->get<double>())) {
    return InvalidArgument("[corpus] ", where, ": '", field, "' must be a number from 0 on");
  }
  return value->get<double>();
}

StatusOr<const Json*> ArraysOf(const Json& json, const char* field, const std::string& path) {
  const auto arrays = json.find(field);
  if (arrays == json.end() || !arrays->is_array()) {
    return InvalidArgument("[corpus] ", path, ": '", field, "' must be an array");
  }
  return &*arrays;
}

bool MatchesNumber(double got, double want, const Tolerance& tolerance) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (std::isinf(want)) return got == want;
  if (tolerance.rtol == 0 && tolerance.atol == 0) {
    return got == want && std::signbit(got) == std::signbit(want);
  }
  return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

bool MatchesAt(const ir::Literal& got, const ir::Literal& want, int64_t i,
               const Tolerance& tolerance) {
  const ir::DType dtype = want.dtype();
  if (ir::IsComplex(dtype)) {
    const std::complex<double> g = got.GetComplex(i), w = want.GetComplex(i);
    return MatchesNumber(g.real(), w.real(), tolerance) &&
           MatchesNumber(g.imag(), w.imag(), tolerance);
  }
  if (ir::IsFloat(dtype)) return MatchesNumber(got.GetDouble(i), want.GetDouble(i), tolerance);
  if (got.GetBits(i) == want.GetBits(i)) return true;
  // Integers: the difference of two 64-bit values needs more than a double's digits.
  const long double difference =
      ir::IsUnsigned(dtype)
          ? static_cast<long double>(got.GetBits(i)) - static_cast<long double>(want.GetBits(i))
          : static_cast<long double>(got.GetInt(i)) - static_cast<long double>(want.GetInt(i));
  return std::abs(difference) <= tolerance.atol + tolerance.rtol * std::abs(want.GetDouble(i));
}

// The row-major position as an index: "[1,2]".
std::string IndexText(const ir::Shape& shape, int64_t position) {
  std::string text = "]";
  for (int d = shape.rank(); d-- > 0;) {
    const int64_t extent = *shape.dim(d).static_value();
    text = std::to_string(position % extent) + (text.size() > 1 ? "," : "") + text;
    position /= extent;
  }
  return "[" + text;
}

}  // namespace

StatusOr<std::vector<std::string>> ListCases(const std::string& dir) {
  std::error_code error;
  if (!fs::is_directory(dir, error)) {
    return NotFound("[corpus] ", dir, " is not a directory");
  }
  std::vector<std::string> names;
  for (fs::directory_iterator group(dir, error), end; !error && group != end;
       group.increment(error)) {
    std::error_code ignored;
    if (!group->is_directory(ignored)) continue;
    for (fs::directory_iterator it(group->path(), error), none; !error && it != none;
         it.increment(error)) {
      if (!fs::exists(it->path() / "case.json", ignored)) continue;
      names.push_back(group->path().filename().string() + "/" + it->path().filename().string());
    }
  }
  if (error) return InvalidArgument("[corpus] cannot list ", dir, ": ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<CorpusCase> ReadCase(const std::string& dir, const std::string& name) {
  const std::string folder = dir + "/" + name, path = folder + "/case.json";
  SWAGE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxJsonBytes));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return InvalidArgument("[corpus] ", path, " is not a JSON object");
  CorpusCase result;
  result.name = name;
  SWAGE_ASSIGN_OR_RETURN(const Json* inputs, ArraysOf(json, "inputs", path));
  for (const Json& input : *inputs) {
    SWAGE_ASSIGN_OR_RETURN(result.inputs.emplace_back(), ReadArray(input, folder, path));
  }
  SWAGE_ASSIGN_OR_RETURN(const Json* outputs, ArraysOf(json, "outputs", path));
  for (const Json& output : *outputs) {
    SWAGE_ASSIGN_OR_RETURN(result.outputs.emplace_back(), ReadArray(output, folder, path));
    Tolerance& tolerance = result.tolerances.emplace_back();
    SWAGE_ASSIGN_OR_RETURN(tolerance.rtol, ReadTolerance(output, "rtol", path));
    SWAGE_ASSIGN_OR_RETURN(tolerance.atol, ReadTolerance(output, "atol", path));
  }
  SWAGE_ASSIGN_OR_RETURN(result.module, LoadModule(folder + "/module.hlo"));
  return result;
}

std::optional<std::string> FindMismatch(const ir::Literal& got, const ir::Literal& want,
                                        const Tolerance& tolerance) {
  if (got.is_tuple() || !ir::Compatible(got.shape(), want.shape())) {
    return absl::StrCat(": got ", got.shape().ToString(false), ", want ",
                        want.shape().ToString(false));
  }
  const absl::Span<const uint8_t> a = got.bytes(), b = want.bytes();
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) return std::nullopt;
  for (int64_t i = 0; i < want.element_count(); ++i) {
    if (MatchesAt(got, want, i, tolerance)) continue;
    const double allowed = tolerance.atol + tolerance.rtol * std::abs(want.GetComplex(i));
    return absl::StrCat(IndexText(want.shape(), i), ": got ", got.ElementAt(i).ToString(),
                        ", want ", want.ElementAt(i).ToString(), ", tol ", allowed);
  }
  return std::nullopt;
}

std::vector<std::string> CompareOutputs(const std::vector<ir::Literal>& got,
                                        const CorpusCase& expected) {
  if (got.size() != expected.outputs.size()) {
    return {absl::StrCat("results: got ", got.size(), ", want ", expected.outputs.size())};
  }
  std::vector<std::string> failures;
  for (size_t i = 0; i < got.size(); ++i) {
    const std::optional<std::string> mismatch =
        FindMismatch(got[i], expected.outputs[i], expected.tolerances[i]);
    if (mismatch.has_value()) failures.push_back(absl::StrCat("out_", i, *mismatch));
  }
  return failures;
}

}  // namespace swage::tools
