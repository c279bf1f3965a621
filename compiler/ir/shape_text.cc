// The text of shapes, both ways.
#include <algorithm>
#include <string>
#include <utility>

#include "compiler/ir/shape.h"

namespace swage::ir {
namespace {

constexpr size_t kMaxLayoutSuffix = 1024;

void AppendShape(const Shape& shape, bool with_layout, SymbolScope& scope, std::string* out) {
  if (shape.is_token()) {
    out->append("token[]");
    return;
  }
  if (shape.is_tuple()) {
    out->append("(");
    for (int i = 0; i < shape.tuple_size(); ++i) {
      if (i > 0) out->append(", ");
      AppendShape(shape.tuple_shape(i), with_layout, scope, out);
    }
    out->append(")");
    return;
  }
  out->append(DTypeName(shape.dtype())).append("[");
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) out->append(",");
    const Dim dim = shape.dim(i);
    out->append(dim.is_static() ? std::to_string(*dim.static_value()) : dim.ToString(scope));
  }
  out->append("]");
  if (with_layout && shape.has_layout()) out->append(shape.layout().ToString());
}

class ShapeParser {
 public:
  ShapeParser(std::string_view text, size_t pos, SymbolScope& scope)
      : text_(text), pos_(pos), scope_(scope) {}

  size_t pos() const { return pos_; }

  StatusOr<Shape> Parse(int depth) {
    if (depth > kMaxTupleDepth) {
      return InvalidArgument("[shape text] tuples nest deeper than ", kMaxTupleDepth, " at offset ",
                             pos_);
    }
    return Eat('(') ? Tuple(depth) : Array();
  }

 private:
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  // Blanks and comments, as in `(f32[2], /*index=5*/ s32[])`.
  void Skip() {
    while (pos_ < text_.size()) {
      if (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') {
        ++pos_;
      } else if (text_.substr(pos_, 2) == "/*") {
        const size_t end = text_.find("*/", pos_ + 2);
        if (end == std::string_view::npos) return;
        pos_ = end + 2;
      } else {
        return;
      }
    }
  }
  bool Eat(char c) {
    Skip();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  Status Error(std::string_view expected) const {
    return InvalidArgument("[shape text] expected ", ToAbsl(expected), " at offset ", pos_,
                           ", got '", ToAbsl(text_.substr(std::min(pos_, text_.size()), 16)), "'");
  }

  StatusOr<Shape> Tuple(int depth) {
    std::vector<Shape> elements;
    if (Eat(')')) return Shape::Tuple({});
    do {
      SWAGE_ASSIGN_OR_RETURN(Shape element, Parse(depth + 1));
      elements.push_back(std::move(element));
    } while (Eat(','));
    if (!Eat(')')) return Error("',' or ')' of a tuple shape");
    return Shape::Tuple(std::move(elements));
  }

  StatusOr<Shape> Array() {
    Skip();
    const size_t start = pos_;
    while ((Peek() >= 'a' && Peek() <= 'z') || (Peek() >= '0' && Peek() <= '9')) ++pos_;
    const std::string_view name = text_.substr(start, pos_ - start);
    const std::optional<DType> dtype = ParseDType(name);
    if (!dtype || Peek() != '[') {
      pos_ = start;
      return Error("a shape such as f32[2,3]");
    }
    ++pos_;
    Dims dims;
    SWAGE_RETURN_IF_ERROR(ParseDims(&dims));
    if (*dtype == DType::kToken) {
      if (!dims.empty()) return InvalidArgument("[shape text] a token has no dimensions");
      return Shape::Token();
    }
    Shape shape = Shape::Array(*dtype, dims);
    if (Peek() == '{') SWAGE_RETURN_IF_ERROR(ParseLayout(&shape));
    SWAGE_RETURN_IF_ERROR(shape.Check());
    return shape;
  }

  Status ParseDims(Dims* dims) {
    if (Eat(']')) return OkStatus();
    do {
      if (dims->size() == kMaxRank) {
        return InvalidArgument("[shape text] more than ", kMaxRank, " dimensions at offset ", pos_);
      }
      Skip();
      SWAGE_ASSIGN_OR_RETURN(const Dim dim, ParseDim(text_, &pos_, scope_));
      dims->push_back(dim);
    } while (Eat(','));
    return Eat(']') ? OkStatus() : Error("',' or ']' after a dimension");
  }

  // {1,0} or {1,0:T(8,128)S(1)}
  Status ParseLayout(Shape* shape) {
    ++pos_;
    Layout layout;
    Skip();
    while (Peek() >= '0' && Peek() <= '9') {
      int32_t dim = 0;
      for (; Peek() >= '0' && Peek() <= '9'; ++pos_) {
        dim = std::min(dim * 10 + (Peek() - '0'), kMaxRank);  // too large is not a permutation
      }
      if (layout.minor_to_major.size() >= kMaxRank) return Error("a layout of fewer dimensions");
      layout.minor_to_major.push_back(dim);
      if (!Eat(',')) break;
      Skip();
    }
    if (Eat(':')) {
      const size_t end = text_.find_first_of("{}\n", pos_);
      if (end == std::string_view::npos || end - pos_ > kMaxLayoutSuffix) {
        return Error("'}' of a layout");
      }
      layout.suffix = std::string(text_.substr(pos_, end - pos_));
      pos_ = end;
    }
    if (!Eat('}')) return Error("'}' of a layout");
    if (static_cast<int>(layout.minor_to_major.size()) != shape->rank() &&
        !layout.minor_to_major.empty()) {
      return InvalidArgument("[shape text] the layout that ends at offset ", pos_, " names ",
                             layout.minor_to_major.size(), " dimensions, the rank is ",
                             shape->rank());
    }
    shape->set_layout(std::move(layout));
    return OkStatus();
  }

  std::string_view text_;
  size_t pos_;
  SymbolScope& scope_;
};

}  // namespace

std::string Shape::ToString(bool with_layout) const {
  SymbolScope scope;
  return ToString(with_layout, scope);
}

std::string Shape::ToString(bool with_layout, SymbolScope& scope) const {
  std::string out;
  AppendShape(*this, with_layout, scope, &out);
  return out;
}

StatusOr<Shape> ParseShape(std::string_view text, size_t* pos, SymbolScope& scope) {
  ShapeParser parser(text, *pos, scope);
  SWAGE_ASSIGN_OR_RETURN(Shape shape, parser.Parse(0));
  *pos = parser.pos();
  return shape;
}

StatusOr<Shape> ParseShape(std::string_view text) {
  SymbolScope scope;
  size_t pos = 0;
  SWAGE_ASSIGN_OR_RETURN(Shape shape, ParseShape(text, &pos, scope));
  if (pos != text.size()) {
    return InvalidArgument("[shape text] unexpected text after the shape: '",
                           ToAbsl(text.substr(pos, 16)), "'");
  }
  return shape;
}

}  // namespace swage::ir
