// File: tools/program_text.h
//
// What an executable does, as text: its steps with the code of their kernels, what they are called
// with, and where everything lies. Executables of equal text run alike, whatever the modules behind
// them say: `swage ab` has nothing to measure then.
#ifndef SWAGE_TOOLS_PROGRAM_TEXT_H_
#define SWAGE_TOOLS_PROGRAM_TEXT_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "codegen/executable.h"

namespace swage::tools {

struct ProgramText {
  std::string text;
  std::vector<std::string>
      kernels;  // sorted: a hash of each step's code and what it is called with
};

// Of a program without open sizes that was compiled in this process, for a CPU or GPU.
StatusOr<ProgramText> TextOf(const codegen::Executable& executable);

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_PROGRAM_TEXT_H_
