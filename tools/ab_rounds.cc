#include "tools/ab_rounds.h"

#include <algorithm>
#include <random>
#include <utility>

namespace swage::tools {
namespace {

// All orders are equally likely, up to what 64 bits leave over.
void Shuffle(std::mt19937_64* random, std::vector<int>* sets) {
  for (size_t i = sets->size(); i > 1; --i) std::swap((*sets)[i - 1], (*sets)[(*random)() % i]);
}

class Rounds {
 public:
  Rounds(int others, const RoundsOptions& options, const TimeSet& time)
      : options_(options),
        time_(time),
        plan_(PlanLooks(options.rounds, options.error / others)),
        random_(options.seed),
        times_(others + 2),
        done_(others, false) {
    result_.comparisons.resize(others);
  }

  StatusOr<Measurement> Run() {
    const double start = options_.now();
    double longest = 0;
    while (result_.rounds < options_.rounds && !AllDone()) {
      const double begin = options_.now();
      if (result_.rounds > 0 && begin - start + longest > options_.max_seconds) {
        result_.out_of_time = true;
        break;
      }
      SWAGE_RETURN_IF_ERROR(MeasureOne());
      longest = std::max(longest, options_.now() - begin);
      ++result_.rounds;
      if (options_.progress != nullptr) options_.progress(result_.rounds);
      if (IsLook()) Look();
    }
    if (!IsLook()) Look();
    return std::move(result_);
  }

 private:
  bool AllDone() const { return std::find(done_.begin(), done_.end(), false) == done_.end(); }
  bool IsLook() const {
    return std::binary_search(plan_.rounds.begin(), plan_.rounds.end(), result_.rounds);
  }

  Status MeasureOne() {
    std::vector<int> order = {0, 1};
    for (size_t i = 0; i < done_.size(); ++i) {
      if (!done_[i]) order.push_back(static_cast<int>(i) + 2);
    }
    Shuffle(&random_, &order);
    for (const int set : order) times_[set].emplace_back();
    for (int half = 0; half < 2; ++half) {
      for (const int set : order) {
        SWAGE_ASSIGN_OR_RETURN(times_[set].back()[half], time_(set));
      }
      std::reverse(order.begin(), order.end());
    }
    return OkStatus();
  }

  // Judges every set that has no verdict yet.
  void Look() {
    for (size_t i = 0; i < done_.size(); ++i) {
      if (done_[i]) continue;
      Comparison& comparison = result_.comparisons[i];
      comparison.plain = times_[0];
      comparison.again = times_[1];
      comparison.other = times_[i + 2];
      comparison.judgement = Judge(Contrasts(comparison.plain, comparison.other),
                                   Contrasts(comparison.plain, comparison.again), plan_.error);
      done_[i] = comparison.judgement.verdict != AbVerdict::kNotResolved;
    }
  }

  const RoundsOptions& options_;
  const TimeSet& time_;
  const LookPlan plan_;
  std::mt19937_64 random_;
  std::vector<std::vector<RoundTimes>> times_;  // by set
  std::vector<bool> done_;                      // by set from 2 on
  Measurement result_;
};

}  // namespace

StatusOr<Measurement> MeasureRounds(int others, const RoundsOptions& options, const TimeSet& time) {
  return Rounds(others, options, time).Run();
}

}  // namespace swage::tools
