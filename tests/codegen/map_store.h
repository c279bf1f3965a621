// File: tests/codegen/map_store.h
//
// A store of entries in memory, which a test may look into and damage.
//
//   MapStore store;
//   options.kernels.store = &store;
//   ...
//   EXPECT_EQ(store.Count(EntryKind::kModule), 1);
#ifndef SWAGE_TESTS_CODEGEN_MAP_STORE_H_
#define SWAGE_TESTS_CODEGEN_MAP_STORE_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/entry_store.h"

namespace swage::codegen {

class MapStore : public EntryStore {
 public:
  StatusOr<std::string> Get(EntryKind kind, std::string_view material) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = entries.find({kind, std::string(material)});
    if (it == entries.end()) return absl::NotFoundError("absent");
    return it->second;
  }
  void Put(EntryKind kind, std::string_view material, std::string_view payload) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries[{kind, std::string(material)}] = payload;
  }
  int Count(EntryKind kind) const {
    int count = 0;
    for (const auto& [key, payload] : entries) count += key.first == kind;
    return count;
  }

  std::map<std::pair<EntryKind, std::string>, std::string> entries;  // while nothing compiles

 private:
  std::mutex mutex_;
};

}  // namespace swage::codegen

#endif  // SWAGE_TESTS_CODEGEN_MAP_STORE_H_
