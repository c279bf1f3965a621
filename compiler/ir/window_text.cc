#include "compiler/ir/window_text.h"

#include <algorithm>

namespace swage::ir {
namespace {

bool IsLabelChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '?' || c == '-' ||
         c == '>';
}

// An integer, or a symbolic dim in parentheses.
StatusOr<Dim> ParsePaddingDim(AttributeReader& reader) {
  if (!reader.lexer.TryEat("(")) {
    SWAGE_ASSIGN_OR_RETURN(const int64_t value, reader.lexer.Integer("an integer"));
    return Dim(value);
  }
  SWAGE_ASSIGN_OR_RETURN(const Dim dim, ParseDimValue(reader));
  SWAGE_RETURN_IF_ERROR(reader.lexer.Expect(")"));
  return dim;
}

void PrintPaddingDim(Dim dim, AttributeWriter& writer) {
  if (!dim.is_static()) writer.out += '(';
  PrintDimValue(dim, writer);
  if (!dim.is_static()) writer.out += ')';
}

// One part of a window, such as `size=3x3`: `count` values per dim, joined by '_'.
struct WindowPart {
  std::string_view name;
  int64_t WindowDim::*first;
  int64_t WindowDim::*second = nullptr;
};
constexpr WindowPart kWindowParts[] = {
    {"size", &WindowDim::size},
    {"stride", &WindowDim::stride},
    {"pad", &WindowDim::pad_low, &WindowDim::pad_high},
    {"lhs_dilate", &WindowDim::base_dilation},
    {"rhs_dilate", &WindowDim::window_dilation},
};

class WindowReader {
 public:
  WindowReader(AttributeReader& reader, std::vector<WindowDim>* dims)
      : lexer_(reader.lexer), dims_(dims) {}

  Status Parse() {
    SWAGE_RETURN_IF_ERROR(lexer_.Expect("{"));
    std::vector<std::string_view> seen;
    while (!lexer_.TryEat("}")) {
      lexer_.SkipSpace();
      const size_t start = lexer_.pos();
      SWAGE_ASSIGN_OR_RETURN(const std::string_view name, lexer_.Word("a part of the window"));
      SWAGE_RETURN_IF_ERROR(lexer_.Expect("="));
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        return lexer_.Error(start, absl::StrCat(Quoted(name), " is given twice"));
      }
      seen.push_back(name);
      SWAGE_RETURN_IF_ERROR(Part(name, start));
    }
    return OkStatus();
  }

 private:
  Status Part(std::string_view name, size_t start) {
    for (const WindowPart& part : kWindowParts) {
      if (part.name != name) continue;
      return EachDim([&](WindowDim& dim) -> Status {
        SWAGE_ASSIGN_OR_RETURN(dim.*part.first, lexer_.Integer("an integer"));
        if (part.second == nullptr) return OkStatus();
        SWAGE_RETURN_IF_ERROR(lexer_.Expect("_"));
        SWAGE_ASSIGN_OR_RETURN(dim.*part.second, lexer_.Integer("an integer"));
        return OkStatus();
      });
    }
    if (name == "rhs_reversal") {
      return EachDim([&](WindowDim& dim) -> Status {
        SWAGE_ASSIGN_OR_RETURN(const int64_t flag, lexer_.Integer("0 or 1"));
        if (flag != 0 && flag != 1) return lexer_.ErrorHere("expected 0 or 1");
        dim.reversal = flag == 1;
        return OkStatus();
      });
    }
    return lexer_.Error(start,
                        "a window has size, stride, pad, lhs_dilate, rhs_dilate and "
                        "rhs_reversal");
  }

  // The first part fixes the number of dims; the others must agree.
  template <typename Fn>
  Status EachDim(Fn fn) {
    lexer_.SkipSpace();
    const size_t start = lexer_.pos();
    size_t count = 0;
    do {
      if (count == kMaxRank) return lexer_.Error(start, "the window has too many dimensions");
      if (count == dims_->size()) {
        if (fixed_) return lexer_.Error(start, "the parts of the window differ in rank");
        dims_->emplace_back();
      }
      SWAGE_RETURN_IF_ERROR(fn((*dims_)[count++]));
    } while (NextIs('x'));
    if (count != dims_->size()) {
      return lexer_.Error(start, "the parts of the window differ in rank");
    }
    fixed_ = true;
    return OkStatus();
  }

  bool NextIs(char c) {
    if (lexer_.pos() >= lexer_.text().size() || lexer_.text()[lexer_.pos()] != c) return false;
    lexer_.set_pos(lexer_.pos() + 1);
    return true;
  }

  Lexer& lexer_;
  std::vector<WindowDim>* dims_;
  bool fixed_ = false;
};

void PrintWindowDims(const std::vector<WindowDim>& dims, AttributeWriter& writer) {
  std::string& out = writer.out;
  out += '{';
  for (const WindowPart& part : kWindowParts) {
    const bool is_size = part.first == &WindowDim::size;
    const bool set = std::any_of(dims.begin(), dims.end(), [&](const WindowDim& dim) {
      return dim.*part.first != WindowDim().*part.first ||
             (part.second != nullptr && dim.*part.second != 0);
    });
    if (dims.empty() || (!is_size && !set)) continue;
    if (!is_size) out += ' ';
    out.append(part.name).append("=");
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) out += 'x';
      out += std::to_string(dims[i].*part.first);
      if (part.second != nullptr) out.append("_").append(std::to_string(dims[i].*part.second));
    }
  }
  if (std::any_of(dims.begin(), dims.end(), [](const WindowDim& dim) { return dim.reversal; })) {
    out += " rhs_reversal=";
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) out += 'x';
      out += dims[i].reversal ? '1' : '0';
    }
  }
  out += '}';
}

}  // namespace

StatusOr<Dim> ParseDimValue(AttributeReader& reader) {
  Lexer& lexer = reader.lexer;
  lexer.SkipSpace();
  const size_t start = lexer.pos();
  StatusOr<Dim> dim = ParseDim(lexer.text(), lexer.mutable_pos(), reader.symbols);
  if (!dim.ok()) return lexer.Wrap(dim.status(), start);
  return dim;
}

void PrintDimValue(Dim dim, AttributeWriter& writer) {
  const std::optional<int64_t> value = dim.static_value();
  writer.out += value ? std::to_string(*value) : dim.ToString(writer.symbols);
}

Status ParseSlice(AttributeReader& reader, SliceAttrs* attrs) {
  Lexer& lexer = reader.lexer;
  SWAGE_RETURN_IF_ERROR(lexer.Expect("{"));
  if (lexer.TryEat("}")) return OkStatus();
  do {
    if (attrs->starts.size() == kMaxRank) return lexer.ErrorHere("too many dimensions");
    SWAGE_RETURN_IF_ERROR(lexer.Expect("["));
    SWAGE_ASSIGN_OR_RETURN(const Dim start, ParseDimValue(reader));
    SWAGE_RETURN_IF_ERROR(lexer.Expect(":"));
    SWAGE_ASSIGN_OR_RETURN(const Dim limit, ParseDimValue(reader));
    int64_t stride = 1;
    if (lexer.TryEat(":")) {
      SWAGE_ASSIGN_OR_RETURN(stride, lexer.Integer("a stride"));
    }
    SWAGE_RETURN_IF_ERROR(lexer.Expect("]"));
    attrs->starts.push_back(start);
    attrs->limits.push_back(limit);
    attrs->strides.push_back(stride);
  } while (lexer.TryEat(","));
  return lexer.Expect("}");
}

void PrintSlice(const SliceAttrs& attrs, AttributeWriter& writer) {
  const bool strided = std::any_of(attrs.strides.begin(), attrs.strides.end(),
                                   [](int64_t stride) { return stride != 1; });
  writer.out += '{';
  for (size_t i = 0; i < attrs.starts.size(); ++i) {
    writer.out += i > 0 ? ", [" : "[";
    PrintDimValue(attrs.starts[i], writer);
    writer.out += ':';
    PrintDimValue(attrs.limits[i], writer);
    if (strided) writer.out.append(":").append(std::to_string(attrs.strides[i]));
    writer.out += ']';
  }
  writer.out += '}';
}

Status ParsePadding(AttributeReader& reader, PadAttrs* attrs) {
  Lexer& lexer = reader.lexer;
  // A scalar has no padding: `padding=` with nothing behind it.
  const char next = lexer.Peek();
  if (next != '(' && next != '-' && (next < '0' || next > '9')) return OkStatus();
  do {
    if (attrs->dims.size() == kMaxRank) return lexer.ErrorHere("too many dimensions");
    PadAttrs::Entry entry;
    SWAGE_ASSIGN_OR_RETURN(entry.low, ParsePaddingDim(reader));
    SWAGE_RETURN_IF_ERROR(lexer.Expect("_"));
    SWAGE_ASSIGN_OR_RETURN(entry.high, ParsePaddingDim(reader));
    if (lexer.TryEat("_")) {
      SWAGE_ASSIGN_OR_RETURN(entry.interior, lexer.Integer("an integer"));
    }
    attrs->dims.push_back(entry);
  } while (lexer.TryEat("x"));
  return OkStatus();
}

void PrintPadding(const PadAttrs& attrs, AttributeWriter& writer) {
  const bool interior = std::any_of(attrs.dims.begin(), attrs.dims.end(),
                                    [](const PadAttrs::Entry& e) { return e.interior != 0; });
  for (size_t i = 0; i < attrs.dims.size(); ++i) {
    const PadAttrs::Entry& entry = attrs.dims[i];
    if (i > 0) writer.out += 'x';
    PrintPaddingDim(entry.low, writer);
    writer.out += '_';
    PrintPaddingDim(entry.high, writer);
    if (interior) writer.out.append("_").append(std::to_string(entry.interior));
  }
}

Status ParseWindow(AttributeReader& reader, WindowAttrs* attrs) {
  return WindowReader(reader, &attrs->dims).Parse();
}
void PrintWindow(const WindowAttrs& attrs, AttributeWriter& writer) {
  PrintWindowDims(attrs.dims, writer);
}
Status ParseConvolutionWindow(AttributeReader& reader, ConvolutionAttrs* attrs) {
  return WindowReader(reader, &attrs->window).Parse();
}
void PrintConvolutionWindow(const ConvolutionAttrs& attrs, AttributeWriter& writer) {
  PrintWindowDims(attrs.window, writer);
}

Status ParseDimLabels(AttributeReader& reader, ConvolutionAttrs* attrs) {
  Lexer& lexer = reader.lexer;
  lexer.SkipSpace();
  const std::string_view rest = lexer.text().substr(lexer.pos());
  size_t length = 0;
  while (length < rest.size() && IsLabelChar(rest[length])) ++length;
  const std::string_view labels = rest.substr(0, length);
  const size_t arrow = labels.find("->");
  const size_t split = labels.find('_');
  if (split == std::string_view::npos || arrow == std::string_view::npos || arrow < split) {
    return lexer.ErrorHere("expected labels such as b01f_01io->b01f");
  }
  attrs->dim_labels = std::string(labels);
  lexer.set_pos(lexer.pos() + length);
  return OkStatus();
}

void PrintDimLabels(const ConvolutionAttrs& attrs, AttributeWriter& writer) {
  writer.out += attrs.dim_labels;
}

}  // namespace swage::ir
