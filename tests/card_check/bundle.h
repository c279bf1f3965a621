// File: tests/card_check/bundle.h
//
// What the card check takes to a machine with a card: kernels as PTX, the data they run on, and
// what must come out. One file; card_bundle writes it where Swage is built, card_check reads it
// where there is only a driver.
//
//   SWAGE_ASSIGN_OR_RETURN(const Bundle bundle, ParseBundle(text));
//   for (const CardProgram& program : bundle.kernels) ...
//
// Format: "SWAGCARD", then u32 version, u64 size of the rest, u64 FNV-1a of the rest, then the
// fields of Bundle in the order below. Numbers are little-endian, a double its bits, a string its
// length (u64) and bytes, a list its length (u32) and items. The reader compares every length with
// what is left, every index with what it points into, and the sizes of data, results and matrices
// with those of their buffers. What it cannot know is what a kernel does: that it has as many
// parameters as a launch gives it, and stays within its buffers.
#ifndef SWAGE_TESTS_CARD_CHECK_BUNDLE_H_
#define SWAGE_TESTS_CARD_CHECK_BUNDLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace swage::card {

inline constexpr int64_t kMaxBundleBytes = int64_t{1} << 30;
inline constexpr int64_t kMaxBufferBytes = int64_t{1} << 33;

// One kernel, entry `swage_kernel`, for both architectures that Swage makes PTX for.
struct CardModule {
  std::string sm_80, sm_90;
};

// What a buffer holds before the program runs.
enum class Fill : uint8_t { kNothing, kData, kRandom };

struct CardBuffer {
  std::string dtype;  // as in HLO text
  int64_t bytes = 0;
  Fill fill = Fill::kNothing;
  std::string data = {};  // of kData
  friend bool operator==(const CardBuffer&, const CardBuffer&) = default;
};

// Parameters are the addresses of `buffers`, then the extents.
struct CardLaunch {
  uint32_t module = 0;
  uint32_t blocks = 0, threads_x = 1, threads_y = 1;  // 0 blocks: no launch
  uint32_t shared_bytes = 0;                          // beside what the kernel declares
  std::vector<uint32_t> buffers;
  std::vector<int64_t> extents;
  friend bool operator==(const CardLaunch&, const CardLaunch&) = default;
};

struct CardResult {
  uint32_t buffer = 0;
  // 0: the same bits, and NaN for NaN. Else what |got - want| may be, as a part of the largest
  // |want|.
  double tolerance = 0;
  bool has_expected = false;
  std::string expected = {};
  friend bool operator==(const CardResult&, const CardResult&) = default;
};

// Launches one after another.
struct CardProgram {
  std::string name;   // "softmax/f32/4096x4096"
  std::string about;  // the schedule of a kernel, the text of a program's sizes
  std::vector<CardBuffer> buffers;
  std::vector<CardLaunch> launches;
  std::vector<CardResult> results;
  double bytes = 0, flops = 0;  // of all launches, each byte once per launch
  // m, n and k where all of it is one matrix product of buffers 0 and 1, row by row and of one
  // dtype with the result, which a library may make too.
  std::vector<int64_t> product = {};
  // What the cost model predicts, launches included: card, microseconds.
  std::vector<std::pair<std::string, double>> predicted_us;
  friend bool operator==(const CardProgram&, const CardProgram&) = default;
};

// A program to be timed, and the same with one kernel per operation, which has no launches where
// there is nothing to compare.
struct CardTiming {
  bool small = false;  // sizes for the emulator
  CardProgram fused, unfused;
};

struct Bundle {
  std::string built;  // what made it, for people
  std::vector<CardModule> modules;
  std::vector<CardProgram> kernels;  // one launch each, with expected results
  std::vector<CardTiming> timings;
};

std::string SerialiseBundle(const Bundle& bundle);
// InvalidArgument says what is wrong and where.
StatusOr<Bundle> ParseBundle(std::string_view text);

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_BUNDLE_H_
