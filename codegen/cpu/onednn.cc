#include "codegen/cpu/onednn.h"

#include <list>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/block_pool.h"
#include "oneapi/dnnl/dnnl.hpp"

// Of libgomp, which libdnnl brings: there is no header without the compiler's -fopenmp.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int count);

namespace swage::cpu::onednn {
namespace {

// A call of oneDNN on this thread alone. The count is the thread's own.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_;
};

// What oneDNN throws, as a status.
template <typename F>
auto Guarded(std::string_view what, const MatmulProblem& problem, F&& call) -> decltype(call()) {
  try {
    const OneThread one;
    return call();
  } catch (const dnnl::error& error) {
    const std::string text =
        absl::StrCat("[onednn] ", ToAbsl(what), ": ", error.what(), " (status ",
                     static_cast<int>(error.status), ") for ", problem.ToString());
    if (error.status == dnnl_unimplemented) return absl::UnimplementedError(text);
    if (error.status == dnnl_out_of_memory) return absl::ResourceExhaustedError(text);
    return absl::InternalError(text);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(
        absl::StrCat("[onednn] ", ToAbsl(what), ": no memory for ", problem.ToString()));
  }
}

const dnnl::engine& Engine() {
  static const auto* const engine = [] {
    // Primitives are counted here.
    dnnl::set_primitive_cache_capacity(0);
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return *engine;
}

dnnl::memory::data_type TypeOf(ir::DType dtype) {
  return dtype == ir::DType::kBF16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

// A matrix that lies with these strides.
dnnl::memory::desc Strided(ir::DType dtype, int64_t rows, int64_t columns, int64_t row,
                           int64_t column) {
  return {{rows, columns}, TypeOf(dtype), dnnl::memory::dims{row, column}};
}

dnnl::matmul::primitive_desc Describe(const MatmulProblem& problem, int64_t rows,
                                      const dnnl::memory::desc& right) {
  const auto left = Strided(problem.dtype, rows, problem.k, problem.a_row, problem.a_k);
  const auto result = Strided(problem.result, rows, problem.n, problem.c_row, 1);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
#if DNNL_VERSION_MAJOR >= 3
  return {Engine(), left, right, result, attributes};
#else
  return {dnnl::matmul::desc(left, right, result), attributes, Engine()};
#endif
}

class OneDnnMatmul final : public Matmul {
 public:
  explicit OneDnnMatmul(const MatmulProblem& problem)
      : problem_(problem),
        plain_(Strided(problem.dtype, problem.k, problem.n, problem.b_k, problem.b_column)),
        described_(Describe(problem, problem.m, RightOf(problem))),
        primitive_(described_),
        left_(described_.src_desc()),
        right_(described_.weights_desc()),
        result_(described_.dst_desc()),
        scratchpad_(described_.scratchpad_desc()) {}

  bool is_reference() const {
    return std::string_view(described_.impl_info_str()).starts_with("ref");
  }

  Status Run(const void* a, const void* b, void* c) const override {
    const size_t scratch_bytes = scratchpad_.get_size();
    void* scratch = scratch_bytes > 0 ? TakeBlock(scratch_bytes) : nullptr;
    if (scratch_bytes > 0 && scratch == nullptr) {
      return ResourceExhausted("[onednn] no memory for ", scratch_bytes, " bytes of scratch");
    }
    Status status = Guarded("matmul", problem_, [&]() -> Status {
      dnnl::stream stream(Engine());
      primitive_.execute(stream, {{DNNL_ARG_SRC, At(left_, a)},
                                  {DNNL_ARG_WEIGHTS, At(right_, b)},
                                  {DNNL_ARG_DST, At(result_, c)},
                                  {DNNL_ARG_SCRATCHPAD, At(scratchpad_, scratch)}});
      return OkStatus();
    });
    if (scratch != nullptr) GiveBlock(scratch, scratch_bytes);
    return status;
  }

  size_t packed_bytes() const override { return right_.get_size(); }

  Status Pack(const void* b, void* packed) const override {
    return Guarded("packing weights", problem_, [&]() -> Status {
      dnnl::stream stream(Engine());
      dnnl::memory from = At(plain_, b), to = At(right_, packed);
      dnnl::reorder(from, to).execute(stream, from, to);
      return OkStatus();
    });
  }

 private:
  static dnnl::memory At(const dnnl::memory::desc& desc, const void* data) {
    return {desc, Engine(), const_cast<void*>(data)};
  }

  static dnnl::memory::desc RightOf(const MatmulProblem& problem) {
    if (problem.packed_for_rows == 0) {
      return Strided(problem.dtype, problem.k, problem.n, problem.b_k, problem.b_column);
    }
    const dnnl::memory::desc any({problem.k, problem.n}, TypeOf(problem.dtype),
                                 dnnl::memory::format_tag::any);
    return Describe(problem, problem.packed_for_rows, any).weights_desc();
  }

  const MatmulProblem problem_;
  const dnnl::memory::desc plain_;
  const dnnl::matmul::primitive_desc described_;
  const dnnl::matmul primitive_;
  const dnnl::memory::desc left_, right_, result_, scratchpad_;
};

// The matmuls of late.
class Kept {
 public:
  static Kept& Get() {
    static auto* const kept = new Kept;
    return *kept;
  }

  std::shared_ptr<const Matmul> Find(const MatmulProblem& problem) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = by_problem_.find(problem);
    if (found == by_problem_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }

  // Of two threads that made the same one, the first is kept.
  std::shared_ptr<const Matmul> Keep(const MatmulProblem& problem,
                                     std::shared_ptr<const Matmul> made) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, is_new] = by_problem_.try_emplace(problem, entries_.end());
    if (!is_new) return at->second->second;
    entries_.emplace_front(problem, std::move(made));
    at->second = entries_.begin();
    if (entries_.size() > Matmul::kMaxKept) {
      by_problem_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }

  size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_.size();
  }

 private:
  using Entries = std::list<std::pair<MatmulProblem, std::shared_ptr<const Matmul>>>;
  std::mutex mutex_;
  Entries entries_;  // the latest first
  std::map<MatmulProblem, Entries::iterator> by_problem_;
};

}  // namespace

std::string MatmulProblem::ToString() const {
  return absl::StrCat(ToAbsl(ir::DTypeName(dtype)), "[", m, ",", k, "] (strides ", a_row, ",", a_k,
                      ") times [", k, ",", n, "] (strides ", b_k, ",", b_column, ") to ",
                      ToAbsl(ir::DTypeName(result)), " (stride ", c_row,
                      packed_for_rows > 0 ? "), packed" : ")");
}

StatusOr<std::shared_ptr<const Matmul>> Matmul::Get(const MatmulProblem& problem) {
  if (auto kept = Kept::Get().Find(problem)) return kept;
  using Made = StatusOr<std::shared_ptr<const OneDnnMatmul>>;
  SWAGE_ASSIGN_OR_RETURN(std::shared_ptr<const OneDnnMatmul> made,
                         Guarded("matmul", problem, [&]() -> Made {
                           return std::make_shared<const OneDnnMatmul>(problem);
                         }));
  if (made->is_reference()) {
    return Unimplemented("[onednn] only the reference has ", problem.ToString());
  }
  return Kept::Get().Keep(problem, std::move(made));
}

size_t Matmul::kept() { return Kept::Get().size(); }

}  // namespace swage::cpu::onednn
