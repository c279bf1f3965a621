// File: base/fork_gate.h
//
// A fork waits for the compiles that run, so that no lock of theirs, of LLVM's or of a cache's, is
// held in the child by a thread that is not there.
//
//   const CompileSection section;      // no user code in here
#ifndef SWAGE_BASE_FORK_GATE_H_
#define SWAGE_BASE_FORK_GATE_H_

namespace swage {

class CompileSection {
 public:
  CompileSection();
  ~CompileSection();
  CompileSection(const CompileSection&) = delete;
  CompileSection& operator=(const CompileSection&) = delete;
};

}  // namespace swage

#endif  // SWAGE_BASE_FORK_GATE_H_
