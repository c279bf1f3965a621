// File: compiler/ir/zip_stream.h
//
// What the zip library reads from and writes to, instead of files that it would open itself.
//
//   ZipStream stream(ZipStream::FromFile(path));
//   zlib_filefunc64_def functions = stream.Functions();
//   unzFile zip = unzOpen2_64("", &functions);             // the stream outlives it
#ifndef SWAGE_COMPILER_IR_ZIP_STREAM_H_
#define SWAGE_COMPILER_IR_ZIP_STREAM_H_

#include <minizip/ioapi.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_ops.h"
#include "base/status.h"

namespace swage::ir {

class ZipStream {
 public:
  // Only a regular file, of which no position is shared with anybody.
  static StatusOr<ZipStream> OfFile(const std::string& path);
  // What is written lands there, too.
  static ZipStream OfMemory(std::string bytes) { return ZipStream(std::move(bytes)); }

  // For a stream that stays where it is.
  zlib_filefunc64_def Functions();

  bool StartsWith(std::string_view text);

  uint64_t size() const { return file_.ok() ? file_size_ : memory_.size(); }
  std::string TakeMemory() && { return std::move(memory_); }

 private:
  explicit ZipStream(std::string bytes) : memory_(std::move(bytes)) {}
  ZipStream(Descriptor file, uint64_t size) : file_(std::move(file)), file_size_(size) {}

  uint64_t Read(char* to, uint64_t wanted);
  uint64_t Write(const char* from, uint64_t size);
  bool Seek(uint64_t offset, int origin);

  std::string memory_;
  Descriptor file_;
  uint64_t file_size_ = 0;
  uint64_t position_ = 0;
  // The last read got less than it wanted. To the library that is an error: by itself it takes what
  // is missing for zeros, and an archive that was cut off for one without members.
  bool ended_ = false;
};

}  // namespace swage::ir

#endif  // SWAGE_COMPILER_IR_ZIP_STREAM_H_
