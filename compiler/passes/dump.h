// File: compiler/passes/dump.h
//
// What SWAGE_DUMP_TO=dir writes. For the module "attend", the fourth to be compiled:
//
//   module_0003.attend.0001.simplification.after_algebraic-simplifier.before_tuple-simplifier.txt
//   module_0003.attend.0007.copy-insertion.after-adding-copies.txt   inside a pass
//   module_0003.attend.fused_computation.1.ll                        another artefact
//   constant_<hash>.txt                                              a large constant of the texts
//   index.json                                                       what everything is
//
// - Numbers are unique in the directory, over threads and processes; files of earlier runs stay.
// - A text reads back with LoadDump: a large constant stands as `constant(@constant_<hash>.txt)`.
// - index.json lists for each module its options, every pass run with its time and whether it
//   changed anything, every file with what it is, and the messages. With no module it says why.
// - An error never fails a compilation: the first one is reported and the dump ends.
#ifndef SWAGE_COMPILER_PASSES_DUMP_H_
#define SWAGE_COMPILER_PASSES_DUMP_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "compiler/ir/module.h"
#include "compiler/passes/pass.h"

namespace swage::passes {

// A dump directory, shared by the compilations that write to it. Thread-safe.
class DumpDirectory {
 public:
  // Creates the directory and its index where absent. One object per path and process.
  static StatusOr<std::shared_ptr<DumpDirectory>> Open(const std::string& path);

  const std::string& path() const { return path_; }

  // A module number that nobody else has.
  StatusOr<int64_t> ClaimModule();
  // Adds a module's entry (a JSON object) to index.json.
  Status AppendToIndex(std::string_view entry);
  // What index.json says while it lists no module.
  Status ExplainEmptiness(std::string_view reason);

 private:
  explicit DumpDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::mutex mutex_;
};

// The dump of one compilation. Thread-safe; the destructor writes the index entry.
class ModuleDump {
 public:
  // `context` is read when the dump ends and gets the warnings; it must outlive the dump.
  static StatusOr<std::unique_ptr<ModuleDump>> Create(PassContext& context,
                                                      const std::string& module_name);
  ~ModuleDump();

  void Text(const ir::Module& module, std::string_view pipeline, std::string_view after,
            std::string_view before);
  void TextInside(const ir::Module& module, std::string_view pass, std::string_view label);
  void File(std::string_view suffix, std::string_view bytes, std::string_view what);

 private:
  struct FileRecord {
    std::string name;
    std::string kind;
    std::string what;
  };

  ModuleDump(PassContext& context, std::shared_ptr<DumpDirectory> directory, std::string base,
             int64_t number, std::string module_name);

  void WriteText(const ir::Module& module, std::string_view suffix, std::string what);
  void Write(const std::string& name, std::string_view bytes, std::string kind, std::string what);
  std::string ConstantAside(const ir::Literal& literal);
  std::string IndexEntry() const;
  void Fail(const Status& status);

  PassContext& context_;
  std::shared_ptr<DumpDirectory> directory_;
  std::string base_;  // module_0003.attend
  int64_t number_;
  std::string module_name_;

  std::mutex mutex_;
  int64_t next_text_ = 0;
  std::vector<FileRecord> files_;
  absl::flat_hash_map<std::string, int> names_;
  absl::flat_hash_set<std::string> constants_;  // side files that exist
  bool failed_ = false;
};

// The module of a dumped text.
StatusOr<std::unique_ptr<ir::Module>> LoadDump(const std::string& path);

// `name` with everything but letters, digits, '.', '-' and '_' replaced, at most 100 bytes.
std::string SafeFileName(std::string_view name);

}  // namespace swage::passes

#endif  // SWAGE_COMPILER_PASSES_DUMP_H_
