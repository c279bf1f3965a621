// A configuration file of any bytes is read or refused with errors that all name the file; what is
// read has a place for every size.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cache/config.h"

namespace {

using swage::policy::Mode;

// Files that the text names are not opened.
swage::StatusOr<swage::policy::TraceContent> ReadTrace(const std::string& path) {
  return swage::policy::ParseTrace(
      "swage shape trace 1\ncall 3 0 f [3,5]\ncall 1 0 f [8,13]\ncall 9 0 g [64]\n", path);
}

void Place(const swage::policy::FunctionPolicy& function) {
  for (const auto& symbol : function.symbols) {
    for (const int64_t size :
         {int64_t{0}, int64_t{1}, symbol->min, symbol->max, int64_t{1} << 40}) {
      const auto place = PlaceSize(function, Mode::kBucket, *symbol, size);
      if (!place.ok()) continue;
      SWAGE_CHECK(place->range.low <= size && size <= place->range.high);
    }
  }
  SWAGE_CHECK(CountWarmup(function, Mode::kBucket, 10) <= 10);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = swage::cache::ParseConfig(text, "b.toml", ReadTrace);
  if (!config.ok()) {
    SWAGE_CHECK(swage::ToStd(config.status().message()).starts_with("b.toml:"));
    return 0;
  }
  Place(*config->policies->Find("f"));
  Place(*config->policies->Find("g"));
  return 0;
}
