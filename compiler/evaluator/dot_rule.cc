// The dot: offsets of batch, free and contracted indices are tabulated, blocks are packed
// (converted to the accumulating type) and multiplied by gemm.h, and each sum is rounded to the
// result once.
#include <algorithm>
#include <complex>
#include <type_traits>
#include <vector>

#include "compiler/evaluator/gemm.h"
#include "compiler/evaluator/rules.h"
#include "compiler/evaluator/shape_binding.h"
#include "compiler/evaluator/strided_copy.h"
#include "compiler/math/convert.h"
#include "compiler/math/element.h"
#include "compiler/math/host_builder.h"

namespace swage::evaluator {
namespace {

constexpr int64_t kRowBlock = 128;       // rows of A packed at a time
constexpr int64_t kSumsBlock = 1 << 22;  // sums held at a time, rows permitting
constexpr int64_t kDepthBlock = 1024;    // contracted elements packed at a time

// Offsets in an array of all indices over some of its dimensions, in row-major order.
std::vector<int64_t> OffsetsOver(const std::vector<int64_t>& dims, const ir::DimList& chosen) {
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  std::vector<int64_t> offsets = {0};
  for (const int64_t d : chosen) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * dims[d]);
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < dims[d]; ++i) next.push_back(offset + i * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

struct Side {
  const ir::Literal& literal;
  std::vector<int64_t> batch, free, contracted;  // offsets
};

Side MakeSide(const ir::Literal& literal, const ir::DimList& batch,
              const ir::DimList& contracting) {
  const std::vector<int64_t> dims = Extents(literal.shape());
  ir::DimList free;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    const bool taken = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                       std::find(contracting.begin(), contracting.end(), d) != contracting.end();
    if (!taken) free.push_back(d);
  }
  return {literal, OffsetsOver(dims, batch), OffsetsOver(dims, free),
          OffsetsOver(dims, contracting)};
}

// panel[k * width + r] = the element at base + rows[r] + depth[k], as Acc; columns from
// `rows.size()` to `width` stay as they are.
template <typename Acc>
using PackFn = void (*)(const uint8_t* base, absl::Span<const int64_t> rows,
                        absl::Span<const int64_t> depth, int width, Acc* panel);

template <typename T, typename Acc, typename Convert>
void Pack(const uint8_t* base, absl::Span<const int64_t> rows, absl::Span<const int64_t> depth,
          int width, Acc* panel, Convert convert) {
  const T* data = reinterpret_cast<const T*>(base);
  for (size_t r = 0; r < rows.size(); ++r) {
    const T* row = data + rows[r];
    Acc* out = panel + r;
    for (size_t k = 0; k < depth.size(); ++k) out[k * width] = convert(row[depth[k]]);
  }
}

template <ir::DType D, typename Acc>
void PackReal(const uint8_t* base, absl::Span<const int64_t> rows, absl::Span<const int64_t> depth,
              int width, Acc* panel) {
  using Traits = math::ElementOf<D>;
  Pack<typename Traits::Storage>(
      base, rows, depth, width, panel, [](typename Traits::Storage stored) -> Acc {
        math::HostBuilder b;
        const auto value = math::Load<Traits>(b, static_cast<typename Traits::Carried>(stored)).v;
        if constexpr (std::is_same_v<Acc, Complex128>) {
          return {static_cast<double>(value), 0};
        } else if constexpr (std::is_same_v<Acc, uint64_t> &&
                             std::is_floating_point_v<std::decay_t<decltype(value)>>) {
          return 0;  // not reached: floats do not accumulate in integers
        } else {
          return static_cast<Acc>(value);
        }
      });
}

template <typename T>
void PackComplex(const uint8_t* base, absl::Span<const int64_t> rows,
                 absl::Span<const int64_t> depth, int width, Complex128* panel) {
  Pack<std::complex<T>>(base, rows, depth, width, panel, [](std::complex<T> value) {
    return Complex128{value.real(), value.imag()};
  });
}

template <typename Acc>
PackFn<Acc> PackerOf(ir::DType dtype) {
  if constexpr (std::is_same_v<Acc, Complex128>) {
    if (dtype == ir::DType::kC64) return PackComplex<float>;
    if (dtype == ir::DType::kC128) return PackComplex<double>;
  }
  switch (dtype) {
#define SWAGE_PACK(name)   \
  case ir::DType::k##name: \
    return PackReal<ir::DType::k##name, Acc>;
    SWAGE_MATH_DTYPES(SWAGE_PACK)
#undef SWAGE_PACK
    default:
      return nullptr;
  }
}

// Rounds a sum to the result's dtype.
template <ir::DType D, typename Acc>
void StoreReal(Acc sum, int64_t at, uint8_t* out) {
  using Traits = math::ElementOf<D>;
  math::HostBuilder b;
  auto store = [&](auto value) {
    using From = math::Elem<decltype(value)>;
    reinterpret_cast<typename Traits::Storage*>(out)[at] =
        math::ConvertFrom<From, Traits>(b, math::HostVal<decltype(value)>(value)).v;
  };
  if constexpr (std::is_same_v<Acc, Complex128>) {
    store(sum.re);
  } else if constexpr (std::is_same_v<Acc, uint64_t>) {
    store(static_cast<int64_t>(sum));
  } else {
    store(sum);
  }
}

template <typename Acc>
using StoreFn = void (*)(Acc sum, int64_t at, uint8_t* out);

template <typename T>
void StoreComplex(Complex128 sum, int64_t at, uint8_t* out) {
  reinterpret_cast<std::complex<T>*>(out)[at] = {static_cast<T>(sum.re), static_cast<T>(sum.im)};
}

template <typename Acc>
StoreFn<Acc> StorerOf(ir::DType dtype) {
  if constexpr (std::is_same_v<Acc, Complex128>) {
    if (dtype == ir::DType::kC64) return StoreComplex<float>;
    if (dtype == ir::DType::kC128) return StoreComplex<double>;
  }
  switch (dtype) {
#define SWAGE_STORE(name)  \
  case ir::DType::k##name: \
    return StoreReal<ir::DType::k##name, Acc>;
    SWAGE_MATH_DTYPES(SWAGE_STORE)
#undef SWAGE_STORE
    default:
      return nullptr;
  }
}

// The products of one batch for a block of rows of A: C[rows, all columns of B].
template <typename Acc>
class BlockProduct {
 public:
  static constexpr int kRows = Tile<Acc>::kRows, kCols = Tile<Acc>::kCols;

  BlockProduct(const OpContext& context, const Side& lhs, const Side& rhs)
      : context_(context),
        lhs_(lhs),
        rhs_(rhs),
        pack_lhs_(PackerOf<Acc>(lhs.literal.dtype())),
        pack_rhs_(PackerOf<Acc>(rhs.literal.dtype())),
        store_(StorerOf<Acc>(context.shape.dtype())) {}

  Status Run(ir::Literal* out) {
    if (pack_lhs_ == nullptr || pack_rhs_ == nullptr || store_ == nullptr) {
      return RuleError(context_, "no dot of ", lhs_.literal.shape().ToString(), " and ",
                       rhs_.literal.shape().ToString(), " to ", context_.shape.ToString());
    }
    uint8_t* to = out->mutable_bytes().data();
    const int64_t rows = lhs_.free.size(), cols = rhs_.free.size();
    const int64_t block = std::clamp<int64_t>(kSumsBlock / cols, kRows, kRowBlock);
    for (size_t batch = 0; batch < lhs_.batch.size(); ++batch) {
      for (int64_t row = 0; row < rows; row += block) {
        const int64_t count = std::min(block, rows - row);
        SWAGE_RETURN_IF_ERROR(Multiply(batch, row, count));
        Store(row, count, static_cast<int64_t>(batch) * rows * cols, to);
      }
    }
    return OkStatus();
  }

 private:
  const uint8_t* Base(const Side& side, size_t batch) const {
    return side.literal.bytes().data() + side.batch[batch] * ir::DTypeBytes(side.literal.dtype());
  }

  int64_t Panels() const { return (rhs_.free.size() + kCols - 1) / kCols; }

  // The tile of C at (row tile, column panel).
  Acc* TileAt(int64_t tile, int64_t panel) {
    return sums_.data() + (tile * Panels() + panel) * kRows * kCols;
  }

  Status Multiply(size_t batch, int64_t row, int64_t count) {
    const int64_t tiles = (count + kRows - 1) / kRows;
    const int64_t depth = lhs_.contracted.size();
    sums_.assign(tiles * Panels() * kRows * kCols, Acc{});
    const auto rows = absl::MakeConstSpan(lhs_.free).subspan(row, count);
    const auto cols = absl::MakeConstSpan(rhs_.free);
    for (int64_t at = 0; at < depth; at += kDepthBlock) {
      const int64_t k = std::min(kDepthBlock, depth - at);
      const auto lhs_depth = absl::MakeConstSpan(lhs_.contracted).subspan(at, k);
      const auto rhs_depth = absl::MakeConstSpan(rhs_.contracted).subspan(at, k);
      lhs_panels_.assign(tiles * kRows * k, Acc{});
      for (int64_t tile = 0; tile < tiles; ++tile) {
        pack_lhs_(Base(lhs_, batch), rows.subspan(tile * kRows, kRows), lhs_depth, kRows,
                  lhs_panels_.data() + tile * kRows * k);
      }
      rhs_panel_.assign(kCols * k, Acc{});
      for (int64_t panel = 0; panel < Panels(); ++panel) {
        const auto columns = cols.subspan(panel * kCols, kCols);
        if (columns.size() < kCols) std::fill(rhs_panel_.begin(), rhs_panel_.end(), Acc{});
        pack_rhs_(Base(rhs_, batch), columns, rhs_depth, kCols, rhs_panel_.data());
        for (int64_t tile = 0; tile < tiles; ++tile) {
          MultiplyTile(k, lhs_panels_.data() + tile * kRows * k, rhs_panel_.data(),
                       TileAt(tile, panel));
        }
        SWAGE_RETURN_IF_ERROR(context_.interpreter.budget().CheckTime(context_.instruction));
      }
    }
    return OkStatus();
  }

  void Store(int64_t row, int64_t count, int64_t at, uint8_t* to) {
    const int64_t cols = rhs_.free.size();
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        const Acc sum = TileAt(i / kRows, j / kCols)[i % kRows * kCols + j % kCols];
        store_(sum, at + (row + i) * cols + j, to);
      }
    }
  }

  const OpContext& context_;
  const Side& lhs_;
  const Side& rhs_;
  const PackFn<Acc> pack_lhs_, pack_rhs_;
  const StoreFn<Acc> store_;
  std::vector<Acc> lhs_panels_, rhs_panel_, sums_;
};

bool IsIntegral(ir::DType dtype) { return ir::IsInteger(dtype) || dtype == ir::DType::kPred; }

}  // namespace

StatusOr<ir::Literal> EvalDot(const OpContext& context) {
  const auto& attrs = context.instruction.attrs<ir::DotAttrs>();
  SWAGE_ASSIGN_OR_RETURN(ir::Literal out, ir::Literal::Create(context.shape));
  // Sums of nothing are zero; and an empty array may have extents too large to tabulate.
  if (context.operand(0).element_count() == 0 || context.operand(1).element_count() == 0) {
    return out;
  }
  const Side lhs = MakeSide(context.operand(0), attrs.lhs_batch, attrs.lhs_contracting);
  const Side rhs = MakeSide(context.operand(1), attrs.rhs_batch, attrs.rhs_contracting);
  if (lhs.batch.size() != rhs.batch.size() || lhs.contracted.size() != rhs.contracted.size() ||
      static_cast<int64_t>(lhs.batch.size() * lhs.free.size() * rhs.free.size()) !=
          out.element_count()) {
    return RuleError(context, lhs.literal.shape().ToString(), " and ",
                     rhs.literal.shape().ToString(), " do not give ", context.shape.ToString());
  }
  const ir::DType l = lhs.literal.dtype(), r = rhs.literal.dtype(), o = out.dtype();
  Status status;
  if (ir::IsComplex(l) || ir::IsComplex(r) || ir::IsComplex(o)) {
    status = BlockProduct<Complex128>(context, lhs, rhs).Run(&out);
  } else if (IsIntegral(l) && IsIntegral(r) && IsIntegral(o)) {
    status = BlockProduct<uint64_t>(context, lhs, rhs).Run(&out);
  } else if (ir::IsSmallFloat(l) && ir::IsSmallFloat(r) && o != ir::DType::kF64) {
    status = BlockProduct<float>(context, lhs, rhs).Run(&out);
  } else {
    status = BlockProduct<double>(context, lhs, rhs).Run(&out);
  }
  SWAGE_RETURN_IF_ERROR(status);
  return out;
}

}  // namespace swage::evaluator
