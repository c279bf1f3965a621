// File: tests/card_check/json_line.h
//
// One JSON object on one line.
//
//   JsonLine line("mma/bf16");
//   line.Add("result", "ok").Add("registers", 32);
//   puts(line.Text().c_str());          // {"case":"mma/bf16","result":"ok","registers":32}
#ifndef SWAGE_TESTS_CARD_CHECK_JSON_LINE_H_
#define SWAGE_TESTS_CARD_CHECK_JSON_LINE_H_

#include <cmath>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace swage::card {

class JsonLine {
 public:
  JsonLine() = default;
  explicit JsonLine(std::string_view name) { Add("case", name); }

  JsonLine& Add(std::string_view key, std::string_view value) {
    Key(key);
    text_ += '"' + Escaped(value) + '"';
    return *this;
  }
  JsonLine& Add(std::string_view key, const char* value) {
    return Add(key, std::string_view(value));
  }
  JsonLine& Add(std::string_view key, std::integral auto value) {
    Key(key);
    if constexpr (std::same_as<decltype(value), bool>) {
      text_ += value ? "true" : "false";
    } else {
      text_ += std::to_string(value);
    }
    return *this;
  }
  // Five digits; what JSON has no number for is null.
  JsonLine& Add(std::string_view key, double value) {
    Key(key);
    char number[40];
    std::snprintf(number, sizeof(number), "%.5g", value);
    text_ += std::isfinite(value) ? number : "null";
    return *this;
  }

  std::string Text() const { return "{" + text_ + "}"; }
  // The fields alone, to be put behind others.
  const std::string& fields() const { return text_; }
  JsonLine& AddFields(const std::string& fields) {
    if (!fields.empty()) text_ += (text_.empty() ? "" : ",") + fields;
    return *this;
  }

 private:
  void Key(std::string_view key) {
    if (!text_.empty()) text_ += ',';
    text_ += '"' + Escaped(key) + "\":";
  }
  static std::string Escaped(std::string_view value) {
    std::string text;
    for (const char c : value) {
      if (c == '"' || c == '\\') text += '\\';
      if (c == '\n') {
        text += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        text += ' ';
      } else {
        text += c;
      }
    }
    return text;
  }

  std::string text_;
};

}  // namespace swage::card

#endif  // SWAGE_TESTS_CARD_CHECK_JSON_LINE_H_
