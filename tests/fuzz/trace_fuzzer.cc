// A trace of shapes of any bytes is read or refused with the line that is at fault.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cache/policy/shape_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto content = swage::policy::ParseTrace(text, "t");
  if (!content.ok()) SWAGE_CHECK(swage::ToStd(content.status().message()).starts_with("t:"));
  return 0;
}
