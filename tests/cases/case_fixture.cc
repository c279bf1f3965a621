#include "tests/cases/case_fixture.h"

#include <utility>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"

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

// Replaces what the entry's parameters are used for by constants; the parameters stay.
Status MakeConstant(ir::Module* module, const std::vector<ir::Literal>& args) {
  ir::Computation* entry = module->entry();
  for (size_t i = 0; i < args.size(); ++i) {
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

std::string WithLength(std::string text, int64_t n) {
  const std::string length = "[" + std::to_string(n) + "]";
  for (size_t at; (at = text.find("[N]")) != std::string::npos;) text.replace(at, 3, length);
  return text;
}

}  // namespace

std::vector<Device> Devices() {
  return {{"Cpu", tools::RunOn(*tools::FindDevice("cpu"))},
          {"Cuda", tools::RunOn(*tools::FindDevice("cuda"))},
          {"Evaluator", RunOnEvaluator}};
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

void CaseTest::Expect(const std::string& hlo, const std::vector<ir::Literal>& args,
                      const std::vector<ir::Literal>& expected, Tolerance tolerance) {
  for (const bool constant : {false, true}) {
    SCOPED_TRACE((constant ? "arguments as constants\n" : "arguments as parameters\n") + hlo);
    StatusOr<std::unique_ptr<ir::Module>> module = ir::ParseHlo(hlo, "case.hlo");
    ASSERT_TRUE(module.ok()) << module.status();
    if (constant) {
      const Status made = MakeConstant(module->get(), args);
      ASSERT_TRUE(made.ok()) << made;
    }
    const StatusOr<std::vector<ir::Literal>> got = GetParam().run(**module, args);
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) ExpectSame((*got)[i], expected[i], tolerance);
    if (HasFailure()) return;
  }
}

void CaseTest::ExpectElementwise(const std::vector<std::string>& types,
                                 const std::vector<std::string>& inputs, const std::string& body,
                                 const std::string& out_type, const std::string& expected,
                                 Tolerance tolerance) {
  for (const int64_t n : {1, 3, 7, 8, 9, 16, 17, 31, 33, 1000}) {
    std::string hlo = "HloModule m\nENTRY main {\n";
    std::vector<ir::Literal> args;
    for (size_t i = 0; i < types.size(); ++i) {
      const std::string number = std::to_string(i);
      hlo += "p" + number + " = " + types[i] + "[N] parameter(" + number + ")\n";
      args.push_back(Value(WithLength(types[i] + "[N]", n), Tiled(SplitList(inputs[i]), n)));
    }
    hlo += body + "\n}\n";
    Expect(WithLength(hlo, n), args,
           {Value(WithLength(out_type + "[N]", n), Tiled(SplitList(expected), n))}, tolerance);
    if (HasFailure()) return;
  }
}

}  // namespace swage::cases
