#include "bench/forms.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "runtime/trace.h"

namespace swage::bench {
namespace {

using Tensors = std::vector<Tensor>;
using Shapes = std::vector<ShapeVector>;

constexpr int64_t kSide = 64;       // of the arrays of elementwise forms
constexpr int64_t kState = 32;      // of the unrolled loop
constexpr int64_t kLength = 16;     // of the transformer's input
constexpr int64_t kWidth = 32;      // of the transformer
constexpr int64_t kBranchOps = 8;   // of a branch, its addition to the others included
constexpr int64_t kDiamondOps = 4;  // of a diamond
constexpr int64_t kStepOps = 7;     // of a step of the loop
constexpr int64_t kLayerOps = 80;   // of a transformer layer, about
constexpr int64_t kLayerWeights = 12;

// No two numbers of a program alike, all of them near one.
double Number(int64_t i) { return 1 + static_cast<double>(i) * 1e-6; }

Shapes Square(int64_t) { return {{kSide, kSide}}; }

Tensor Chain(const Tensors& arguments, int64_t ops) {
  const Tensor& x = arguments[0];
  Tensor t = x;
  for (int64_t i = 0; i < ops; ++i) {
    switch (i % 4) {
      case 0:
        t = t * Number(i);
        break;
      case 1:
        t = t - Number(i);
        break;
      case 2:
        t = maximum(t, x);
        break;
      default:
        t = t + x;
        break;
    }
  }
  return t;
}

// Neighbours first.
Tensor SumOf(Tensors values) {
  while (values.size() > 1) {
    Tensors sums;
    for (size_t i = 0; i + 1 < values.size(); i += 2) sums.push_back(values[i] + values[i + 1]);
    if (values.size() % 2 == 1) sums.push_back(values.back());
    values = std::move(sums);
  }
  return values[0];
}

Tensor Wide(const Tensors& arguments, int64_t ops) {
  const int64_t branches = std::max<int64_t>(ops / kBranchOps, 1);
  Tensors ends;
  for (int64_t i = 0; i < branches; ++i) {
    ends.push_back(Chain({arguments[0] + Number(-i)}, kBranchOps - 2));
  }
  return SumOf(std::move(ends));
}

Tensor Diamond(const Tensors& arguments, int64_t ops) {
  Tensor t = arguments[0];
  for (int64_t i = 0; i < ops / kDiamondOps; ++i) {
    const Tensor left = t * Number(i);
    const Tensor right = t + Number(-i);
    t = maximum(left, right) - t;
  }
  return t;
}

Shapes LoopArguments(int64_t ops) {
  return {{ops / kStepOps, kState}, {kState, kState}, {kState, kState}, {1, kState}};
}

Tensor UnrolledLoop(const Tensors& arguments, int64_t ops) {
  const Tensor &x = arguments[0], &w = arguments[1], &u = arguments[2], &bias = arguments[3];
  const int64_t steps = ops / kStepOps;
  Tensor state = zeros({1, kState});
  Tensor result = zeros({steps, kState});
  for (int64_t i = 0; i < steps; ++i) {
    const Tensor row = slice(x, {{i, i + 1}});
    state = tanh(matmul(row, w) + matmul(state, u) + bias);
    result = dynamic_update_slice(result, state, {i, 0});
  }
  return result;
}

int64_t LayersOf(int64_t ops) { return std::max<int64_t>(ops / kLayerOps, 1); }

Shapes LayerArguments(int64_t ops) {
  const Shapes weights = {
      {kWidth}, {kWidth}, {kWidth, 3 * kWidth}, {3 * kWidth}, {kWidth, kWidth},     {kWidth},
      {kWidth}, {kWidth}, {kWidth, 4 * kWidth}, {4 * kWidth}, {4 * kWidth, kWidth}, {kWidth}};
  Shapes shapes = {{kLength, kWidth}};
  for (int64_t i = 0; i < LayersOf(ops); ++i) {
    shapes.insert(shapes.end(), weights.begin(), weights.end());
  }
  return shapes;
}

Tensor Layers(const Tensors& arguments, int64_t ops) {
  Tensor x = arguments[0];
  for (int64_t i = 0; i < LayersOf(ops); ++i) {
    x = TransformerLayer(x, &arguments[1 + i * kLayerWeights]);
  }
  return x;
}

}  // namespace

Tensor TransformerLayer(const Tensor& x, const Tensor* w) {
  constexpr int kHeads = 4;
  const int64_t length(x.dim(0)), width(x.dim(1)), head = width / kHeads;
  const auto heads = [&](const Tensor& t) {
    return transpose(reshape(t, {length, kHeads, head}), {1, 0, 2});
  };
  const Tensors qkv = split(matmul(layer_norm(x, w[0], w[1]), w[2]) + w[3], 3, -1);
  const Tensor scores = matmul(heads(qkv[0]), transpose(heads(qkv[1]), {0, 2, 1})) /
                        std::sqrt(static_cast<float>(head));
  const Tensor seen = iota({length, length}, 1) <= iota({length, length}, 0);
  const Tensor mixed = matmul(softmax(where(seen, scores, -1e30f), -1), heads(qkv[2]));
  const Tensor y = x + matmul(reshape(transpose(mixed, {1, 0, 2}), {length, width}), w[4]) + w[5];
  const Tensor inner = gelu(matmul(layer_norm(y, w[6], w[7]), w[8]) + w[9], true);
  return y + matmul(inner, w[10]) + w[11];
}

const std::vector<Form>& Forms() {
  static const std::vector<Form> forms = {
      {"chain", Square, Chain},           {"wide", Square, Wide},
      {"diamond", Square, Diamond},       {"unrolled", LoopArguments, UnrolledLoop},
      {"layers", LayerArguments, Layers},
  };
  return forms;
}

StatusOr<std::unique_ptr<ir::Module>> TraceForm(const Form& form, int64_t ops) {
  auto module = std::make_shared<runtime::TraceModule>(form.name);
  auto scope = runtime::TraceScope::Open(module, form.name);
  Tensors arguments;
  for (const ShapeVector& extents : form.arguments(ops)) {
    const ir::Dims dims(extents.begin(), extents.end());
    arguments.push_back(scope->AddParameter(ir::Shape::Array(ir::DType::kF32, dims),
                                            absl::StrCat("arg", arguments.size())));
  }
  SWAGE_ASSIGN_OR_RETURN(const runtime::Node root, scope->Lift(form.function(arguments, ops)));
  scope->Close();
  scope->computation()->set_root(root);
  scope->module()->set_entry(scope->computation());
  return std::move(*module).Take();
}

}  // namespace swage::bench
