#include "bench/workloads.h"

#include <cmath>
#include <map>
#include <vector>

namespace swage::bench {
namespace {

constexpr int64_t kWidth = 64;

// Numbers in [-1, 1) times `scale` that any language makes alike: element i of operand p is
// (i + 1 + 7919 p) * 2654435761 mod 2^32, scaled.
Tensor Numbers(uint32_t operand, const ShapeVector& shape, double scale = 1) {
  size_t size = 1;
  for (const int64_t extent : shape) size *= static_cast<size_t>(extent);
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) {
    const uint32_t mixed = (static_cast<uint32_t>(i) + 1 + 7919 * operand) * 2654435761u;
    values[i] = static_cast<float>((mixed * 0x1p-31 - 1) * scale);
  }
  return array(values, shape);
}

Tensor Attend(const Tensor& q, const Tensor& k, const Tensor& v, const Axes& transposed) {
  const Tensor scores = matmul(q, transpose(k, transposed)) / std::sqrt(float(q.dim(-1)));
  return matmul(softmax(scores, -1), v);
}

// A closure with captures, so that every jit object has a cache of its own.
auto MakeAttend() {
  return [transposed = Axes{1, 0}](Tensor q, Tensor k, Tensor v) {
    return Attend(q, k, v, transposed);
  };
}

auto MakeBlock() {
  const auto weight = [](uint32_t operand, int64_t rows, int64_t columns) {
    return Numbers(operand, {rows, columns}, 0.1);
  };
  return [wq = weight(1, kWidth, kWidth), wk = weight(2, kWidth, kWidth),
          wv = weight(3, kWidth, kWidth), wo = weight(4, kWidth, kWidth),
          w1 = weight(5, kWidth, 4 * kWidth), w2 = weight(6, 4 * kWidth, kWidth)](Tensor x) {
    const Tensor h = layer_norm(x);
    const Tensor a = Attend(matmul(h, wq), matmul(h, wk), matmul(h, wv), {0, 2, 1});
    const Tensor y = x + matmul(a, wo);
    return y + matmul(gelu(matmul(layer_norm(y), w1)), w2);
  };
}

JitOptions Options(const char* name, Mode mode, std::vector<std::string> dims) {
  JitOptions options;
  options.name = name;
  options.mode = mode;
  if (mode != Mode::kExact) options.dims = std::move(dims);
  return options;
}

class AttendWorkload : public Workload {
 public:
  explicit AttendWorkload(Mode mode)
      : function_(jit(MakeAttend(),
                      Options("attend", mode, {"[n<=4096,64]", "[m<=4096,64]", "[m<=4096,64]"}))) {}
  void Prepare(const Entry& entry) override {
    for (const auto& [operand, rows] :
         {std::pair(0, entry.first), std::pair(1, entry.second), std::pair(2, entry.second)}) {
      Tensor& input = inputs_[operand][rows];
      if (!input.defined()) input = Numbers(operand, {rows, kWidth});
    }
  }
  Tensor Call(const Entry& entry) override {
    return function_(inputs_[0][entry.first], inputs_[1][entry.second], inputs_[2][entry.second]);
  }
  JitStats stats() const override { return function_.stats(); }

 private:
  decltype(jit(MakeAttend())) function_;
  std::map<int64_t, Tensor> inputs_[3];
};

class BlockWorkload : public Workload {
 public:
  explicit BlockWorkload(Mode mode)
      : function_(jit(MakeBlock(), Options("block", mode, {"[b<=4096,n<=4096,64]"}))) {}
  void Prepare(const Entry& entry) override {
    Tensor& input = inputs_[entry];
    if (!input.defined()) {
      input = Numbers(0, {entry.first, entry.second, kWidth});
    }
  }
  Tensor Call(const Entry& entry) override { return function_(inputs_[entry]); }
  JitStats stats() const override { return function_.stats(); }

 private:
  decltype(jit(MakeBlock())) function_;
  std::map<Entry, Tensor> inputs_;
};

}  // namespace

std::unique_ptr<Workload> MakeWorkload(const std::string& function, Mode mode) {
  if (function == "attend") return std::make_unique<AttendWorkload>(mode);
  if (function == "block") return std::make_unique<BlockWorkload>(mode);
  return nullptr;
}

}  // namespace swage::bench
