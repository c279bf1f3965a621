// Every operation that the compiler emits, over every type and edge values: LLVM's PTX on the
// emulator against LLVM's code for this machine, bit for bit but for NaN.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <map>

#include "tests/emulated_cuda/llvm_ptx.h"
#include "tests/emulated_cuda/ptxas.h"
#include "tests/emulated_cuda/test_driver.h"

namespace swage::emulated_cuda {
namespace {

struct Operation {
  std::string name;
  std::string from, to;  // LLVM types
  std::string code;      // computes %r of type `to` from %a, %b, %c of type `from`
};

int BitsOf(const std::string& type) {
  static const auto* const bits = new std::map<std::string, int>{
      {"half", 16}, {"bfloat", 16}, {"float", 32}, {"double", 64}, {"i1", 8},
      {"i8", 8},    {"i16", 16},    {"i32", 32},   {"i64", 64}};
  return bits->at(type);
}

bool IsFloat(const std::string& type) { return type[0] != 'i'; }

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// LLVM's name of a type in intrinsics.
std::string Suffix(const std::string& type) {
  return type == "half"     ? "f16"
         : type == "bfloat" ? "bf16"
         : type == "float"  ? "f32"
         : type == "double" ? "f64"
                            : type;
}

class Operations {
 public:
  Operations() {
    for (const std::string type : {"i8", "i16", "i32", "i64"}) AddInteger(type);
    for (const std::string type : {"float", "double", "half"}) AddFloat(type);
    for (const std::string type : {"float", "double"}) AddClasses(type);
    for (const std::string from : {"float", "double", "half"}) {
      for (const std::string to : {"i8", "i16", "i32", "i64"}) AddConversions(from, to);
    }
    AddCasts();
  }

  std::vector<Operation> all;

 private:
  void Add(const std::string& name, const std::string& from, const std::string& to,
           const std::string& code) {
    all.push_back(
        {Replaced(name, ".", "_") + "_" + from + "_" + to, from, to,
         Replaced(Replaced(Replaced(code, "FROM", from), "TO", to), "SUFFIX", Suffix(from))});
  }

  void AddInteger(const std::string& type) {
    for (const char* op : {"add", "sub", "mul", "and", "or", "xor"})
      Add(op, type, type, std::string("%r = ") + op + " FROM %a, %b");
    // Divisors between 1 and the middle: nothing is undefined.
    const std::string divisor = "%s = lshr FROM %b, 1\n%d = or FROM %s, 1\n";
    for (const char* op : {"sdiv", "udiv", "srem", "urem"})
      Add(op, type, type, divisor + "%r = " + op + " FROM %a, %d");
    const std::string amount = "%d = and FROM %b, " + std::to_string(BitsOf(type) - 1) + "\n";
    for (const char* op : {"shl", "lshr", "ashr"})
      Add(op, type, type, amount + "%r = " + op + " FROM %a, %d");
    for (const char* op :
         {"smin", "smax", "umin", "umax", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"}) {
      Add(op, type, type, std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a, FROM %b)");
    }
    for (const char* op : {"fshl", "fshr"})
      Add(op, type, type,
          std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a, FROM %b, FROM %c)");
    for (const char* op : {"ctpop", "bitreverse"})
      Add(op, type, type, std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a)");
    for (const char* op : {"ctlz", "cttz", "abs"})
      Add(op, type, type, std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a, i1 false)");
    if (type != "i8") Add("bswap", type, type, "%r = call FROM @llvm.bswap.SUFFIX(FROM %a)");
    for (const char* predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
      Add(std::string("icmp.") + predicate, type, type,
          std::string("%p = icmp ") + predicate +
              " FROM %a, %b\n%r = select i1 %p, FROM %b, FROM %c");
    }
    const std::string wide = "i" + std::to_string(2 * BitsOf(type));
    Add("mulh", type, type,
        "%x = sext FROM %a to " + wide + "\n%y = sext FROM %b to " + wide + "\n%z = mul " + wide +
            " %x, %y\n%h = ashr " + wide + " %z, " + std::to_string(BitsOf(type)) +
            "\n%r = trunc " + wide + " %h to FROM");
  }

  void AddFloat(const std::string& type) {
    for (const char* op : {"fadd", "fsub", "fmul", "fdiv"})
      Add(op, type, type, std::string("%r = ") + op + " FROM %a, %b");
    Add("fneg", type, type, "%r = fneg FROM %a");
    for (const char* op : {"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "roundeven"}) {
      Add(op, type, type, std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a)");
    }
    for (const char* op : {"minimum", "maximum", "copysign"})
      Add(op, type, type, std::string("%r = call FROM @llvm.") + op + ".SUFFIX(FROM %a, FROM %b)");
    // The host has no single-rounded fma of half.
    if (type != "half")
      Add("fma", type, type, "%r = call FROM @llvm.fma.SUFFIX(FROM %a, FROM %b, FROM %c)");
    for (const char* predicate : {"oeq", "one", "olt", "ole", "ogt", "oge", "ueq", "une", "ult",
                                  "ule", "ugt", "uge", "ord", "uno"}) {
      Add(std::string("fcmp.") + predicate, type, type,
          std::string("%p = fcmp ") + predicate +
              " FROM %a, %b\n%r = select i1 %p, FROM %b, FROM %c");
    }
  }

  // NaN, infinities, normal, subnormal and zero numbers, of either sign.
  void AddClasses(const std::string& type) {
    for (const char* mask : {"3", "516", "264", "144", "96", "504"}) {
      Add(std::string("class.") + mask, type, type,
          std::string("%p = call i1 @llvm.is.fpclass.SUFFIX(FROM %a, i32 ") + mask +
              ")\n%r = select i1 %p, FROM %b, FROM %c");
    }
  }

  void AddConversions(const std::string& real, const std::string& integer) {
    for (const char* op : {"fptosi", "fptoui"}) {
      Add(std::string(op) + ".sat", real, integer,
          std::string("%r = call TO @llvm.") + op + ".sat." + integer + ".SUFFIX(FROM %a)");
    }
    for (const char* op : {"sitofp", "uitofp"})
      Add(op, integer, real, std::string("%r = ") + op + " FROM %a to TO");
  }

  void AddCasts() {
    const std::vector<std::string> integers = {"i8", "i16", "i32", "i64"};
    for (size_t i = 0; i < integers.size(); ++i) {
      for (size_t j = i + 1; j < integers.size(); ++j) {
        Add("zext", integers[i], integers[j], "%r = zext FROM %a to TO");
        Add("sext", integers[i], integers[j], "%r = sext FROM %a to TO");
        Add("trunc", integers[j], integers[i], "%r = trunc FROM %a to TO");
      }
    }
    Add("fpext", "float", "double", "%r = fpext FROM %a to TO");
    Add("fpext", "half", "float", "%r = fpext FROM %a to TO");
    Add("fptrunc", "double", "float", "%r = fptrunc FROM %a to TO");
    Add("fptrunc", "float", "half", "%r = fptrunc FROM %a to TO");
    Add("bits", "float", "i32", "%r = bitcast FROM %a to TO");
    Add("bits", "i64", "double", "%r = bitcast FROM %a to TO");
  }
};

// `void name(in, out, n)` over triples of inputs; on a card thread i does element i.
std::string KernelIr(const Operation& op, bool on_card) {
  std::string ir = on_card ? "define ptx_kernel void @" : "define void @";
  const std::string space = on_card ? " addrspace(1)" : "";
  ir += op.name + "(ptr" + space + " %in, ptr" + space + " %out, i64 %n) {\nentry:\n";
  if (on_card) {
    ir +=
        "%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%b0 = call i32 "
        "@llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
        "%b1 = shl i32 %b0, 7\n%t1 = add i32 %b1, %t\n%i = zext i32 %t1 to i64\n%ok = icmp ult i64 "
        "%i, %n\nbr i1 %ok, label %loop, label %end\nloop:\n";
  } else {
    ir += "br label %loop\nloop:\n%i = phi i64 [0, %entry], [%next, %loop]\n";
  }
  ir += "%k = mul i64 %i, 3\n%k1 = add i64 %k, 1\n%k2 = add i64 %k, 2\n";
  for (const auto& [name, index] :
       {std::pair{"a", "k"}, std::pair{"b", "k1"}, std::pair{"c", "k2"}}) {
    const std::string n = name;
    ir += "%p" + n + " = getelementptr " + op.from + ", ptr" + space + " %in, i64 %" + index +
          "\n%" + n + " = load " + op.from + ", ptr" + space + " %p" + n + "\n";
  }
  ir += op.code + "\n%po = getelementptr " + op.to + ", ptr" + space + " %out, i64 %i\nstore " +
        op.to + " %r, ptr" + space + " %po\n";
  ir += on_card ? "br label %end\n"
                : "%next = add i64 %i, 1\n%more = icmp ult i64 %next, %n\nbr i1 %more, label "
                  "%loop, label %end\n";
  return ir + "end:\nret void\n}\n";
}

std::string ModuleIr(const std::vector<Operation>& operations, bool on_card) {
  std::string ir = on_card ? "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare i32 "
                             "@llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
                           : "";
  for (const Operation& op : operations) ir += KernelIr(op, on_card);
  return ir;
}

std::vector<uint64_t> EdgeBits(const std::string& type) {
  std::vector<uint64_t> values;
  if (type == "float") {
    for (float x : {0.0f, -0.0f, 1.0f, -1.5f, 2.5f, -2.5f, 0x1p-149f, 0x1p-126f, 3.4e38f, INFINITY,
                    -INFINITY, NAN, 1e10f, -3e9f, 127.5f, 1e20f}) {
      values.push_back(std::bit_cast<uint32_t>(x));
    }
  } else if (type == "double") {
    for (double x : {0.0, -0.0, 1.0, -1.5, 2.5, 1e-310, 1e308, double{INFINITY}, -double{INFINITY},
                     double{NAN}, 1e10, -3e9, 0.1, 65519.99, 1e19, 2147483647.5}) {
      values.push_back(std::bit_cast<uint64_t>(x));
    }
  } else if (type == "half") {
    values = {0,      0x8000, 0x3c00, 0xbe00, 0x4100, 1,      0x0400,
              0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x5bff, 0xd640};
  } else {
    const int bits = BitsOf(type);
    const uint64_t top = uint64_t{1} << (bits - 1);
    values = {0,       1,   2,       3,           7,           100,
              top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 0x5a5a5a5a5a5a5a5a};
  }
  return values;
}

// All triples (a, b, c) with c from a few, packed at the width of `type`.
std::vector<uint8_t> Triples(const std::string& type, size_t* count) {
  const std::vector<uint64_t> edge = EdgeBits(type);
  const size_t bytes = static_cast<size_t>(BitsOf(type)) / 8;
  std::vector<uint8_t> packed;
  *count = 0;
  for (uint64_t a : edge) {
    for (uint64_t b : edge) {
      for (size_t i = 0; i < edge.size(); i += 5) {
        for (uint64_t value : {a, b, edge[i]}) {
          for (size_t k = 0; k < bytes; ++k)
            packed.push_back(static_cast<uint8_t>(value >> (8 * k)));
        }
        ++*count;
      }
    }
  }
  return packed;
}

uint64_t Element(const std::vector<uint8_t>& packed, size_t index, const std::string& type) {
  uint64_t value = 0;
  std::memcpy(&value, packed.data() + index * static_cast<size_t>(BitsOf(type)) / 8,
              static_cast<size_t>(BitsOf(type)) / 8);
  return value;
}

bool IsNan(uint64_t bits, const std::string& type) {
  if (type == "float") return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (type == "double") return std::isnan(std::bit_cast<double>(bits));
  return type == "half" && (bits & 0x7fff) > 0x7c00;
}

void CompareOne(TestDriver& driver, const Operation& op, CUmodule module, llvm::orc::LLJIT& host) {
  size_t count = 0;
  const std::vector<uint8_t> in = Triples(op.from, &count);
  std::vector<uint8_t> expected(count * static_cast<size_t>(BitsOf(op.to)) / 8);
  auto address = host.lookup(op.name);
  ASSERT_TRUE(static_cast<bool>(address)) << llvm::toString(address.takeError());
  address->toPtr<void (*)(const void*, void*, int64_t)>()(in.data(), expected.data(),
                                                          static_cast<int64_t>(count));

  const DeviceArray<uint8_t> device_in(driver, in),
      device_out(driver, std::vector<uint8_t>(expected.size()));
  CUfunction function = nullptr;
  ASSERT_EQ((TestDriver::Call<CUfunction*, CUmodule, const char*>("cuModuleGetFunction", &function,
                                                                  module, op.name.c_str())),
            CUDA_SUCCESS);
  const unsigned grid = static_cast<unsigned>((count + 127) / 128);
  ASSERT_EQ(
      driver.Enqueue(function, {.grid = grid, .block = 128},
                     {device_in.address(), device_out.address(), static_cast<int64_t>(count)}),
      CUDA_SUCCESS)
      << driver.Detail();
  const std::vector<uint8_t> out = device_out.Read();
  int shown = 0;
  for (size_t i = 0; i < count && shown < 3; ++i) {
    const uint64_t is = Element(out, i, op.to), should = Element(expected, i, op.to);
    if (is == should || (IsFloat(op.to) && IsNan(is, op.to) && IsNan(should, op.to))) continue;
    ++shown;
    ADD_FAILURE() << op.name << " of " << std::hex << Element(in, 3 * i, op.from) << ", "
                  << Element(in, 3 * i + 1, op.from) << ", " << Element(in, 3 * i + 2, op.from)
                  << " gives " << is << ", expected " << should;
  }
}

void CompareAll(const std::string& target) {
  TestDriver driver;
  driver.Set("EMULATED_CUDA_CC", target.substr(3));
  const std::vector<Operation> operations = Operations().all;
  const std::unique_ptr<llvm::orc::LLJIT> host = HostCodeOf(ModuleIr(operations, false));
  ASSERT_NE(host, nullptr);
  const std::string ptx = PtxOf(ModuleIr(operations, true), target);
  ExpectPtxasAccepts(ptx, target);
  CUmodule module = nullptr;
  ASSERT_EQ((TestDriver::Call<CUmodule*, const void*>("cuModuleLoadData", &module, ptx.c_str())),
            CUDA_SUCCESS)
      << driver.Detail();
  for (const Operation& op : operations) CompareOne(driver, op, module, *host);
}

TEST(LlvmOperation, EveryTypeOnSm80) { CompareAll("sm_80"); }
TEST(LlvmOperation, EveryTypeOnSm90) { CompareAll("sm_90"); }

}  // namespace
}  // namespace swage::emulated_cuda
