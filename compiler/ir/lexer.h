// File: compiler/ir/lexer.h
//
// Reads HLO text piece by piece: a cursor over the bytes, with the words, numbers and strings that
// HLO is made of, and errors that show the place:
//
//   model.hlo:7:24: error: unknown opcode 'ad'; did you mean 'add' or 'and'?
//     ROOT sum = f32[2]{0} ad(x, y)
//                          ^
//
// Every reader skips blanks, newlines and comments (`/*index=5*/`, `// ...`) first. Any bytes are
// safe; nothing recurses.
#ifndef SWAGE_COMPILER_IR_LEXER_H_
#define SWAGE_COMPILER_IR_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace swage::ir {

// A letter or '_', then letters, digits, '_', '.' or '-'.
bool IsPlainName(std::string_view name);

// 'name' in quotes, for messages; a very long one is cut.
std::string Quoted(std::string_view name);

class Lexer {
 public:
  // Both views must outlive the lexer.
  Lexer(std::string_view text, std::string_view filename) : text_(text), filename_(filename) {}

  std::string_view text() const { return text_; }
  size_t pos() const { return pos_; }
  void set_pos(size_t pos) { pos_ = pos; }
  // For readers that advance a position of their own (shapes, dims, literals).
  size_t* mutable_pos() { return &pos_; }

  void SkipSpace();
  bool AtEnd() {
    SkipSpace();
    return pos_ >= text_.size();
  }
  // The next byte that is not space, '\0' at the end; the cursor stands at it.
  char Peek() {
    SkipSpace();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }

  bool TryEat(std::string_view punctuation);
  Status Expect(std::string_view punctuation);
  // True, and moves past it, when the next name is exactly `word`.
  bool TryWord(std::string_view word);

  // A plain name. `what` says in an error what was expected.
  StatusOr<std::string_view> Word(std::string_view what);
  // A plain name, or '%' and any characters of names.
  StatusOr<std::string_view> Name(std::string_view what);
  StatusOr<int64_t> Integer(std::string_view what);
  StatusOr<bool> Bool();
  // "...", with C escapes resolved.
  StatusOr<std::string> String(std::string_view what);
  // A value that Swage does not interpret, as it is written: up to a ',', a blank or a closing
  // bracket outside of brackets and strings.
  StatusOr<std::string_view> RawValue();
  // Everything up to the end of the line, without trailing blanks.
  std::string_view RestOfLine();

  // An InvalidArgument that shows the line of `pos` with a caret.
  Status Error(size_t pos, std::string_view message) const;
  Status ErrorHere(std::string_view message) {
    SkipSpace();
    return Error(pos_, message);
  }
  // An error of a reader with a position of its own, shown at the cursor, or at `pos`.
  Status Wrap(const Status& status) const { return Wrap(status, pos_); }
  Status Wrap(const Status& status, size_t pos) const;

 private:
  std::string_view NameChars() const;

  std::string_view text_;
  std::string_view filename_;
  size_t pos_ = 0;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_LEXER_H_
