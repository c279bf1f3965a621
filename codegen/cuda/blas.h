// File: codegen/cuda/blas.h
//
// cuBLASLt on one device: its handle, and plans of matrix products, kept for problems that come
// again. A ContextScope of the device must be open in the thread; any thread may call.
//
//   SWAGE_ASSIGN_OR_RETURN(Blas* blas, Blas::Of(device));
//   SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<const Matmul> matmul, blas->Plan(problem));
#ifndef SWAGE_CODEGEN_CUDA_BLAS_H_
#define SWAGE_CODEGEN_CUDA_BLAS_H_

#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "codegen/cuda/cublaslt.h"
#include "codegen/cuda/device.h"
#include "codegen/cuda/matmul.h"

namespace swage::cuda {

class Blas {
 public:
  // How many plans are kept, the least recently used go first: each takes about 2 KiB.
  static constexpr size_t kMaxPlans = 512;

  // That of the device, made when it is first asked for; it goes with the device, and plans must
  // have gone before. Unavailable, from then on, without the library.
  static StatusOr<Blas*> Of(Device& device);
  // With a library of one's own, for tests; device and library must outlive it.
  static StatusOr<std::unique_ptr<Blas>> Create(Device& device, const CublasLt& library,
                                                size_t max_plans = kMaxPlans);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  Device& device() const { return device_; }
  const CublasLt& library() const { return library_; }
  cublasLtHandle_t handle() const { return handle_; }

  // Matmul::Create, once for a problem as long as it is kept. That something is Unimplemented is
  // kept too.
  StatusOr<std::shared_ptr<const Matmul>> Plan(const MatmulProblem& problem);
  size_t plans() const;

 private:
  struct Entry {
    MatmulProblem problem;
    StatusOr<std::shared_ptr<const Matmul>> plan;
  };

  Blas(Device& device, const CublasLt& library, size_t max_plans)
      : device_(device), library_(library), max_plans_(max_plans) {}

  Device& device_;
  const CublasLt& library_;
  const size_t max_plans_;
  cublasLtHandle_t handle_ = nullptr;
  mutable std::mutex mutex_;  // guards what follows
  std::list<Entry> entries_;  // the latest first
  std::map<MatmulProblem, std::list<Entry>::iterator> by_problem_;
};

}  // namespace swage::cuda

#endif  // SWAGE_CODEGEN_CUDA_BLAS_H_
