#include "codegen/cpu/library_dot.h"

#include <atomic>
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "base/block_pool.h"
#include "base/parallel_for.h"
#include "codegen/cpu/mxcsr.h"

namespace swage::cpu {
namespace {

// Operations of a slice that is worth a thread: about 10 microseconds.
constexpr double kSliceFlops = 2e6;

}  // namespace

cost::DotSizes SizesOf(const codegen::DotProblem& problem, bool constant_weights) {
  return {.dtype = problem.dtype,
          .result = problem.result,
          .batch = problem.batch,
          .m = problem.m,
          .n = problem.n,
          .k = problem.k,
          .transposed_b = problem.transpose_b,
          .constant_b = constant_weights};
}

StatusOr<std::shared_ptr<const LibraryDot>> LibraryDot::Create(const codegen::DotProblem& problem,
                                                               const void* weights) {
  auto dot = std::shared_ptr<LibraryDot>(new LibraryDot(problem));
  const bool has_sums = problem.batch > 0 && problem.m > 0 && problem.n > 0 && problem.k > 0;
  if (!has_sums) return dot;
  const cost::DotSlices slices = cost::SlicesOf(SizesOf(problem, weights != nullptr));
  dot->rows_ = Cut(problem.m, slices.rows);
  dot->columns_ = Cut(problem.n, slices.columns);
  const double calls = static_cast<double>(problem.batch) * static_cast<double>(slices.rows) *
                       static_cast<double>(slices.columns);
  dot->grain_ = static_cast<int64_t>(kSliceFlops / (problem.flops() / calls)) + 1;
  if (weights != nullptr) {
    Status packed = dot->Plan(/*packed=*/true);
    if (packed.ok()) packed = dot->Pack(weights);
    if (packed.ok()) return dot;
    if (packed.code() != absl::StatusCode::kUnimplemented) return packed;
    dot->DropPacked();
  }
  SWAGE_RETURN_IF_ERROR(dot->Plan(/*packed=*/false));
  return dot;
}

LibraryDot::~LibraryDot() { DropPacked(); }

void LibraryDot::DropPacked() {
  for (const Packed& packed : packed_) GiveBlock(packed.data, packed.bytes);
  packed_.clear();
}

onednn::MatmulProblem LibraryDot::SliceOf(int64_t rows, int64_t columns, bool packed) const {
  const auto& [dtype, result, batch, m, n, k, transpose_a, transpose_b] = problem_;
  return {.dtype = dtype,
          .result = result,
          .m = rows,
          .n = columns,
          .k = k,
          .a_row = transpose_a ? 1 : k,
          .a_k = transpose_a ? m : 1,
          .b_k = transpose_b ? 1 : n,
          .b_column = transpose_b ? k : 1,
          .c_row = n,
          .packed_for_rows = packed ? rows_.Largest() : 0};
}

Status LibraryDot::Plan(bool packed) {
  for (const bool more_rows : {false, true}) {
    for (const bool more_columns : {false, true}) {
      auto& matmul = matmuls_[more_rows][more_columns];
      matmul = nullptr;
      const bool exists = (more_rows ? rows_.larger > 0 : rows_.larger < rows_.parts) &&
                          (more_columns ? columns_.larger > 0 : columns_.larger < columns_.parts);
      if (!exists) continue;
      SWAGE_ASSIGN_OR_RETURN(
          matmul,
          onednn::Matmul::Get(SliceOf(rows_.size + static_cast<int64_t>(more_rows),
                                      columns_.size + static_cast<int64_t>(more_columns), packed)));
    }
  }
  return OkStatus();
}

Status LibraryDot::Pack(const void* weights) {
  const ScopedMxcsr ieee;
  const int64_t bytes = ir::DTypeBytes(problem_.dtype);
  for (int64_t batch = 0; batch < problem_.batch; ++batch) {
    for (int64_t column = 0; column < columns_.parts; ++column) {
      const onednn::Matmul& matmul = MatmulOf(0, column);
      const int64_t first = columns_.Begin(column) * (problem_.transpose_b ? problem_.k : 1);
      const char* from =
          static_cast<const char*>(weights) + (batch * problem_.k * problem_.n + first) * bytes;
      const Packed to{TakeBlock(matmul.packed_bytes()), matmul.packed_bytes()};
      if (to.data == nullptr) {
        return ResourceExhausted("[compile] cannot allocate ", to.bytes,
                                 " bytes for packed weights");
      }
      packed_.push_back(to);
      SWAGE_RETURN_IF_ERROR(matmul.Pack(from, to.data));
    }
  }
  return OkStatus();
}

Status LibraryDot::RunSlice(int64_t slice, const char* a, const char* b, char* c) const {
  // Rows are the fastest: they share a part of the right side.
  const int64_t panel = slice / rows_.parts;
  const int64_t row = slice - panel * rows_.parts;
  const int64_t batch = panel / columns_.parts;
  const int64_t column = panel - batch * columns_.parts;
  const auto& [dtype, result, batches, m, n, k, transpose_a, transpose_b] = problem_;
  const int64_t bytes = ir::DTypeBytes(dtype);
  const int64_t first_row = rows_.Begin(row), first_column = columns_.Begin(column);
  a += (batch * m * k + first_row * (transpose_a ? 1 : k)) * bytes;
  c += (batch * m * n + first_row * n + first_column) * ir::DTypeBytes(result);
  if (is_packed()) {
    b = static_cast<const char*>(packed_[panel].data);
  } else {
    b += (batch * k * n + first_column * (transpose_b ? k : 1)) * bytes;
  }
  return MatmulOf(row, column).Run(a, b, c);
}

Status LibraryDot::Run(const void* a, const void* b, void* c) const {
  const int64_t results = problem_.batch * problem_.m * problem_.n;
  if (results <= 0) return OkStatus();
  if (problem_.k <= 0) {
    std::memset(c, 0, static_cast<size_t>(results * ir::DTypeBytes(problem_.result)));
    return OkStatus();
  }
  std::atomic<bool> failed{false};
  std::mutex mutex;
  // Code and text: a Status is not handed from thread to thread.
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string text;
  ParallelFor(
      problem_.batch * rows_.parts * columns_.parts, grain_, [&](int64_t begin, int64_t end) {
        const ScopedMxcsr ieee;
        for (int64_t slice = begin; slice < end && !failed.load(std::memory_order_relaxed);
             ++slice) {
          const Status status = RunSlice(slice, static_cast<const char*>(a),
                                         static_cast<const char*>(b), static_cast<char*>(c));
          if (status.ok()) continue;
          const std::lock_guard<std::mutex> lock(mutex);
          code = status.code();
          text = std::string(status.message());
          failed.store(true, std::memory_order_relaxed);
        }
      });
  return failed.load() ? Status(code, text) : OkStatus();
}

int64_t LibraryDot::memory_bytes() const {
  int64_t bytes = sizeof(*this);
  for (const Packed& packed : packed_) {
    bytes += static_cast<int64_t>(sizeof(packed) + packed.bytes);
  }
  return bytes;
}

std::string LibraryDot::ToString() const {
  return absl::StrCat("oneDNN, ", rows_.parts, " x ", columns_.parts, " slices",
                      is_packed() ? ", packed weights" : "");
}

}  // namespace swage::cpu
