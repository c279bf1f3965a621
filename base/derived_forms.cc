#include "base/derived_forms.h"

#include <utility>

namespace swage {

StatusOr<DerivedForms::Form> DerivedForms::Get(std::string_view key,
                                               FunctionRef<StatusOr<Form>()> make) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = forms_.find(key); found != forms_.end()) return found->second;
  SWAGE_ASSIGN_OR_RETURN(Form made, make());
  forms_.emplace(key, made);
  return made;
}

size_t DerivedForms::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return forms_.size();
}

}  // namespace swage
