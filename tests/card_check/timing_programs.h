// File: tests/card_check/timing_programs.h
//
// What is timed on a card, as HLO text with the sizes put in.
#ifndef SWAGE_TESTS_CARD_CHECK_TIMING_PROGRAMS_H_
#define SWAGE_TESTS_CARD_CHECK_TIMING_PROGRAMS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace swage::card {

struct TimingProgram {
  std::string name;  // "softmax/f32/8192x4096"
  std::string hlo;
  // Also run with one kernel per operation, and compared.
  bool pair = false;
  std::vector<int64_t> product = {};  // as in CardProgram
};

// For the emulator where `small`, else for a card.
std::vector<TimingProgram> TimingPrograms(bool small);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_TIMING_PROGRAMS_H_
