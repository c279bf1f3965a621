#include "tests/card_check/bundle.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <optional>

#include "compiler/ir/dtype.h"

namespace swage::card {
namespace {

constexpr std::string_view kMagic = "SWAGCARD";
constexpr uint32_t kVersion = 1;
constexpr uint32_t kMaxThreads = 1024;

static_assert(std::endian::native == std::endian::little);

uint64_t Fnv(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

class Writer {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T>
  void Field(const T& value) { text_.append(reinterpret_cast<const char*>(&value), sizeof(T)); }
  void Field(const Fill& fill) { Field(static_cast<uint8_t>(fill)); }
  void Field(const std::string& value) {
    Field(static_cast<uint64_t>(value.size()));
    text_ += value;
  }
  template <typename A, typename B>
  void Field(const std::pair<A, B>& pair) {
    Field(pair.first), Field(pair.second);
  }
  template <typename T>
  void Field(const std::vector<T>& list) {
    Field(static_cast<uint32_t>(list.size()));
    for (const T& item : list) Field(item);
  }
  template <typename T>
  requires std::is_class_v<T>
  void Field(const T& value) { Fields(*this, value); }

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// After the first field that does not fit, every field is empty and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text), size_(text.size()) {}

  template <typename T>
  requires std::is_arithmetic_v<T>
  void Field(T& value) {
    const std::string_view bytes = Bytes(sizeof(T));
    if (!ok_) return;
    if constexpr (std::same_as<T, bool>) {
      value = bytes[0] != 0;
    } else {
      std::memcpy(&value, bytes.data(), sizeof(T));
    }
  }
  void Field(Fill& fill) {
    uint8_t value = 0;
    Field(value);
    if (value > static_cast<uint8_t>(Fill::kRandom)) return Fail();
    fill = static_cast<Fill>(value);
  }
  void Field(std::string& value) {
    uint64_t size = 0;
    Field(size);
    value = Bytes(size);
  }
  template <typename A, typename B>
  void Field(std::pair<A, B>& pair) {
    Field(pair.first), Field(pair.second);
  }
  template <typename T>
  void Field(std::vector<T>& list) {
    uint32_t count = 0;
    Field(count);
    // Memory stays within a factor of the text: an item takes at least a byte of it.
    for (uint32_t i = 0; i < count && ok_; ++i) {
      if (rest_.empty()) return Fail();
      Field(list.emplace_back());
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void Field(T& value) { Fields(*this, value); }

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  size_t position() const { return failed_at_; }

 private:
  void Fail() {
    if (ok_) failed_at_ = size_ - rest_.size();
    ok_ = false;
    rest_ = {};
  }
  std::string_view Bytes(uint64_t count) {
    if (!ok_ || count > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }

  std::string_view rest_;
  const size_t size_;
  size_t failed_at_ = 0;
  bool ok_ = true;
};

// The fields of each struct, once for both directions.
template <typename Stream, typename T, typename... Members>
void Each(Stream& stream, T& value, Members... members) {
  (stream.Field(value.*members), ...);
}
template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <typename Stream, Is<CardModule> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardModule::sm_80, &CardModule::sm_90);
}
template <typename Stream, Is<CardBuffer> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardBuffer::dtype, &CardBuffer::bytes, &CardBuffer::fill, &CardBuffer::data);
}
template <typename Stream, Is<CardLaunch> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardLaunch::module, &CardLaunch::blocks, &CardLaunch::threads_x,
       &CardLaunch::threads_y, &CardLaunch::shared_bytes, &CardLaunch::buffers,
       &CardLaunch::extents);
}
template <typename Stream, Is<CardResult> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardResult::buffer, &CardResult::tolerance, &CardResult::has_expected,
       &CardResult::expected);
}
template <typename Stream, Is<CardProgram> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardProgram::name, &CardProgram::about, &CardProgram::buffers,
       &CardProgram::launches, &CardProgram::results, &CardProgram::bytes, &CardProgram::flops,
       &CardProgram::product, &CardProgram::predicted_us);
}
template <typename Stream, Is<CardTiming> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &CardTiming::small, &CardTiming::fused, &CardTiming::unfused);
}
template <typename Stream, Is<Bundle> T>
void Fields(Stream& stream, T& value) {
  Each(stream, value, &Bundle::built, &Bundle::modules, &Bundle::kernels, &Bundle::timings);
}

// A library multiplies the buffers of a product by these sizes alone: they must be those of its
// matrices. Buffers of results are there.
Status CheckProduct(const CardProgram& program) {
  if (program.product.empty()) return OkStatus();
  if (program.product.size() != 3 || program.buffers.size() < 3) {
    return InvalidArgument("a matrix product without its three sizes and buffers");
  }
  if (program.results.size() != 1) {
    return InvalidArgument("a matrix product of ", program.results.size(), " results");
  }
  const std::optional<ir::DType> dtype = ir::ParseDType(program.buffers[0].dtype);
  if (!dtype.has_value()) return InvalidArgument("no dtype '", program.buffers[0].dtype, "'");
  const int64_t m = program.product[0], n = program.product[1], k = program.product[2];
  const auto check = [&](const CardBuffer& buffer, int64_t rows, int64_t columns) -> Status {
    int64_t bytes = 0;
    const bool fits = rows >= 0 && columns >= 0 && !__builtin_mul_overflow(rows, columns, &bytes) &&
                      !__builtin_mul_overflow(bytes, int64_t{ir::DTypeBytes(*dtype)}, &bytes);
    if (fits && buffer.dtype == program.buffers[0].dtype && buffer.bytes == bytes) {
      return OkStatus();
    }
    return InvalidArgument("a matrix product has ", buffer.bytes, " bytes of ", buffer.dtype,
                           " for ", program.buffers[0].dtype, "[", rows, ",", columns, "]");
  };
  SWAGE_RETURN_IF_ERROR(check(program.buffers[0], m, k));
  SWAGE_RETURN_IF_ERROR(check(program.buffers[1], k, n));
  return check(program.buffers[program.results[0].buffer], m, n);
}

Status CheckProgram(const CardProgram& program, size_t modules) {
  const auto bad = [&](const auto&... what) {
    return InvalidArgument("[card check] bundle: program '", program.name, "': ", what...);
  };
  for (const CardBuffer& buffer : program.buffers) {
    if (buffer.bytes < 0 || buffer.bytes > kMaxBufferBytes) {
      return bad("a buffer of ", buffer.bytes, " bytes, at most ", kMaxBufferBytes);
    }
    const bool has_data = buffer.fill == Fill::kData;
    if (buffer.data.size() != static_cast<size_t>(has_data ? buffer.bytes : 0)) {
      return bad("a buffer of ", buffer.bytes, " bytes has ", buffer.data.size(), " of data");
    }
  }
  for (const CardLaunch& launch : program.launches) {
    if (launch.module >= modules) return bad("no module ", launch.module, " of ", modules);
    if (launch.threads_x == 0 || launch.threads_y == 0 || launch.threads_x > kMaxThreads ||
        launch.threads_y > kMaxThreads / launch.threads_x) {
      return bad("blocks of ", launch.threads_x, " x ", launch.threads_y, " threads");
    }
    for (const uint32_t buffer : launch.buffers) {
      if (buffer >= program.buffers.size()) return bad("no buffer ", buffer);
    }
  }
  for (const CardResult& result : program.results) {
    if (result.buffer >= program.buffers.size()) return bad("no buffer ", result.buffer);
    const auto size = static_cast<size_t>(program.buffers[result.buffer].bytes);
    if (result.has_expected && result.expected.size() != size) {
      return bad("a result of ", size, " bytes, expected are ", result.expected.size());
    }
    if (!(result.tolerance >= 0)) return bad("a tolerance below 0");
  }
  const Status product = CheckProduct(program);
  return product.ok() ? product : bad(product.message());
}

}  // namespace

std::string SerialiseBundle(const Bundle& bundle) {
  Writer fields;
  fields.Field(bundle);
  const std::string rest = fields.Take();
  Writer header;
  header.Field(kVersion);
  header.Field(static_cast<uint64_t>(rest.size()));
  header.Field(Fnv(rest));
  return std::string(kMagic) + header.Take() + rest;
}

StatusOr<Bundle> ParseBundle(std::string_view text) {
  if (!text.starts_with(kMagic)) {
    return InvalidArgument("[card check] not a bundle: it does not begin with ", ToAbsl(kMagic));
  }
  Reader header(text.substr(kMagic.size()));
  uint32_t version = 0;
  uint64_t size = 0, hash = 0;
  header.Field(version), header.Field(size), header.Field(hash);
  constexpr size_t kHeader = kMagic.size() + sizeof(version) + sizeof(size) + sizeof(hash);
  if (!header.ok()) return InvalidArgument("[card check] bundle: the header is cut off");
  if (version != kVersion) {
    return InvalidArgument("[card check] bundle: version ", version, ", expected ", kVersion,
                           "; make it anew");
  }
  const std::string_view rest = text.substr(kHeader);
  if (rest.size() != size) {
    return InvalidArgument("[card check] bundle: ", rest.size(),
                           " bytes behind the header, expected ", size,
                           "; it was cut off or added to");
  }
  if (Fnv(rest) != hash) {
    return InvalidArgument("[card check] bundle: the checksum does not match; it was damaged");
  }
  Bundle bundle;
  Reader reader(rest);
  reader.Field(bundle);
  if (!reader.ok()) {
    return InvalidArgument("[card check] bundle: a field at byte ", kHeader + reader.position(),
                           " does not fit");
  }
  if (!reader.at_end()) return InvalidArgument("[card check] bundle: more bytes than fields");
  for (const CardProgram& kernel : bundle.kernels) {
    SWAGE_RETURN_IF_ERROR(CheckProgram(kernel, bundle.modules.size()));
  }
  for (const CardTiming& timing : bundle.timings) {
    SWAGE_RETURN_IF_ERROR(CheckProgram(timing.fused, bundle.modules.size()));
    SWAGE_RETURN_IF_ERROR(CheckProgram(timing.unfused, bundle.modules.size()));
    if (!timing.unfused.launches.empty() &&
        timing.unfused.results.size() != timing.fused.results.size()) {
      return InvalidArgument("[card check] bundle: '", timing.fused.name,
                             "' has other results where it is not fused");
    }
  }
  return bundle;
}

}  // namespace swage::card
