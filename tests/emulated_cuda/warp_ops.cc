#include "tests/emulated_cuda/warp_ops.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tests/emulated_cuda/soft_float.h"

namespace swage::emulated_cuda {
namespace {

const Site& SiteOf(const WarpLanes& lanes, uint32_t mask) {
  return *lanes[static_cast<size_t>(std::countr_zero(mask))].site;
}

template <typename Body>
void ForEachLane(uint32_t mask, Body body) {
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((mask >> lane & 1) != 0) body(lane);
  }
}

// The source lane of a shuffle, and whether it is inside the segment.
std::pair<int, bool> Source(const std::string& mode, int lane, uint32_t b, uint32_t c) {
  const int amount = static_cast<int>(b & 31);
  const int clamp = static_cast<int>(c & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  const int first = lane & segment;
  if (mode == "up") return {lane - amount, lane - amount >= last};
  int source = lane ^ amount;
  if (mode == "down") source = lane + amount;
  if (mode == "idx") source = first | (amount & ~segment);
  return {source, source <= last};
}

std::string Shuffle(const WarpLanes& lanes, uint32_t mask) {
  const std::string& mode = SiteOf(lanes, mask).mode;
  std::array<uint32_t, kWarpSize> values{};
  ForEachLane(mask, [&](int lane) {
    values[static_cast<size_t>(lane)] = lanes[static_cast<size_t>(lane)].in[0];
  });
  std::string fault;
  ForEachLane(mask, [&](int lane) {
    const WarpLane& own = lanes[static_cast<size_t>(lane)];
    auto [source, inside] = Source(mode, lane, own.in[1], own.in[2]);
    if (!inside) source = lane;
    if ((mask >> source & 1) == 0) {
      if (!fault.empty()) return;
      fault = "divergent shuffle: lane " + std::to_string(lane) + " reads lane " +
              std::to_string(source) + ", which is not in the mask";
      return;
    }
    own.out[0] = values[static_cast<size_t>(source)];
    own.out[1] = inside;
  });
  return fault;
}

void Vote(const WarpLanes& lanes, uint32_t mask) {
  const std::string& mode = SiteOf(lanes, mask).mode;
  uint32_t ballot = 0;
  ForEachLane(mask,
              [&](int lane) { ballot |= (lanes[static_cast<size_t>(lane)].in[0] & 1) << lane; });
  const uint32_t result = mode == "all"   ? ballot == mask
                          : mode == "any" ? ballot != 0
                          : mode == "uni" ? ballot == mask || ballot == 0
                                          : ballot;
  ForEachLane(mask, [&](int lane) { lanes[static_cast<size_t>(lane)].out[0] = result; });
}

void Match(const WarpLanes& lanes, uint32_t mask) {
  ForEachLane(mask, [&](int lane) {
    uint32_t same = 0;
    ForEachLane(mask, [&](int other) {
      const uint32_t* const a = lanes[static_cast<size_t>(lane)].in;
      const uint32_t* const b = lanes[static_cast<size_t>(other)].in;
      same |= static_cast<uint32_t>(a[0] == b[0] && a[1] == b[1]) << other;
    });
    lanes[static_cast<size_t>(lane)].out[0] = same;
  });
}

uint32_t Combine(const std::string& mode, uint32_t a, uint32_t b) {
  const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  if (mode == "add" || mode == "add.s") return a + b;
  if (mode == "and") return a & b;
  if (mode == "or") return a | b;
  if (mode == "xor") return a ^ b;
  if (mode == "min") return std::min(a, b);
  if (mode == "max") return std::max(a, b);
  return static_cast<uint32_t>(mode == "min.s" ? std::min(x, y) : std::max(x, y));
}

void Reduce(const WarpLanes& lanes, uint32_t mask) {
  const std::string& mode = SiteOf(lanes, mask).mode;
  const int first = std::countr_zero(mask);
  uint32_t result = lanes[static_cast<size_t>(first)].in[0];
  ForEachLane(mask & (mask - 1), [&](int lane) {
    result = Combine(mode, result, lanes[static_cast<size_t>(lane)].in[0]);
  });
  ForEachLane(mask, [&](int lane) { lanes[static_cast<size_t>(lane)].out[0] = result; });
}

// D = A * B + C for A of 16 x k, B of k x 8. Of lane l, with g = l / 4 and t = l % 4:
//   A: registers 0 and 1 hold rows g and g + 8 at columns 2t, 2t + 1; registers 2 and 3 the same at
//      columns 8 more;  B: register r holds rows 2t + 8r, 2t + 1 + 8r of column g;
//   C and D: registers 0, 1 row g, columns 2t, 2t + 1; registers 2, 3 row g + 8.
void Mma(const WarpLanes& lanes) {
  const Site& site = *lanes[0].site;
  const int depth = site.count;
  const SmallFloat format = site.mode == "bf16" ? SmallFloat::kBfloat : SmallFloat::kHalf;
  double a[16][16], b[16][8];
  const int a_registers = depth / 4, b_registers = depth / 8;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const uint32_t* const in = lanes[static_cast<size_t>(lane)].in;
    const int g = lane / 4, t = lane % 4;
    for (int r = 0; r < a_registers; ++r) {
      for (int half = 0; half < 2; ++half) {
        a[g + 8 * (r % 2)][2 * t + half + 8 * (r / 2)] =
            SmallToDouble(format, static_cast<uint16_t>(in[r] >> (16 * half)));
      }
    }
    for (int r = 0; r < b_registers; ++r) {
      for (int half = 0; half < 2; ++half) {
        b[2 * t + half + 8 * r][g] =
            SmallToDouble(format, static_cast<uint16_t>(in[a_registers + r] >> (16 * half)));
      }
    }
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const WarpLane& own = lanes[static_cast<size_t>(lane)];
    uint32_t result[4];
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
      double sum = std::bit_cast<float>(own.in[a_registers + b_registers + i]);
      for (int k = 0; k < depth; ++k) sum += a[row][k] * b[k][column];
      result[i] = std::bit_cast<uint32_t>(static_cast<float>(sum));
    }
    std::memcpy(own.out, result, sizeof(result));
  }
}

// Row r of matrix m is at the address of lane 8m + r. Lane l gets of each matrix elements 2(l % 4)
// and the next of row l / 4; transposed, those of column l / 4.
std::string LoadMatrix(const WarpLanes& lanes, const SharedRow& row) {
  const Site& site = *lanes[0].site;
  for (int m = 0; m < site.count; ++m) {
    uint16_t matrix[8][8];
    for (int r = 0; r < 8; ++r) {
      const int lane = 8 * m + r;
      const uint8_t* const from = row(lane, lanes[static_cast<size_t>(lane)].in[0]);
      if (from == nullptr) return "a row outside";  // whoever looked the row up said more
      std::memcpy(matrix[r], from, sizeof(matrix[r]));
    }
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const int i = lane / 4, j = 2 * (lane % 4);
      const uint32_t low = site.mode == "trans" ? matrix[j][i] : matrix[i][j];
      const uint32_t high = site.mode == "trans" ? matrix[j + 1][i] : matrix[i][j + 1];
      lanes[static_cast<size_t>(lane)].out[m] = low | high << 16;
    }
  }
  return "";
}

}  // namespace

std::string ComputeWarpOp(const WarpLanes& lanes, uint32_t mask, const SharedRow& row) {
  switch (SiteOf(lanes, mask).op) {
    case WarpOp::kShuffle:
      return Shuffle(lanes, mask);
    case WarpOp::kVote:
      Vote(lanes, mask);
      break;
    case WarpOp::kMatch:
      Match(lanes, mask);
      break;
    case WarpOp::kReduce:
      Reduce(lanes, mask);
      break;
    case WarpOp::kSyncWarp:
      break;
    case WarpOp::kMma:
      Mma(lanes);
      break;
    case WarpOp::kLoadMatrix:
      return LoadMatrix(lanes, row);
  }
  return "";
}

}  // namespace swage::emulated_cuda
