// File: tools/folder_store.h
//
// The entries of compiled code as files of one folder that nobody else knows: a process compiles
// into it, others run what it made. No bound, no locks, no trust: cache/ is for that.
//
//   FolderStore store(folder);
//   compile.kernels.store = &store;
#ifndef SWAGE_TOOLS_FOLDER_STORE_H_
#define SWAGE_TOOLS_FOLDER_STORE_H_

#include <mutex>
#include <string>
#include <utility>

#include "codegen/entry_store.h"

namespace swage::tools {

class FolderStore : public codegen::EntryStore {
 public:
  // The folder exists.
  explicit FolderStore(std::string folder) : folder_(std::move(folder)) {}

  StatusOr<std::string> Get(codegen::EntryKind kind, std::string_view material) override;
  void Put(codegen::EntryKind kind, std::string_view material, std::string_view payload) override;

  // The module that was put last; empty: none.
  std::string last_module() const;

 private:
  std::string PathOf(codegen::EntryKind kind, std::string_view material) const;

  const std::string folder_;
  mutable std::mutex mutex_;
  std::string last_module_;
};

}  // namespace swage::tools

#endif  // SWAGE_TOOLS_FOLDER_STORE_H_
