// A shape and, after a newline, a literal of it: what parses must print and parse back equal.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/literal.h"
#include "compiler/ir/shape.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swage::ir;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t split = text.find('\n');
  const swage::StatusOr<Shape> shape = ParseShape(text.substr(0, split));
  if (!shape.ok()) return 0;
  const swage::StatusOr<Shape> again = ParseShape(shape->ToString());
  SWAGE_CHECK(again.ok() && *again == *shape);
  if (split == std::string_view::npos) return 0;
  size_t pos = split + 1;
  const swage::StatusOr<Literal> literal = ParseLiteral(text, &pos, *shape);
  if (!literal.ok()) return 0;
  pos = 0;
  const swage::StatusOr<Literal> reread = ParseLiteral(literal->ToString(), &pos, *shape);
  SWAGE_CHECK(reread.ok() && *reread == *literal);
  return 0;
}
