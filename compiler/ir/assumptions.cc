#include "compiler/ir/assumptions.h"

#include <algorithm>

namespace swage::ir {
namespace {

thread_local AssumptionScope* innermost = nullptr;

}  // namespace

AssumptionScope::AssumptionScope() : below_(innermost) { innermost = this; }
AssumptionScope::~AssumptionScope() { innermost = below_; }

bool Assume(Dim less, Dim more, std::string_view what) {
  if (innermost == nullptr) return false;
  std::vector<Assumption>& made = innermost->made_;
  const bool known = std::any_of(made.begin(), made.end(), [&](const Assumption& one) {
    return one.less == less && one.more == more;
  });
  if (!known) made.push_back({less, more, std::string(what)});
  return true;
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
