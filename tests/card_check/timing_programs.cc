#include "tests/card_check/timing_programs.h"

#include "absl/strings/str_replace.h"

namespace swage::card {
namespace {

// `$T` and the sizes are put in.
constexpr char kCombiners[] = R"(HloModule m
add { a = $T[] parameter(0) b = $T[] parameter(1) ROOT c = $T[] add(a, b) }
larger { a = $T[] parameter(0) b = $T[] parameter(1) ROOT c = $T[] maximum(a, b) }
)";

constexpr char kAdd[] = R"(HloModule m
ENTRY e {
  x = $T[$R,$C] parameter(0)
  y = $T[$R,$C] parameter(1)
  ROOT r = $T[$R,$C] add(x, y)
})";

// The tanh form of gelu: twelve operations.
constexpr char kChain[] = R"(HloModule m
ENTRY e {
  x = $T[$R,$C] parameter(0)
  c3 = $T[] constant(0.044715)
  cubic = $T[$R,$C] broadcast(c3), dimensions={}
  root = $T[] constant(0.7978845608)
  scale = $T[$R,$C] broadcast(root), dimensions={}
  half = $T[] constant(0.5)
  halves = $T[$R,$C] broadcast(half), dimensions={}
  one = $T[] constant(1)
  ones = $T[$R,$C] broadcast(one), dimensions={}
  x2 = $T[$R,$C] multiply(x, x)
  x3 = $T[$R,$C] multiply(x2, x)
  a = $T[$R,$C] multiply(x3, cubic)
  b = $T[$R,$C] add(x, a)
  c = $T[$R,$C] multiply(b, scale)
  d = $T[$R,$C] tanh(c)
  f = $T[$R,$C] add(d, ones)
  g = $T[$R,$C] multiply(f, halves)
  ROOT r = $T[$R,$C] multiply(g, x)
})";

constexpr char kSumRows[] = R"(ENTRY e {
  x = $T[$R,$C] parameter(0)
  zero = $T[] constant(0)
  ROOT s = $T[$R] reduce(x, zero), dimensions={1}, to_apply=add
})";
constexpr char kSumColumns[] = R"(ENTRY e {
  x = $T[$R,$C] parameter(0)
  zero = $T[] constant(0)
  ROOT s = $T[$C] reduce(x, zero), dimensions={0}, to_apply=add
})";
constexpr char kSumAll[] = R"(ENTRY e {
  x = $T[$R,$C] parameter(0)
  zero = $T[] constant(0)
  ROOT s = $T[] reduce(x, zero), dimensions={0,1}, to_apply=add
})";

constexpr char kTranspose[] = R"(HloModule m
ENTRY e {
  x = $T[$R,$C] parameter(0)
  t = $T[$C,$R] transpose(x), dimensions={1,0}
  ROOT n = $T[$C,$R] negate(t)
})";

constexpr char kConcatenate[] = R"(HloModule m
ENTRY e {
  x = $T[$R,$C] parameter(0)
  y = $T[$R,$C] parameter(1)
  n = $T[$R,$C] negate(y)
  ROOT c = $T[$R,$D] concatenate(x, n), dimensions={1}
})";

constexpr char kSoftmax[] = R"(ENTRY e {
  x = $T[$R,$C] parameter(0)
  low = $T[] constant(-inf)
  zero = $T[] constant(0)
  m = $T[$R] reduce(x, low), dimensions={1}, to_apply=larger
  mb = $T[$R,$C] broadcast(m), dimensions={0}
  d = $T[$R,$C] subtract(x, mb)
  p = $T[$R,$C] exponential(d)
  s = $T[$R] reduce(p, zero), dimensions={1}, to_apply=add
  sb = $T[$R,$C] broadcast(s), dimensions={0}
  ROOT r = $T[$R,$C] divide(p, sb)
})";

constexpr char kLayerNorm[] = R"(ENTRY e {
  x = $T[$R,$C] parameter(0)
  gain = $T[$C] parameter(1)
  shift = $T[$C] parameter(2)
  zero = $T[] constant(0)
  count = $T[] constant($C)
  counts = $T[$R] broadcast(count), dimensions={}
  small = $T[] constant(1e-05)
  smalls = $T[$R] broadcast(small), dimensions={}
  s = $T[$R] reduce(x, zero), dimensions={1}, to_apply=add
  mean = $T[$R] divide(s, counts)
  meanb = $T[$R,$C] broadcast(mean), dimensions={0}
  d = $T[$R,$C] subtract(x, meanb)
  d2 = $T[$R,$C] multiply(d, d)
  v = $T[$R] reduce(d2, zero), dimensions={1}, to_apply=add
  var = $T[$R] divide(v, counts)
  safe = $T[$R] add(var, smalls)
  inverse = $T[$R] rsqrt(safe)
  inverseb = $T[$R,$C] broadcast(inverse), dimensions={0}
  n = $T[$R,$C] multiply(d, inverseb)
  gainb = $T[$R,$C] broadcast(gain), dimensions={1}
  shiftb = $T[$R,$C] broadcast(shift), dimensions={1}
  g = $T[$R,$C] multiply(n, gainb)
  ROOT r = $T[$R,$C] add(g, shiftb)
})";

constexpr char kMatmul[] = R"(HloModule m
ENTRY e {
  x = $T[$R,$K] parameter(0)
  y = $T[$K,$C] parameter(1)
  ROOT d = $T[$R,$C] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";

constexpr char kAttention[] = R"(ENTRY e {
  q = $T[$H,$R,$C] parameter(0)
  k = $T[$H,$R,$C] parameter(1)
  v = $T[$H,$R,$C] parameter(2)
  low = $T[] constant(-inf)
  zero = $T[] constant(0)
  factor = $T[] constant(0.125)
  factors = $T[$H,$R,$R] broadcast(factor), dimensions={}
  qk = $T[$H,$R,$R] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  x = $T[$H,$R,$R] multiply(qk, factors)
  m = $T[$H,$R] reduce(x, low), dimensions={2}, to_apply=larger
  mb = $T[$H,$R,$R] broadcast(m), dimensions={0,1}
  d = $T[$H,$R,$R] subtract(x, mb)
  p = $T[$H,$R,$R] exponential(d)
  s = $T[$H,$R] reduce(p, zero), dimensions={2}, to_apply=add
  sb = $T[$H,$R,$R] broadcast(s), dimensions={0,1}
  w = $T[$H,$R,$R] divide(p, sb)
  ROOT o = $T[$H,$R,$C] dot(w, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
})";

}  // namespace

std::vector<TimingProgram> TimingPrograms(bool small) {
  std::vector<TimingProgram> programs;
  const auto add = [&](const std::string& name, const std::string& dtype, bool pair,
                       const std::string& text, const std::string& rows, const std::string& columns,
                       const std::string& more = "1") {
    std::string sizes = rows + "x" + columns;
    if (more != "1") sizes = more + "x" + sizes;
    programs.push_back({name + "/" + dtype + "/" + sizes,
                        absl::StrReplaceAll(text, {{"$T", dtype},
                                                   {"$R", rows},
                                                   {"$C", columns},
                                                   {"$D", std::to_string(2 * std::stoll(columns))},
                                                   {"$K", more},
                                                   {"$H", more}}),
                        pair});
  };
  const auto add_matmul = [&](const std::string& dtype, int64_t m, int64_t n, int64_t k) {
    add("matmul", dtype, false, kMatmul, std::to_string(m), std::to_string(n), std::to_string(k));
    programs.back().product = {m, n, k};
  };
  const auto with_combiners = [](const char* body) { return std::string(kCombiners) + body; };
  // 256 MiB of f32 on a card: beyond its caches.
  const std::string rows = small ? "33" : "16384", columns = small ? "100" : "4096";
  add("elementwise/add", "f32", false, kAdd, rows, columns);
  add("elementwise/add", "bf16", false, kAdd, rows, columns);
  add("elementwise/gelu", "f32", true, kChain, rows, columns);
  add("elementwise/gelu", "bf16", false, kChain, rows, columns);
  add("transpose", "f32", false, kTranspose, rows, columns);
  add("transpose", "bf16", false, kTranspose, rows, columns);
  add("concatenate", "f32", false, kConcatenate, rows, columns);
  add("reduce/rows", "f32", false, with_combiners(kSumRows), rows, columns);
  add("reduce/columns", "f32", false, with_combiners(kSumColumns), rows, columns);
  add("reduce/all", "f32", false, with_combiners(kSumAll), rows, columns);
  add("softmax", "f32", true, with_combiners(kSoftmax), rows, columns);
  add("layernorm", "f32", true, with_combiners(kLayerNorm), rows, columns);
  for (const char* dtype : {"f32", "bf16"}) {
    if (small) {
      add_matmul(dtype, 31, 33, 17);
    } else {
      add_matmul(dtype, 1024, 1024, 1024);
      add_matmul(dtype, 4096, 4096, 4096);
    }
    add("attention", dtype, true, with_combiners(kAttention), small ? "17" : "1024",
        small ? "16" : "64", small ? "2" : "16");
  }
  // So small that launches are all there is.
  add("overhead/gelu", "f32", true, kChain, small ? "8" : "64", "64");
  return programs;
}

}  // namespace swage::card
