// Linked into every test: what an earlier run left on the disk must not be found. A test of the disk
// tier chooses a folder of its own.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kOff = setenv("SWAGE_CACHE_DIR", "off", /*overwrite=*/1);

}  // namespace
