// File: runtime/fork_gate.h
//
// A fork waits for the compiles that run, so that no lock of theirs, of LLVM's or of a cache's, is
// held in the child by a thread that is not there.
//
//   const CompileSection section;      // no user code in here
#ifndef SWAGE_RUNTIME_FORK_GATE_H_
#define SWAGE_RUNTIME_FORK_GATE_H_

namespace swage::runtime {

class CompileSection {
 public:
  CompileSection();
  ~CompileSection();
  CompileSection(const CompileSection&) = delete;
  CompileSection& operator=(const CompileSection&) = delete;
};

}  // namespace swage::runtime

#endif  // SWAGE_RUNTIME_FORK_GATE_H_
