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

ExecutableRun::~ExecutableRun() {
  // They are the caller's, which has moved them here.
  for (const Tensor* tensor : donated_) *const_cast<Tensor*>(tensor) = Tensor();
}

void ExecutableRun::Offer(const Tensor& tensor) {
  const size_t input = inputs_.size();
  const absl::Span<const int32_t> donations = executable_.donations();
  if (input < donations.size() && donations[input] >= 0) {
    offered_.push_back({input, donations[input], &tensor});
  }
}

const Tensor* ExecutableRun::OfferFor(int32_t output, int64_t bytes) const {
  for (const Offered& offered : offered_) {
    if (offered.output != output) continue;
    const std::shared_ptr<internal::TensorImpl>& impl = offered.tensor->impl();
    const Buffer& buffer = *impl->buffer();
    if (impl.use_count() != 1 || impl->buffer().use_count() != 1 || !buffer.is_ours() ||
        buffer.size() != bytes) {
      return nullptr;
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (i != offered.input && inputs_[i] == buffer.data()) return nullptr;
    }
    return offered.tensor;
  }
  return nullptr;
}

Status ExecutableRun::Run() {
  absl::InlinedVector<void*, 8> outputs;
  absl::InlinedVector<std::pair<size_t, const Tensor*>, 2> taken;
  for (const ir::Shape& shape : executable_.output_shapes()) {
    if (!offered_.empty()) {
      SWAGE_ASSIGN_OR_RETURN(const int64_t bytes, shape.ByteSize());
      if (const Tensor* offer = OfferFor(static_cast<int32_t>(outputs.size()), bytes)) {
        taken.emplace_back(outputs.size(), offer);
        outputs.push_back(nullptr);
        results_.emplace_back();
        continue;
      }
    }
    SWAGE_ASSIGN_OR_RETURN(FreshTensor made, NewTensor(shape, memory_));
    outputs.push_back(made.data);
    results_.push_back(std::move(made.tensor));
  }
  // Now that there is memory for all the others.
  for (const auto& [output, tensor] : taken) {
    FreshTensor made = TensorOver(executable_.output_shapes()[output], tensor->impl()->buffer());
    outputs[output] = made.data;
    results_[output] = std::move(made.tensor);
    donated_.push_back(tensor);
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
