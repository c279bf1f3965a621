#include "codegen/gpu/legality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codegen/gpu/ptx_emitter.h"
#include "compiler/cost/device_description.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

namespace swage::gpu {
namespace {

using ::testing::HasSubstr;

Status Check(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  if (module == nullptr) return InvalidArgument(error.getMessage().str());
  return CheckLegality(*module);
}

std::string Refusal(const std::string& text) {
  const Status status = Check(text);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << text << "\n" << status.message();
  return std::string(ToStd(status.message()));
}

TEST(GpuLegality, WhatNvptxCannotSelectIsRefused) {
  for (const char* name : {"exp", "exp2", "log", "log2", "sin", "cos", "tan", "canonicalize"}) {
    const std::string text = "declare float @llvm." + std::string(name) +
                             ".f32(float)\n define float @f(float %x) { %y = call float @llvm." +
                             name + ".f32(float %x)\n ret float %y }";
    EXPECT_THAT(Refusal(text), HasSubstr("llvm." + std::string(name)));
  }
  EXPECT_THAT(Refusal("define float @f(float %x) { %y = frem float %x, %x\n ret float %y }"),
              HasSubstr("frem"));
  EXPECT_THAT(Refusal("define i128 @f(i128 %x) { ret i128 %x }"), HasSubstr("i128"));
  EXPECT_THAT(Refusal("define void @f() { fence seq_cst\n ret void }"), HasSubstr("fence"));
}

TEST(GpuLegality, CallsAreRefused) {
  EXPECT_THAT(Refusal("declare float @expf(float)\n define float @f(float %x) {"
                      " %y = call float @expf(float %x)\n ret float %y }"),
              HasSubstr("'expf'"));
  EXPECT_THAT(Refusal("define void @f() { call void @f()\n ret void }"), HasSubstr("recursion"));
  EXPECT_THAT(Refusal("define void @f(ptr %p) { call void %p()\n ret void }"),
              HasSubstr("indirect"));
}

TEST(GpuLegality, AddressSpacesAreThoseOfThePtx) {
  EXPECT_TRUE(Check("define void @f(ptr addrspace(1) %p, ptr %q) { ret void }").ok());
  EXPECT_THAT(Refusal("define void @f(ptr addrspace(7) %p) { ret void }"),
              HasSubstr("addrspace(7)"));
}

TEST(GpuLegality, SharedMemoryHasNoValueAndABound) {
  EXPECT_TRUE(Check("@s = internal addrspace(3) global [8 x float] undef").ok());
  EXPECT_THAT(Refusal("@s = internal addrspace(3) global [8 x float] zeroinitializer"),
              HasSubstr("'s'"));
  EXPECT_THAT(Refusal("@s = internal addrspace(3) global [20000 x float] undef"),
              HasSubstr("shared memory"));
  EXPECT_THAT(Refusal("@s = internal addrspace(1) global i32 0"), HasSubstr("mutable"));
}

TEST(GpuLegality, FastMathIsRefused) {
  EXPECT_THAT(Refusal("define float @f(float %x) { %y = fadd contract float %x, %x\n"
                      " ret float %y }"),
              HasSubstr("fast-math"));
}

TEST(GpuLegality, HalvesAreOnlyOperandsOfMatrixUnits) {
  EXPECT_THAT(Refusal("define half @f(half %x) { ret half %x }"), HasSubstr("half"));
  EXPECT_THAT(Refusal("define i32 @f(i32 %x) { %y = bitcast i32 %x to <2 x half>\n"
                      " %z = bitcast <2 x half> %y to i32\n ret i32 %z }"),
              HasSubstr("half"));
}

constexpr char kMatrixFunctions[] = R"(
@tile = internal addrspace(3) global [512 x i8] undef, align 16
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
define void @matrices(ptr addrspace(1) %p) {
  %a = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) @tile)
  %b = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) @tile)
  %x = extractvalue { i32, i32, i32, i32 } %a, 0
  %y = extractvalue { i32, i32, i32, i32 } %b, 1
  %c = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %x, i32 %x, i32 %x, i32 %x, i32 %y, i32 %y, float 0.0, float 0.0, float 0.0, float 0.0)
  %s = extractvalue { float, float, float, float } %c, 2
  %h = bitcast i32 %x to <2 x half>
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, <2 x half> %h, float %s, float %s, float %s, float %s)
  %t = extractvalue { float, float, float, float } %d, 3
  store float %t, ptr addrspace(1) %p
  ret void
}
)";

// Every intrinsic that is allowed, on every type that has it, for both architectures.
TEST(GpuLegality, WhatIsAllowedCompiles) {
  std::string text;
  int number = 0;
  const auto add = [&](const std::string& name, const std::string& type, const std::string& suffix,
                       int operands, const std::string& last) {
    const std::string call = "@llvm." + name + "." + suffix;
    std::string types = type, values = type + " %x";
    for (int i = 1; i < operands; ++i) {
      types += ", " + type;
      values += ", " + type + " %x";
    }
    if (!last.empty()) {
      types += ", i1";
      values += ", i1 " + last;
    }
    text += "declare " + type + " " + call + "(" + types + ")\n";
    const std::string function = "@f" + std::to_string(number++);
    text += "define void " + function + "(ptr addrspace(1) %p) {\n  %x = load " + type +
            ", ptr addrspace(1) %p\n  %y = call " + type + " " + call + "(" + values +
            ")\n  store " + type + " %y, ptr addrspace(1) %p\n  ret void\n}\n";
  };
  for (const auto& [type, suffix] :
       {std::pair{"float", "f32"}, std::pair{"double", "f64"}, std::pair{"<4 x float>", "v4f32"}}) {
    for (const char* name : {"ceil", "fabs", "floor", "rint", "roundeven", "sqrt", "trunc"}) {
      add(name, type, suffix, 1, "");
    }
    for (const char* name : {"copysign", "maximum", "minimum"}) add(name, type, suffix, 2, "");
    add("fma", type, suffix, 3, "");
  }
  for (const auto& [type, suffix] :
       {std::pair{"i8", "i8"}, std::pair{"i16", "i16"}, std::pair{"i32", "i32"},
        std::pair{"i64", "i64"}, std::pair{"<4 x i8>", "v4i8"}, std::pair{"<4 x i64>", "v4i64"}}) {
    for (const char* name : {"abs", "ctlz", "cttz"}) add(name, type, suffix, 1, "false");
    add("ctpop", type, suffix, 1, "");
    for (const char* name :
         {"sadd.sat", "smax", "smin", "ssub.sat", "uadd.sat", "umax", "umin", "usub.sat"}) {
      add(name, type, suffix, 2, "");
    }
    for (const char* name : {"fshl", "fshr"}) add(name, type, suffix, 3, "");
  }
  text += kMatrixFunctions;
  for (const char* card : {"a100", "h100"}) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    const auto module = llvm::parseAssemblyString(text, error, context);
    ASSERT_NE(module, nullptr) << error.getMessage().str();
    const StatusOr<GpuTarget> target = GpuTarget::For(*cost::GpuNamed(card));
    ASSERT_TRUE(target.ok());
    const StatusOr<EmittedPtx> emitted = EmitPtx(*module, *target);
    ASSERT_TRUE(emitted.ok()) << emitted.status().message();
    EXPECT_EQ(emitted->ptx.find("call"), std::string::npos);
  }
}

}  // namespace
}  // namespace swage::gpu
