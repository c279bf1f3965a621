// HLO text: whatever parses prints to text that parses to an equal module. Nothing crashes on any
// bytes, the verifier and the fingerprint included.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compiler/ir/fingerprint.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/printer.h"
#include "compiler/ir/verifier.h"

namespace {

void Require(bool holds, std::string_view what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%.*s\n%s\n", static_cast<int>(what.size()), what.data(), detail.c_str());
  std::abort();
}

void CheckRoundTrip(const swage::ir::Module& module, bool verbose) {
  swage::ir::PrintOptions print;
  print.percent = print.signatures = print.operand_shapes = verbose;
  const std::string text = swage::ir::ToText(module, print);
  swage::ir::ParseOptions parse;
  parse.verify = false;
  auto again = swage::ir::ParseHlo(text, parse);
  Require(again.ok(),
          "printed text does not parse:", std::string(again.status().message()) + "\n" + text);
  std::string why;
  Require(swage::ir::ModulesEqual(module, **again, &why),
          "printed text is another module:", why + "\n" + text);
  Require(swage::ir::Fingerprint(module) == swage::ir::Fingerprint(**again),
          "printed text has another fingerprint:", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  swage::ir::ParseOptions options;
  options.verify = false;
  auto module = swage::ir::ParseHlo(text, options);
  if (!module.ok()) {
    Require(module.status().code() == absl::StatusCode::kInvalidArgument ||
                module.status().code() == absl::StatusCode::kResourceExhausted,
            "an error of ours:", std::string(module.status().message()));
    return 0;
  }
  CheckRoundTrip(**module, false);
  CheckRoundTrip(**module, true);
  swage::Status verified = swage::ir::Verify(**module);
  verified.IgnoreError();
  return 0;
}
