// File: cache/entry_format.h
//
// One entry of the disk and remote tiers: a kernel or a module with the key that it was stored
// under, as bytes that verify themselves.
//
//   std::string bytes = EncodeEntry(EntryKind::kKernel, material, object_code);
//   std::string payload;
//   EntryFault fault = DecodeEntry(bytes, EntryKind::kKernel, material, &payload);
//   if (!fault.ok()) Count(fault.problem);   // fault.text says what, got vs expected
//
// The bytes, numbers with the lowest byte first:
//    0  8  magic "SWGENTRY"
//    8  4  format version
//   12  1  kind, then 3 zero bytes
//   16  8  size of the key material
//   24  8  size of the compressed payload
//   32  8  size of the payload
//   40 16  XXH3-128 of all other bytes
//   56     key material, then the payload as one zstd frame; nothing follows
// Any bytes may be given: all sizes are checked against what is there before anything is allocated,
// and no payload beyond its declared size or kMaxPayloadBytes is unpacked. The checksum finds
// accidents; whether the author may be trusted is the reader's business (owner of a file, MAC).
#ifndef SWAGE_CACHE_ENTRY_FORMAT_H_
#define SWAGE_CACHE_ENTRY_FORMAT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "codegen/entry_store.h"

namespace swage::cache {

using codegen::EntryKind;

inline constexpr uint32_t kEntryVersion = 1;
inline constexpr size_t kEntryHeaderBytes = 56;
inline constexpr uint64_t kMaxMaterialBytes = uint64_t{256} << 20;
inline constexpr uint64_t kMaxPayloadBytes = uint64_t{1} << 30;
// No entry is larger; zstd adds less than 1 % to what it cannot compress.
inline constexpr uint64_t kMaxEntryBytes =
    kEntryHeaderBytes + kMaxMaterialBytes + kMaxPayloadBytes + (kMaxPayloadBytes >> 6);

// What keeps bytes from being the wanted entry, in the order in which it is looked for.
enum class EntryProblem {
  kNone,
  kMagic,        // no entry at all
  kVersion,      // of another format
  kTruncated,    // not the size that the header declares
  kChecksum,     // damaged
  kKind,         // a kernel instead of a module or the reverse
  kMaterial,     // stored under another key
  kCompression,  // the payload does not unpack to its declared size
};

struct [[nodiscard]] EntryFault {
  EntryProblem problem = EntryProblem::kNone;
  std::string text;  // what is wrong, got vs expected

  bool ok() const { return problem == EntryProblem::kNone; }
};

// What an entry says of itself; points into its bytes.
struct EntryView {
  EntryKind kind = EntryKind::kKernel;
  std::string_view material;
  std::string_view compressed;
  uint64_t payload_bytes = 0;
};

// InvalidArgument when the material or the payload is larger than its bound.
StatusOr<std::string> EncodeEntry(EntryKind kind, std::string_view material,
                                  std::string_view payload);

// Checks everything but the payload's compression.
EntryFault ParseEntry(std::string_view bytes, EntryView* view);
EntryFault UnpackPayload(const EntryView& view, std::string* payload);

// Both, and that the entry is the one that was asked for.
EntryFault DecodeEntry(std::string_view bytes, EntryKind kind, std::string_view material,
                       std::string* payload);

// Writes the checksum of the other bytes into an entry of at least kEntryHeaderBytes. EncodeEntry's
// last step; fuzzers use it to get past the checksum.
void SealEntry(std::string* bytes);

// "kernel" or "module".
std::string_view EntryKindName(EntryKind kind);

}  // namespace swage::cache

#endif  // SWAGE_CACHE_ENTRY_FORMAT_H_
