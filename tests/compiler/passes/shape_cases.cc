#include "tests/compiler/passes/rewrite_cases.h"

namespace swage::passes {
namespace {

constexpr RewriteCase kCases[] = {
    {"convert-twice", "",
     "x = bf16[300] parameter(0) a = f32[300] convert(x) ROOT r = bf16[300] convert(a)"},
    {"convert-twice", "",
     "x = f8e4m3fn[300] parameter(0) a = bf16[300] convert(x) ROOT r = f8e5m2[300] convert(a)"},
    {"convert-twice", "",
     "x = f16[300] parameter(0) a = f64[300] convert(x) ROOT r = s8[300] convert(a)"},
    {"convert-twice", "",
     "x = s8[300] parameter(0) a = s32[300] convert(x) ROOT r = u8[300] convert(a)"},
    {"convert-twice", "",
     "x = u8[300] parameter(0) a = f32[300] convert(x) ROOT r = s16[300] convert(a)"},
    {"convert-twice", "",
     "x = s64[300] parameter(0) a = s32[300] convert(x) ROOT r = u8[300] convert(a)"},
    {"convert-twice", "",
     "x = pred[30] parameter(0) a = s32[30] convert(x) ROOT r = f32[30] convert(a)"},
    {"convert-twice", "",
     "x = s32[n<=9] parameter(0) a = f64[n] convert(x) ROOT r = f16[n] convert(a)"},
    {"convert-iota", "", "x = s32[4,9] iota(), iota_dimension=1 ROOT r = u8[4,9] convert(x)"},
    {"convert-iota", "",
     "p = s8[n<=9] parameter(0) x = s32[4,n] iota(), iota_dimension=1 y = s8[4,n] convert(x) b = "
     "s8[4,n] broadcast(p), dimensions={1} ROOT r = s8[4,n] add(y, b)"},
    {"bitcast-convert-twice", "",
     "x = f32[300] parameter(0) a = s32[300] bitcast-convert(x) ROOT r = f32[300] "
     "bitcast-convert(a)"},
    {"bitcast-convert-twice", "",
     "x = f32[300] parameter(0) a = s32[300] bitcast-convert(x) ROOT r = u32[300] "
     "bitcast-convert(a)"},
    {"bitcast-convert-twice", "",
     "x = f32[30] parameter(0) a = u8[30,4] bitcast-convert(x) ROOT r = f32[30] "
     "bitcast-convert(a)"},

    {"compare-iota", "",
     "x = s32[4,9] iota(), iota_dimension=1 c = s32[] constant(9) b = s32[4,9] broadcast(c), "
     "dimensions={} ROOT r = pred[4,9] compare(x, b), direction=LT"},
    {"compare-iota", "",
     "x = u8[9] iota(), iota_dimension=0 y = u8[9,2] broadcast(x), dimensions={0} c = u8[] "
     "constant(8) b = u8[9,2] broadcast(c), dimensions={} ROOT r = pred[9,2] compare(y, b), "
     "direction=GT"},
    {"compare-iota", "",
     "x = s32[9] iota(), iota_dimension=0 c = s32[] constant(-1) b = s32[9] broadcast(c), "
     "dimensions={} ROOT r = pred[9] compare(x, b), direction=EQ"},
    {"compare-iota", "",
     "x = s32[9] iota(), iota_dimension=0 c = s32[] constant(0) b = s32[9] broadcast(c), "
     "dimensions={} ROOT r = pred[9] compare(x, b), direction=GE"},
    {"compare-iota", "",
     "p = f32[n<=9] parameter(0) x = s32[n] iota(), iota_dimension=0 c = s32[] constant(9) b = "
     "s32[n] broadcast(c), dimensions={} q = pred[n] compare(x, b), direction=NE ROOT r = "
     "(pred[n], f32[n]) tuple(q, p)"},

    {"bitcast-nothing", "", "x = f32[2,3] parameter(0) ROOT r = f32[2,3] bitcast(x)"},
    {"reshape-nothing", "", "x = f32[2,3] parameter(0) ROOT r = f32[2,3] reshape(x)"},
    {"reshape-nothing", "", "x = f32[n<=9,3] parameter(0) ROOT r = f32[n,3] reshape(x)"},
    {"reshape-twice", "",
     "x = f32[2,6] parameter(0) a = f32[3,4] reshape(x) ROOT r = f32[12] reshape(a)"},
    {"reshape-twice", "",
     "x = f32[2,6] parameter(0) a = f32[3,4] reshape(x) ROOT r = f32[2,6] reshape(a)"},
    {"reshape-twice", "",
     "x = f32[n<=9,6] parameter(0) a = f32[6*n] reshape(x) ROOT r = f32[n,2,3] reshape(a)"},
    {"reshape-constant", "",
     "x = f32[2,3] constant({ {1, 2, 3}, {-0.0, nan, inf} }) ROOT r = f32[3,2] reshape(x)"},
    {"reshape-broadcast", "",
     "x = f32[] parameter(0) a = f32[2,6] broadcast(x), dimensions={} ROOT r = f32[3,4] "
     "reshape(a)"},
    {"reshape-broadcast", "",
     "x = f32[6] parameter(0) a = f32[4,6] broadcast(x), dimensions={1} ROOT r = f32[2,2,3,2] "
     "reshape(a)"},
    {"reshape-broadcast", "",
     "x = f32[6,1] parameter(0) a = f32[4,6,1] broadcast(x), dimensions={1,2} ROOT r = "
     "f32[1,4,1,6] reshape(a)"},
    {"reshape-broadcast", "",
     "x = f32[n<=9] parameter(0) a = f32[4,n] broadcast(x), dimensions={1} ROOT r = f32[2,2,1,n] "
     "reshape(a)"},
    {"reshape-iota", "", "x = s32[2,6] iota(), iota_dimension=1 ROOT r = s32[1,2,1,6] reshape(x)"},
    {"reshape-iota", "", "x = s32[4,6] iota(), iota_dimension=1 ROOT r = s32[2,2,6] reshape(x)"},

    {"transpose-nothing", "",
     "x = f32[2,3] parameter(0) ROOT r = f32[2,3] transpose(x), dimensions={0,1}"},
    {"transpose-twice", "",
     "x = f32[2,3,4] parameter(0) a = f32[3,4,2] transpose(x), dimensions={1,2,0} ROOT r = "
     "f32[2,4,3] transpose(a), dimensions={2,1,0}"},
    {"transpose-twice", "",
     "x = f32[2,n<=9,4] parameter(0) a = f32[n,4,2] transpose(x), dimensions={1,2,0} ROOT r = "
     "f32[2,n,4] transpose(a), dimensions={2,0,1}"},
    {"transpose-only-units", "",
     "x = f32[2,1,4] parameter(0) ROOT r = f32[1,2,4] transpose(x), dimensions={1,0,2}"},
    {"transpose-only-units", "",
     "x = f32[n<=9,1] parameter(0) ROOT r = f32[1,n] transpose(x), dimensions={1,0}"},
    {"transpose-broadcast", "",
     "x = f32[2,3] parameter(0) a = f32[2,5,3] broadcast(x), dimensions={0,2} ROOT r = f32[3,5,2] "
     "transpose(a), dimensions={2,1,0}"},
    {"transpose-broadcast", "",
     "x = f32[n<=9] parameter(0) a = f32[5,n] broadcast(x), dimensions={1} ROOT r = f32[n,5] "
     "transpose(a), dimensions={1,0}"},
    {"transpose-iota", "",
     "x = s32[2,6] iota(), iota_dimension=1 ROOT r = s32[6,2] transpose(x), dimensions={1,0}"},

    {"broadcast-permutes", "",
     "x = f32[2,3] parameter(0) ROOT r = f32[3,2] broadcast(x), dimensions={1,0}"},
    {"broadcast-permutes", "",
     "x = f32[n<=9,3] parameter(0) ROOT r = f32[n,3] broadcast(x), dimensions={0,1}"},
    {"broadcast-twice", "",
     "x = f32[3] parameter(0) a = f32[2,3] broadcast(x), dimensions={1} ROOT r = f32[2,4,3] "
     "broadcast(a), dimensions={0,2}"},
    {"broadcast-only-units", "",
     "x = f32[3,1] parameter(0) ROOT r = f32[1,3,1] broadcast(x), dimensions={1,2}"},
    {"broadcast-only-units", "",
     "x = f32[] parameter(0) ROOT r = f32[1,1] broadcast(x), dimensions={}"},
    {"broadcast-units", "",
     "x = f32[3,1] parameter(0) ROOT r = f32[3,1,5] broadcast(x), dimensions={0,1}"},
    {"broadcast-units", "",
     "x = f32[1,n<=9] parameter(0) ROOT r = f32[7,1,n] broadcast(x), dimensions={1,2}"},
    {"broadcast-iota", "",
     "x = s32[3,4] iota(), iota_dimension=1 ROOT r = s32[3,2,4] broadcast(x), dimensions={0,2}"},
    {"iota-unit", "", "ROOT r = f32[3,1] iota(), iota_dimension=1"},
    {"reverse-units", "",
     "x = f32[3,1,4] parameter(0) ROOT r = f32[3,1,4] reverse(x), dimensions={1,2}"},
    {"reverse-units", "",
     "x = f32[3,1,4] parameter(0) ROOT r = f32[3,1,4] reverse(x), dimensions={1}"},
    {"reverse-twice", "",
     "x = f32[3,2,4] parameter(0) a = f32[3,2,4] reverse(x), dimensions={0,1} ROOT r = f32[3,2,4] "
     "reverse(a), dimensions={1,2}"},
    {"reverse-twice", "",
     "x = f32[3,2] parameter(0) a = f32[3,2] reverse(x), dimensions={0,1} ROOT r = f32[3,2] "
     "reverse(a), dimensions={1,0}"},
    {"reverse-broadcast", "",
     "x = f32[3,2] parameter(0) a = f32[3,4,2] broadcast(x), dimensions={0,2} ROOT r = f32[3,4,2] "
     "reverse(a), dimensions={1,2}"},

    {"slice-nothing", "",
     "x = f32[3,n<=9] parameter(0) ROOT r = f32[3,n] slice(x), slice={[0:3],[0:n]}"},
    {"slice-twice", "",
     "x = f32[30,9] parameter(0) a = f32[10,7] slice(x), slice={[2:30:3],[1:8]} ROOT r = f32[3,5] "
     "slice(a), slice={[1:9:3],[2:7]}"},
    {"slice-twice", "",
     "x = f32[n<=9,9] parameter(0) a = f32[n,7] slice(x), slice={[0:n],[1:8]} ROOT r = f32[n,5] "
     "slice(a), slice={[0:n],[2:7]}"},
    {"slice-broadcast", "",
     "x = f32[9] parameter(0) a = f32[5,9] broadcast(x), dimensions={1} ROOT r = f32[2,4] "
     "slice(a), slice={[1:3],[2:9:2]}"},
    {"slice-broadcast", "",
     "x = f32[] parameter(0) a = f32[5,9] broadcast(x), dimensions={} ROOT r = f32[0,4] slice(a), "
     "slice={[1:1],[2:9:2]}"},
    {"slice-iota", "",
     "a = s32[5,9] iota(), iota_dimension=1 ROOT r = s32[3,4] slice(a), slice={[1:4],[0:4]}"},
    {"slice-concatenate", "",
     "x = f32[5,2] parameter(0) y = f32[4,2] parameter(1) a = f32[9,2] concatenate(x, y), "
     "dimensions={0} ROOT r = f32[2,1] slice(a), slice={[5:9:2],[1:2]}"},
    {"slice-concatenate", "",
     "x = f32[5,n<=9] parameter(0) y = f32[4,n] parameter(1) a = f32[9,n] concatenate(x, y), "
     "dimensions={0} ROOT r = f32[2,n] slice(a), slice={[2:4],[0:n]}"},
    {"slice-pad", "",
     "x = f32[5,4] parameter(0) v = f32[] parameter(1) a = f32[9,4] pad(x, v), padding=3_1x0_0 "
     "ROOT r = f32[4,4] slice(a), slice={[4:8],[0:4]}"},
    {"slice-pad", "",
     "x = f32[5,4] parameter(0) v = f32[] parameter(1) a = f32[9,4] pad(x, v), padding=3_1x0_0 "
     "ROOT r = f32[3,2] slice(a), slice={[0:3],[0:2]}"},
    {"slice-pad", "",
     "x = f32[5,4] parameter(0) v = f32[] parameter(1) a = f32[4,4] pad(x, v), padding=-1_0x0_0 "
     "ROOT r = f32[2,2] slice(a), slice={[0:3:2],[1:3]}"},

    {"concatenate-one", "",
     "x = f32[5,n<=9] parameter(0) ROOT r = f32[5,n] concatenate(x), dimensions={1}"},
    {"concatenate-empty", "",
     "x = f32[5,2] parameter(0) y = f32[0,2] parameter(1) ROOT r = f32[5,2] concatenate(y, x), "
     "dimensions={0}"},
    {"concatenate-empty", "",
     "x = f32[0,2] parameter(0) y = f32[0,2] parameter(1) ROOT r = f32[0,2] concatenate(y, x), "
     "dimensions={0}"},
    {"concatenate-nested", "",
     "x = f32[5,2] parameter(0) y = f32[1,2] parameter(1) a = f32[6,2] concatenate(y, x), "
     "dimensions={0} ROOT r = f32[11,2] concatenate(a, x), dimensions={0}"},
    {"concatenate-adjacent", "",
     "x = f32[9,2] parameter(0) a = f32[2,2] slice(x), slice={[1:3],[0:2]} b = f32[3,2] slice(x), "
     "slice={[3:6],[0:2]} ROOT r = f32[14,2] concatenate(a, b, x), dimensions={0}"},
    {"concatenate-adjacent", "",
     "x = f32[9,2] parameter(0) a = f32[3,2] slice(x), slice={[0:3],[0:2]} b = f32[6,2] slice(x), "
     "slice={[3:9],[0:2]} ROOT r = f32[9,2] concatenate(a, b), dimensions={0}"},
    {"concatenate-fills", "",
     "x = f32[] parameter(0) a = f32[3,2] broadcast(x), dimensions={} b = f32[6,2] broadcast(x), "
     "dimensions={} ROOT r = f32[9,2] concatenate(a, b), dimensions={0}"},
    {"concatenate-fills", "",
     "x = f32[] constant(-0.0) y = f32[1] constant({-0.0}) b = f32[6] broadcast(x), dimensions={} "
     "ROOT r = f32[7] concatenate(y, b), dimensions={0}"},
    {"concatenate-repeats", "",
     "x = f32[3,1,2] parameter(0) ROOT r = f32[3,3,2] concatenate(x, x, x), dimensions={1}"},

    {"dynamic-slice-all", "",
     "x = f32[9,n<=9] parameter(0) i = s32[] parameter(1) ROOT r = f32[9,n] dynamic-slice(x, i, "
     "i), dynamic_slice_sizes={9,n}"},
    {"dynamic-slice-constant", "",
     "x = f32[9,4] parameter(0) i = s32[] constant(7) j = s32[] constant(-3) ROOT r = f32[5,2] "
     "dynamic-slice(x, i, j), dynamic_slice_sizes={5,2}"},
    {"dynamic-slice-constant", "",
     "x = f32[9,4] parameter(0) i = u64[] constant(18446744073709551615) j = u64[] parameter(1) "
     "ROOT r = f32[5,4] dynamic-slice(x, i, j), dynamic_slice_sizes={5,4}"},
    {"dynamic-slice-broadcast", "",
     "x = f32[9] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) a = f32[9,4] "
     "broadcast(x), dimensions={0} ROOT r = f32[5,2] dynamic-slice(a, i, j), "
     "dynamic_slice_sizes={5,2}"},
    {"dynamic-slice-broadcast", "",
     "x = f32[] parameter(0) i = s32[] parameter(1) a = f32[9] broadcast(x), dimensions={} ROOT r "
     "= f32[5] dynamic-slice(a, i), dynamic_slice_sizes={5}"},
    {"dynamic-slice-updated", "",
     "x = f32[9] parameter(0) i = s32[] parameter(1) u = f32[5] parameter(2) a = f32[9] "
     "dynamic-update-slice(x, u, i) ROOT r = f32[5] dynamic-slice(a, i), dynamic_slice_sizes={5}"},
    {"starts-of-covered", "",
     "x = f32[9,n<=9] parameter(0) i = s32[] parameter(1) ROOT r = f32[5,n] dynamic-slice(x, i, "
     "i), dynamic_slice_sizes={5,n}"},
    {"starts-of-covered", "",
     "x = f32[9,n<=9] parameter(0) i = s32[] parameter(1) u = f32[5,n] parameter(2) ROOT r = "
     "f32[9,n] dynamic-update-slice(x, u, i, i)"},
    {"update-all", "",
     "x = f32[9,n<=9] parameter(0) i = s32[] parameter(1) u = f32[9,n] parameter(2) ROOT r = "
     "f32[9,n] dynamic-update-slice(x, u, i, i)"},
    {"update-nothing", "",
     "x = f32[9] parameter(0) i = s32[] parameter(1) u = f32[0] parameter(2) ROOT r = f32[9] "
     "dynamic-update-slice(x, u, i)"},

    {"pad-nothing", "",
     "x = f32[9,n<=9] parameter(0) v = f32[] parameter(1) ROOT r = f32[9,n] pad(x, v), "
     "padding=0_0x0_0"},
    {"pad-nothing", "",
     "x = f32[9,1] parameter(0) v = f32[] parameter(1) ROOT r = f32[9,1] pad(x, v), "
     "padding=0_0x0_0_2"},
    {"pad-empty", "",
     "x = f32[9,0] parameter(0) v = f32[] parameter(1) ROOT r = f32[9,3] pad(x, v), "
     "padding=0_0x1_2"},
    {"pad-negative", "",
     "x = f32[9,4] parameter(0) v = f32[] parameter(1) ROOT r = f32[9,3] pad(x, v), "
     "padding=-1_1x1_-2"},
    {"pad-negative", "",
     "x = f32[9,4] parameter(0) v = f32[] parameter(1) ROOT r = f32[5,4] pad(x, v), "
     "padding=-2_-2x0_0"},
    {"pad-twice", "",
     "x = f32[9] parameter(0) v = f32[] parameter(1) a = f32[12] pad(x, v), padding=1_2 ROOT r = "
     "f32[15] pad(a, v), padding=0_3"},
    {"pad-twice", "",
     "x = f32[9] parameter(0) v = f32[] constant(-0.0) w = f32[] constant(-0.0) a = f32[12] pad(x, "
     "v), padding=1_2 ROOT r = f32[15] pad(a, w), padding=0_3"},
    {"pad-fill", "",
     "v = f32[] parameter(0) x = f32[n<=9] parameter(1) b = f32[n] broadcast(v), dimensions={} p = "
     "f32[n+3] pad(b, v), padding=1_2 ROOT r = (f32[n+3], f32[n]) tuple(p, x)"},
    {"pad-fill", "",
     "v = f32[] constant(1) w = f32[] constant(1) b = f32[9] broadcast(v), dimensions={} ROOT r = "
     "f32[14] pad(b, w), padding=-1_-2_1"},

    {"reduce-empty", "",
     "x = f32[4,0] parameter(0) v = f32[] parameter(1) ROOT r = f32[4] reduce(x, v), "
     "dimensions={1}, to_apply=add"},
    {"reduce-units", "",
     "x = f32[40,1] parameter(0) v = f32[] constant(0) ROOT r = f32[40] reduce(x, v), "
     "dimensions={1}, to_apply=add"},
    {"reduce-units", "",
     "x = f32[40,n<=9] parameter(0) v = f32[] parameter(1) ROOT r = f32[40,n] reduce(x, v), "
     "dimensions={}, to_apply=max"},
    {"reduce-fill", "",
     "x = f32[] parameter(0) v = f32[] parameter(1) a = f32[4,7] broadcast(x), dimensions={} ROOT "
     "r = f32[4] reduce(a, v), dimensions={1}, to_apply=max"},
    {"sum-fill", "",
     "x = s32[] parameter(0) v = s32[] parameter(1) a = s32[4,7] broadcast(x), dimensions={} ROOT "
     "r = s32[4] reduce(a, v), dimensions={1}, to_apply=iadd"},

    {"dot-empty", "",
     "x = f32[4,0] parameter(0) y = f32[0,3] parameter(1) ROOT r = f32[4,3] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot-products", "",
     "x = f32[4,1] parameter(0) y = f32[1,3] parameter(1) ROOT r = f32[4,3] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"dot-products", "",
     "x = f32[4,5,2] parameter(0) y = f32[3,2,4] parameter(1) ROOT r = f32[2,4,5,3] dot(x, y), "
     "lhs_batch_dims={2,0}, rhs_batch_dims={1,2}, lhs_contracting_dims={}, "
     "rhs_contracting_dims={}"},
    {"dot-products", "",
     "x = bf16[n<=9] parameter(0) y = bf16[3] parameter(1) ROOT r = f32[n,3] dot(x, y), "
     "lhs_contracting_dims={}, rhs_contracting_dims={}"},
};

}  // namespace

std::span<const RewriteCase> ShapeCases() { return kCases; }

}  // namespace swage::passes
