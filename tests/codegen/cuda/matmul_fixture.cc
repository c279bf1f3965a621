#include "tests/codegen/cuda/matmul_fixture.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ir/float_bits.h"

namespace swage::cuda {
namespace {

using ir::DType;

std::vector<uint8_t> Encode(DType dtype, const std::vector<double>& values) {
  const size_t size = static_cast<size_t>(DTypeBytes(dtype));
  std::vector<uint8_t> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = ir::EncodeFloat(dtype, values[i]);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

std::vector<double> Decode(DType dtype, const std::vector<uint8_t>& bytes) {
  const size_t size = static_cast<size_t>(DTypeBytes(dtype));
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    values[i] = ir::DecodeFloat(dtype, bits);
  }
  return values;
}

// How a matrix lies in its buffer.
struct Layout {
  int64_t rows, columns, row_stride, batch_stride;

  int64_t At(int64_t i, int64_t row, int64_t column) const {
    return i * batch_stride + row * row_stride + column;
  }
  size_t BufferSize(int64_t batch) const {
    if (rows == 0 || columns == 0 || batch == 0) return 0;
    return static_cast<size_t>(At(batch - 1, rows - 1, columns - 1) + 1);
  }
};

struct Layouts {
  Layout a, b, c;
};

Layouts LayoutsOf(const MatmulProblem& p) {
  const auto make = [](int64_t rows, int64_t columns, int64_t row_stride, int64_t batch_stride) {
    if (row_stride == MatmulProblem::kPacked) row_stride = columns;
    if (batch_stride == MatmulProblem::kPacked) batch_stride = rows * row_stride;
    return Layout{rows, columns, row_stride, batch_stride};
  };
  return {
      make(p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, p.row_stride_a, p.batch_stride_a),
      make(p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, p.row_stride_b, p.batch_stride_b),
      make(p.m, p.n, p.row_stride_c, p.batch_stride_c)};
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// One element of the result, and the sum of the sizes of its terms.
struct Expected {
  double value = 0, size = 0;
};

Expected Reference(const MatmulProblem& p, const Layouts& layouts, const std::vector<double>& a,
                   const std::vector<double>& b, int64_t i, int64_t row, int64_t column) {
  Expected sum;
  for (int64_t k = 0; k < p.k; ++k) {
    const int64_t x = p.transpose_a ? layouts.a.At(i, k, row) : layouts.a.At(i, row, k);
    const int64_t y = p.transpose_b ? layouts.b.At(i, column, k) : layouts.b.At(i, k, column);
    const double term = a[static_cast<size_t>(x)] * b[static_cast<size_t>(y)];
    sum.value += term;
    sum.size += std::abs(term);
  }
  return sum;
}

}  // namespace

MatmulTest::MatmulTest() {
  Set("SWAGE_LIBCUBLASLT", EMULATED_LIBCUBLASLT);
  scope_ = std::make_unique<ContextScope>(OpenDevice());
  auto library = CublasLt::Open(std::vector<std::string>{EMULATED_LIBCUBLASLT});
  EXPECT_TRUE(library.ok()) << library.status();
  library_ = *std::move(library);
  auto blas = Blas::Create(*device_, *library_, /*max_plans=*/4);
  EXPECT_TRUE(blas.ok()) << blas.status();
  blas_ = *std::move(blas);
}

MatmulTest::~MatmulTest() {
  Set("EMULATED_CUBLASLT_FAULT", "");
  blas_.reset();
  scope_.reset();
  CloseDevice();
  EXPECT_EQ(LiveObjects(), 0u);
}

size_t MatmulTest::LiveObjects() {
  auto* const count = Symbol<size_t()>(EMULATED_LIBCUBLASLT, "emulatedCublasLtLiveObjects");
  return count == nullptr ? 0 : count();
}

MatmulTest::Operands MatmulTest::MakeOperands(const MatmulProblem& problem) {
  const Layouts layouts = LayoutsOf(problem);
  Operands operands;
  // Halves of small numbers: exact in all dtypes.
  int next = 0;
  const auto fill = [&](const Layout& layout) {
    std::vector<double> values(layout.BufferSize(problem.batch), kNan);
    for (int64_t i = 0; i < problem.batch && !values.empty(); ++i) {
      for (int64_t row = 0; row < layout.rows; ++row) {
        for (int64_t column = 0; column < layout.columns; ++column) {
          next = (next * 37 + 11) % 61;
          values[static_cast<size_t>(layout.At(i, row, column))] = (next - 30) * 0.5;
        }
      }
    }
    return values;
  };
  operands.a = fill(layouts.a);
  operands.b = fill(layouts.b);
  operands.c.assign(layouts.c.BufferSize(problem.batch), kNan);
  return operands;
}

StatusOr<std::vector<double>> MatmulTest::Run(const Matmul& matmul, const Stream& stream,
                                              const Operands& operands) {
  const MatmulProblem& problem = matmul.problem();
  const auto upload = [&](DType dtype,
                          const std::vector<double>& values) -> StatusOr<DeviceMemory> {
    const std::vector<uint8_t> bytes = Encode(dtype, values);
    const int64_t size = static_cast<int64_t>(bytes.size());
    SWAGE_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::Allocate(stream, size));
    SWAGE_RETURN_IF_ERROR(stream.CopyIn(memory.pointer(), bytes.data(), size));
    return memory;
  };
  SWAGE_ASSIGN_OR_RETURN(const DeviceMemory a, upload(problem.dtype, operands.a));
  SWAGE_ASSIGN_OR_RETURN(const DeviceMemory b, upload(problem.dtype, operands.b));
  SWAGE_ASSIGN_OR_RETURN(const DeviceMemory c, upload(problem.result, operands.c));
  SWAGE_ASSIGN_OR_RETURN(const DeviceMemory workspace,
                         DeviceMemory::Allocate(stream, matmul.workspace_bytes()));
  SWAGE_RETURN_IF_ERROR(
      matmul.Run(stream, a.pointer(), b.pointer(), c.pointer(), workspace.pointer()));
  std::vector<uint8_t> bytes(static_cast<size_t>(c.bytes()));
  SWAGE_RETURN_IF_ERROR(stream.CopyOut(bytes.data(), c.pointer(), c.bytes()));
  SWAGE_RETURN_IF_ERROR(stream.Synchronize());
  return Decode(problem.result, bytes);
}

void MatmulTest::ExpectEqual(const MatmulProblem& problem, const Operands& operands,
                             const std::vector<double>& c) {
  const Layouts layouts = LayoutsOf(problem);
  ASSERT_EQ(c.size(), operands.c.size());
  std::vector<bool> written(c.size());
  const double bits = ir::FormatOf(problem.result).mantissa_bits;
  const double sum_bits = problem.result == DType::kF64 ? 52 : 23;
  for (int64_t i = 0; i < problem.batch; ++i) {
    for (int64_t row = 0; row < problem.m; ++row) {
      for (int64_t column = 0; column < problem.n; ++column) {
        const size_t at = static_cast<size_t>(layouts.c.At(i, row, column));
        const Expected expected =
            Reference(problem, layouts, operands.a, operands.b, i, row, column);
        const double tolerance =
            std::ldexp(std::abs(expected.value), static_cast<int>(-bits)) +
            std::ldexp(expected.size * static_cast<double>(problem.k), static_cast<int>(-sum_bits));
        ASSERT_NEAR(c[at], expected.value, tolerance)
            << problem.ToString() << " at " << i << ", " << row << ", " << column;
        written[at] = true;
      }
    }
  }
  for (size_t at = 0; at < c.size(); ++at) {
    ASSERT_TRUE(written[at] || std::isnan(c[at])) << problem.ToString() << ": gap " << at;
  }
}

void MatmulTest::ExpectRight(const MatmulProblem& problem) {
  const auto matmul = Matmul::Create(*blas_, problem);
  ASSERT_TRUE(matmul.ok()) << matmul.status();
  const auto stream = Stream::Create(*device_);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const Operands operands = MakeOperands(problem);
  const auto c = Run(*matmul, *stream, operands);
  ASSERT_TRUE(c.ok()) << c.status();
  ExpectEqual(problem, operands, *c);
}

}  // namespace swage::cuda
