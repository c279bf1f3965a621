// File: tests/codegen/emit/kernel_texts.h
//
// Fusions that several tests use, as HLO with names such as $N for extents.
#ifndef SWAGE_TESTS_CODEGEN_EMIT_KERNEL_TEXTS_H_
#define SWAGE_TESTS_CODEGEN_EMIT_KERNEL_TEXTS_H_

#include <string>
#include <utility>
#include <vector>

namespace swage::emit {

inline constexpr int kSizes[] = {0, 1, 3, 7, 8, 9, 16, 17, 31, 33, 64, 65, 1000};

inline std::string Substitute(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string WithSizes(std::string text,
                             const std::vector<std::pair<std::string, int>>& sizes) {
  for (const auto& [name, value] : sizes) text = Substitute(text, name, std::to_string(value));
  return text;
}

inline std::string RowSum() {
  return R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[$R,$N] parameter(0)
  zero = f32[] constant(0)
  ROOT s = f32[$R] reduce(x, zero), dimensions={1}, to_apply=add
})";
}

inline std::string Softmax() {
  return R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] maximum(a, b) }
ENTRY e {
  x = f32[$R,$N] parameter(0)
  lowest = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[$R] reduce(x, lowest), dimensions={1}, to_apply=max
  mb = f32[$R,$N] broadcast(m), dimensions={0}
  d = f32[$R,$N] subtract(x, mb)
  e = f32[$R,$N] exponential(d)
  s = f32[$R] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[$R,$N] broadcast(s), dimensions={0}
  ROOT r = f32[$R,$N] divide(e, sb)
})";
}

}  // namespace swage::emit

#define EXPECT_KERNEL(...)                                                             \
  do {                                                                                 \
    const ::swage::Status status_ = ::swage::emit::CheckAgainstEvaluator(__VA_ARGS__); \
    EXPECT_TRUE(status_.ok()) << status_.message();                                    \
  } while (false)

#endif  // SWAGE_TESTS_CODEGEN_EMIT_KERNEL_TEXTS_H_
