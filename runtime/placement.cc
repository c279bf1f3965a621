#include "runtime/placement.h"

#include "runtime/backend.h"
#include "runtime/ir_types.h"

namespace swage::runtime {

namespace {

// "cpu", or the name of the space.
std::string_view NameOf(const codegen::MemorySpace* memory) {
  return memory == nullptr ? std::string_view("cpu") : memory->name();
}

}  // namespace

Status ExecutableRun::AddCopy(const Tensor& tensor) {
  const codegen::MemorySpace* const from = tensor.impl()->buffer()->space();
  if (from != nullptr && copy_out_ == CopyOut::kNo) {
    return InvalidArgument("got ", tensor.impl()->shape().ToString(false), " on ",
                           ToAbsl(from->name()), " for a program on ", ToAbsl(NameOf(memory_)),
                           ", expected it there; copy it with to(\"", ToAbsl(NameOf(memory_)),
                           "\"), or compile for its device with .device");
  }
  SWAGE_ASSIGN_OR_RETURN(Tensor copy, CopyTo(tensor, memory_));
  inputs_.push_back(copy.impl()->buffer()->data());
  copies_.push_back(std::move(copy));
  return OkStatus();
}

Status ExecutableRun::Run() {
  absl::InlinedVector<void*, 8> outputs;
  for (const ir::Shape& shape : executable_.output_shapes()) {
    SWAGE_ASSIGN_OR_RETURN(FreshTensor made, NewTensor(shape, memory_));
    outputs.push_back(made.data);
    results_.push_back(std::move(made.tensor));
  }
  return executable_.Run(inputs_, outputs);
}

StatusOr<Tensor> CopyTo(const Tensor& tensor, codegen::MemorySpace* memory) {
  const Buffer& buffer = *tensor.impl()->buffer();
  codegen::MemorySpace* const from = buffer.space();
  if (from == memory) return tensor;
  if (from != nullptr && memory != nullptr) {  // by way of the host
    SWAGE_ASSIGN_OR_RETURN(const Tensor host, CopyTo(tensor, nullptr));
    return CopyTo(host, memory);
  }
  SWAGE_ASSIGN_OR_RETURN(FreshTensor made, NewTensor(tensor.impl()->shape(), memory));
  SWAGE_RETURN_IF_ERROR(memory != nullptr ? memory->CopyIn(made.data, buffer.data(), buffer.size())
                                          : from->CopyOut(made.data, buffer.data(), buffer.size()));
  return std::move(made.tensor);
}

StatusOr<Tensor> CopyToDevice(const Tensor& tensor, std::string_view device) {
  // What most reads ask for.
  if (device == "cpu") return CopyTo(tensor, nullptr);
  SWAGE_ASSIGN_OR_RETURN(const Backend* backend, FindBackend(device));
  SWAGE_ASSIGN_OR_RETURN(codegen::MemorySpace * memory, backend->memory(*backend));
  return CopyTo(tensor, memory);
}

}  // namespace swage::runtime

namespace swage {

bool has_device(const std::string& device, std::string* why) {
  const Status found = runtime::FindBackend(device).status();
  if (!found.ok() && why != nullptr) *why = std::string(found.message());
  return found.ok();
}

}  // namespace swage
