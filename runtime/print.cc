// How tensors print: as numpy's arrays do (brackets, common width, 75 columns, large ones in
// summary).
#include <ostream>

#include "runtime/element_text.h"
#include "runtime/ir_types.h"
#include "runtime/tensor.h"
#include "runtime/tensor_impl.h"

namespace swage {
namespace {

constexpr int64_t kSummaryAbove = 1000;  // elements
constexpr int64_t kEdge = 3;             // shown at either end of a dimension in a summary
constexpr size_t kColumns = 75;
constexpr std::string_view kGap = "...";

// numpy's array2string: the same line breaks and blanks.
class ArrayPrinter {
 public:
  ArrayPrinter(const void* data, ir::DType dtype, const ShapeVector& shape)
      : shape_(shape), summary_(Product(shape) > kSummaryAbove) {
    std::vector<int64_t> positions;
    Visit(0, 0, &positions);
    texts_ = runtime::ElementTexts(data, dtype, positions);
  }

  std::string Print() { return Axis(0, " ", kColumns); }

 private:
  static int64_t Product(const ShapeVector& shape) {
    int64_t product = 1;
    for (int64_t extent : shape) product *= extent;
    return product;
  }

  bool Cut(size_t axis) const { return summary_ && shape_[axis] > 2 * kEdge; }

  // Whether element i of the axis is shown; in a summary only those at the ends are.
  bool Shown(size_t axis, int64_t i) const {
    return !Cut(axis) || i < kEdge || i >= shape_[axis] - kEdge;
  }

  // The positions that are shown, in the order of printing.
  void Visit(size_t axis, int64_t base, std::vector<int64_t>* positions) const {
    if (axis == shape_.size()) {
      positions->push_back(base);
      return;
    }
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (Cut(axis) && i == kEdge) i = shape_[axis] - kEdge;
      Visit(axis + 1, base * shape_[axis] + i, positions);
    }
  }

  // Appends a word to the line, or begins a new one where it would be too long.
  static void Extend(std::string* done, std::string* line, std::string_view word, size_t width,
                     const std::string& indent) {
    if (line->size() + word.size() > width && line->size() > indent.size()) {
      const size_t end = line->find_last_not_of(' ') + 1;
      *done += line->substr(0, end) + "\n";
      *line = indent;
    }
    *line += word;
  }

  std::string Axis(size_t axis, const std::string& indent, size_t width) {
    if (axis == shape_.size()) return texts_[next_++];
    const bool last_axis = axis + 1 == shape_.size();
    const std::string separator =
        last_axis ? " " : std::string(shape_.size() - axis - 1, '\n') + indent;
    std::string done, line = indent;
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) line += separator;
      if (!Shown(axis, i)) {
        Extend(&done, &line, kGap, last_axis ? width - 1 : SIZE_MAX, indent);
        i = shape_[axis] - kEdge - 1;
        continue;
      }
      const std::string word = Axis(axis + 1, indent + " ", width - 1);
      Extend(&done, &line, word, last_axis ? width - 1 : SIZE_MAX, indent);
    }
    return "[" + (done + line).substr(indent.size()) + "]";
  }

  const ShapeVector& shape_;
  bool summary_;
  std::vector<std::string> texts_;
  size_t next_ = 0;
};

}  // namespace

std::string Tensor::ToString() const {
  if (!defined()) return "Tensor()";
  const ir::Shape& shape = impl_->shape();
  if (impl_->traced()) {
    std::string text = "Tensor(traced " + shape.ToString(false) + " of " + impl_->op();
    if (impl_->where().line() != 0) {
      text += std::string(" at ") + impl_->where().file_name() + ":" +
              std::to_string(impl_->where().line());
    }
    return text + ")";
  }
  const Tensor host = to("cpu");
  if (shape.rank() == 0) return runtime::ScalarText(host.raw_data(), shape.dtype());
  if (size() == 0) return "[]";
  return ArrayPrinter(host.raw_data(), shape.dtype(), this->shape()).Print();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << tensor.ToString();
}

}  // namespace swage
