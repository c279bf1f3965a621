// File: tests/cases/case_fixture.h
//
// The fixture of tests/cases: numeric cases as HLO text, each run on every device that the binary
// knows, as one program and op by op. Every case runs in many forms, all of which must give the
// same values:
//
// - its inputs as run-time parameters, as constants, which passes may fold, and mixed;
// - compiled a second time, from the kernels that are in memory by then;
// - inside of a larger program (case_forms.h);
// - elementwise cases and those over a dimension N: at several lengths, as programs of open sizes,
//   and padded to a bound with NaN and with large numbers.
//
// Other ways are runs of this binary: without each pass, with buffers at guard pages, over a cache
// on disk and in a new process (CMakeLists.txt).
#ifndef SWAGE_TESTS_CASES_CASE_FIXTURE_H_
#define SWAGE_TESTS_CASES_CASE_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/ir/literal.h"
#include "tests/cases/case_forms.h"
#include "tools/corpus_case.h"
#include "tools/device.h"

namespace swage::cases {

struct Device {
  std::string name;
  tools::RunModule run;
  bool has_open_sizes = true;
  std::vector<tools::RunModule> padded;  // pad to the bounds, each with other padding
};

// Every device under test; a new one is one more entry here.
std::vector<Device> Devices();

// The suffix of a test's name: the device.
std::string DeviceName(const testing::TestParamInfo<Device>& info);

// A literal from its HLO text: Value("f32[2]", "{1, -0}").
ir::Literal Value(const std::string& shape, const std::string& text);

// How far a float result may be from the expected value; exact by default.
using tools::Tolerance;

// One value against what it should be.
void ExpectSame(const ir::Literal& got, const ir::Literal& want, Tolerance tolerance);

class CaseTest : public testing::TestWithParam<Device> {
 protected:
  // Runs a module and returns its results (the leaves of a tuple, one by one).
  std::vector<ir::Literal> Run(const std::string& hlo, const std::vector<ir::Literal>& args);
  StatusOr<std::vector<ir::Literal>> TryRun(const std::string& hlo,
                                            const std::vector<ir::Literal>& args);

  // `hlo` gives `expected`, in every form.
  void Expect(const std::string& hlo, const std::vector<ir::Literal>& args,
              const std::vector<ir::Literal>& expected, Tolerance tolerance = {});
  // The same with a tolerance for each result.
  void Expect(const Case& what);

  // The same of text over a dimension N (case_forms.h), which is n here, also open and padded. The
  // first N is that of a parameter.
  void ExpectSized(const std::string& hlo, int64_t n, const std::vector<ir::Literal>& args,
                   const std::vector<ir::Literal>& expected, Tolerance tolerance = {});

  // The body of an entry computation over parameters p0, p1 ... of `types` and `[N]` elements,
  // whose root is `out_type[N]`; run at several lengths with the given elements repeated.
  //   ExpectElementwise({"f32", "f32"}, {"1, 2", "3, 4"}, "ROOT r = f32[N] add(p0, p1)", "f32", "4,
  //   6");
  void ExpectElementwise(const std::vector<std::string>& types,
                         const std::vector<std::string>& inputs, const std::string& body,
                         const std::string& out_type, const std::string& expected,
                         Tolerance tolerance = {});

 private:
  // As it is, by `run`.
  void ExpectOne(const tools::RunModule& run, const ir::Module& module, const Case& what);
  // As parameters, as constants and mixed.
  void ExpectAlone(const Case& what);
  void ExpectInside(const Case& what);
  void ExpectOpen(const std::string& hlo, int64_t n, const Case& what);
};

}  // namespace swage::cases

#endif  // SWAGE_TESTS_CASES_CASE_FIXTURE_H_
