// File: tests/emulated_cuda/modifiers.h
//
// The modifiers of one instruction, taken one by one; what is left over at the end is unknown and
// an error, so no modifier is ever ignored by accident.
#ifndef SWAGE_TESTS_EMULATED_CUDA_MODIFIERS_H_
#define SWAGE_TESTS_EMULATED_CUDA_MODIFIERS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tests/emulated_cuda/ptx_module.h"

namespace swage::emulated_cuda {

class Modifiers {
 public:
  explicit Modifiers(const Instruction& instruction)
      : instruction_(instruction), left_(instruction.modifiers) {}

  bool Take(std::string_view name) {
    for (size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] != name) continue;
      left_.erase(left_.begin() + static_cast<long>(i));
      return true;
    }
    return false;
  }

  // The one of `names` that is there, or "".
  std::string TakeOneOf(std::initializer_list<std::string_view> names) {
    for (std::string_view name : names) {
      if (Take(name)) return std::string(name);
    }
    return "";
  }

  // The first type among what is left.
  PtxType TakeType() {
    for (const std::string& name : left_) {
      PtxType type;
      if (!ParseType(name, &type)) continue;
      Take(name);
      return type;
    }
    throw PtxError(instruction_.line,
                   "`" + instruction_.text + "`: there is no type that is known");
  }

  // Throws if something is left.
  void Done() const {
    if (left_.empty()) return;
    throw PtxError(instruction_.line, "`" + instruction_.text + "`: the modifier ." +
                                          left_.front() + " of `" + instruction_.opcode +
                                          "` is not emulated");
  }

 private:
  const Instruction& instruction_;
  std::vector<std::string> left_;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_MODIFIERS_H_
