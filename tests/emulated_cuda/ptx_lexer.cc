#include "tests/emulated_cuda/ptx_lexer.h"

#include <bit>
#include <cctype>
#include <cstdlib>

#include "tests/emulated_cuda/ptx_module.h"

namespace swage::emulated_cuda {
namespace {

bool StartsWord(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool InWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> Run() {
    while (SkipBlanks()) Next();
    Token end;
    end.line = line_;
    end.begin = end.end = source_.size();
    tokens_.push_back(end);
    return std::move(tokens_);
  }

 private:
  char At(size_t ahead = 0) const {
    return place_ + ahead < source_.size() ? source_[place_ + ahead] : '\0';
  }

  bool SkipBlanks() {
    while (place_ < source_.size()) {
      if (At() == '\n') ++line_;
      if (std::isspace(static_cast<unsigned char>(At()))) {
        ++place_;
      } else if (At() == '/' && At(1) == '/') {
        while (place_ < source_.size() && At() != '\n') ++place_;
      } else if (At() == '/' && At(1) == '*') {
        const size_t end = source_.find("*/", place_ + 2);
        if (end == std::string_view::npos) throw PtxError(line_, "a comment does not end");
        for (; place_ < end + 2; ++place_) line_ += At() == '\n';
      } else {
        return true;
      }
    }
    return false;
  }

  void Next() {
    Token token;
    token.line = line_;
    token.begin = place_;
    const bool dotted = At() == '.' && (StartsWord(At(1)));
    if (StartsWord(At()) || dotted) {
      token.kind = Token::kWord;
      LexWord();
    } else if (std::isdigit(static_cast<unsigned char>(At()))) {
      LexNumber(&token);
    } else if (At() == '"') {
      token.kind = Token::kString;
      do ++place_;
      while (place_ < source_.size() && At() != '"');
      ++place_;
    } else {
      token.kind = Token::kPunctuation;
      ++place_;
    }
    token.end = std::min(place_, source_.size());
    token.text = std::string(source_.substr(token.begin, token.end - token.begin));
    tokens_.push_back(std::move(token));
  }

  void LexWord() {
    ++place_;
    while (true) {
      if (InWord(At())) {
        ++place_;
      } else if (At() == '.' && (InWord(At(1)))) {
        place_ += 2;
      } else if (At() == ':' && At(1) == ':') {
        place_ += 2;
      } else {
        return;
      }
    }
  }

  void LexNumber(Token* token) {
    const std::string text(source_.substr(place_, 64));
    const char kind =
        At() == '0' ? static_cast<char>(std::tolower(static_cast<unsigned char>(At(1)))) : '\0';
    char* end = nullptr;
    if (kind == 'f' || kind == 'd') {
      const size_t digits = kind == 'f' ? 8 : 16;
      const std::string hex = text.substr(2, digits);
      const uint64_t bits = std::strtoull(hex.c_str(), &end, 16);
      if (hex.size() != digits || *end != '\0') {
        throw PtxError(line_, "a float literal needs " + std::to_string(digits) + " hex digits");
      }
      token->kind = Token::kFloat;
      token->float_bits = kind == 'f' ? 32 : 64;
      // As bits, so that a NaN keeps them.
      token->value = static_cast<int64_t>(bits);
      place_ += 2 + digits;
      return;
    }
    const uint64_t value = kind == 'b' ? std::strtoull(text.c_str() + 2, &end, 2)
                                       : std::strtoull(text.c_str(), &end, 0);
    if (kind != 'x' && kind != 'b' && (*end == '.' || *end == 'e' || *end == 'E')) {
      token->kind = Token::kFloat;
      token->float_bits = 64;
      token->value = std::bit_cast<int64_t>(std::strtod(text.c_str(), &end));
    } else {
      token->kind = Token::kInteger;
      token->value = static_cast<int64_t>(value);
      if (*end == 'U') ++end;
    }
    place_ += static_cast<size_t>(end - text.c_str());
  }

  std::string_view source_;
  size_t place_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> TokenizePtx(std::string_view source) { return Lexer(source).Run(); }

}  // namespace swage::emulated_cuda
