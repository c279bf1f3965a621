#include "runtime/backend.h"

#include "base/nearest.h"
#include "runtime/cpu_backend.h"
#include "runtime/evaluator_executable.h"

namespace swage::runtime {
namespace {

constexpr Backend kBackends[] = {
    {"cpu", CompileForCpu},
    {"evaluator", CompileForEvaluator},
};

}  // namespace

std::span<const Backend> Backends() { return kBackends; }

StatusOr<const Backend*> FindBackend(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Backend& backend : kBackends) {
    if (backend.name == name) return &backend;
    names.push_back(backend.name);
  }
  std::string expected;
  for (std::string_view known : names) {
    absl::StrAppend(&expected, expected.empty() ? "" : " or ", ToAbsl(known));
  }
  return NotFound("[device] got '", ToAbsl(name), "', expected ", expected,
                  DidYouMean(name, names));
}

}  // namespace swage::runtime
