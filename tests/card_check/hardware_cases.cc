// What the emulator took from manuals: the layout of mma's fragments, and what it cannot know: the
// error of approximate instructions, the order in which mma adds.
#include <dlfcn.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/card_check/cases.h"
#include "tests/card_check/hand_kernel.h"
#include "tests/card_check/ptx_texts.h"

namespace swage::card {
namespace {

Outcome DescribeDriver(Context& context) {
  const cuda::Driver& driver = context.device().driver();
  const cuda::DeviceProperties& p = context.device().properties();
  Outcome outcome{Verdict::kRecorded, {}};
  Dl_info file = {};
  const bool found = dladdr(reinterpret_cast<void*>(driver.cuInit), &file) != 0;
  outcome.fields.Add("driver", driver.version())
      .Add("path", found && file.dli_fname != nullptr ? file.dli_fname : driver.path().c_str())
      .Add("card", p.name)
      .Add("capability", std::to_string(p.major) + "." + std::to_string(p.minor))
      .Add("multiprocessors", p.multiprocessors)
      .Add("clock_ghz", p.clock_ghz)
      .Add("memory_bytes", p.memory_bytes)
      .Add("memory_gb_per_s", p.memory_gb_per_s)
      .Add("l2_bytes", p.l2_bytes)
      .Add("threads_per_multiprocessor", p.threads_per_multiprocessor)
      .Add("registers_per_multiprocessor", p.registers_per_multiprocessor)
      .Add("shared_bytes_per_multiprocessor", p.shared_bytes_per_multiprocessor)
      .Add("shared_bytes_per_block", p.shared_bytes_per_block)
      .Add("graphs", driver.has_graphs());
  return outcome;
}

// Matrices whose products are whole numbers that every format holds.
struct Matrices {
  float a[16][16], b[16][8], c[16][8];

  Matrices() {
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < 16; ++j) a[i][j] = static_cast<float>((7 * i + 3 * j) % 13 - 6);
      for (int j = 0; j < 8; ++j) b[i][j] = static_cast<float>((5 * i + 11 * j) % 17 - 8);
      for (int j = 0; j < 8; ++j) c[i][j] = static_cast<float>((3 * i + 2 * j) % 19 - 9);
    }
  }
  float Product(int row, int column) const {
    float sum = c[row][column];
    for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
    return sum;
  }
};

uint32_t Pair(float low, float high) {
  return std::bit_cast<uint32_t>(low) >> 16 | (std::bit_cast<uint32_t>(high) & 0xffff0000);
}

// The manual's m16n8k16: lane l is in group l / 4 at place l % 4. Register r of A holds columns
// 2 place + 8 (r / 2) and the next of row group + 8 (r % 2); of B rows 2 place + 8 r and the next
// of column group; element e of C column 2 place + e % 2 of row group + 8 (e / 2).
std::string MmaInput(const Matrices& m) {
  std::array<uint32_t, 32 * 16> words = {};
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, place = lane % 4;
    uint32_t* const own = words.data() + 16 * lane;
    for (int r = 0; r < 4; ++r) {
      const int row = group + 8 * (r % 2), column = 2 * place + 8 * (r / 2);
      own[r] = Pair(m.a[row][column], m.a[row][column + 1]);
    }
    for (int r = 0; r < 2; ++r) {
      const int row = 2 * place + 8 * r;
      own[4 + r] = Pair(m.b[row][group], m.b[row + 1][group]);
    }
    for (int e = 0; e < 4; ++e) {
      own[8 + e] = std::bit_cast<uint32_t>(m.c[group + 8 * (e / 2)][2 * place + e % 2]);
    }
  }
  return {reinterpret_cast<const char*>(words.data()), sizeof(words)};
}

std::string LoadMatrixInput(const Matrices& m) {
  std::array<uint32_t, 192> words = {};
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) words[8 * i + j] = Pair(m.a[i][2 * j], m.a[i][2 * j + 1]);
    for (int j = 0; j < 4; ++j) words[128 + 4 * i + j] = Pair(m.b[i][2 * j], m.b[i][2 * j + 1]);
  }
  return {reinterpret_cast<const char*>(words.data()), sizeof(words)};
}

// Row-major 16 x 8.
using Product = std::array<float, 128>;

StatusOr<Product> RunMma(Context& context, const std::string& ptx, const std::string& input) {
  SWAGE_ASSIGN_OR_RETURN(HandKernel kernel, HandKernel::Create(context, ptx, input, 512));
  SWAGE_RETURN_IF_ERROR(kernel.Launch(1, 32));
  SWAGE_ASSIGN_OR_RETURN(const std::string bytes, kernel.Output());
  Product fragments, product;
  std::memcpy(fragments.data(), bytes.data(), sizeof(fragments));
  for (int lane = 0; lane < 32; ++lane) {
    for (int e = 0; e < 4; ++e) {
      const int row = lane / 4 + 8 * (e / 2), column = 2 * (lane % 4) + e % 2;
      product[static_cast<size_t>(8 * row + column)] = fragments[static_cast<size_t>(4 * lane + e)];
    }
  }
  return product;
}

Outcome CheckLayout(const StatusOr<Product>& product, const Matrices& m) {
  if (!product.ok()) return Outcome::Failed(product.status());
  Outcome outcome;
  int wrong = 0;
  for (int i = 0; i < 128; ++i) {
    wrong += (*product)[static_cast<size_t>(i)] != m.Product(i / 8, i % 8);
  }
  outcome.fields.Add("elements", 128).Add("wrong", wrong);
  if (wrong > 0) outcome.verdict = Verdict::kFailed;
  return outcome;
}

Outcome CheckMma(Context& context) {
  const Matrices m;
  return CheckLayout(RunMma(context, MmaText(), MmaInput(m)), m);
}

Outcome CheckLoadMatrix(Context& context) {
  Matrices m;
  std::memset(m.c, 0, sizeof(m.c));
  return CheckLayout(RunMma(context, LoadMatrixText(), LoadMatrixInput(m)), m);
}

// How much of a sum survives: c = 2^24 and sixteen products of 1, which f32 steps would all drop; c
// = 1 and sixteen of 2^-24; products that cancel around a small one.
Outcome RecordSums(Context& context) {
  Outcome outcome{Verdict::kRecorded, {}};
  const auto record = [&](const char* name, float first, float others, float last, float c) {
    Matrices m;
    for (auto& row : m.a) {
      for (float& x : row) x = others;
      row[0] = first, row[15] = last;
    }
    for (auto& row : m.b) std::fill(std::begin(row), std::end(row), 1.0f);
    for (auto& row : m.c) std::fill(std::begin(row), std::end(row), c);
    const StatusOr<Product> product = RunMma(context, MmaText(), MmaInput(m));
    if (product.ok()) {
      char text[32];
      std::snprintf(text, sizeof(text), "%.9g", (*product)[0]);
      outcome.fields.Add(name, text);
    } else if (outcome.verdict != Verdict::kFailed) {
      outcome = Outcome::Failed(product.status());
    }
  };
  record("2^24 + 16 * 1", 1, 1, 1, 0x1p24f);
  record("1 + 16 * 2^-24", 0x1p-24f, 0x1p-24f, 0x1p-24f, 1);
  record("2^24 + 14 * 1 - 2^24", 0x1p24f, 1, -0x1p24f, 0);
  record("2^30 + 14 * 1 - 2^30", 0x1p30f, 1, -0x1p30f, 0);
  return outcome;
}

struct Approximation {
  const char* name;
  double (*exact)(double);
  double low, high;  // of the arguments; of their logarithm where `powers`
  bool powers;
};

constexpr Approximation kApproximations[] = {
    {"ex2.approx.f32", std::exp2, -126, 127, false},
    {"lg2.approx.f32", std::log2, -126, 127, true},
    {"rcp.approx.f32", [](double x) { return 1 / x; }, -125, 125, true},
    {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, -126, 127, true},
    {"sqrt.approx.f32", std::sqrt, -126, 127, true},
    {"tanh.approx.f32", std::tanh, -10, 10, false},
    {"sin.approx.f32", std::sin, -std::numbers::pi, std::numbers::pi, false},
    {"cos.approx.f32", std::cos, -std::numbers::pi, std::numbers::pi, false},
};

std::vector<float> SampleOf(const Approximation& op, size_t count) {
  std::vector<float> sample(count);
  uint64_t state = 88172645463325252;
  for (float& x : sample) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const double at = op.low + (op.high - op.low) * (static_cast<double>(state >> 11) * 0x1p-53);
    x = static_cast<float>(op.powers ? std::exp2(at) : at);
  }
  return sample;
}

Outcome RecordApproximation(Context& context, const Approximation& op) {
  const unsigned blocks = context.is_emulator() ? 8 : 4096;
  const std::vector<float> sample = SampleOf(op, size_t{256} * blocks);
  const std::string input(reinterpret_cast<const char*>(sample.data()), sample.size() * 4);
  const auto run = [&]() -> StatusOr<std::string> {
    SWAGE_ASSIGN_OR_RETURN(
        HandKernel kernel,
        HandKernel::Create(context, UnaryText(op.name), input, static_cast<int64_t>(input.size())));
    SWAGE_RETURN_IF_ERROR(kernel.Launch(blocks, 256));
    return kernel.Output();
  };
  const StatusOr<std::string> output = run();
  if (!output.ok()) return Outcome::Failed(output.status());
  double max_ulp = 0, max_error = 0, at = 0;
  for (size_t i = 0; i < sample.size(); ++i) {
    float got;
    std::memcpy(&got, output->data() + 4 * i, sizeof(got));
    const double want = op.exact(static_cast<double>(sample[i]));
    const double error = std::abs(static_cast<double>(got) - want);
    const double ulp = std::max(std::ldexp(1.0, std::ilogb(want) - 23), 0x1p-149);
    max_error = std::max(max_error, error);
    if (!(error / ulp <= max_ulp)) max_ulp = error / ulp, at = static_cast<double>(sample[i]);
  }
  Outcome outcome{Verdict::kRecorded, {}};
  outcome.fields.Add("max_ulp", max_ulp).Add("at", at).Add("max_error", max_error);
  outcome.fields.Add("samples", sample.size());
  return outcome;
}

}  // namespace

std::vector<Case> HardwareCases() {
  std::vector<Case> cases = {{"driver", DescribeDriver},
                             {"mma/m16n8k16/bf16", CheckMma},
                             {"mma/ldmatrix/bf16", CheckLoadMatrix},
                             {"mma/sums", RecordSums}};
  for (const Approximation& op : kApproximations) {
    cases.push_back({std::string("approx/") + op.name,
                     [&op](Context& context) { return RecordApproximation(context, op); }});
  }
  return cases;
}

}  // namespace swage::card
