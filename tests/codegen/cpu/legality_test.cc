#include "codegen/cpu/legality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/cpu/test_modules.h"

namespace swage::cpu {
namespace {

using ::testing::HasSubstr;

std::string Refusal(const std::string& text, const LegalityOptions& options = {}) {
  TestModule test = ParseModule(text);
  const Status status = CheckLegality(*test.module, Host(), options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << text;
  return std::string(ToStd(status.message()));
}

TEST(LegalityTest, NarrowFloatsAreRefusedByName) {
  EXPECT_THAT(Refusal(R"(define void @f(ptr %p) {
    %x = load bfloat, ptr %p
    %y = fadd bfloat %x, %x
    store bfloat %y, ptr %p
    ret void })"),
              HasSubstr("bfloat"));
  EXPECT_THAT(Refusal("define half @f(half %x) { ret half %x }"), HasSubstr("half"));
  EXPECT_THAT(Refusal("define void @f(ptr %p) { %x = load <8 x half>, ptr %p\n ret void }"),
              HasSubstr("<8 x half>"));
  EXPECT_THAT(Refusal(R"(define void @f(ptr %p, float %x) {
    %y = fptrunc float %x to bfloat
    %z = bitcast bfloat %y to i16
    store i16 %z, ptr %p
    ret void })"),
              HasSubstr("bfloat"));
  EXPECT_THAT(Refusal(R"(define void @f(ptr %p) { store half 1.0, ptr %p
    ret void })"),
              HasSubstr("half"));
}

TEST(LegalityTest, OtherTypesAreRefusedByName) {
  EXPECT_THAT(Refusal("define i128 @f(i128 %x) { ret i128 %x }"), HasSubstr("i128"));
  EXPECT_THAT(Refusal("define fp128 @f(fp128 %x) { ret fp128 %x }"), HasSubstr("fp128"));
  EXPECT_THAT(Refusal("define x86_fp80 @f(x86_fp80 %x) { ret x86_fp80 %x }"),
              HasSubstr("x86_fp80"));
  EXPECT_THAT(
      Refusal("define void @f(ptr %p) { %x = load <vscale x 4 x float>, ptr %p\n ret void }"),
      HasSubstr("vscale"));
  EXPECT_THAT(Refusal("define void @f(ptr addrspace(1) %p) { ret void }"),
              HasSubstr("addrspace(1)"));
  EXPECT_THAT(Refusal("define void @f(ptr %p) { %x = alloca half\n ret void }"), HasSubstr("half"));
  EXPECT_THAT(Refusal("@t = constant [2 x half] zeroinitializer"), HasSubstr("half"));
}

TEST(LegalityTest, LibraryCallsAreRefusedByName) {
  const std::string expf = R"(declare float @expf(float)
    define float @f(float %x) { %y = call float @expf(float %x)
    ret float %y })";
  EXPECT_THAT(Refusal(expf), HasSubstr("'expf'"));
  const std::vector<std::string> allowed = {"expf"};
  TestModule test = ParseModule(expf);
  EXPECT_TRUE(CheckLegality(*test.module, Host(), {.allowed_calls = allowed}).ok());
}

TEST(LegalityTest, IntrinsicsOutsideTheTableAreRefusedByName) {
  for (const char* name : {"exp", "log", "sin", "cos", "exp2", "pow", "fmuladd", "round", "tan"}) {
    const std::string second = std::string(name) == "pow" ? ", float %x" : "";
    const std::string third = std::string(name) == "fmuladd" ? ", float %x, float %x" : second;
    std::string types = "float";
    for (size_t at = 0; (at = third.find("float", at)) != std::string::npos; ++at)
      types += ", float";
    const std::string text = "declare float @llvm." + std::string(name) + ".f32(" + types +
                             ")\n define float @f(float %x) { %y = call float @llvm." + name +
                             ".f32(float %x" + third + ")\n ret float %y }";
    EXPECT_THAT(Refusal(text), HasSubstr("llvm." + std::string(name) + ".f32"));
  }
  EXPECT_THAT(Refusal(R"(declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define void @f(ptr %p, ptr %q, i64 %n) {
      call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
      ret void })"),
              HasSubstr("llvm.memcpy"));
}

TEST(LegalityTest, OtherInstructionsAreRefusedByName) {
  EXPECT_THAT(Refusal("define float @f(float %x) { %y = frem float %x, %x\n ret float %y }"),
              HasSubstr("'frem'"));
  EXPECT_THAT(Refusal("define void @f(ptr %p) { call void %p()\n ret void }"),
              HasSubstr("indirect call"));
  EXPECT_THAT(Refusal(R"(define void @f() { call void asm sideeffect "nop", ""()
    ret void })"),
              HasSubstr("inline assembly"));
  EXPECT_THAT(Refusal(R"(define void @f(ptr %p) { %x = atomicrmw add ptr %p, i32 1 seq_cst
    ret void })"),
              HasSubstr("'atomicrmw'"));
  EXPECT_THAT(Refusal(R"(define void @f(ptr %p) { %x = load atomic i32, ptr %p seq_cst, align 4
    ret void })"),
              HasSubstr("atomic load"));
  EXPECT_THAT(Refusal("define void @f(i64 %n) { %x = alloca float, i64 %n\n ret void }"),
              HasSubstr("run-time size"));
}

TEST(LegalityTest, StateAndSpecialGlobalsAreRefused) {
  EXPECT_THAT(Refusal("@g = global i32 0"), HasSubstr("mutable global 'g'"));
  EXPECT_THAT(Refusal("@g = external constant i32"), HasSubstr("external global 'g'"));
  EXPECT_THAT(Refusal("@g = thread_local constant i32 0"), HasSubstr("thread-local global 'g'"));
  EXPECT_THAT(Refusal("module asm \"nop\""), HasSubstr("inline assembly"));
}

TEST(LegalityTest, FastMathNeedsPermission) {
  const std::string text =
      "define float @f(float %x) { %y = fadd contract float %x, %x\n ret float %y }";
  EXPECT_THAT(Refusal(text), HasSubstr("fast-math"));
  TestModule test = ParseModule(text);
  EXPECT_TRUE(CheckLegality(*test.module, Host(), {.allow_fast_math = true}).ok());
}

TEST(LegalityTest, BrokenIrIsRefused) {
  TestModule test = VectorAdd("kernel", 8);
  llvm::Function* function = test.module->getFunction("kernel");
  function->getEntryBlock().getTerminator()->eraseFromParent();
  const Status status = CheckLegality(*test.module, Host());
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr("broken IR"));
}

constexpr char kBf16Dot[] = R"(
  declare <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>, <32 x bfloat>, <32 x bfloat>)
  define void @kernel(ptr %p, ptr %q) {
    %a = load <32 x i16>, ptr %p, align 2
    %b = bitcast <32 x i16> %a to <32 x bfloat>
    %s = load <16 x float>, ptr %q, align 4
    %r = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> %s, <32 x bfloat> %b, <32 x bfloat> %b)
    store <16 x float> %r, ptr %q, align 4
    ret void
  })";

TEST(LegalityTest, Bf16DotNeedsItsFeature) {
  const HostTarget v3 = *HostTarget::Resolve("x86-64-v3");
  TestModule test = ParseModule(kBf16Dot);
  EXPECT_THAT(std::string(ToStd(CheckLegality(*test.module, v3).message())),
              HasSubstr("needs the CPU feature avx512bf16"));
  if (!Host().Has("avx512bf16")) return;
  for (CodegenLevel level : {CodegenLevel::kNone, CodegenLevel::kDefault}) {
    const auto emitted = EmitText(kBf16Dot, Host(), {.level = level, .keep_assembly = true});
    ASSERT_TRUE(emitted.ok()) << emitted.status().message();
    EXPECT_THAT(emitted->assembly, HasSubstr("vdpbf16ps"));
  }
}

// One function for each intrinsic of the table over many types, compiled for every kind of CPU at
// both levels: none may need a symbol or stop the code generator.
class IntrinsicSweep {
 public:
  void Unary(const std::string& name, const std::string& type) {
    Add(name, type, type, {type}, {});
  }
  void Binary(const std::string& name, const std::string& type) {
    Add(name, type, type, {type, type}, {});
  }
  void Ternary(const std::string& name, const std::string& type) {
    Add(name, type, type, {type, type, type}, {});
  }
  // `operands` are loaded, `constants` follow them as text such as "i1 false".
  void Add(const std::string& name, const std::string& suffix_type, const std::string& result,
           const std::vector<std::string>& operands, const std::vector<std::string>& constants) {
    const std::string id = std::to_string(count_++);
    const std::string callee = "@llvm." + name + Suffix(suffix_type);
    std::string types, values, loads;
    for (size_t i = 0; i < operands.size(); ++i) {
      const std::string value = "%x" + std::to_string(i);
      loads += "  " + value + " = load " + operands[i] + ", ptr %p, align 1\n";
      types += (i > 0 ? ", " : "") + operands[i];
      values += (i > 0 ? ", " : "") + operands[i] + " " + value;
    }
    for (const std::string& constant : constants) {
      types += ", " + constant.substr(0, constant.find(' '));
      values += ", " + constant;
    }
    declarations_.insert("declare " + result + " " + callee + "(" + types + ")\n");
    functions_ += "define void @f" + id + "(ptr %p) {\n" + loads + "  %r = call " + result + " " +
                  callee + "(" + values + ")\n  store " + result +
                  " %r, ptr %p, align 1\n  ret void\n}\n";
  }

  // ".v8f32" of "<8 x float>".
  static std::string Suffix(const std::string& type) {
    if (type.empty()) return "";
    if (type[0] != '<') return "." + Scalar(type);
    const size_t x = type.find(" x ");
    return ".v" + type.substr(1, x - 1) + Scalar(type.substr(x + 3, type.size() - x - 4));
  }

  std::string Text() const {
    std::string text;
    for (const std::string& declaration : declarations_) text += declaration;
    return text + functions_;
  }

 private:
  static std::string Scalar(const std::string& type) {
    return type == "float" ? "f32" : type == "double" ? "f64" : type == "ptr" ? "p0" : type;
  }

  int count_ = 0;
  std::set<std::string> declarations_;
  std::string functions_;
};

std::vector<std::string> WithVectors(const std::vector<std::string>& scalars) {
  std::vector<std::string> types = scalars;
  for (const std::string& scalar : scalars) {
    for (const char* lanes : {"4", "8", "16", "32"}) {
      types.push_back("<" + std::string(lanes) + " x " + scalar + ">");
    }
  }
  return types;
}

std::string Element(const std::string& vector) {
  const size_t x = vector.find(" x ");
  return vector.substr(x + 3, vector.size() - x - 4);
}

std::string WithElement(const std::string& type, const std::string& element) {
  return type[0] == '<' ? type.substr(0, type.find(" x ") + 3) + element + ">" : element;
}

void ExpectAllCompile(const IntrinsicSweep& sweep) {
  std::vector<HostTarget> targets = {Host(), *HostTarget::Resolve("x86-64-v3")};
  if (Host().vector_bytes() == 64) targets.push_back(*HostTarget::Resolve("x86-64-v4"));
  for (const HostTarget& target : targets) {
    for (CodegenLevel level : {CodegenLevel::kNone, CodegenLevel::kDefault}) {
      const auto emitted = EmitText(sweep.Text(), target, {.level = level});
      EXPECT_TRUE(emitted.ok()) << target.cpu() << ": " << emitted.status().message();
    }
  }
}

TEST(LegalityTest, FloatIntrinsicsCompileWithoutLibrary) {
  IntrinsicSweep sweep;
  for (const std::string& type : WithVectors({"float", "double"})) {
    for (const char* name :
         {"ceil", "fabs", "floor", "nearbyint", "rint", "roundeven", "sqrt", "trunc"}) {
      sweep.Unary(name, type);
    }
    for (const char* name : {"copysign", "maximum", "maxnum", "minimum", "minnum"}) {
      sweep.Binary(name, type);
    }
    sweep.Ternary("fma", type);
    sweep.Add("is.fpclass", type, WithElement(type, "i1"), {type}, {"i32 3"});
    if (type[0] != '<') continue;
    for (const char* name : {"fmax", "fmaximum", "fmin", "fminimum"}) {
      sweep.Add("vector.reduce." + std::string(name), type, Element(type), {type}, {});
    }
    for (const char* name : {"fadd", "fmul"}) {
      sweep.Add("vector.reduce." + std::string(name), type, Element(type), {Element(type), type},
                {});
    }
  }
  ExpectAllCompile(sweep);
}

TEST(LegalityTest, IntegerIntrinsicsCompileWithoutLibrary) {
  IntrinsicSweep sweep;
  for (const std::string& type : WithVectors({"i8", "i16", "i32", "i64"})) {
    sweep.Unary("bitreverse", type);
    sweep.Unary("ctpop", type);
    if (type.find("i8") == std::string::npos) sweep.Unary("bswap", type);
    for (const char* name : {"abs", "ctlz", "cttz"})
      sweep.Add(name, type, type, {type}, {"i1 false"});
    for (const char* name :
         {"sadd.sat", "smax", "smin", "ssub.sat", "uadd.sat", "umax", "umin", "usub.sat"}) {
      sweep.Binary(name, type);
    }
    sweep.Ternary("fshl", type);
    sweep.Ternary("fshr", type);
    for (const char* name : {"sadd", "smul", "ssub", "uadd", "umul", "usub"}) {
      sweep.Add(std::string(name) + ".with.overflow", type,
                "{ " + type + ", " + WithElement(type, "i1") + " }", {type, type}, {});
    }
    if (type[0] != '<') continue;
    for (const char* name : {"add", "and", "mul", "or", "smax", "smin", "umax", "umin", "xor"}) {
      sweep.Add("vector.reduce." + std::string(name), type, Element(type), {type}, {});
    }
  }
  ExpectAllCompile(sweep);
}

TEST(LegalityTest, ConversionsAndMaskedMemoryCompileWithoutLibrary) {
  std::string declarations;
  std::string functions;
  int count = 0;
  const auto add = [&](const std::string& declare, const std::string& body) {
    if (declarations.find(declare) == std::string::npos) declarations += declare + "\n";
    functions += "define void @f" + std::to_string(count++) + "(ptr %p, ptr %q) {\n" + body +
                 "ret void\n}\n";
  };
  IntrinsicSweep saturating;
  for (const std::string& from : WithVectors({"float", "double"})) {
    for (const char* to : {"i1", "i8", "i16", "i32", "i64"}) {
      const std::string integer = WithElement(from, to);
      for (const char* name : {"fptosi.sat", "fptoui.sat"}) {
        saturating.Add(name + IntrinsicSweep::Suffix(integer), from, integer, {from}, {});
      }
      for (const char* cast : {"fptosi", "fptoui"}) {
        add("", "%x = load " + from + ", ptr %p\n%y = " + cast + " " + from + " %x to " + integer +
                    "\nstore " + integer + " %y, ptr %q\n");
      }
      for (const char* cast : {"sitofp", "uitofp"}) {
        add("", "%x = load " + integer + ", ptr %p\n%y = " + cast + " " + integer + " %x to " +
                    from + "\nstore " + from + " %y, ptr %q\n");
      }
    }
  }
  for (const std::string& type : WithVectors({"i8", "i16", "i32", "i64", "float", "double"})) {
    if (type.find("i") == 0 || (type[0] == '<' && type.find("i") != std::string::npos)) {
      for (const char* name : {"udiv", "sdiv", "urem", "srem", "mul", "shl", "lshr", "ashr"}) {
        add("", "%x = load " + type + ", ptr %p\n%y = load " + type + ", ptr %q\n%z = " + name +
                    " " + type + " %x, %y\nstore " + type + " %z, ptr %q\n");
      }
    }
    if (type[0] != '<') continue;
    const std::string mask = WithElement(type, "i1");
    const std::string pointers = WithElement(type, "ptr");
    const std::string suffix = IntrinsicSweep::Suffix(type);
    const std::string both = suffix + IntrinsicSweep::Suffix(pointers);
    const std::string load_mask = "%m = load " + mask + ", ptr %q\n";
    add("declare " + type + " @llvm.masked.load" + suffix + ".p0(ptr, i32, " + mask + ", " + type +
            ")\n" + "declare void @llvm.masked.store" + suffix + ".p0(" + type + ", ptr, i32, " +
            mask + ")",
        load_mask + "%x = call " + type + " @llvm.masked.load" + suffix + ".p0(ptr %p, i32 1, " +
            mask + " %m, " + type + " zeroinitializer)\ncall void @llvm.masked.store" + suffix +
            ".p0(" + type + " %x, ptr %q, i32 1, " + mask + " %m)\n");
    add("declare " + type + " @llvm.masked.gather" + both + "(" + pointers + ", i32, " + mask +
            ", " + type + ")\ndeclare void @llvm.masked.scatter" + both + "(" + type + ", " +
            pointers + ", i32, " + mask + ")",
        load_mask + "%a = load " + pointers + ", ptr %p\n%x = call " + type +
            " @llvm.masked.gather" + both + "(" + pointers + " %a, i32 1, " + mask + " %m, " +
            type + " zeroinitializer)\n" + "call void @llvm.masked.scatter" + both + "(" + type +
            " %x, " + pointers + " %a, i32 1, " + mask + " %m)\n");
  }
  for (CodegenLevel level : {CodegenLevel::kNone, CodegenLevel::kDefault}) {
    for (const char* cpu : {"", "x86-64-v3"}) {
      const auto emitted =
          EmitText(declarations + functions, *HostTarget::Resolve(cpu), {.level = level});
      EXPECT_TRUE(emitted.ok()) << cpu << ": " << emitted.status().message();
    }
  }
  ExpectAllCompile(saturating);
}

}  // namespace
}  // namespace swage::cpu
