// File: tests/card_check/program_run.h
//
// A program of the bundle on the card: its memory, its kernels, its results.
//
//   SWAGE_ASSIGN_OR_RETURN(ProgramRun run, ProgramRun::Create(context, program));
//   SWAGE_RETURN_IF_ERROR(run.Load(/*cubins=*/false));
//   SWAGE_RETURN_IF_ERROR(run.Launch());
//   SWAGE_ASSIGN_OR_RETURN(std::string difference, run.Difference());
#ifndef SWAGE_TESTS_CARD_CHECK_PROGRAM_RUN_H_
#define SWAGE_TESTS_CARD_CHECK_PROGRAM_RUN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/cuda/module.h"
#include "tests/card_check/cases.h"

namespace swage::card {

class ProgramRun {
 public:
  // Allocates and fills its buffers; the program must outlive this.
  static StatusOr<ProgramRun> Create(Context& context, const CardProgram& program);

  // The kernels of all launches. `cubins`: linked by the driver first, and loaded as that.
  Status Load(bool cubins);
  // Results hold a pattern that no kernel leaves by chance, and so do the bytes around every
  // buffer.
  Status Reset();
  // Puts every launch into the stream.
  Status Launch();

  // The first result that is not what is expected, or a write outside of a buffer, in words; else
  // empty.
  StatusOr<std::string> Difference();
  // The bytes of a result, at most `limit`.
  StatusOr<std::string> Read(const CardResult& result, int64_t limit) const;

  cuda::CUdeviceptr Address(size_t buffer) const;

  // Of the one kernel that uses most.
  StatusOr<cuda::Function::Resources> Resources() const;
  double load_ms() const { return load_ms_; }
  int64_t cubin_bytes() const { return cubin_bytes_; }

 private:
  struct Parameters {
    std::vector<uint64_t> values;
    std::vector<void*> pointers;
  };

  ProgramRun(Context& context, const CardProgram& program)
      : context_(&context), program_(&program) {}
  Status FillBuffer(size_t i);
  // What surrounds a buffer: nothing on the emulator, which sees every access itself.
  int64_t Guard() const;

  Context* context_;
  const CardProgram* program_;
  std::vector<cuda::DeviceMemory> memory_;
  std::map<uint32_t, std::unique_ptr<cuda::Module>> modules_;
  std::map<uint32_t, cuda::Function> functions_;
  std::vector<Parameters> parameters_;
  double load_ms_ = 0;
  int64_t cubin_bytes_ = 0;
};

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_PROGRAM_RUN_H_
