#include "tools/folder_store.h"

#include "base/files.h"
#include "base/key_material.h"

namespace swage::tools {

std::string FolderStore::PathOf(codegen::EntryKind kind, std::string_view material) const {
  Hasher hasher;
  hasher.Field(static_cast<int>(kind)).Field(material);
  return absl::StrCat(folder_, "/", hasher.Finish().ToHex());
}

StatusOr<std::string> FolderStore::Get(codegen::EntryKind kind, std::string_view material) {
  const StatusOr<std::string> bytes = ReadRegularFile(PathOf(kind, material));
  if (!bytes.ok()) return NotFound(bytes.status().message());
  const StatusOr<KeyMaterial> fields = KeyMaterial::Parse(*bytes);
  if (!fields.ok() || fields->fields().size() != 2 || fields->fields()[0].value != material) {
    return NotFound("[store] another entry");
  }
  return fields->fields()[1].value;
}

void FolderStore::Put(codegen::EntryKind kind, std::string_view material,
                      std::string_view payload) {
  KeyMaterial fields;
  fields.Add("material", material);
  fields.Add("payload", payload);
  // Without the file the entry is made again, or missed and said so by whoever wants it.
  (void)WriteFileAtomic(PathOf(kind, material), fields.Serialise());
  if (kind != codegen::EntryKind::kModule) return;
  const std::lock_guard lock(mutex_);
  last_module_ = payload;
}

std::string FolderStore::last_module() const {
  const std::lock_guard lock(mutex_);
  return last_module_;
}

}  // namespace swage::tools
