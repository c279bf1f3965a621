#include "compiler/ir/npy.h"

#include <algorithm>
#include <utility>

#include "base/files.h"

namespace swage::ir {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxHeader = 1 << 20;

// The descr without its byte order for each dtype, the one that is written first.
struct Descr {
  DType dtype;
  std::string_view code;
  std::string_view other = {};  // also accepted when the caller names the dtype
};
constexpr Descr kDescrs[] = {
    {DType::kPred, "b1"},         {DType::kS8, "i1"},
    {DType::kS16, "i2"},          {DType::kS32, "i4"},
    {DType::kS64, "i8"},          {DType::kU8, "u1"},
    {DType::kU16, "u2"},          {DType::kU32, "u4"},
    {DType::kU64, "u8"},          {DType::kF16, "f2"},
    {DType::kF32, "f4"},          {DType::kF64, "f8"},
    {DType::kC64, "c8"},          {DType::kC128, "c16"},
    {DType::kBF16, "u2", "V2"},   {DType::kF8E4M3FN, "u1", "V1"},
    {DType::kF8E5M2, "u1", "V1"}, {DType::kS4, "i1", "V1"},
    {DType::kU4, "u1", "V1"},
};

const Descr* FindDescr(DType dtype) {
  for (const Descr& descr : kDescrs) {
    if (descr.dtype == dtype) return &descr;
  }
  return nullptr;
}

// What the header says.
struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

std::string TupleText(absl::Span<const Dim> dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += dims[i].ToString() + (i + 1 < dims.size() ? ", " : dims.size() == 1 ? "," : "");
  }
  return text + ")";
}

// Printable bytes of hostile text, shortened, for messages.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '.';
  return out + "'";
}

// Reads the Python dict of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  StatusOr<Header> Parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Eat('{')) return Error("'{'");
    while (!Eat('}')) {
      SWAGE_ASSIGN_OR_RETURN(const std::string key, String());
      if (!Eat(':')) return Error("':'");
      if (key == "descr" && !has_descr) {
        has_descr = true;
        Skip();
        if (Peek() == '[') {
          return InvalidArgument("[npy] ", ToAbsl(name_),
                                 ": a structured dtype, expected a plain one; ",
                                 "save each field as its own array");
        }
        SWAGE_ASSIGN_OR_RETURN(header.descr, String());
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        SWAGE_ASSIGN_OR_RETURN(header.fortran_order, Bool());
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        SWAGE_RETURN_IF_ERROR(ShapeTuple(&header.shape));
      } else {
        return InvalidArgument("[npy] ", ToAbsl(name_), ": the header's key ", Quoted(key),
                               " is repeated or not one of descr, fortran_order, shape");
      }
      if (!Eat(',')) {
        if (!Eat('}')) return Error("',' or '}'");
        break;
      }
    }
    Skip();
    if (pos_ != text_.size()) return Error("the end of the header");
    if (!has_descr || !has_order || !has_shape) {
      return InvalidArgument("[npy] ", ToAbsl(name_),
                             ": the header lacks one of descr, fortran_order, shape");
    }
    return header;
  }

 private:
  char Peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void Skip() {
    while (Peek() == ' ' || Peek() == '\n' || Peek() == '\t' || Peek() == '\r') ++pos_;
  }
  bool Eat(char c) {
    Skip();
    if (pos_ >= text_.size() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  bool EatWord(std::string_view word) {
    Skip();
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  Status Error(std::string_view expected) const {
    return InvalidArgument("[npy] ", ToAbsl(name_), ": malformed header, expected ",
                           ToAbsl(expected), " at offset ", pos_, ", got ",
                           Quoted(text_.substr(std::min(pos_, text_.size()), 16)));
  }
  StatusOr<std::string> String() {
    Skip();
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Error("a string");
    const size_t end = text_.find(quote, pos_ + 1);
    if (end == std::string_view::npos) return Error("a closing quote");
    std::string value(text_.substr(pos_ + 1, end - pos_ - 1));
    pos_ = end + 1;
    return value;
  }
  StatusOr<bool> Bool() {
    if (EatWord("True")) return true;
    if (EatWord("False")) return false;
    return Error("True or False");
  }
  Status ShapeTuple(std::vector<int64_t>* shape) {
    if (!Eat('(')) return Error("'(' of the shape");
    while (!Eat(')')) {
      Skip();
      if (Peek() < '0' || Peek() > '9') return Error("an extent");
      int64_t extent = 0;
      for (; Peek() >= '0' && Peek() <= '9'; ++pos_) {
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, Peek() - '0', &extent)) {
          return InvalidArgument("[npy] ", ToAbsl(name_), ": an extent does not fit in int64");
        }
      }
      if (Peek() == 'L') ++pos_;  // Python 2 wrote long integers so
      if (shape->size() == kMaxRank) {
        return InvalidArgument("[npy] ", ToAbsl(name_), ": more than ", kMaxRank, " dimensions");
      }
      shape->push_back(extent);
      if (!Eat(',')) {
        if (!Eat(')')) return Error("',' or ')' in the shape");
        break;
      }
    }
    return OkStatus();
  }

  std::string_view text_;
  std::string_view name_;
  size_t pos_ = 0;
};

// Behind magic, version and the length of the header.
size_t HeaderStart(size_t major) { return major == 1 ? 10 : 12; }

Status Truncated(std::string_view name, size_t need, size_t got) {
  return InvalidArgument("[npy] ", ToAbsl(name), ": truncated header, needs ", need, " bytes, got ",
                         got);
}

// The dtype of the file's descr, given what the caller wants.
StatusOr<DType> ResolveDType(const std::string& descr, std::string_view name,
                             std::optional<DType> wanted) {
  const char order = descr.empty() ? '\0' : descr[0];
  const std::string_view code =
      order == '<' || order == '|' || order == '=' || order == '>' || order == '!'
          ? std::string_view(descr).substr(1)
          : std::string_view(descr);
  if (!code.empty() && code[0] == 'O') {
    return InvalidArgument("[npy] ", ToAbsl(name),
                           ": an array of Python objects, expected numbers");
  }
  if ((order == '>' || order == '!') && code != "b1" && code != "i1" && code != "u1") {
    return InvalidArgument(
        "[npy] ", ToAbsl(name), ": big-endian data ", Quoted(descr),
        ", expected little-endian; save it with a.astype(a.dtype.newbyteorder('<'))");
  }
  if (wanted) {
    const Descr* row = FindDescr(*wanted);
    if (row != nullptr && (code == row->code || (!row->other.empty() && code == row->other))) {
      return *wanted;
    }
    return InvalidArgument("[npy] ", ToAbsl(name), ": dtype mismatch, expected ",
                           ToAbsl(DTypeName(*wanted)), " stored as '",
                           row == nullptr ? "" : ToAbsl(row->code), "', got ", Quoted(descr));
  }
  for (const Descr& row : kDescrs) {
    if (row.code == code) return row.dtype;
  }
  return InvalidArgument("[npy] ", ToAbsl(name), ": unsupported dtype ", Quoted(descr),
                         ", expected one of b1, i1 to i8, u1 to u8, f2, f4, f8, c8, c16");
}

}  // namespace

StatusOr<size_t> NpyDataOffset(std::string_view prefix, std::string_view name) {
  if (prefix.substr(0, kMagic.size()) != kMagic) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": not a .npy file, expected it to start with ",
                           "\\x93NUMPY, got ", Quoted(prefix.substr(0, kMagic.size())));
  }
  if (prefix.size() < 10) return Truncated(name, 10, prefix.size());
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(prefix[i])); };
  const size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": format version ", major, ".", minor,
                           ", expected 1.0, 2.0 or 3.0");
  }
  const size_t start = HeaderStart(major);
  if (prefix.size() < start) return Truncated(name, start, prefix.size());
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMaxHeader) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": a header of ", length,
                           " bytes, the limit is ", kMaxHeader);
  }
  return start + length;
}

StatusOr<Shape> ParseNpyHeader(std::string_view header, uint64_t data_size, std::string_view name,
                               const NpyOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const size_t end, NpyDataOffset(header, name));
  if (header.size() < end) return Truncated(name, end, header.size());
  const size_t start = HeaderStart(static_cast<size_t>(header[6]));
  SWAGE_ASSIGN_OR_RETURN(const Header parsed,
                         HeaderParser(header.substr(start, end - start), name).Parse());
  std::optional<DType> wanted = options.dtype;
  if (options.shape) {
    if (!options.shape->is_array() || (wanted && *wanted != options.shape->dtype())) {
      return Internal(
          "[npy] the shape asked for is no array, or its dtype is not the one asked for");
    }
    wanted = options.shape->dtype();
  }
  SWAGE_ASSIGN_OR_RETURN(const DType dtype, ResolveDType(parsed.descr, name, wanted));
  const Dims dims(parsed.shape.begin(), parsed.shape.end());
  Shape shape = Shape::Array(dtype, dims);
  if (options.shape && !SameDims(shape, *options.shape)) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": shape mismatch, expected ",
                           TupleText(options.shape->dims()), ", got ", TupleText(dims));
  }
  if (parsed.fortran_order && shape.rank() > 1) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": Fortran order, expected C order; ",
                           "save it with np.ascontiguousarray");
  }
  const StatusOr<int64_t> size = shape.ByteSize();
  if (!size.ok()) {
    return InvalidArgument("[npy] ", ToAbsl(name), ": absurd shape ", TupleText(dims), ", ",
                           size.status().message());
  }
  if (static_cast<uint64_t>(*size) != data_size) {
    return InvalidArgument(
        "[npy] ", ToAbsl(name), ": ",
        static_cast<uint64_t>(*size) > data_size ? "truncated, " : "trailing bytes, ",
        TupleText(dims), " of ", ToAbsl(DTypeName(dtype)), " takes ", *size,
        " bytes after the header, got ", data_size);
  }
  return shape;
}

StatusOr<Literal> ParseNpy(std::string_view bytes, std::string_view name,
                           const NpyOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const size_t start, NpyDataOffset(bytes.substr(0, kNpyPrefix), name));
  if (bytes.size() < start) return Truncated(name, start, bytes.size());
  const std::string_view data = bytes.substr(start);
  SWAGE_ASSIGN_OR_RETURN(const Shape shape,
                         ParseNpyHeader(bytes.substr(0, start), data.size(), name, options));
  StatusOr<Literal> literal =
      Literal::FromBytes(shape, {reinterpret_cast<const uint8_t*>(data.data()), data.size()});
  if (literal.ok()) return literal;
  return Status(literal.status().code(),
                absl::StrCat("[npy] ", ToAbsl(name), ": ", literal.status().message()));
}

StatusOr<Literal> ReadNpy(const std::string& path, const NpyOptions& options) {
  SWAGE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ParseNpy(bytes, path, options);
}

std::string NpyHeader(const Shape& shape) {
  const std::string_view code = FindDescr(shape.dtype())->code;
  const char order = DTypeBytes(shape.dtype()) == 1 ? '|' : '<';
  std::string header =
      absl::StrCat("{'descr': '", std::string(1, order), ToAbsl(code),
                   "', 'fortran_order': False, 'shape': ", TupleText(shape.dims()), ", }");
  // The data starts at a multiple of 64; the header ends with a newline.
  header.append(63 - (kMagic.size() + 4 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

StatusOr<std::string> SerializeNpy(const Literal& literal) {
  if (!literal.shape().is_array()) {
    return InvalidArgument("[npy] a .npy file holds one array, got ", literal.shape().ToString());
  }
  std::string out = NpyHeader(literal.shape());
  out.append(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
  return out;
}

Status WriteNpy(const std::string& path, const Literal& literal) {
  SWAGE_ASSIGN_OR_RETURN(const std::string bytes, SerializeNpy(literal));
  return WriteFile(path, bytes);
}

}  // namespace swage::ir
