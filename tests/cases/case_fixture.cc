#include "tests/cases/case_fixture.h"

#include <cstdlib>
#include <utility>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/parser.h"
#include "tools/eager.h"

namespace swage::cases {
namespace {

// Small enough that a case which asks for too much is refused instead of filling the machine.
constexpr int64_t kEvaluatorBytes = int64_t{2} << 30;

StatusOr<std::vector<ir::Literal>> RunOnEvaluator(const ir::Module& module,
                                                  const std::vector<ir::Literal>& args) {
  SWAGE_ASSIGN_OR_RETURN(const ir::Literal result,
                         evaluator::Evaluate(module, args, {.max_bytes = kEvaluatorBytes}));
  return ir::Leaves(result);
}

// Which arguments of a case are constants.
enum class Constant { kNone, kAll, kEven, kOdd };
constexpr std::pair<Constant, const char*> kConstants[] = {
    {Constant::kNone, "arguments as parameters"},
    {Constant::kNone, "arguments as parameters, for the second time"},
    {Constant::kAll, "arguments as constants"},
    {Constant::kEven, "arguments 0, 2 ... as constants"},
    {Constant::kOdd, "arguments 1, 3 ... as constants"}};

bool IsConstant(Constant which, size_t i) {
  return which == Constant::kAll || (which == Constant::kEven && i % 2 == 0) ||
         (which == Constant::kOdd && i % 2 == 1);
}

// Replaces what the entry's parameters are used for by constants; the parameters stay.
Status MakeConstant(Constant which, ir::Module* module, const std::vector<ir::Literal>& args) {
  ir::Computation* entry = module->entry();
  for (size_t i = 0; i < args.size(); ++i) {
    if (!IsConstant(which, i)) continue;
    ir::Instruction* constant = entry->AddConstant(args[i]);
    SWAGE_RETURN_IF_ERROR(entry->parameter(static_cast<int>(i))->ReplaceAllUsesWith(constant));
  }
  return OkStatus();
}

std::vector<std::string> SplitList(const std::string& list) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    items.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// "{a, b, a, b, a}": the elements repeated to `n`.
std::string Tiled(const std::vector<std::string>& items, int64_t n) {
  std::string text = "{";
  for (int64_t i = 0; i < n; ++i) text += (i == 0 ? "" : ", ") + items[i % items.size()];
  return text + "}";
}

tools::RunModule On(const char* device, tools::DeviceOptions options = {}) {
  return tools::RunOn(*tools::FindDevice(device, options));
}

std::vector<tools::RunModule> Padded(const char* device) {
  return {On(device, {.pad = true, .fill = passes::PaddingFill::kNan}),
          On(device, {.pad = true, .fill = passes::PaddingFill::kLarge})};
}

// By way of the cache on disk in CASES_CACHE_DIR. With CASES_WARM set nothing may be missing there.
tools::RunModule OnStored(const char* device) {
  return [device](const ir::Module& module,
                  const std::vector<ir::Literal>& args) -> StatusOr<std::vector<ir::Literal>> {
    static const bool chosen [[maybe_unused]] = [] {
      return ::setenv("SWAGE_CACHE_DIR", std::getenv("CASES_CACHE_DIR"), /*overwrite=*/1) == 0;
    }();
    const bool warm = std::getenv("CASES_WARM") != nullptr;
    const tools::DeviceOptions options{
        .cache = true, .on_compiled = [&](const std::shared_ptr<codegen::Executable>& executable) {
          if (warm) EXPECT_EQ(executable->report().llvm_runs, 0) << "the cache lacks a kernel";
        }};
    return On(device, options)(module, args);
  };
}

}  // namespace

std::vector<Device> Devices() {
  if (std::getenv("CASES_CACHE_DIR") != nullptr) {
    return {{"Cpu", OnStored("cpu")}, {"Cuda", OnStored("cuda")}};
  }
  return {{"Cpu", On("cpu"), true, Padded("cpu")},
          {"CpuBaked", On("cpu", {.baked_dims = true}), false, {}},
          {"CpuOpByOp", tools::RunEagerly(On("cpu")), false, {}},
          {"Cuda", On("cuda"), true, Padded("cuda")},
          {"CudaOpByOp", tools::RunEagerly(On("cuda")), false, {}},
          {"Evaluator", RunOnEvaluator, true, Padded("evaluator")}};
}

std::string DeviceName(const testing::TestParamInfo<Device>& info) { return info.param.name; }

ir::Literal Value(const std::string& shape, const std::string& text) {
  const StatusOr<ir::Shape> parsed = ir::ParseShape(shape);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.status();
    return ir::Literal();
  }
  size_t at = 0;
  StatusOr<ir::Literal> literal = ir::ParseLiteral(text, &at, *parsed);
  if (!literal.ok()) {
    ADD_FAILURE() << literal.status() << " in " << text.substr(0, 200);
    return ir::Literal();
  }
  return *std::move(literal);
}

StatusOr<std::vector<ir::Literal>> CaseTest::TryRun(const std::string& hlo,
                                                    const std::vector<ir::Literal>& args) {
  SWAGE_ASSIGN_OR_RETURN(const std::unique_ptr<ir::Module> module, ir::ParseHlo(hlo, "case.hlo"));
  return GetParam().run(*module, args);
}

std::vector<ir::Literal> CaseTest::Run(const std::string& hlo,
                                       const std::vector<ir::Literal>& args) {
  StatusOr<std::vector<ir::Literal>> got = TryRun(hlo, args);
  if (got.ok()) return *std::move(got);
  ADD_FAILURE() << got.status() << "\n" << hlo;
  return {};
}

void ExpectSame(const ir::Literal& got, const ir::Literal& want, Tolerance tolerance) {
  const std::optional<std::string> mismatch = tools::FindMismatch(got, want, tolerance);
  EXPECT_FALSE(mismatch.has_value()) << *mismatch;
}

void CaseTest::ExpectOne(const tools::RunModule& run, const ir::Module& module, const Case& what) {
  const StatusOr<std::vector<ir::Literal>> got = run(module, what.args);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), what.expected.size());
  for (size_t i = 0; i < what.expected.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    ExpectSame((*got)[i], what.expected[i], what.tolerances[i]);
  }
}

void CaseTest::ExpectAlone(const Case& what) {
  for (const auto& [which, text] : kConstants) {
    const bool differs = which == Constant::kNone ||
                         (which == Constant::kAll && !what.args.empty()) || what.args.size() > 1;
    if (!differs) continue;
    SCOPED_TRACE(text + ("\n" + what.hlo));
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(what.hlo, "case.hlo");
    ASSERT_TRUE(module.ok()) << module.status();
    const Status made = MakeConstant(which, module->get(), what.args);
    ASSERT_TRUE(made.ok()) << made;
    ExpectOne(GetParam().run, **module, what);
    if (HasFailure()) return;
  }
}

void CaseTest::ExpectInside(const Case& what) {
  for (const bool keep_results : {false, true}) {
    const StatusOr<Case> larger = InLargerProgram(what, keep_results);
    ASSERT_TRUE(larger.ok()) << larger.status() << "\n" << what.hlo;
    SCOPED_TRACE("inside of a larger program");
    ExpectAlone(*larger);
    if (HasFailure()) return;
  }
}

void CaseTest::Expect(const Case& what) {
  ExpectAlone(what);
  if (!HasFailure()) ExpectInside(what);
}

void CaseTest::Expect(const std::string& hlo, const std::vector<ir::Literal>& args,
                      const std::vector<ir::Literal>& expected, Tolerance tolerance) {
  Expect(Case{hlo, args, expected, std::vector<Tolerance>(expected.size(), tolerance)});
}

void CaseTest::ExpectOpen(const std::string& hlo, int64_t n, const Case& what) {
  const ir::AssumptionScope sizes_fit;
  if (GetParam().has_open_sizes) {
    const std::string text = WithDimension(hlo, "n", "n");
    SCOPED_TRACE("of open sizes\n" + text);
    const auto module = ir::ParseHlo(text, "case.hlo");
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectOne(GetParam().run, **module, what);
  }
  const int64_t bound = n < 8 ? 8 : n + n / 4 + 1;
  for (const tools::RunModule& padded : GetParam().padded) {
    if (HasFailure()) return;
    const std::string text = WithDimension(hlo, "n<=" + std::to_string(bound), "n");
    SCOPED_TRACE("padded\n" + text);
    const auto module = ir::ParseHlo(text, "case.hlo");
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectOne(padded, **module, what);
  }
}

void CaseTest::ExpectSized(const std::string& hlo, int64_t n, const std::vector<ir::Literal>& args,
                           const std::vector<ir::Literal>& expected, Tolerance tolerance) {
  const Case what{WithDimension(hlo, n), args, expected,
                  std::vector<Tolerance>(expected.size(), tolerance)};
  Expect(what);
  if (!HasFailure()) ExpectOpen(hlo, n, what);
}

void CaseTest::ExpectElementwise(const std::vector<std::string>& types,
                                 const std::vector<std::string>& inputs, const std::string& body,
                                 const std::string& out_type, const std::string& expected,
                                 Tolerance tolerance) {
  std::string hlo = "HloModule m\nENTRY main {\n";
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string number = std::to_string(i);
    hlo += "p" + number + " = " + types[i] + "[N] parameter(" + number + ")\n";
  }
  hlo += body + "\n}\n";
  for (const int64_t n : {1, 3, 7, 8, 9, 16, 17, 31, 33, 1000}) {
    std::vector<ir::Literal> args;
    for (size_t i = 0; i < types.size(); ++i) {
      args.push_back(Value(WithDimension(types[i] + "[N]", n), Tiled(SplitList(inputs[i]), n)));
    }
    const Case what{WithDimension(hlo, n),
                    args,
                    {Value(WithDimension(out_type + "[N]", n), Tiled(SplitList(expected), n))},
                    {tolerance}};
    ExpectAlone(what);
    // Another length changes nothing about what is around it.
    if (!HasFailure() && n == 17) ExpectInside(what);
    if (!HasFailure()) ExpectOpen(hlo, n, what);
    if (HasFailure()) return;
  }
}

}  // namespace swage::cases
