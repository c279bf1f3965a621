// A cache entry of any bytes is refused or says what it holds; what it holds encodes to an entry
// that decodes to the same. Each input is also read with a checksum that fits, or nothing would get
// past it, and as key material.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/key_material.h"
#include "cache/entry_format.h"

namespace {

void Read(std::string_view bytes) {
  using namespace swage::cache;
  EntryView view;
  if (!ParseEntry(bytes, &view).ok()) return;
  std::string payload;
  if (!UnpackPayload(view, &payload).ok()) return;
  SWAGE_CHECK(payload.size() == view.payload_bytes);
  const swage::StatusOr<std::string> again = EncodeEntry(view.kind, view.material, payload);
  SWAGE_CHECK(again.ok());
  std::string payload_again;
  SWAGE_CHECK(DecodeEntry(*again, view.kind, view.material, &payload_again).ok());
  SWAGE_CHECK(payload_again == payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Read(bytes);
  const swage::StatusOr<swage::KeyMaterial> material = swage::KeyMaterial::Parse(bytes);
  if (material.ok()) SWAGE_CHECK(material->Serialise() == bytes);
  if (bytes.size() < swage::cache::kEntryHeaderBytes) return 0;
  swage::cache::SealEntry(&bytes);
  Read(bytes);
  return 0;
}
