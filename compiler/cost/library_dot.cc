#include "compiler/cost/library_dot.h"

#include <algorithm>

#include "compiler/ir/unchanging.h"

namespace swage::cost {
namespace {

using ir::DType;
using ir::Opcode;

// Slices of results that the library is fast at, and how few of them a large product has.
constexpr int64_t kSliceRows = 256, kSliceColumns = 512;
constexpr int64_t kFewSlices = 8, kSmallestSlice = 128;
// Packed f32 is cut into columns by their number alone: what is packed serves any number of rows.
constexpr int64_t kFewColumns = 1024;
// Packed bf16 has a better kernel for results that are not cut into columns.
constexpr int64_t kMostWhole = 2048;
// What one call of the library costs beside its work.
constexpr double kCallNanoseconds = 2000;
// Fewer rows, columns or products do not fill its tiles.
constexpr int64_t kLeastExtent = 16;

// Shares of the peak.
struct Shares {
  double emitted_near;  // while the right side stays in the second cache
  double emitted_far;
  double library, library_transposed, library_packed;
};
constexpr Shares kF32 = {0.95, 0.80, 0.85, 0.80, 0.92};
constexpr Shares kBF16 = {0.90, 0.84, 0.80, 0.80, 0.93};
const Shares& SharesOf(const DotSizes& sizes) { return sizes.dtype == DType::kBF16 ? kBF16 : kF32; }

// An emitted kernel turns a transposed right side round for every chunk of rows.
constexpr double kTurnCycles = 3;
constexpr int64_t kChunkRows = 224, kBlockDepth = 256;

int64_t CeilDiv(int64_t n, int64_t d) { return n / d + static_cast<int64_t>(n % d != 0); }

double BytesOfRight(const DotSizes& sizes) {
  return static_cast<double>(sizes.k) * static_cast<double>(sizes.n) * ir::DTypeBytes(sizes.dtype);
}

// Cycles of one core, for multiplications and additions alone.
double IdealCycles(const DotSizes& sizes, const DeviceDescription& device) {
  const double lanes = device.vector_bytes / 4.0 * (sizes.dtype == DType::kBF16 ? 2 : 1);
  return sizes.flops() / 2 / lanes / device.fma_per_cycle;
}

double EmittedCycles(const DotSizes& sizes, const DeviceDescription& device) {
  const bool near = BytesOfRight(sizes) <= static_cast<double>(device.l2.bytes);
  const double cycles = IdealCycles(sizes, device) /
                        (near ? SharesOf(sizes).emitted_near : SharesOf(sizes).emitted_far);
  if (!sizes.transposed_b) return cycles;
  const double turns =
      sizes.k <= kBlockDepth ? 1.0 : static_cast<double>(CeilDiv(sizes.m, kChunkRows));
  return cycles + turns * kTurnCycles * static_cast<double>(sizes.batch) *
                      static_cast<double>(sizes.k) * static_cast<double>(sizes.n);
}

}  // namespace

DotSlices SlicesOf(const DotSizes& sizes) {
  int64_t rows = sizes.dtype == DType::kBF16 ? kSliceColumns : kSliceRows;
  int64_t columns = kSliceColumns;
  const bool packed_f32 = sizes.constant_b && sizes.dtype == DType::kF32;
  if (packed_f32) columns = sizes.n <= kFewColumns ? kSmallestSlice : kSliceRows;
  const bool whole = sizes.constant_b && sizes.dtype == DType::kBF16 && sizes.n <= kMostWhole;
  if (whole) {
    rows = kSliceRows;
    columns = kMostWhole;
  }
  const auto cut = [&] {
    return DotSlices{CeilDiv(std::max<int64_t>(sizes.m, 1), rows),
                     CeilDiv(std::max<int64_t>(sizes.n, 1), columns)};
  };
  DotSlices slices = cut();
  while (sizes.batch < kFewSlices && sizes.batch * slices.rows * slices.columns < kFewSlices) {
    // The longer side of what the slices are now.
    const double height = static_cast<double>(sizes.m) / static_cast<double>(slices.rows);
    const double width = whole || packed_f32
                             ? 0
                             : static_cast<double>(sizes.n) / static_cast<double>(slices.columns);
    int64_t& extent = height > width ? rows : columns;
    if (std::max(height, width) <= kSmallestSlice) break;
    extent /= 2;
    slices = cut();
  }
  return slices;
}

bool LibraryHas(const DotSizes& sizes, const DeviceDescription& device) {
  if (device.is_gpu() || !device.dot_library) return false;
  if (sizes.dtype == DType::kF32) return sizes.result == DType::kF32;
  return sizes.dtype == DType::kBF16 && device.bf16_products &&
         (sizes.result == DType::kBF16 || sizes.result == DType::kF32);
}

Picoseconds LibrarySaving(const DotSizes& sizes, const DeviceDescription& device, LibraryDots how) {
  constexpr Picoseconds kNever = -1, kMore = int64_t{1} << 60;
  if (how == LibraryDots::kOff || !LibraryHas(sizes, device)) return kNever;
  if (how == LibraryDots::kAlways) return kMore;
  if (sizes.flops() < kLibraryFlops) return kNever;
  if (std::min({sizes.m, sizes.n, sizes.k}) < kLeastExtent) return kNever;
  const DotSlices slices = SlicesOf(sizes);
  const double calls = static_cast<double>(sizes.batch) * static_cast<double>(slices.rows) *
                       static_cast<double>(slices.columns);
  // Few slices leave cores without work.
  if (calls < 2.0 * device.cores) return kNever;
  const Shares& shares = SharesOf(sizes);
  const double share = sizes.constant_b     ? shares.library_packed
                       : sizes.transposed_b ? shares.library_transposed
                                            : shares.library;
  const double cycles = EmittedCycles(sizes, device) - IdealCycles(sizes, device) / share;
  const double ns = cycles / device.clock_ghz - calls * kCallNanoseconds;
  return static_cast<Picoseconds>(std::clamp(ns / device.cores * 1000, -1e18, 1e18));
}

std::optional<DotSizes> SizesOf(const ir::Instruction& dot) {
  const auto& attrs = dot.attrs<ir::DotAttrs>();
  const ir::Shape &a = dot.operand(0)->shape(), &b = dot.operand(1)->shape();
  const int batches = static_cast<int>(attrs.lhs_batch.size());
  if (attrs.lhs_contracting.size() != 1 || a.rank() != batches + 2 || b.rank() != batches + 2 ||
      a.dtype() != b.dtype()) {
    return std::nullopt;
  }
  for (int i = 0; i < batches; ++i) {
    if (attrs.lhs_batch[i] != i || attrs.rhs_batch[i] != i) return std::nullopt;
  }
  const int of_a = static_cast<int>(attrs.lhs_contracting[0]);
  const int of_b = static_cast<int>(attrs.rhs_contracting[0]);
  DotSizes sizes;
  sizes.dtype = a.dtype();
  sizes.result = dot.shape().dtype();
  for (int i = 0; i < batches; ++i) sizes.batch *= ExtentClass(a.dim(i));
  sizes.m = ExtentClass(a.dim(2 * batches + 1 - of_a));
  sizes.n = ExtentClass(b.dim(2 * batches + 1 - of_b));
  sizes.k = ExtentClass(a.dim(of_a));
  sizes.transposed_b = of_b == batches + 1;
  const ir::Instruction* right = dot.operand(1);
  while (right->opcode() == Opcode::kBitcast || right->opcode() == Opcode::kReshape) {
    right = right->operand(0);
  }
  sizes.constant_b = right->opcode() == Opcode::kConstant || ir::IsUnchanging(*right);
  return sizes;
}

}  // namespace swage::cost
