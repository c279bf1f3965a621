// File: codegen/cpu/specialise.h
//
// Hot kernels with their sizes baked in.
//
// Kernels take their extents at run time, so that a new length needs no LLVM. Where rows or tasks
// are short that has a price. A kernel that has run so long that even a generous guess of what
// baking would save exceeds what a compile costs is compiled again on a background thread, both are
// timed against each other, and the baked one takes the step over if
//
//   - it is at least 15 % faster,
//   - what it saves in as much time as was spent so far exceeds what the compile took: the best
//     guess of the time to come is the time gone by,
//   - and it wrote the same bits.
//
// HotSteps (hot_steps.h) finds what is hot. Here are the rules, the trial, its thread and counters.
//
// The thread starts with the first trial; few trials wait, further ones are put off. One whose
// program is gone ends. At exit the trial under way is waited for (a compile), others are dropped;
// fork() waits for a compile under way, too, and a child drops the parent's.
#ifndef SWAGE_CODEGEN_CPU_SPECIALISE_H_
#define SWAGE_CODEGEN_CPU_SPECIALISE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "codegen/cpu/kernel_timer.h"
#include "codegen/emit/schedule.h"
#include "codegen/entry_store.h"

namespace swage::cpu {

// How steps are specialised. What is not the store is replaced by tests only.
struct Specialisation {
  // Where baked kernels are looked for and kept; null: nowhere.
  codegen::EntryStore* (*store)() = nullptr;
  // A clock, in nanoseconds.
  int64_t (*now)() = [] {
    return static_cast<int64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                std::chrono::nanoseconds(1));
  };
  StatusOr<KernelTimes> (*measure)(const KernelVersion&, const KernelVersion&,
                                   const ir::Computation&,
                                   const std::atomic<bool>& stop) = &TimeInTurns;
};

// At least this much faster, as a ratio of times.
inline constexpr double kLeastGain = 1.15;
// The most that baking saves of any kernel's time, about.
inline constexpr double kMostSaving = 0.5;
// A compile whose time is not known.
inline constexpr double kUsualCompileNanoseconds = 10e6;

// The most that baking saves of a kernel of this schedule that runs for so long.
double PlausibleSaving(emit::Schedule schedule, double ns_per_run);
// Whether a trial is worth its compile, as far as one can know before.
bool IsWorthTrying(double spent_ns, double plausible_saving, double compile_ns);

enum class Verdict : uint8_t {
  kSpecialised,
  kTooSmall,  // a saving
  kNotWorth,  // the compile, yet
  kFailed,    // it could not be made or timed, or it computes other bits
};
Verdict Judge(const KernelTimes& times, double spent_ns, double compile_ns);

struct SpecialiseStats {
  int64_t specialised = 0;  // trials by their end
  int64_t too_small = 0;
  int64_t not_worth = 0;
  int64_t failed = 0;
  int64_t dropped = 0;  // the program was gone, or too many waited
};
SpecialiseStats specialise_stats();

// HLO text of a fusion's computation as a kernel keeps it, to make a baked one of it later. Empty
// for a fusion that is not worth it: a large one, or one with large constants.
std::string SourceText(const ir::Computation& fusion);

class HotSteps;
// Queues the trial of one group of steps. False when too many wait.
bool QueueTrial(const std::shared_ptr<HotSteps>& steps, int group);
// Whether no trial waits or runs any more, within the time.
bool FlushTrials(std::chrono::milliseconds timeout);

}  // namespace swage::cpu

#endif  // SWAGE_CODEGEN_CPU_SPECIALISE_H_
