// File: tests/card_check/timing.h
//
// Times by events: three warm-ups, ten runs, median and spread.
//
//   SWAGE_ASSIGN_OR_RETURN(const Times times, Time(context, [&] { return run.Launch(); }));
#ifndef SWAGE_TESTS_CARD_CHECK_TIMING_H_
#define SWAGE_TESTS_CARD_CHECK_TIMING_H_

#include <string>

#include "base/function_ref.h"
#include "tests/card_check/cases.h"
#include "tests/card_check/program_run.h"

namespace swage::card {

// In microseconds, of one execution.
struct Times {
  double median = 0, least = 0, most = 0;
  int repeats = 1;

  JsonLine& AddTo(JsonLine& line, const std::string& prefix = "") const {
    return line.Add(prefix + "us", median)
        .Add(prefix + "us_min", least)
        .Add(prefix + "us_max", most)
        .Add(prefix + "repeats", repeats);
  }
};

// `once` puts work into the stream of the context.
StatusOr<Times> Time(Context& context, FunctionRef<Status()> once);

// Loaded, run once and compared with what is expected, if anything is.
StatusOr<ProgramRun> Prepare(Context& context, const CardProgram& program);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_TIMING_H_
