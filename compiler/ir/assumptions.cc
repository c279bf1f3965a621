#include "compiler/ir/assumptions.h"

#include <algorithm>

namespace swage::ir {
namespace {

thread_local Assumptions* innermost = nullptr;

bool CanAssume(Dim a, Dim b) {
  return innermost != nullptr && !a.is_poisoned() && !b.is_poisoned();
}

}  // namespace

Assumptions::Assumptions() : below_(innermost) { innermost = this; }
Assumptions::~Assumptions() { innermost = below_; }

bool AssumptionScope::AssumeAtMost(Dim less, Dim more, std::string_view what) {
  const bool known = std::any_of(made_.begin(), made_.end(), [&](const Assumption& one) {
    return one.less == less && one.more == more;
  });
  if (!known) made_.push_back({less, more, std::string(what)});
  return true;
}

bool AssumeEqual(Dim a, Dim b, std::string_view what) {
  return CanAssume(a, b) && innermost->AssumeEqual(a, b, what);
}

bool AssumeAtMost(Dim less, Dim more, std::string_view what) {
  return CanAssume(less, more) && innermost->AssumeAtMost(less, more, what);
}

Status CheckAssumptions(absl::Span<const Assumption> assumptions, const SymbolBinding& sizes) {
  for (const Assumption& one : assumptions) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t less, one.less.Evaluate(sizes));
    SWAGE_ASSIGN_OR_RETURN(const int64_t more, one.more.Evaluate(sizes));
    if (less <= more) continue;
    return InvalidArgument("[shapes] ", ToAbsl(one.what), ": ", one.less.ToString(), " is ", less,
                           ", expected at most ", one.more.ToString(), ", which is ", more);
  }
  return OkStatus();
}

}  // namespace swage::ir
