#include "cache/entry_format.h"

#include <zstd.h>

#include <cstring>
#include <new>

#include "base/hash.h"

namespace swage::cache {
namespace {

constexpr std::string_view kMagic = "SWGENTRY";
constexpr size_t kVersionOffset = 8;
constexpr size_t kKindOffset = 12;
constexpr size_t kMaterialSizeOffset = 16;
constexpr size_t kCompressedSizeOffset = 24;
constexpr size_t kPayloadSizeOffset = 32;
constexpr size_t kChecksumOffset = 40;
static_assert(kChecksumOffset + 16 == kEntryHeaderBytes);

// Code is read far more often than written, and higher levels gain little on a few kilobytes.
constexpr int kCompressionLevel = 1;

// A block of a zstd frame takes 4 bytes at least and holds 128 KiB at most.
constexpr uint64_t kMinBlockBytes = 4;
constexpr uint64_t kMaxBlockContent = 128 << 10;

void PutNumber(uint64_t value, int size, char* out) {
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(value >> (8 * i));
}

uint64_t GetNumber(std::string_view bytes, size_t offset, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return value;
}

Hash128 Checksum(std::string_view bytes) {
  Hasher hasher;
  hasher.Raw(bytes.substr(0, kChecksumOffset)).Raw(bytes.substr(kEntryHeaderBytes));
  return hasher.Finish();
}

template <typename... Args>
EntryFault Fault(EntryProblem problem, const Args&... args) {
  return {problem, absl::StrCat(args...)};
}

}  // namespace

std::string_view EntryKindName(EntryKind kind) {
  return kind == EntryKind::kKernel ? "kernel" : "module";
}

void SealEntry(std::string* bytes) {
  SWAGE_CHECK(bytes->size() >= kEntryHeaderBytes);
  const Hash128 hash = Checksum(*bytes);
  PutNumber(hash.high, 8, bytes->data() + kChecksumOffset);
  PutNumber(hash.low, 8, bytes->data() + kChecksumOffset + 8);
}

StatusOr<std::string> EncodeEntry(EntryKind kind, std::string_view material,
                                  std::string_view payload) {
  if (material.size() > kMaxMaterialBytes || payload.size() > kMaxPayloadBytes) {
    return InvalidArgument("[cache] an entry of ", material.size(), " bytes of key and ",
                           payload.size(), " of payload; the bounds are ", kMaxMaterialBytes,
                           " and ", kMaxPayloadBytes);
  }
  const size_t start = kEntryHeaderBytes + material.size();
  std::string bytes(start + ZSTD_compressBound(payload.size()), '\0');
  const size_t compressed = ZSTD_compress(bytes.data() + start, bytes.size() - start,
                                          payload.data(), payload.size(), kCompressionLevel);
  if (ZSTD_isError(compressed)) {
    return ResourceExhausted("[cache] cannot compress ", payload.size(),
                             " bytes: ", ZSTD_getErrorName(compressed));
  }
  bytes.resize(start + compressed);
  kMagic.copy(bytes.data(), kMagic.size());
  PutNumber(kEntryVersion, 4, bytes.data() + kVersionOffset);
  PutNumber(static_cast<uint8_t>(kind), 4, bytes.data() + kKindOffset);
  PutNumber(material.size(), 8, bytes.data() + kMaterialSizeOffset);
  PutNumber(compressed, 8, bytes.data() + kCompressedSizeOffset);
  PutNumber(payload.size(), 8, bytes.data() + kPayloadSizeOffset);
  material.copy(bytes.data() + kEntryHeaderBytes, material.size());
  SealEntry(&bytes);
  return bytes;
}

EntryFault ParseEntry(std::string_view bytes, EntryView* view) {
  // A piece of the magic is a truncated entry, anything else is none.
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) {
    return Fault(EntryProblem::kMagic, "no cache entry: it does not begin with ", ToAbsl(kMagic));
  }
  if (bytes.size() < kEntryHeaderBytes) {
    return Fault(EntryProblem::kTruncated, "truncated: ", bytes.size(), " bytes, a header has ",
                 kEntryHeaderBytes);
  }
  const uint64_t version = GetNumber(bytes, kVersionOffset, 4);
  if (version != kEntryVersion) {
    return Fault(EntryProblem::kVersion, "format version ", version, ", this build reads ",
                 kEntryVersion);
  }
  const uint64_t kind = GetNumber(bytes, kKindOffset, 4);
  const uint64_t material_size = GetNumber(bytes, kMaterialSizeOffset, 8);
  const uint64_t compressed_size = GetNumber(bytes, kCompressedSizeOffset, 8);
  const uint64_t payload_size = GetNumber(bytes, kPayloadSizeOffset, 8);
  const uint64_t body = bytes.size() - kEntryHeaderBytes;
  if (material_size > body || compressed_size != body - material_size) {
    return Fault(EntryProblem::kTruncated, "truncated: ", body,
                 " bytes follow the header, it declares ", material_size, " of key and ",
                 compressed_size, " of payload");
  }
  const Hash128 declared{.high = GetNumber(bytes, kChecksumOffset, 8),
                         .low = GetNumber(bytes, kChecksumOffset + 8, 8)};
  const Hash128 actual = Checksum(bytes);
  if (declared != actual) {
    return Fault(EntryProblem::kChecksum, "checksum ", actual.ToHex(), ", the header declares ",
                 declared.ToHex());
  }
  if (kind != static_cast<uint64_t>(EntryKind::kKernel) &&
      kind != static_cast<uint64_t>(EntryKind::kModule)) {
    return Fault(EntryProblem::kKind, "kind ", kind, ", known are 1 (kernel) and 2 (module)");
  }
  if (payload_size > kMaxPayloadBytes ||
      payload_size > (compressed_size / kMinBlockBytes + 1) * kMaxBlockContent) {
    return Fault(EntryProblem::kCompression, "a payload of ", payload_size, " bytes declared for ",
                 compressed_size, " compressed ones");
  }
  view->kind = static_cast<EntryKind>(kind);
  view->material = bytes.substr(kEntryHeaderBytes, material_size);
  view->compressed = bytes.substr(kEntryHeaderBytes + material_size);
  view->payload_bytes = payload_size;
  return {};
}

EntryFault UnpackPayload(const EntryView& view, std::string* payload) {
  try {
    payload->resize(view.payload_bytes);
  } catch (const std::bad_alloc&) {
    return Fault(EntryProblem::kCompression, "no memory for ", view.payload_bytes, " bytes");
  }
  const size_t size = ZSTD_decompress(payload->data(), payload->size(), view.compressed.data(),
                                      view.compressed.size());
  if (ZSTD_isError(size)) {
    return Fault(EntryProblem::kCompression,
                 "the payload does not unpack: ", ZSTD_getErrorName(size));
  }
  if (size != view.payload_bytes) {
    return Fault(EntryProblem::kCompression, "the payload unpacks to ", size,
                 " bytes, the header declares ", view.payload_bytes);
  }
  return {};
}

EntryFault DecodeEntry(std::string_view bytes, EntryKind kind, std::string_view material,
                       std::string* payload) {
  EntryView view;
  if (EntryFault fault = ParseEntry(bytes, &view); !fault.ok()) return fault;
  if (view.kind != kind) {
    return Fault(EntryProblem::kKind, "a ", ToAbsl(EntryKindName(view.kind)), " where a ",
                 ToAbsl(EntryKindName(kind)), " is wanted");
  }
  if (view.material != material) {
    return Fault(EntryProblem::kMaterial, "stored under another key, ",
                 HashBytes(view.material).ToHex(), " instead of ", HashBytes(material).ToHex());
  }
  return UnpackPayload(view, payload);
}

}  // namespace swage::cache
