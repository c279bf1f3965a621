#include "base/key_material.h"

#include <map>
#include <utility>

namespace swage {
namespace {

// The last byte is the version of this layout.
constexpr std::string_view kMagic("SWGKEY\0\1", 8);

void AppendNumber(uint64_t value, std::string& out) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void AppendBytes(std::string_view bytes, std::string& out) {
  AppendNumber(bytes.size(), out);
  out.append(bytes);
}

// Takes values off the front of `bytes`; false once there is too little.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool Number(uint64_t& value) {
    if (bytes_.size() < 8) return false;
    value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(8);
    return true;
  }

  bool Bytes(std::string& value) {
    uint64_t size;
    if (!Number(size) || size > bytes_.size()) return false;
    value.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return true;
  }

  size_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

// Names the n-th field of a name.
using Slot = std::pair<std::string_view, int>;
using Slots = std::vector<std::pair<Slot, std::string_view>>;

Slots NumberFields(const KeyMaterial& material) {
  std::map<std::string_view, int> seen;
  Slots slots;
  for (const KeyField& field : material.fields()) {
    slots.push_back({{field.name, seen[field.name]++}, field.value});
  }
  return slots;
}

}  // namespace

void KeyMaterial::Add(std::string_view name, std::string_view value) {
  fields_.push_back({std::string(name), std::string(value)});
}

std::optional<std::string_view> KeyMaterial::Find(std::string_view name) const {
  for (const KeyField& field : fields_) {
    if (field.name == name) return field.value;
  }
  return std::nullopt;
}

KeyMaterial KeyMaterial::Shortened() const {
  constexpr size_t kLong = 64;
  KeyMaterial shortened;
  for (const KeyField& field : fields_) {
    shortened.Add(field.name, field.value.size() > kLong ? "#" + HashBytes(field.value).ToHex()
                                                         : field.value);
  }
  return shortened;
}

std::string KeyMaterial::Serialise() const {
  size_t size = kMagic.size() + 8;
  for (const KeyField& field : fields_) size += 16 + field.name.size() + field.value.size();
  std::string bytes;
  bytes.reserve(size);
  bytes.append(kMagic);
  AppendNumber(fields_.size(), bytes);
  for (const KeyField& field : fields_) {
    AppendBytes(field.name, bytes);
    AppendBytes(field.value, bytes);
  }
  return bytes;
}

Hash128 KeyMaterial::Hash() const { return HashKeyBytes(Serialise()); }

StatusOr<KeyMaterial> KeyMaterial::Parse(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return InvalidArgument("[key] the bytes are no key material of this version");
  }
  Reader reader(bytes.substr(kMagic.size()));
  uint64_t count;
  if (!reader.Number(count)) return InvalidArgument("[key] the bytes end in the field count");
  // Every field takes 16 bytes at least, so a huge count fails before anything is allocated.
  if (count > reader.left() / 16) {
    return InvalidArgument("[key] ", count, " fields declared, but only ", reader.left(),
                           " bytes follow");
  }
  KeyMaterial material;
  material.fields_.resize(count);
  for (KeyField& field : material.fields_) {
    if (!reader.Bytes(field.name) || !reader.Bytes(field.value)) {
      return InvalidArgument("[key] the bytes end inside a field");
    }
  }
  if (reader.left() != 0) {
    return InvalidArgument("[key] ", reader.left(), " bytes follow the last field");
  }
  return material;
}

std::vector<KeyDifference> DiffKeys(const KeyMaterial& a, const KeyMaterial& b) {
  const Slots of_a = NumberFields(a);
  const Slots of_b = NumberFields(b);
  std::map<Slot, std::string_view> left_in_b(of_b.begin(), of_b.end());
  std::vector<KeyDifference> differences;
  for (const auto& [slot, value] : of_a) {
    const auto found = left_in_b.find(slot);
    if (found == left_in_b.end()) {
      differences.push_back({std::string(slot.first), std::string(value), std::nullopt});
      continue;
    }
    if (found->second != value) {
      differences.push_back(
          {std::string(slot.first), std::string(value), std::string(found->second)});
    }
    left_in_b.erase(found);
  }
  for (const auto& [slot, value] : of_b) {
    if (!left_in_b.contains(slot)) continue;
    differences.push_back({std::string(slot.first), std::nullopt, std::string(value)});
  }
  return differences;
}

}  // namespace swage
