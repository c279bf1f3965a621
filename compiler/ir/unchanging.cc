#include "compiler/ir/unchanging.h"

#include <algorithm>

namespace swage::ir {
namespace {

const RawAttributes::value_type& Mark() {
  static const auto* const mark =
      new RawAttributes::value_type("frontend_attributes", "{swage_unchanging=\"true\"}");
  return *mark;
}

}  // namespace

void MarkUnchanging(Instruction* parameter) {
  if (!IsUnchanging(*parameter)) parameter->mutable_raw_attributes()->push_back(Mark());
}

bool IsUnchanging(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kParameter) return false;
  const RawAttributes& raw = instruction.raw_attributes();
  return std::find(raw.begin(), raw.end(), Mark()) != raw.end();
}

}  // namespace swage::ir
