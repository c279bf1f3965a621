// LearnSymbolic on two programs, cut apart at the first line of dashes: whatever they are, an error
// or a program that verifies, prints as text that is read back, and gives what both programs give.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/parser.h"
#include "compiler/ir/verifier.h"
#include "compiler/learn/learn.h"

namespace {

using swage::ir::Literal;
using swage::ir::Module;

void Require(bool holds, std::string_view what, const std::string& detail) {
  if (holds) return;
  std::fprintf(stderr, "%.*s\n%s\n", static_cast<int>(what.size()), what.data(), detail.c_str());
  std::abort();
}

// Arguments of array parameters, numbers of both signs; none where there are too many elements.
std::vector<Literal> ArgumentsOf(const Module& module) {
  constexpr int64_t kMaxElements = 4096;
  std::vector<Literal> arguments;
  for (const swage::ir::Instruction* parameter : module.entry()->parameters()) {
    const swage::ir::Shape& shape = parameter->shape();
    if (!shape.is_array() || swage::ir::IsComplex(shape.dtype())) return {};
    const auto count = shape.NumElements();
    if (!count.ok() || *count > kMaxElements) return {};
    auto literal = Literal::Create(shape);
    if (!literal.ok()) return {};
    for (int64_t i = 0; i < *count; ++i) {
      const double number = static_cast<double>(i * 7 % 11) - 3.5;
      literal->SetBits(i, Literal::Scalar(shape.dtype(), number).GetBits(0));
    }
    arguments.push_back(*std::move(literal));
  }
  return arguments;
}

void CheckSame(const Module& learned, const Module& lowering) {
  const std::vector<Literal> arguments = ArgumentsOf(lowering);
  if (arguments.size() != lowering.entry()->parameters().size()) return;
  const swage::evaluator::Options limits = {.max_time_ms = 200, .max_bytes = 64 << 20};
  const auto want = swage::evaluator::Evaluate(lowering, arguments, limits);
  if (!want.ok()) return;
  const auto got = swage::evaluator::Evaluate(learned, arguments, limits);
  if (got.status().code() == absl::StatusCode::kResourceExhausted) return;
  Require(got.ok(), "the learned program fails:",
          std::string(got.status().message()) + "\n" + learned.ToString() + lowering.ToString());
  Require(
      *got == *want, "the learned program gives something else:",
      got->ToString() + "\n" + want->ToString() + "\n" + learned.ToString() + lowering.ToString());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kCut = "\n----\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = text.find(kCut);
  if (cut == text.npos) return 0;
  const auto first = swage::ir::ParseHlo(text.substr(0, cut));
  const auto second = swage::ir::ParseHlo(text.substr(cut + kCut.size()));
  if (!first.ok() || !second.ok()) return 0;
  const auto learned = swage::learn::LearnSymbolic({first->get(), second->get()});
  if (!learned.ok()) {
    Require(learned.status().code() != absl::StatusCode::kInternal,
            "an error of ours:", std::string(learned.status().message()));
    return 0;
  }
  const Module& module = *learned->module;
  Require(swage::ir::Verify(module).ok(), "not verified:", module.ToString());
  Require(swage::ir::ParseHlo(module.ToString()).ok(), "does not parse:", module.ToString());
  CheckSame(module, **first);
  CheckSame(module, **second);
  return 0;
}
