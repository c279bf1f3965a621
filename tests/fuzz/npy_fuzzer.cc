// What ParseNpy accepts, it must write and read again as the same value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swage::ir;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const swage::StatusOr<Literal> literal = ParseNpy(bytes, "input");
  if (!literal.ok()) return 0;
  const swage::StatusOr<std::string> written = SerializeNpy(*literal);
  SWAGE_CHECK(written.ok());
  const swage::StatusOr<Literal> again = ParseNpy(*written, "again");
  SWAGE_CHECK(again.ok() && *again == *literal);
  return 0;
}
