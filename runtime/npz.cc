#include "runtime/npz.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/files.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "compiler/ir/npz.h"
#include "runtime/ir_types.h"
#include "runtime/tensor_read.h"
#include "runtime/trace.h"

namespace swage {
namespace {

using runtime::ThrowStatus;

// The members to read, in the order of the file.
StatusOr<std::vector<size_t>> Chosen(const ir::NpzReader& file, const std::string& path,
                                     const LoadNpzOptions& options) {
  absl::flat_hash_map<std::string_view, size_t> places;
  std::vector<std::string_view> names;
  std::vector<size_t> all;
  for (size_t i = 0; i < file.members().size(); ++i) {
    const ir::NpzMember& member = file.members()[i];
    all.push_back(i);
    if (!member.is_npy) continue;
    names.push_back(member.name);
    places[member.name] = i;
  }
  std::vector<size_t> chosen;
  for (const std::string& name : options.names) {
    const auto place = places.find(name);
    if (place == places.end()) {
      return NotFound("got the name '", Printable(name), "', which is no array of ", path,
                      DidYouMean(name, names));
    }
    chosen.push_back(place->second);
  }
  return options.names.empty() ? all : chosen;
}

StatusOr<std::map<std::string, Tensor>> Load(const std::string& path,
                                             const LoadNpzOptions& options) {
  if (options.max_bytes < 0) {
    return InvalidArgument("got ", options.max_bytes, " for max_bytes, expected 0 or more");
  }
  SWAGE_ASSIGN_OR_RETURN(ir::NpzReader file, ir::NpzReader::Open(path, options.max_bytes));
  SWAGE_ASSIGN_OR_RETURN(const std::vector<size_t> chosen, Chosen(file, path, options));
  std::map<std::string, Tensor> tensors;
  for (const size_t i : chosen) {
    const std::string& name = file.members()[i].name;
    if (tensors.contains(name)) continue;  // asked for twice
    ir::NpyOptions npy;
    if (const auto dtype = options.dtypes.find(name); dtype != options.dtypes.end()) {
      npy.dtype = runtime::ToIr(dtype->second);
    }
    Tensor tensor;
    const auto allocate = [&](const ir::Shape& shape) -> StatusOr<void*> {
      SWAGE_ASSIGN_OR_RETURN(runtime::FreshTensor made, runtime::NewTensor(shape));
      tensor = std::move(made.tensor);
      return made.data;
    };
    SWAGE_RETURN_IF_ERROR(file.ReadInto(i, npy, allocate));
    tensors[name] = std::move(tensor);
  }
  for (const auto& [name, dtype] : options.dtypes) {
    if (tensors.contains(name)) continue;
    return NotFound("got a dtype for '", Printable(name), "', which is not read from ", path);
  }
  return tensors;
}

Status Save(const std::string& path, const std::map<std::string, Tensor>& tensors,
            const SaveNpzOptions& options) {
  ir::NpzWriter file({.compress = options.compress});
  for (const auto& [name, tensor] : tensors) {
    runtime::RequireConcrete(tensor, "save_npz");
    const Tensor host = tensor.to("cpu");
    const uint8_t* const first = runtime::HostBytes(host, "save_npz");
    SWAGE_RETURN_IF_ERROR(
        file.Add(name, host.impl()->shape(), {first, static_cast<size_t>(host.byte_size())}));
  }
  SWAGE_ASSIGN_OR_RETURN(const std::string bytes, std::move(file).Finish());
  return WriteNamedFile(path, bytes, IfSpecial::kWriteThrough);
}

}  // namespace

std::map<std::string, Tensor> load_npz(const std::string& path, const LoadNpzOptions& options) {
  StatusOr<std::map<std::string, Tensor>> tensors = Load(path, options);
  if (!tensors.ok()) ThrowStatus(tensors.status(), "load_npz", {});
  return *std::move(tensors);
}

void save_npz(const std::string& path, const std::map<std::string, Tensor>& tensors,
              const SaveNpzOptions& options) {
  const Status saved = Save(path, tensors, options);
  if (!saved.ok()) ThrowStatus(saved, "save_npz", {});
}

}  // namespace swage
