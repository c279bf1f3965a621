// File: tests/emulated_cuda/ptx_lexer.h
//
// PTX text as tokens. A word keeps its dots: `ld.global.v4.f32`, `.reg`, `%tid.x`, `$L__BB0_2`.
#ifndef SWAGE_TESTS_EMULATED_CUDA_PTX_LEXER_H_
#define SWAGE_TESTS_EMULATED_CUDA_PTX_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace swage::emulated_cuda {

struct Token {
  enum Kind { kWord, kInteger, kFloat, kString, kPunctuation, kEnd };
  Kind kind = kEnd;
  std::string text;
  int64_t value = 0;   // kInteger; kFloat: its float_bits bits
  int float_bits = 0;  // 32 for 0f..., else 64
  int line = 0;
  size_t begin = 0, end = 0;  // in the source
};

// Ends with a kEnd token. Throws PtxError.
std::vector<Token> TokenizePtx(std::string_view source);

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_PTX_LEXER_H_
