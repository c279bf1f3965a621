// File: base/derived_forms.h
//
// DerivedForms: what was made of bytes that never change, kept for as long as they are: weights in
// the order that a library likes best.
//
//   SWAGE_ASSIGN_OR_RETURN(DerivedForms::Form packed,
//                          forms->Get("f32[512,2048] packed", [&] { return Pack(weights); }));
//
// Thread-safe. A form is made once per key; who asks for any form meanwhile waits.
#ifndef SWAGE_BASE_DERIVED_FORMS_H_
#define SWAGE_BASE_DERIVED_FORMS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "base/status.h"

namespace swage {

class DerivedForms {
 public:
  using Form = std::shared_ptr<const void>;

  // What was made under this key; made now if nothing was. An error is not kept. `make` must not
  // ask for a form of the same bytes.
  StatusOr<Form> Get(std::string_view key, FunctionRef<StatusOr<Form>()> make);
  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Form, std::less<>> forms_;
};

}  // namespace swage

#endif  // SWAGE_BASE_DERIVED_FORMS_H_
