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

PackedWeights::~PackedWeights() {
  for (const Panel& panel : panels_) GiveBlock(panel.data, panel.bytes);
}

StatusOr<void*> PackedWeights::Add(size_t bytes) {
  void* data = TakeBlock(bytes);
  if (data == nullptr) {
    return ResourceExhausted("[compile] cannot allocate ", bytes, " bytes for packed weights");
  }
  panels_.push_back({data, bytes});
  return data;
}

int64_t PackedWeights::memory_bytes() const {
  int64_t bytes = sizeof(*this);
  for (const Panel& panel : panels_) bytes += static_cast<int64_t>(sizeof(panel) + panel.bytes);
  return bytes;
}

StatusOr<std::shared_ptr<const LibraryDot>> LibraryDot::Create(const codegen::DotProblem& problem,
                                                               const void* weights,
                                                               DerivedForms* forms) {
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
    Status status = dot->Plan(/*packed=*/true);
    if (status.ok()) {
      auto packed = dot->PackOnce(weights, forms);
      status = packed.status();
      if (packed.ok()) dot->packed_ = *std::move(packed);
    }
    dot->owns_packed_ = status.ok() && forms == nullptr;
    if (status.ok()) return dot;
    if (status.code() != absl::StatusCode::kUnimplemented) return status;
  }
  SWAGE_RETURN_IF_ERROR(dot->Plan(/*packed=*/false));
  return dot;
}

// What is kept with the weights fits any number of rows, unless the left side is transposed: then
// its strides depend on that number.
int64_t LibraryDot::PackedForRows() const {
  constexpr int64_t kRows = 256;
  return problem_.transpose_a ? rows_.Largest() : kRows;
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
          .packed_for_rows = packed ? PackedForRows() : 0};
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

StatusOr<std::shared_ptr<const PackedWeights>> LibraryDot::Pack(const void* weights) const {
  const ScopedMxcsr ieee;
  auto packed = std::make_shared<PackedWeights>();
  const int64_t bytes = ir::DTypeBytes(problem_.dtype);
  for (int64_t batch = 0; batch < problem_.batch; ++batch) {
    for (int64_t column = 0; column < columns_.parts; ++column) {
      const onednn::Matmul& matmul = MatmulOf(0, column);
      const int64_t first = columns_.Begin(column) * (problem_.transpose_b ? problem_.k : 1);
      const char* from =
          static_cast<const char*>(weights) + (batch * problem_.k * problem_.n + first) * bytes;
      SWAGE_ASSIGN_OR_RETURN(void* to, packed->Add(matmul.packed_bytes()));
      SWAGE_RETURN_IF_ERROR(matmul.Pack(from, to));
    }
  }
  return packed;
}

StatusOr<std::shared_ptr<const PackedWeights>> LibraryDot::PackOnce(const void* weights,
                                                                    DerivedForms* forms) const {
  if (forms == nullptr) return Pack(weights);
  // All that the order may depend on.
  const std::string key =
      absl::StrCat("onednn ", static_cast<int>(problem_.dtype), " to ",
                   static_cast<int>(problem_.result), ", ", problem_.batch, " of ", problem_.k, "x",
                   problem_.n, problem_.transpose_b ? " transposed" : "",
                   problem_.transpose_a ? " from columns" : "", " for ", PackedForRows(),
                   " rows in ", columns_.parts, " at ", reinterpret_cast<uintptr_t>(weights));
  SWAGE_ASSIGN_OR_RETURN(const DerivedForms::Form form,
                         forms->Get(key, [&]() -> StatusOr<DerivedForms::Form> {
                           SWAGE_ASSIGN_OR_RETURN(DerivedForms::Form packed, Pack(weights));
                           return packed;
                         }));
  return std::static_pointer_cast<const PackedWeights>(form);
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
    b = static_cast<const char*>(packed_->panel(panel));
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
  return static_cast<int64_t>(sizeof(*this)) + (owns_packed_ ? packed_->memory_bytes() : 0);
}

std::string LibraryDot::ToString() const {
  const auto& [dtype, result, batch, m, n, k, transpose_a, transpose_b] = problem_;
  return absl::StrCat("oneDNN, ", batch, " of ", ToAbsl(ir::DTypeName(dtype)), " ", m, " x ", k,
                      transpose_a ? " (columns)" : "", " times ", k, " x ", n,
                      transpose_b ? " (columns)" : "", " to ", ToAbsl(ir::DTypeName(result)), ", ",
                      rows_.parts, " x ", columns_.parts, " slices",
                      is_packed() ? ", packed weights" : "");
}

}  // namespace swage::cpu
