// Shape rules, static and symbolic: each case is the last instruction of an entry computation,
// whose declared shape must be the inferred one, or the error says why not.
#include "compiler/ir/shape_inference.h"

#include <string>

#include "compiler/ir/module.h"
#include "compiler/ir/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace swage::ir {
namespace {

using ::testing::HasSubstr;

// Names at hand: x, y f32[2,3]; s s32[2,3]; u u32[2,3]; p pred[2,3]; c c64[2]; i s32[]; f, g f32[];
// a f32[seq,64], b f32[n,64], with symbols 1 <= seq <= 512 and n; computations add, less, pair.
Status CheckLast(const std::string& lines) {
  const std::string text =
      "HloModule m\n"
      "add {\n p0 = f32[] parameter(0)\n p1 = f32[] parameter(1)\n ROOT r0 = f32[] add(p0, p1)\n}\n"
      "less {\n p2 = f32[] parameter(0)\n p3 = f32[] parameter(1)\n"
      " ROOT r1 = pred[] compare(p2, p3), direction=LT\n}\n"
      "pair {\n q0 = f32[] parameter(0)\n q1 = s32[] parameter(1)\n q2 = f32[] parameter(2)\n"
      " q3 = s32[] parameter(3)\n q4 = f32[] add(q0, q2)\n q5 = s32[] add(q1, q3)\n"
      " ROOT q6 = (f32[], s32[]) tuple(q4, q5)\n}\n"
      "ENTRY e {\n"
      " x = f32[2,3] parameter(0)\n y = f32[2,3] parameter(1)\n s = s32[2,3] parameter(2)\n"
      " u = u32[2,3] parameter(3)\n p = pred[2,3] parameter(4)\n c = c64[2] parameter(5)\n"
      " i = s32[] parameter(6)\n f = f32[] parameter(7)\n g = f32[] parameter(8)\n"
      " a = f32[1<=seq<=512,64] parameter(9)\n b = f32[n,64] parameter(10)\n" +
      lines + "\n}\n";
  ParseOptions options;
  options.verify = false;
  auto module = ParseHlo(text, options);
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return module.status();
  return CheckShape(*(*module)->entry()->root());
}

void ExpectOk(const std::string& lines) {
  const Status status = CheckLast(lines);
  EXPECT_TRUE(status.ok()) << lines << "\n" << status.message();
}

void ExpectError(const std::string& lines, const std::string& message) {
  const Status status = CheckLast(lines);
  EXPECT_FALSE(status.ok()) << lines;
  EXPECT_THAT(std::string(status.message()), HasSubstr(message)) << lines;
}

TEST(ShapeRules, Elementwise) {
  ExpectOk("r = f32[2,3] add(x, y)");
  ExpectOk("r = f32[seq,64] add(a, a)");
  ExpectOk("r = f32[2] abs(c)");
  ExpectOk("r = f32[seq,64] tanh(a)");
  ExpectOk("r = c64[2] exponential(c)");
  ExpectOk("r = pred[2,3] not(p)");
  ExpectOk("r = pred[2,3] add(p, p)");
  ExpectOk("r = s32[2,3] shift-left(s, s)");
  ExpectOk("r = pred[seq,64] is-finite(a)");
  ExpectOk("r = f32[2,3] select(p, x, y)");
  ExpectOk("r = f32[2,3] clamp(f, x, y)");
  ExpectOk("r = pred[seq,64] compare(a, a), direction=LT, type=TOTALORDER");
  ExpectOk("r = f32[2,3] reduce-precision(x), exponent_bits=5, mantissa_bits=10");
  ExpectError("r = f32[2,3] add(x, s)", "[add] operands must have one element type");
  ExpectError("r = f32[2,3] add(x, f)", "[add] operands must have equal dimensions");
  ExpectError("r = f32[seq,64] add(a, b)", "dimension 0: seq and n are not known to be equal");
  ExpectError("r = f32[3,2] add(x, y)", "the result is f32[2,3], but it is declared as f32[3,2]");
  ExpectError("r = s32[2,3] add(x, y)", "declared as s32[2,3]");
  ExpectError("r = s32[2,3] exponential(s)", "takes floats or complex, got s32");
  ExpectError("r = u32[2,3] abs(u)", "[abs] takes signed");
  ExpectError("r = pred[2,3] negate(p)", "[negate] takes numbers, got pred");
  ExpectError("r = f32[2,3] and(x, y)", "takes pred or integers, got f32");
  ExpectError("r = c64[2] maximum(c, c)", "ordered");
  ExpectError("r = pred[2] compare(c, c), direction=LT", "complex numbers have no order");
  ExpectError("r = pred[2,3] compare(s, s), direction=LT, type=TOTALORDER", "does not fit s32");
  ExpectError("r = f32[2,3] select(x, x, y)", "[select] takes pred as first operand");
  ExpectError("r = f32[2,3] clamp(i, x, y)", "operand 0 must be a scalar");
}

TEST(ShapeRules, ConvertAndBits) {
  ExpectOk("r = bf16[seq,64] convert(a)");
  ExpectOk("r = s32[2,3] bitcast-convert(x)");
  ExpectOk("r = u8[2,3,4] bitcast-convert(x)");
  ExpectOk("t = u8[2,3,4] bitcast-convert(x)\n r = f32[2,3] bitcast-convert(t)");
  ExpectOk("r = f32[3,2] bitcast(x)");
  ExpectError("r = f32[2] convert(c)", "take real or imag");
  ExpectError("r = bf16[2,4] convert(x)", "the result is bf16[2,3]");
  ExpectError("r = f64[2] bitcast-convert(x)", "minor dimension: 3 and 2 differ");
  ExpectError("r = f32[4] bitcast(x)", "elements of");
  ExpectOk("r = s32[2,3] bitcast(x)");
  ExpectError("r = u8[24] bitcast(x)", "elements of f32 do not lie in memory as those of u8");
  ExpectError("e = f32[0] constant({})\n r = u8[0] bitcast(e)", "do not lie in memory");
  ExpectError("n = s4[3] iota(), iota_dimension=0\n r = u4[3] bitcast(n)", "use bitcast-convert");
  ExpectError("n = u8[3] iota(), iota_dimension=0\n r = s4[3] bitcast(n)", "use bitcast-convert");
  ExpectError("n = u8[3] iota(), iota_dimension=0\n r = pred[3] bitcast(n)", "or convert");
}

TEST(ShapeRules, BroadcastReshapeTranspose) {
  ExpectOk("r = f32[4,2,3] broadcast(x), dimensions={1,2}");
  ExpectOk("r = f32[3,2] broadcast(x), dimensions={1,0}");
  ExpectOk("r = f32[8,seq,64] broadcast(a), dimensions={1,2}");
  ExpectOk("r = f32[seq,64] broadcast(f), dimensions={}");
  ExpectOk("r = f32[64*seq] reshape(a)");
  ExpectOk("r = f32[8,seq,8] reshape(a)");
  ExpectOk("r = f32[64,seq] transpose(a), dimensions={1,0}");
  ExpectOk("r = f32[seq,64] reverse(a), dimensions={0}");
  ExpectOk("r = s32[seq,4] iota(), iota_dimension=0");
  ExpectError("r = f32[4,2,4] broadcast(x), dimensions={1,2}",
              "dimension 1 of f32[2,3] becomes dimension 2 of f32[4,2,4]: 3 and 4 differ");
  ExpectError("r = f32[4,2,3] broadcast(x), dimensions={1,1}", "twice");
  ExpectError("r = f32[4,2,3] broadcast(x), dimensions={1}", "each of the operand's 2");
  ExpectError("r = f32[4,2,3] broadcast(x), dimensions={1,3}", "not a dimension of rank 3");
  ExpectError("r = f32[7] reshape(x)", "6 and 7 differ");
  ExpectError("r = f32[64*n] reshape(a)", "64*seq and 64*n are not known to be equal");
  ExpectError("r = f32[3,2] transpose(x), dimensions={0,0}", "twice");
  ExpectError("r = f32[2,3] transpose(x), dimensions={1,0}", "the result is f32[3,2]");
  ExpectError("r = f32[2] iota(), iota_dimension=1", "iota_dimension has 1");
  ExpectError("r = pred[2] iota(), iota_dimension=0", "pred");
}

TEST(ShapeRules, SlicePadConcatenate) {
  ExpectOk("r = f32[1,2] slice(x), slice={[0:2:2], [1:3]}");
  ExpectOk("r = f32[floordiv(seq,2),64] slice(a), slice={[0:floordiv(seq,2)], [0:64]}");
  ExpectOk("r = f32[min(seq,8),64] slice(a), slice={[0:min(seq,8)], [0:64]}");
  ExpectOk("r = f32[ceildiv(seq,2),64] slice(a), slice={[0:seq:2], [0:64]}");
  ExpectOk("r = f32[4,9] pad(x, f), padding=1_1x1_1_2");
  ExpectOk("r = f32[1,3] pad(x, f), padding=-1_0x0_0");
  ExpectOk("r = f32[seq+2,64] pad(a, f), padding=1_1x0_0");
  ExpectOk("r = f32[512,64] pad(a, f), padding=0_(512-seq)x0_0");
  ExpectOk("r = f32[seq+n,64] concatenate(a, b), dimensions={0}");
  ExpectOk("r = f32[2,3] concatenate(x), dimensions={1}");
  ExpectError("r = f32[2,4] slice(x), slice={[0:2], [0:4]}", "the limit: 4 is more than 3");
  ExpectError("r = f32[2,1] slice(x), slice={[0:2], [2:1]}", "start and limit");
  ExpectError("r = f32[2,1] slice(x), slice={[0:2], [0:1:0]}", "stride must be positive");
  ExpectError("r = f32[8,64] slice(a), slice={[0:8], [0:64]}", "8 is not known to be at most seq");
  ExpectError("r = f32[2,0] pad(x, f), padding=0_0x-2_-2", "the padded extent: 0 is more than -1");
  ExpectError("r = f32[2,3] pad(x, i), padding=0_0x0_0", "operand 1 must be f32");
  ExpectError("r = f32[4,3] concatenate(x, s), dimensions={0}", "operand 1 must be f32");
  ExpectError("r = f32[seq,128] concatenate(a, b), dimensions={1}",
              "operand 1, dimension 0: seq and n are not known to be equal");
}

TEST(ShapeRules, Dot) {
  ExpectOk("r = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  ExpectOk("r = f64[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  ExpectOk("r = f32[seq,n] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
  ExpectOk("r = f32[64,64] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}");
  ExpectOk(
      "r = f32[2] dot(x, y), lhs_batch_dims={0}, lhs_contracting_dims={1}, "
      "rhs_batch_dims={0}, rhs_contracting_dims={1}");
  ExpectError("r = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              "contracting dimension 1 of f32[2,3] and 0 of f32[2,3]: 3 and 2 differ");
  ExpectError("r = f32[64,64] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
              "seq and n are not known to be equal");
  ExpectError("r = bf16[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
              "the result is f32[2,2]");
  ExpectError("r = f32[2,2] dot(x, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
              "element types");
}

TEST(ShapeRules, Reduce) {
  ExpectOk("r = f32[2] reduce(x, f), dimensions={1}, to_apply=add");
  ExpectOk("r = f32[seq] reduce(a, f), dimensions={1}, to_apply=add");
  ExpectOk("r = f32[] reduce(x, f), dimensions={1,0}, to_apply=add");
  ExpectOk("r = (f32[2], s32[2]) reduce(x, s, f, i), dimensions={1}, to_apply=pair");
  ExpectOk("r = f32[2,2] reduce-window(x, f), window={size=1x2}, to_apply=add");
  ExpectOk(
      "t = f32[seq+2,64] pad(a, f), padding=1_1x0_0\n"
      "r = f32[floordiv(seq,2)+1,64] reduce-window(t, f), window={size=2x1 stride=2x1}, "
      "to_apply=add");
  ExpectError("r = f32[2] reduce(x, f), dimensions={2}, to_apply=add", "not a dimension of rank 2");
  ExpectError("r = f32[2] reduce(x, i), dimensions={1}, to_apply=add",
              "initial value 0 must be f32[]");
  ExpectError("r = f32[2] reduce(x, f), dimensions={1}, to_apply=less", "less must return f32[]");
  ExpectError("r = s32[2] reduce(s, i), dimensions={1}, to_apply=add",
              "parameter 0 of add is f32[]");
  ExpectError("r = f32[2] reduce(x), dimensions={1}, to_apply=add", "initial values");
}

TEST(ShapeRules, ReadsAndWritesAtRunTimePlaces) {
  ExpectOk("r = f32[1,3] dynamic-slice(x, i, i), dynamic_slice_sizes={1,3}");
  ExpectOk("r = f32[seq,1] dynamic-slice(a, i, i), dynamic_slice_sizes={seq,1}");
  ExpectOk(
      "t = f32[1,3] slice(x), slice={[0:1], [0:3]}\n r = f32[2,3] dynamic-update-slice(x, t, i, "
      "i)");
  ExpectOk(
      "j = s32[n,1] iota(), iota_dimension=0\n r = f32[n,64] gather(a, j), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}");
  ExpectOk(
      "j = s32[5,1] iota(), iota_dimension=0\n v = f32[5,3] iota(), iota_dimension=0\n"
      "r = f32[2,3] scatter(x, j, v), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  ExpectOk("r = s32[] get-dimension-size(a), dimensions={0}");
  const std::string large =
      "one = s8[] constant(1)\n many = s8[2147483648] broadcast(one), dimensions={}\n ";
  ExpectError(large + "r = s32[] get-dimension-size(many), dimensions={0}", "too large for an s32");
  ExpectError("r = f32[1,4] dynamic-slice(x, i, i), dynamic_slice_sizes={1,4}", "4 is more than 3");
  ExpectError("r = f32[1,3] dynamic-slice(x, i), dynamic_slice_sizes={1,3}", "one start index per");
  ExpectError("r = f32[1,3] dynamic-slice(x, f, f), dynamic_slice_sizes={1,3}", "integer scalars");
  ExpectError("r = f32[2,3] dynamic-update-slice(x, f, i, i)", "the operand's rank");
  ExpectError(
      "j = s32[5,2] iota(), iota_dimension=0\n r = f32[5,3] gather(x, j), offset_dims={1}, "
      "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
      "the length of an index and of start_index_map: 2 and 1 differ");
}

TEST(ShapeRules, TuplesAndCalls) {
  ExpectOk("r = (f32[2,3], s32[]) tuple(x, i)");
  ExpectOk("t = (f32[seq,64], s32[]) tuple(a, i)\n r = f32[seq,64] get-tuple-element(t), index=0");
  ExpectOk("r = f32[] call(f, g), to_apply=add");
  ExpectOk("r = f32[2,3] map(x, y), dimensions={0,1}, to_apply=add");
  ExpectOk("r = f32[2,3] sort(x), dimensions={1}, to_apply=less");
  ExpectOk("r = (f32[2,2], s32[2,2]) topk(x), k=2, largest=true");
  ExpectError("r = f32[] get-tuple-element(f), index=0", "takes a tuple, got f32[]");
  ExpectError("t = (f32[], s32[]) tuple(f, i)\n r = f32[] get-tuple-element(t), index=2",
              "index 2");
  ExpectError("r = f32[] call(f), to_apply=add", "add takes 2 parameters, got 1 arguments");
  ExpectError("r = f32[] call(f, i), to_apply=add", "parameter 1 of add is f32[], got s32[]");
  ExpectError("r = f32[2,3] sort(x), dimensions={2}, to_apply=less", "not a dimension");
  ExpectError("r = f32[2,3] sort(x), dimensions={1}, to_apply=add", "must return pred[]");
}

TEST(ShapeRules, SymbolsPassThroughEveryFamily) {
  ExpectOk("r = f32[seq,64] sort(a), dimensions={0}, to_apply=less");
  ExpectOk("r = (f32[seq,8], s32[seq,8]) topk(a), k=8, largest=true");
  ExpectOk("r = f32[seq,64] map(a, a), dimensions={0,1}, to_apply=add");
  ExpectOk("r = f32[seq,64] clamp(f, a, a)");
  ExpectOk("r = u8[seq,64,4] bitcast-convert(a)");
  ExpectOk("r = f32[64*seq] bitcast(a)");
  ExpectOk(
      "j = s32[n,1] iota(), iota_dimension=0\n v = f32[n,64] iota(), iota_dimension=0\n"
      "r = f32[seq,64] scatter(a, j, v), update_window_dims={1}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add");
  ExpectOk(
      "t = f32[1,64] slice(a), slice={[0:1], [0:64]}\n"
      "r = f32[seq,64] dynamic-update-slice(a, t, i, i)");
  ExpectOk(
      "d = f32[n,seq,4] iota(), iota_dimension=0\n k = f32[3,4,6] iota(), iota_dimension=0\n"
      "r = f32[n,seq,6] convolution(d, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f");
  ExpectError("r = (f32[seq,65], s32[seq,65]) topk(a), k=65, largest=true", "65 is more than 64");
  ExpectError(
      "t = f32[2,64] iota(), iota_dimension=0\n r = f32[seq,64] dynamic-update-slice(a, t, i, i)",
      "2 is not known to be at most seq");
  ExpectError(
      "d = f32[n,seq,4] iota(), iota_dimension=0\n k = f32[3,4,6] iota(), iota_dimension=0\n"
      "r = f32[n,seq,6] convolution(d, k), window={size=3}, dim_labels=b0f_0io->b0f",
      "the result is f32[n");
}

TEST(ShapeRules, Convolution) {
  const std::string in =
      "d = f32[2,9,8,4] iota(), iota_dimension=0\n k = f32[3,3,2,6] iota(), "
      "iota_dimension=0\n";
  ExpectOk(in +
           "r = f32[2,4,14,6] convolution(d, k), window={size=3x3 stride=2x1 pad=1_2x0_1 "
           "lhs_dilate=1x2 rhs_dilate=2x1}, dim_labels=b01f_01io->b01f, feature_group_count=2");
  ExpectError(in + "r = f32[2,7,6,6] convolution(d, k), window={size=3x3}, "
                   "dim_labels=b01f_01io->b01f",
              "4 and 2 differ");
  ExpectError(in + "r = f32[2,7,6,6] convolution(d, k), window={size=3x3}, "
                   "dim_labels=b01f_01io->b02f, feature_group_count=2",
              "do not name each dimension once");
}

}  // namespace
}  // namespace swage::ir
