// What NpzReader accepts must be no larger than the file warrants, and read again the same after
// NpzWriter wrote it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "compiler/ir/npz.h"

namespace {

constexpr int64_t kMostBytes = 1 << 22;

swage::Status Rewrite(swage::ir::NpzReader file, size_t file_size) {
  using namespace swage::ir;
  NpzWriter writer({.compress = file_size % 2 == 0});
  std::vector<Literal> literals;
  uint64_t bytes = 0;
  for (size_t i = 0; i < file.members().size(); ++i) {
    SWAGE_ASSIGN_OR_RETURN(literals.emplace_back(), file.Read(i));
    bytes += literals.back().bytes().size();
    SWAGE_RETURN_IF_ERROR(
        writer.Add(file.members()[i].name, literals.back().shape(), literals.back().bytes()));
  }
  SWAGE_CHECK(bytes <= uint64_t{1100} * file_size && bytes <= uint64_t{kMostBytes});
  const swage::StatusOr<std::string> written = std::move(writer).Finish();
  SWAGE_CHECK(written.ok());
  swage::StatusOr<NpzReader> again = NpzReader::Over(*written, "again");
  SWAGE_CHECK(again.ok() && again->members().size() == literals.size());
  for (size_t i = 0; i < literals.size(); ++i) {
    SWAGE_CHECK(again->members()[i].name == file.members()[i].name);
    const swage::StatusOr<Literal> read = again->Read(i);
    SWAGE_CHECK(read.ok() && *read == literals[i]);
  }
  return swage::OkStatus();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  swage::StatusOr<swage::ir::NpzReader> file =
      swage::ir::NpzReader::Over(std::move(bytes), "input", kMostBytes);
  if (file.ok()) Rewrite(*std::move(file), size).IgnoreError();
  return 0;
}
