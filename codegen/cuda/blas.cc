#include "codegen/cuda/blas.h"

#include <utility>

namespace swage::cuda {

StatusOr<Blas*> Blas::Of(Device& device) {
  SWAGE_RETURN_IF_ERROR(device.Usable());
  const std::lock_guard<std::mutex> lock(device.blas_mutex_);
  if (device.blas_.ok() && *device.blas_ == nullptr) {
    const auto make = [&]() -> StatusOr<std::shared_ptr<Blas>> {
      SWAGE_ASSIGN_OR_RETURN(const CublasLt* library, CublasLt::Get());
      return Create(device, *library);
    };
    StatusOr<std::shared_ptr<Blas>> made = make();
    // A library that does not start is not tried for every product; another failure may pass.
    if (!made.ok() && made.status().code() != absl::StatusCode::kUnavailable) return made.status();
    device.blas_ = std::move(made);
  }
  if (!device.blas_.ok()) return device.blas_.status();
  return device.blas_->get();
}

StatusOr<std::unique_ptr<Blas>> Blas::Create(Device& device, const CublasLt& library,
                                             size_t max_plans) {
  SWAGE_RETURN_IF_ERROR(device.Usable());
  auto blas = std::unique_ptr<Blas>(new Blas(device, library, max_plans));
  SWAGE_RETURN_IF_ERROR(library.Check(library.cublasLtCreate(&blas->handle_), "cublasLtCreate"));
  return blas;
}

Blas::~Blas() {
  // Also where the scope is refused: what the library says of a lost device is of no use.
  const ContextScope scope(device_);
  by_problem_.clear();
  entries_.clear();
  if (handle_ != nullptr && !InForkedChild()) library_.cublasLtDestroy(handle_);
}

StatusOr<std::shared_ptr<const Matmul>> Blas::Plan(const MatmulProblem& problem) {
  SWAGE_RETURN_IF_ERROR(device_.Usable());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto found = by_problem_.find(problem); found != by_problem_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->plan;
    }
  }
  // Others go on meanwhile; of two that make the same one, the first is kept.
  StatusOr<Matmul> made = Matmul::Create(*this, problem);
  if (!made.ok() && made.status().code() != absl::StatusCode::kUnimplemented) return made.status();
  StatusOr<std::shared_ptr<const Matmul>> plan = nullptr;
  if (made.ok()) {
    plan = std::make_shared<const Matmul>(*std::move(made));
  } else {
    plan = made.status();
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = by_problem_.find(problem); found != by_problem_.end()) {
    return found->second->plan;
  }
  entries_.push_front({problem, plan});
  by_problem_[problem] = entries_.begin();
  if (entries_.size() > max_plans_) {
    by_problem_.erase(entries_.back().problem);
    entries_.pop_back();
  }
  return plan;
}

size_t Blas::plans() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_.size();
}

}  // namespace swage::cuda
