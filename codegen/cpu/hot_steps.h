// File: codegen/cpu/hot_steps.h
//
// Finds the steps of one executable that are worth specialising (specialise.h), and exchanges their
// kernels.
//
// Steps that run one kernel with the same dims are one group. Now and then a run is timed step by
// step and stands for the runs since; what a group has spent is its runs times its fastest timed
// run, so that a run that was interrupted does not count as hot.
//
// One mutex guards all of it. Runs only try it, and only those that are timed.
#ifndef SWAGE_CODEGEN_CPU_HOT_STEPS_H_
#define SWAGE_CODEGEN_CPU_HOT_STEPS_H_

#include <sys/types.h>

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "codegen/cpu/kernel_version.h"
#include "codegen/cpu/specialise.h"

namespace swage::cpu {

struct Step;

class HotSteps : public std::enable_shared_from_this<HotSteps> {
 public:
  // Null when no step can be specialised. `steps` stay where they are until Detach.
  static std::shared_ptr<HotSteps> Create(std::vector<Step>* steps, const Specialisation& how);

  // The steps go away.
  void Detach();

  // Whether runs are still to be timed.
  bool watching() const { return watching_.load(std::memory_order_relaxed); }
  int64_t Now() const { return how_.now(); }
  // A timed run, which stands for `runs`: what each step took, and what reading the clock took.
  void Add(int64_t runs, int64_t clock_ns, absl::Span<const int64_t> step_ns);

  // What a trial needs; nullopt when the steps are gone.
  struct Candidate {
    KernelVersion version;
    std::string name;  // of the first step
    double ns_per_run = 0;
    double spent_ns = 0;
    double compile_ns = 0;  // expected, or what an earlier trial took
  };
  std::optional<Candidate> CandidateOf(int group) const;
  bool attached() const;  // the steps are there
  // The time spent so far, if a run takes no longer than this.
  double SpentOf(int group, double most_ns_per_run) const;

  // The end of a trial. kSpecialised: all steps of the group take `version`. kNotWorth: it will be
  // tried again when it may be.
  struct Outcome {
    Verdict verdict;
    double compile_ns = 0;
    double saving = 0;                                            // of the time
    double ns_per_run = std::numeric_limits<double>::infinity();  // as the trial measured it
    std::shared_ptr<const KernelVersion> version;
  };
  // False when the steps are gone.
  bool Settle(int group, const Outcome& outcome);

  const Specialisation& how() const { return how_; }
  int64_t memory_bytes() const;

 private:
  struct Group {
    std::vector<int> steps;
    double compile_ns = kUsualCompileNanoseconds;
    double try_at_ns = 0;  // spent
    int64_t samples = 0;
    double runs = 0;
    double fastest_ns = std::numeric_limits<double>::infinity();  // all steps, and the clock
    double most_ns_per_run = std::numeric_limits<double>::infinity();
    enum class State : uint8_t { kCold, kTried, kDone } state = State::kCold;
  };

  double NsPerRun(const Group& group) const;  // of one step
  double Spent(const Group& group, double ns_per_run) const;
  void TryIfHot(int number);

  HotSteps(std::vector<Step>* steps, const Specialisation& how);

  const Specialisation how_;
  const pid_t process_;
  std::atomic<bool> watching_{true};
  mutable std::mutex mutex_;
  std::vector<Step>* steps_;  // null once they are gone
  std::vector<Group> groups_;
  double clock_ns_ = std::numeric_limits<double>::infinity();
};

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_HOT_STEPS_H_
