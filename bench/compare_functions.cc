#include "bench/compare_functions.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "bench/forms.h"
#include "runtime/swage.h"

namespace swage::bench {
namespace {

using Tensors = std::vector<Tensor>;

DType DTypeNamed(const std::string& name) {
  if (name == "bf16") return bf16;
  return name == "s32" ? s32 : f32;
}

Tensors ToTensors(const std::vector<Array>& arrays) {
  Tensors out;
  for (const Array& array : arrays) {
    out.push_back(
        from_bytes(array.data.get(), array.byte_size(), DTypeNamed(array.dtype), array.shape));
  }
  return out;
}

Array ToArray(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype != f32 && dtype != bf16 && dtype != s32) return ToArray(convert(tensor, f32));
  const char* const name = dtype == f32 ? "f32" : dtype == bf16 ? "bf16" : "s32";
  Array array = MakeArray(name, tensor.shape());
  std::memcpy(array.data.get(), tensor.raw_data(), array.byte_size());
  return array;
}

std::vector<Array> ToArrays(const Tensors& tensors) {
  std::vector<Array> out;
  for (const Tensor& tensor : tensors) out.push_back(ToArray(tensor));
  return out;
}

// `function` through jit over the first inputs. A std::function has no identity, so every jit
// object has a cache of its own, and a call of a new one compiles.
template <typename... Ts>
Task Jit(const Work& work, std::function<Tensor(Ts...)> function,
         std::vector<std::string> dims = {}) {
  using Function = std::function<Tensor(Ts...)>;
  struct State {
    Function function;
    JitOptions options;
    std::array<Tensor, sizeof...(Ts)> inputs;
    std::optional<Jitted<Function>> jitted;

    void Renew() { jitted.emplace(jit(function, options)); }
    Tensor Call() const {
      return std::apply([&](const auto&... xs) { return (*jitted)(xs...); }, inputs);
    }
  };
  if (work.inputs.size() < sizeof...(Ts)) {
    throw std::invalid_argument(work.function + ": " + std::to_string(work.inputs.size()) +
                                " inputs, expected " + std::to_string(sizeof...(Ts)));
  }
  const Tensors tensors = ToTensors(work.inputs);
  const auto state = std::make_shared<State>();
  state->function = std::move(function);
  state->options.name = work.function;
  state->options.dims = std::move(dims);
  std::copy_n(tensors.begin(), sizeof...(Ts), state->inputs.begin());
  state->Renew();
  Task task{[state] { state->Call(); }, [state] { return ToArrays({state->Call()}); }, nullptr};
  if (work.first) {
    // Another program was compiled in this process when the answers were made.
    task.forget = [state] {
      clear_cache();
      state->Renew();
    };
  }
  return task;
}

using Unary = std::function<Tensor(Tensor)>;
using Binary = std::function<Tensor(Tensor, Tensor)>;
using Ternary = std::function<Tensor(Tensor, Tensor, Tensor)>;

Tensor Chain(const Tensor& x, int ops) {
  Tensor t = x;
  for (int i = 0; i < ops / 10; ++i) {
    t = tanh(t * 1.1 + 0.3) * x - 0.5;
    t = maximum(exp(t) + x, 0.0) * 0.7 - x;
  }
  return t;
}

Tensor Attend(const Tensor& q, const Tensor& k, const Tensor& v) {
  const Tensor scores = convert(matmul(q, transpose(k)), f32) / std::sqrt(float(q.dim(-1)));
  return matmul(convert(softmax(scores, -1), q.dtype()), v);
}

Unary Gpt(const Work& work) {
  return [w = ToTensors({work.inputs.begin() + 1, work.inputs.end()})](Tensor x) {
    for (size_t i = 0; i + 12 <= w.size(); i += 12) x = TransformerLayer(x, &w[i]);
    return x;
  };
}

Unary Mlp(const Work& work) {
  return [w = ToTensors({work.inputs.begin() + 1, work.inputs.end()})](Tensor x) {
    return matmul(gelu(matmul(x, w[0]) + w[1], true), w[2]) + w[3];
  };
}

// x0 + 1 of arguments that come as one vector.
Task FirstOfMany(const Work& work) {
  auto f = jit(
      std::function<Tensor(std::vector<Tensor>)>([](std::vector<Tensor> xs) { return xs[0] + 1; }));
  const auto call = [f, inputs = ToTensors(work.inputs)] { return f(inputs); };
  return {[call] { call(); }, [call] { return ToArrays({call()}); }, nullptr};
}

Task Hlo(const Work& work) {
  const HloProgram program = load_hlo(work.detail);
  const auto call = [program, inputs = ToTensors(work.inputs)] { return program(inputs); };
  return {[call] { call(); }, [call] { return ToArrays(call()); }, nullptr};
}

Task Elementwise(const Work& work) {
  const std::string& name = work.function;
  if (name == "chain") {
    const int ops = std::stoi(work.detail);
    return Jit(work, Unary([ops](Tensor x) { return Chain(x, ops); }));
  }
  if (name == "exp") return Jit(work, Unary([](Tensor x) { return exp(x); }));
  if (name == "add") return Jit(work, Unary([](Tensor x) { return x + 1; }));
  if (name == "triad") return Jit(work, Binary([](Tensor x, Tensor y) { return x * 3 + y; }));
  if (name == "muladd") {
    return Jit(work, Ternary([](Tensor x, Tensor y, Tensor z) { return x + y * z; }));
  }
  if (name == "transpose") return Jit(work, Unary([](Tensor x) { return transpose(x); }));
  if (name == "gather") return Jit(work, Binary([](Tensor x, Tensor y) { return take(x, y); }));
  throw Missing("Swage has no " + name);
}

Task Products(const Work& work) {
  using Dims = std::vector<std::string>;
  const bool fixed = work.detail == "fixed";
  if (work.function == "dot") {
    return Jit(work, Binary([](Tensor x, Tensor y) { return matmul(x, y); }),
               fixed ? Dims() : Dims{"[m,k]", "[k,n]"});
  }
  return Jit(work, Binary([](Tensor x, Tensor y) { return matmul(x, transpose(y)); }),
             fixed ? Dims() : Dims{"[m,k]", "[n,k]"});
}

}  // namespace

Task CompareTask(const Work& work) {
  const std::string& name = work.function;
  if (name == "softmax") return Jit(work, Unary([](Tensor x) { return softmax(x, -1); }));
  if (name == "layernorm") {
    return Jit(work, Ternary([](Tensor x, Tensor scale, Tensor bias) {
                 return layer_norm(x, scale, bias);
               }));
  }
  if (name == "rowsum") return Jit(work, Unary([](Tensor x) { return sum(x, {1}); }));
  if (name == "colsum") return Jit(work, Unary([](Tensor x) { return sum(x, {0}); }));
  if (name == "argmax") return Jit(work, Unary([](Tensor x) { return argmax(x, 1); }));
  if (name == "dot" || name == "dot_t") return Products(work);
  if (name == "attend") {
    return Jit(work, Ternary([](Tensor q, Tensor k, Tensor v) { return Attend(q, k, v); }));
  }
  if (name == "mlp") return Jit(work, Mlp(work));
  if (name == "gpt") return Jit(work, Gpt(work));
  if (name == "first") return FirstOfMany(work);
  if (name == "hlo") return Hlo(work);
  return Elementwise(work);
}

}  // namespace swage::bench
