#include "runtime/signature.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/str_join.h"
#include "compiler/ir/symbol_scope.h"

namespace swage::runtime {

using Structure = internal::ArgumentSink::Structure;

namespace {

enum class Tag : uint8_t { kTensor = 1, kSymbolicTensor, kStructure, kStatic, kObject };

// How the bytes of a static are to be read.
enum class StaticKind : uint8_t {
  kOther,
  kText,
  kBool,
  kSigned,
  kUnsigned,
  kFloat,
  kDouble,
  kLongDouble
};

Tag TagOf(uint64_t word) { return static_cast<Tag>(word & 0xff); }
uint64_t Head(Tag tag) { return static_cast<uint64_t>(tag); }

StaticKind KindOf(const std::type_info& type) {
  if (type == typeid(std::string)) return StaticKind::kText;
  if (type == typeid(bool)) return StaticKind::kBool;
  if (type == typeid(float)) return StaticKind::kFloat;
  if (type == typeid(double)) return StaticKind::kDouble;
  if (type == typeid(long double)) return StaticKind::kLongDouble;
  for (const std::type_info* one :
       {&typeid(signed char), &typeid(short), &typeid(int), &typeid(long), &typeid(long long)}) {
    if (type == *one) return StaticKind::kSigned;
  }
  for (const std::type_info* one :
       {&typeid(unsigned char), &typeid(unsigned short), &typeid(unsigned), &typeid(unsigned long),
        &typeid(unsigned long long), &typeid(char)}) {
    if (type == *one) return StaticKind::kUnsigned;
  }
  return StaticKind::kOther;
}

size_t WordsOf(uint64_t head) {
  switch (TagOf(head)) {
    case Tag::kTensor:
      return 1 + (head >> 16 & 0xffff);
    case Tag::kSymbolicTensor:
      return 1 + 2 * (head >> 16 & 0xffff);
    case Tag::kStructure:
    case Tag::kObject:
      return 2;
    case Tag::kStatic:
      return 2 + ((head >> 16) + 7) / 8;
  }
  return 1;
}

std::string StaticText(WordSpan words) {
  const size_t size = words[0] >> 16;
  const char* bytes = reinterpret_cast<const char*>(words.data() + 2);
  switch (static_cast<StaticKind>(words[0] >> 8 & 0xff)) {
    case StaticKind::kText:
      return absl::StrCat("\"", absl::string_view(bytes, size), "\"");
    case StaticKind::kBool:
      return words[2] != 0 ? "true" : "false";
    case StaticKind::kSigned: {
      const int unused = 64 - 8 * static_cast<int>(size);
      return absl::StrCat(static_cast<int64_t>(words[2] << unused) >> unused);
    }
    case StaticKind::kUnsigned:
      return absl::StrCat(words[2]);
    case StaticKind::kFloat: {
      float value;
      std::memcpy(&value, bytes, sizeof(value));
      return absl::StrCat(value);
    }
    case StaticKind::kDouble: {
      double value;
      std::memcpy(&value, bytes, sizeof(value));
      return absl::StrCat(value);
    }
    case StaticKind::kLongDouble: {
      long double value = 0;
      std::memcpy(&value, bytes, size);
      return absl::StrCat(static_cast<double>(value));
    }
    case StaticKind::kOther:
      break;
  }
  return size <= 8 && size > 0 ? absl::StrCat("value ", words[2]) : "a static value";
}

std::string TypeText(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return text != nullptr ? text.get() : type.name();
}

}  // namespace

void AppendTensor(Words* words, const ir::Shape& shape) {
  const bool symbolic = !shape.is_static();
  words->push_back(Head(symbolic ? Tag::kSymbolicTensor : Tag::kTensor) |
                   static_cast<uint64_t>(shape.dtype()) << 8 |
                   static_cast<uint64_t>(shape.rank()) << 16);
  for (const ir::Dim dim : shape.dims()) {
    words->push_back(static_cast<uint64_t>(dim.static_value().value_or(0)));
    if (symbolic) words->push_back(reinterpret_cast<uintptr_t>(dim.node()));
  }
}

void AppendStructure(Words* words, Structure kind, int64_t value) {
  words->push_back(Head(Tag::kStructure) | static_cast<uint64_t>(kind) << 8);
  words->push_back(static_cast<uint64_t>(value));
}

void AppendStatic(Words* words, const std::type_info& type, const void* bytes, size_t size,
                  bool arithmetic) {
  (void)arithmetic;  // it follows from the type
  words->push_back(Head(Tag::kStatic) | static_cast<uint64_t>(KindOf(type)) << 8 |
                   static_cast<uint64_t>(size) << 16);
  // By address: types of one name in two source files have one hash code.
  words->push_back(reinterpret_cast<uintptr_t>(&type));
  const size_t first = words->size();
  words->resize(first + (size + 7) / 8, 0);
  if (size > 0) std::memcpy(words->data() + first, bytes, size);
}

void AppendObject(Words* words, size_t hash) {
  words->push_back(Head(Tag::kObject));
  words->push_back(hash);
}

uint64_t HashWords(WordSpan words) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (const uint64_t word : words) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool KeyItem::Symbolic() const { return TagOf(words[0]) == Tag::kSymbolicTensor; }

ir::Dim KeyItem::Open(int i) const {
  return ir::Dim::OfNode(reinterpret_cast<const ir::DimNode*>(words[2 + 2 * i]));
}

std::optional<int64_t> KeyItem::Size(int i) const {
  if (!Symbolic()) return static_cast<int64_t>(words[1 + i]);
  if (words[2 + 2 * i] != 0) return std::nullopt;
  return static_cast<int64_t>(words[1 + 2 * i]);
}

std::string KeyItem::Extent(int i) const {
  const std::optional<int64_t> size = Size(i);
  if (size.has_value()) return absl::StrCat(*size);
  ir::SymbolScope scope;  // a fresh one: with the range
  return Open(i).ToString(scope);
}

bool KeyItem::SameExtent(const KeyItem& other, int i) const {
  if (Symbolic() != other.Symbolic()) {
    // What the program with the symbol would take counts as the same.
    const std::optional<int64_t> here = Size(i), there = other.Size(i);
    if (here.has_value() == there.has_value()) return here == there;
    const ir::Dim open = here.has_value() ? other.Open(i) : Open(i);
    const int64_t size = here.has_value() ? *here : *there;
    return open.lower_bound() <= size && size <= open.upper_bound();
  }
  if (!Symbolic()) return words[1 + i] == other.words[1 + i];
  return words[1 + 2 * i] == other.words[1 + 2 * i] && words[2 + 2 * i] == other.words[2 + 2 * i];
}

std::string KeyItem::ToString() const {
  switch (kind) {
    case Kind::kTensor: {
      std::vector<std::string> extents;
      for (int i = 0; i < rank(); ++i) extents.push_back(Extent(i));
      return absl::StrCat(ToAbsl(ir::DTypeName(dtype())), "[", absl::StrJoin(extents, ","), "]");
    }
    case Kind::kStructure:
      switch (static_cast<Structure>(words[0] >> 8)) {
        case Structure::kList:
          return absl::StrCat("a list of ", words[1]);
        case Structure::kOptional:
          return words[1] != 0 ? "a value" : "no value";
        case Structure::kType:
          return TypeText(*reinterpret_cast<const std::type_info*>(words[1]));
      }
      return "";
    case Kind::kStatic:
      return StaticText(words);
    case Kind::kObject:
      return "a static value";
  }
  return "";
}

std::vector<KeyItem> ReadKey(WordSpan words) {
  std::vector<KeyItem> items;
  while (!words.empty()) {
    KeyItem item;
    item.words = words.first(WordsOf(words[0]));
    words.remove_prefix(item.words.size());
    switch (TagOf(item.words[0])) {
      case Tag::kTensor:
      case Tag::kSymbolicTensor:
        item.kind = KeyItem::Kind::kTensor;
        break;
      case Tag::kStructure:
        item.kind = KeyItem::Kind::kStructure;
        break;
      case Tag::kStatic:
        item.kind = KeyItem::Kind::kStatic;
        item.arithmetic = (item.words[0] >> 8 & 0xff) > static_cast<uint64_t>(StaticKind::kBool);
        break;
      case Tag::kObject:
        item.kind = KeyItem::Kind::kObject;
        break;
    }
    items.push_back(item);
  }
  return items;
}

std::string KeyText(const std::vector<KeyItem>& items) {
  std::vector<std::string> texts;
  for (const KeyItem& item : items) {
    if (item.kind != KeyItem::Kind::kStructure) {
      texts.push_back(item.ToString());
    } else if (item.words[1] == 0) {  // of others there is something to see
      texts.push_back(item.words[0] >> 8 != 0 ? "no value" : "[]");
    }
  }
  return absl::StrCat("(", absl::StrJoin(texts, ", "), ")");
}

namespace {

using Items = absl::Span<const KeyItem>;

// Weights of the differences between two keys.
constexpr int64_t kOtherExtent = 1, kOneMore = 500, kOtherItem = 1000;
// Keys are aligned while the product of their lengths is at most this: a miss compares with many.
constexpr size_t kMaxAligned = 1024;

int64_t ItemDistance(const KeyItem& a, const KeyItem& b) {
  if (a.words == b.words) return 0;
  const bool tensors = a.kind == KeyItem::Kind::kTensor && b.kind == KeyItem::Kind::kTensor;
  if (!tensors || a.dtype() != b.dtype() || a.rank() != b.rank()) return kOtherItem;
  int64_t distance = 0;
  for (int d = 0; d < a.rank(); ++d) distance += a.SameExtent(b, d) ? 0 : kOtherExtent;
  return distance;
}

bool SameStructure(Items a, Items b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool structure = a[i].kind == KeyItem::Kind::kStructure;
    if (a[i].kind != b[i].kind || (structure && a[i].words != b[i].words)) return false;
  }
  return true;
}

int64_t PositionalDistance(Items a, Items b) {
  int64_t distance = a.size() == b.size() ? 0 : kOtherItem;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) distance += ItemDistance(a[i], b[i]);
  return distance;
}

// The cheapest way to pair the items in order, where some have no partner.
int64_t AlignedDistance(Items a, Items b) {
  std::vector<int64_t> previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int64_t>(j) * kOneMore;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = static_cast<int64_t>(i) * kOneMore;
    for (size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({previous[j - 1] + ItemDistance(a[i - 1], b[j - 1]),
                             previous[j] + kOneMore, current[j - 1] + kOneMore});
    }
    previous.swap(current);
  }
  return previous[b.size()];
}

}  // namespace

int64_t KeyDistance(const std::vector<KeyItem>& a, const std::vector<KeyItem>& b) {
  Items x(a), y(b);
  while (!x.empty() && !y.empty() && x.front().words == y.front().words) {
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  while (!x.empty() && !y.empty() && x.back().words == y.back().words) {
    x.remove_suffix(1);
    y.remove_suffix(1);
  }
  // Behind an optional that one of them has, items of the same place do not belong together.
  const bool align = !SameStructure(x, y) && x.size() * y.size() <= kMaxAligned;
  return align ? AlignedDistance(x, y) : PositionalDistance(x, y);
}

int OnlyArithmeticDifference(const std::vector<KeyItem>& a, const std::vector<KeyItem>& b) {
  if (a.size() != b.size()) return -1;
  int found = -1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].words == b[i].words) continue;
    if (found >= 0 || !a[i].arithmetic || !b[i].arithmetic) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace swage::runtime
