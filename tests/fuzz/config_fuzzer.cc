// A configuration file of any bytes is read or refused with errors that all name the file.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cache/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = swage::cache::ParseConfig(text, "b.toml");
  if (!config.ok()) SWAGE_CHECK(swage::ToStd(config.status().message()).starts_with("b.toml:"));
  return 0;
}
