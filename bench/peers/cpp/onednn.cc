#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "bench/peers/cpp/sides.h"

// Version 3 made other constructors.
static_assert(DNNL_VERSION_MAJOR == 2, "bench/peers/cpp/onednn.cc is written for oneDNN 2");

namespace swage::bench {
namespace {

using dnnl::memory;
using Type = memory::data_type;

// A stream of the CPU, made once.
struct Place {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};
Place& CpuPlace() {
  static Place place;
  return place;
}

Type TypeOf(const Array& array) { return array.dtype == "bf16" ? Type::bf16 : Type::f32; }

memory::desc RowMajor(const Array& array) {
  memory::dims strides(array.shape.size(), 1);
  for (size_t i = strides.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * array.shape[i];
  return {array.shape, TypeOf(array), strides};
}

memory Over(const memory::desc& desc, const Array& array) {
  return {desc, CpuPlace().engine, array.data.get()};
}

// `keep`: the arrays that the memory is.
Task Executes(dnnl::primitive primitive, std::unordered_map<int, memory> arguments, Array out,
              std::vector<Array> keep) {
  const auto call = [=] {
    primitive.execute(CpuPlace().stream, arguments);
    CpuPlace().stream.wait();
  };
  return {call,
          [call, out, keep] {
            call();
            return std::vector<Array>{out};
          },
          nullptr};
}

Task Product(const Work& work) {
  const Array& x = work.inputs[0];
  const Array& y = work.inputs[1];
  const bool transposed = work.function == "dot_t";
  const int64_t n = y.shape[transposed ? 0 : 1], k = x.shape[1];
  const Array out = MakeArray(x.dtype, {x.shape[0], n});
  memory::dims strides = {n, 1};
  if (transposed) strides = {1, k};
  const memory::desc right({k, n}, TypeOf(y), strides);
  const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(RowMajor(x), right, RowMajor(out)),
                                          CpuPlace().engine);
  return Executes(dnnl::matmul(desc),
                  {{DNNL_ARG_SRC, Over(RowMajor(x), x)},
                   {DNNL_ARG_WEIGHTS, Over(right, y)},
                   {DNNL_ARG_DST, Over(RowMajor(out), out)}},
                  out, work.inputs);
}

Task LayerNorm(const Work& work) {
  const Array& x = work.inputs[0];
  const Array out = MakeArray("f32", x.shape);
  const Array both = MakeArray("f32", {2, x.shape[1]});  // scale, then bias
  for (int row = 0; row < 2; ++row) {
    std::copy_n(work.inputs[1 + row].as<float>(), x.shape[1], both.as<float>() + row * x.shape[1]);
  }
  const dnnl::layer_normalization_forward::primitive_desc desc(
      dnnl::layer_normalization_forward::desc(dnnl::prop_kind::forward_inference, RowMajor(x),
                                              1e-5f, dnnl::normalization_flags::use_scale_shift),
      CpuPlace().engine);
  return Executes(dnnl::layer_normalization_forward(desc),
                  {{DNNL_ARG_SRC, Over(RowMajor(x), x)},
                   {DNNL_ARG_SCALE_SHIFT, Over(RowMajor(both), both)},
                   {DNNL_ARG_DST, Over(RowMajor(out), out)}},
                  out, {x, both});
}

// One operand; `out_desc` is that of `out` as the primitive sees it.
Task OneOperand(const dnnl::primitive& primitive, const Array& x, const memory::desc& x_desc,
                const Array& out, const memory::desc& out_desc) {
  return Executes(primitive, {{DNNL_ARG_SRC, Over(x_desc, x)}, {DNNL_ARG_DST, Over(out_desc, out)}},
                  out, {x});
}

Task Exp(const Array& x) {
  const Array out = MakeArray("f32", x.shape);
  const dnnl::eltwise_forward::primitive_desc desc(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_exp,
                                  RowMajor(x), 0, 0),
      CpuPlace().engine);
  return OneOperand(dnnl::eltwise_forward(desc), x, RowMajor(x), out, RowMajor(out));
}

Task Softmax(const Array& x) {
  const Array out = MakeArray("f32", x.shape);
  const dnnl::softmax_forward::primitive_desc desc(
      dnnl::softmax_forward::desc(dnnl::prop_kind::forward_inference, RowMajor(x), 1),
      CpuPlace().engine);
  return OneOperand(dnnl::softmax_forward(desc), x, RowMajor(x), out, RowMajor(out));
}

Task Transpose(const Array& x) {
  const Array out = MakeArray("f32", {x.shape[1], x.shape[0]});
  // The operand as the transposed matrix whose columns are dense.
  const memory::desc from(out.shape, Type::f32, memory::dims{1, x.shape[1]});
  const dnnl::reorder::primitive_desc desc(CpuPlace().engine, from, CpuPlace().engine,
                                           RowMajor(out));
  return OneOperand(dnnl::reorder(desc), x, from, out, RowMajor(out));
}

Task Sum(const Array& x, bool of_rows) {
  const int64_t rows = x.shape[0], columns = x.shape[1];
  const Array out = MakeArray("f32", {of_rows ? rows : columns});
  const memory::desc to(of_rows ? memory::dims{rows, 1} : memory::dims{1, columns}, Type::f32,
                        memory::format_tag::ab);
  const dnnl::reduction::primitive_desc desc(
      dnnl::reduction::desc(dnnl::algorithm::reduction_sum, RowMajor(x), to, 0, 0),
      CpuPlace().engine);
  return OneOperand(dnnl::reduction(desc), x, RowMajor(x), out, to);
}

}  // namespace

std::string OneDnnName() {
  const dnnl_version_t* const version = dnnl_version();
  return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

Task OneDnnTask(const Work& work) {
  const std::string& name = work.function;
  if (work.first) throw Missing("programs are not compiled");
  if (name == "dot" || name == "dot_t") return Product(work);
  if (name == "layernorm") return LayerNorm(work);
  if (name == "exp") return Exp(work.inputs[0]);
  if (name == "softmax") return Softmax(work.inputs[0]);
  if (name == "transpose") return Transpose(work.inputs[0]);
  if (name == "rowsum" || name == "colsum") return Sum(work.inputs[0], name == "rowsum");
  throw Missing("no primitive for " + name);
}

}  // namespace swage::bench
