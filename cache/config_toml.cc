// toml++'s own code is compiled here.
#define TOML_IMPLEMENTATION
#include "cache/config_toml.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/nearest.h"
#include "cache/cache_dir.h"

namespace swage::cache {
namespace {

std::string_view TypeName(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "table";
    case toml::node_type::array:
      return "array";
    case toml::node_type::string:
      return "string";
    case toml::node_type::integer:
      return "integer";
    case toml::node_type::floating_point:
      return "float";
    case toml::node_type::boolean:
      return "boolean";
    default:
      return "date or time";
  }
}

// Length of the UTF-8 sequence that `text` begins with, 0 when there is none.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f) ||
      (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

bool CheckUtf8(std::string_view text, Problems& problems) {
  Place place{1, 1};
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      problems.Error(place, "not UTF-8");
      return false;
    }
    ++place.column;
    if (text[0] == '\n') place = {place.line + 1, 1};
    text.remove_prefix(length);
  }
  return true;
}

// A name that comes from the file, short enough for an error.
std::string Cut(std::string_view text) {
  constexpr size_t kMost = 80;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

}  // namespace

std::vector<std::string> Problems::Lines(std::vector<Problem> problems,
                                         std::string_view kind) const {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.place < b.place; });
  std::vector<std::string> lines;
  for (size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    // What a function inherits is looked at once for each function.
    bool told = false;
    for (size_t j = i; !told && j > 0 && problems[j - 1].place == problem.place; --j) {
      told = problems[j - 1].text == problem.text;
    }
    if (told) continue;
    lines.push_back(absl::StrCat(path_, ":", problem.place.line, ":", problem.place.column, ": ",
                                 ToAbsl(kind), ": ", problem.text));
  }
  return lines;
}

Status Problems::ToStatus() const {
  std::string text;
  for (const std::string& line : Lines(errors_, "error")) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", line);
  }
  return text.empty() ? OkStatus() : absl::InvalidArgumentError(text);
}

std::vector<std::string> Problems::Warnings() const { return Lines(warnings_, "warning"); }

std::optional<toml::table> ParseToml(std::string_view text, Problems& problems) {
  if (!CheckUtf8(text, problems)) return std::nullopt;
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    problems.Error(error.source().begin, std::string(error.description()));
  } catch (const TomlInvariant&) {
    problems.Error({1, 1}, "not TOML");
  }
  return std::nullopt;
}

std::string Described(const toml::node& node) {
  const std::string type(TypeName(node.type()));
  if (const auto* text = node.as_string()) {
    return absl::StrCat(type, " \"", Cut(text->get()), "\"");
  }
  if (const auto* number = node.as_integer()) return absl::StrCat(type, " ", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return type;
}

std::string Quoted(std::string_view text) { return absl::StrCat("'", Cut(text), "'"); }

std::string Choices(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += Quoted(names[i]);
  }
  return text;
}

std::optional<std::string> ExpandPath(const std::string& text, Place place, std::string_view name,
                                      Problems& problems) {
  const auto wrong = [&](std::string_view what) {
    problems.Error(place, absl::StrCat(ToAbsl(name), ": ", ToAbsl(what)));
    return std::nullopt;
  };
  if (text.empty()) return wrong("the path is empty");
  if (text.find('\0') != std::string::npos) return wrong("the path contains a NUL byte");
  std::string expanded = text;
  if (text[0] == '~') {
    if (text.size() > 1 && text[1] != '/') return wrong("only '~' and '~/' are expanded");
    const std::string home = HomeDir();
    if (home.empty()) return wrong("'~' cannot be expanded: there is no home directory");
    expanded = home + text.substr(1);
  }
  const std::filesystem::path folder = std::filesystem::path(problems.path()).parent_path();
  return NormalCacheDir((folder / expanded).string());
}

TableReader::TableReader(const toml::table& table, std::string name,
                         std::span<const std::string_view> known, Problems& problems)
    : TableReader(table, std::move(name), problems) {
  const std::string where = name_.empty() ? "" : " in " + name_;
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    problems.Error(key.source().begin, absl::StrCat("unknown key ", Quoted(key.str()), where,
                                                    ToAbsl(DidYouMean(key.str(), known))));
  }
}

const toml::table* TableReader::AsTable(const toml::node& node, std::string_view name,
                                        Problems& problems) {
  if (const toml::table* table = node.as_table()) return table;
  problems.Error(PlaceOf(node),
                 absl::StrCat(ToAbsl(name), ": expected table, got ", Described(node)));
  return nullptr;
}

std::string TableReader::NameOf(std::string_view key) const {
  return name_.empty() ? std::string(key) : absl::StrCat(name_, ".", ToAbsl(key));
}

Place TableReader::PlaceOf(const toml::node& node) {
  const Place place = node.source().begin;
  return place ? place : Place{1, 1};
}

void TableReader::Expected(std::string_view what, std::string_view key,
                           const toml::node& node) const {
  problems_.Error(PlaceOf(node), absl::StrCat(NameOf(key), ": expected ", ToAbsl(what), ", got ",
                                              Described(node)));
}

std::optional<int64_t> IntegerAt(const toml::node& node, std::string_view name, int64_t least,
                                 int64_t most, Problems& problems) {
  const Place place = TableReader::PlaceOf(node);
  const auto* number = node.as_integer();
  if (number == nullptr) {
    problems.Error(place, absl::StrCat(ToAbsl(name), ": expected integer, got ", Described(node)));
  } else if (number->get() < least) {
    problems.Error(
        place, absl::StrCat(ToAbsl(name), ": must be at least ", least, ", got ", number->get()));
  } else if (number->get() > most) {
    problems.Error(place,
                   absl::StrCat(ToAbsl(name), ": must be at most ", most, ", got ", number->get()));
  } else {
    return number->get();
  }
  return std::nullopt;
}

std::optional<Field<int64_t>> TableReader::Integer(std::string_view key, int64_t least,
                                                   int64_t most) const {
  const toml::node* node = Get(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<int64_t> value = IntegerAt(*node, NameOf(key), least, most, problems_);
  if (!value.has_value()) return std::nullopt;
  return Field<int64_t>{*value, PlaceOf(*node), NameOf(key)};
}

std::optional<Field<double>> TableReader::Number(std::string_view key) const {
  const toml::node* node = Get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* integer = node->as_integer()) {
    return Field<double>{static_cast<double>(integer->get()), PlaceOf(*node), NameOf(key)};
  }
  const auto* number = node->as_floating_point();
  if (number == nullptr) {
    Expected("number", key, *node);
    return std::nullopt;
  }
  if (!std::isfinite(number->get())) {
    problems_.Error(PlaceOf(*node),
                    absl::StrCat(NameOf(key), ": must be finite, got ", number->get()));
    return std::nullopt;
  }
  return Field<double>{number->get(), PlaceOf(*node), NameOf(key)};
}

template <typename T>
std::optional<Field<T>> TableReader::Value(std::string_view key, std::string_view what) const {
  const toml::node* node = Get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* value = node->as<T>()) return Field<T>{value->get(), PlaceOf(*node), NameOf(key)};
  Expected(what, key, *node);
  return std::nullopt;
}

std::optional<Field<bool>> TableReader::Boolean(std::string_view key) const {
  return Value<bool>(key, "boolean");
}

std::optional<Field<std::string>> TableReader::String(std::string_view key) const {
  return Value<std::string>(key, "string");
}

std::optional<Field<size_t>> TableReader::OneOf(std::string_view key,
                                                std::span<const std::string_view> names) const {
  const std::optional<Field<std::string>> text = String(key);
  if (!text.has_value()) return std::nullopt;
  const auto at = std::find(names.begin(), names.end(), std::string_view(text->value));
  if (at == names.end()) {
    problems_.Error(text->place,
                    absl::StrCat(text->name, ": expected ", Choices(names), ", got ",
                                 Quoted(text->value), ToAbsl(DidYouMean(text->value, names))));
    return std::nullopt;
  }
  return Field<size_t>{static_cast<size_t>(at - names.begin()), text->place, text->name};
}

const toml::table* TableReader::Table(std::string_view key) const {
  const toml::node* node = Get(key);
  return node == nullptr ? nullptr : AsTable(*node, NameOf(key), problems_);
}

const toml::array* TableReader::Array(std::string_view key) const {
  const toml::node* node = Get(key);
  if (node == nullptr) return nullptr;
  if (const toml::array* array = node->as_array()) return array;
  Expected("array", key, *node);
  return nullptr;
}

}  // namespace swage::cache
