#include "tests/codegen/emit/elementwise_harness.h"

#include <bit>
#include <cstring>
#include <limits>

#include "codegen/cpu/kernel_loader.h"
#include "codegen/cpu/object_emitter.h"
#include "codegen/emit/elementwise_emitter.h"
#include "compiler/math/elementwise_check.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace swage::emit {

namespace {

using ir::DType;
using math::ops::OpKind;

constexpr DType kDTypes[] = {
#define SWAGE_ENTRY(name) DType::k##name,
    SWAGE_MATH_DTYPES(SWAGE_ENTRY)
#undef SWAGE_ENTRY
};

void AddComparisons(DType dtype, std::vector<OpCase>& cases) {
  using enum ir::CompareDirection;
  for (ir::CompareDirection direction : {kEq, kNe, kGe, kGt, kLe, kLt}) {
    for (ir::CompareType type : {ir::CompareType::kDefault, ir::CompareType::kTotalOrder}) {
      OpCase op{"compare", ir::Opcode::kCompare, DType::kPred, {dtype, dtype}, {}};
      op.attrs.compare = {direction, type};
      cases.push_back(op);
    }
  }
}

llvm::Type* WithLanes(llvm::Type* type, unsigned lanes) {
  return lanes == 0 ? type : llvm::FixedVectorType::get(type, lanes);
}

llvm::Value* LoadElements(llvm::IRBuilder<>& ir, DType dtype, llvm::Value* buffer,
                          llvm::Value* index, unsigned lanes) {
  llvm::Type* type = dtype == DType::kPred ? ir.getInt8Ty() : *CarriedType(ir.getContext(), dtype);
  llvm::Value* at = ir.CreateGEP(type, buffer, index);
  llvm::Value* value = ir.CreateAlignedLoad(WithLanes(type, lanes), at, llvm::Align(1));
  if (dtype != DType::kPred) return value;
  return ir.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

void StoreElements(llvm::IRBuilder<>& ir, DType dtype, llvm::Value* value, llvm::Value* buffer,
                   llvm::Value* index, unsigned lanes) {
  if (dtype == DType::kPred) value = ir.CreateZExt(value, WithLanes(ir.getInt8Ty(), lanes));
  llvm::Value* at = ir.CreateGEP(value->getType()->getScalarType(), buffer, index);
  ir.CreateAlignedStore(value, at, llvm::Align(1));
}

// void name(const KernelArgs*, begin, end): a loop over vectors.
Status EmitKernel(llvm::Module& module, const std::string& name, const OpCase& op, unsigned lanes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  llvm::Type* i64 = ir.getInt64Ty();
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* body = llvm::BasicBlock::Create(context, "body", function);
  auto* exit = llvm::BasicBlock::Create(context, "exit", function);
  ir.SetInsertPoint(entry);
  llvm::Type* ptr = ir.getPtrTy();
  llvm::Value* buffers = ir.CreateLoad(ptr, function->getArg(0));
  std::vector<llvm::Value*> pointers;
  for (size_t i = 0; i <= op.operand_dtypes.size(); ++i) {
    pointers.push_back(ir.CreateLoad(ptr, ir.CreateConstGEP1_64(ptr, buffers, i)));
  }
  ir.CreateBr(body);
  ir.SetInsertPoint(body);
  llvm::PHINode* index = ir.CreatePHI(i64, 2);
  index->addIncoming(function->getArg(1), entry);
  std::vector<llvm::Value*> operands;
  for (size_t i = 0; i < op.operand_dtypes.size(); ++i) {
    operands.push_back(LoadElements(ir, op.operand_dtypes[i], pointers[i], index, lanes));
  }
  SWAGE_ASSIGN_OR_RETURN(
      llvm::Value * result,
      EmitElementwise(ir, op.opcode, op.out_dtype, op.operand_dtypes, op.attrs, operands));
  StoreElements(ir, op.out_dtype, result, pointers.back(), index, lanes);
  llvm::Value* next = ir.CreateAdd(index, ir.getInt64(std::max(lanes, 1u)));
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpSLT(next, function->getArg(2)), body, exit);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
  return OkStatus();
}

uint64_t ElementBits(DType dtype, const uint8_t* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, ir::DTypeBytes(dtype));
  return bits;
}

bool IsNan(DType dtype, uint64_t bits) {
  if (!ir::IsFloat(dtype)) return false;
  double value;
  const Status status = math::ConvertElements(dtype, DType::kF64, &bits, &value, 1);
  return status.ok() && value != value;
}

Status Compare(const OpCase& op, unsigned lanes, const std::vector<std::vector<uint8_t>>& operands,
               const std::vector<uint8_t>& got, const std::vector<uint8_t>& want) {
  const int bytes = ir::DTypeBytes(op.out_dtype);
  for (size_t i = 0; i < got.size() / bytes; ++i) {
    const uint64_t a = ElementBits(op.out_dtype, &got[i * bytes]);
    const uint64_t b = ElementBits(op.out_dtype, &want[i * bytes]);
    if (a == b || (IsNan(op.out_dtype, a) && IsNan(op.out_dtype, b))) continue;
    std::string inputs;
    for (size_t k = 0; k < operands.size(); ++k) {
      const DType dtype = op.operand_dtypes[k];
      const uint8_t* element = &operands[k][i * ir::DTypeBytes(dtype)];
      absl::StrAppend(&inputs, " ", absl::Hex(ElementBits(dtype, element)));
    }
    return Internal("[", op.name, " on ", ToAbsl(ir::DTypeName(op.operand_dtypes.back())), " to ",
                    ToAbsl(ir::DTypeName(op.out_dtype)), ", ", lanes, " lanes] element ", i, " of",
                    inputs, ": kernel gives ", absl::Hex(a), ", host gives ", absl::Hex(b));
  }
  return OkStatus();
}

Status RunAndCompare(const OpCase& op, unsigned lanes, cpu::KernelFn kernel, int64_t count) {
  std::vector<std::vector<uint8_t>> operands;
  std::vector<void*> buffers;
  std::vector<math::HostOperand> host;
  for (size_t k = 0; k < op.operand_dtypes.size(); ++k) {
    operands.push_back(InterestingElements(op.operand_dtypes[k], k, count));
  }
  for (auto& operand : operands) {
    buffers.push_back(operand.data());
    host.push_back({operand.data()});
  }
  std::vector<uint8_t> got(count * ir::DTypeBytes(op.out_dtype)), want(got.size());
  buffers.push_back(got.data());
  const cpu::KernelArgs args{buffers.data(), nullptr};
  kernel(&args, 0, count);
  SWAGE_RETURN_IF_ERROR(math::EvalElementwise(op.opcode, op.out_dtype, op.operand_dtypes, op.attrs,
                                              host, want.data(), count));
  return Compare(op, lanes, operands, got, want);
}

// Bits of values where something changes, for a float of this width.
template <class T>
void AddFloatValues(std::vector<uint64_t>& values) {
  using Limits = std::numeric_limits<T>;
  using Bits = math::BitsOf<T>;
  const T interesting[] = {0,
                           1,
                           2,
                           3,
                           0.5,
                           0.25,
                           1.5,
                           2.5,
                           10,
                           100,
                           T(0.1),
                           255,
                           256,
                           127,
                           128,
                           65504,
                           65520,
                           T(0x1p23),
                           T(0x1p31),
                           T(0x1p32),
                           T(0x1p52),
                           T(0x1p53),
                           T(0x1p63),
                           T(0x1p64),
                           T(2147483520.0),
                           T(1e10),
                           T(1e30),
                           T(88.7),
                           104,
                           710,
                           745,
                           T(0x1p-24),
                           T(0x1p-60),
                           T(0.7853981633974483),
                           T(1.5707963267948966),
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           Limits::epsilon(),
                           Limits::infinity(),
                           Limits::quiet_NaN()};
  for (T value : interesting) {
    const Bits bits = std::bit_cast<Bits>(value);
    values.insert(values.end(), {bits, bits ^ math::kSignBit<T>, Bits(bits + 1)});
  }
}

std::vector<uint64_t> InterestingValues(DType dtype) {
  std::vector<uint64_t> values;
  if (dtype == DType::kF32) {
    AddFloatValues<float>(values);
  } else if (dtype == DType::kF64) {
    AddFloatValues<double>(values);
  } else if (ir::IsFloat(dtype)) {
    std::vector<uint64_t> floats;
    AddFloatValues<float>(floats);
    for (uint64_t bits : floats) {
      uint64_t narrow = 0;
      const Status status = math::ConvertElements(DType::kF32, dtype, &bits, &narrow, 1);
      if (status.ok()) values.push_back(narrow);
    }
  } else {
    for (int shift = 0; shift < ir::DTypeBits(dtype); ++shift) {
      const uint64_t power = uint64_t{1} << shift;
      values.insert(values.end(),
                    {power, power - 1, power + 1, ~power, 0 - power, static_cast<uint64_t>(shift)});
    }
  }
  return values;
}

}  // namespace

std::vector<OpCase> CasesOn(DType dtype) {
  std::vector<OpCase> cases;
  for (int code = 0; code < ir::kNumOpcodes; ++code) {
    const auto opcode = static_cast<ir::Opcode>(code);
    if (!ir::IsElementwise(opcode)) continue;
    const OpKind kind = math::KindOfElementwise(opcode);
    const std::string name(ir::OpcodeName(opcode));
    const int arity = ir::InfoOf(opcode).arity;
    if (kind == OpKind::kCompare) {
      AddComparisons(dtype, cases);
    } else if (kind == OpKind::kConvert) {
      for (DType to : kDTypes) cases.push_back({name, opcode, to, {dtype}, {}});
    } else if (kind == OpKind::kSelect) {
      cases.push_back({name, opcode, dtype, {DType::kPred, dtype, dtype}, {}});
    } else if (kind == OpKind::kReducePrecision) {
      for (auto [exponent, mantissa] : {std::pair{5, 10}, {8, 7}, {4, 0}, {11, 52}, {2, 1}}) {
        OpCase op{name, opcode, dtype, {dtype}, {}};
        op.attrs.reduce_precision = {exponent, mantissa};
        cases.push_back(op);
      }
    } else {
      const DType out = kind == OpKind::kPredicate ? DType::kPred : dtype;
      cases.push_back({name, opcode, out, std::vector<DType>(arity, dtype), {}});
    }
  }
  // Those that the dtype does not have are errors, tested elsewhere.
  std::erase_if(cases, [](const OpCase& op) {
    return !math::CheckElementwise(op.opcode, op.out_dtype, op.operand_dtypes, op.attrs).ok();
  });
  return cases;
}

std::vector<uint8_t> InterestingElements(DType dtype, uint64_t seed, int64_t count) {
  const std::vector<uint64_t> values = InterestingValues(dtype);
  const int bytes = ir::DTypeBytes(dtype);
  std::vector<uint8_t> result(count * bytes);
  uint64_t state = seed * 77 + 1;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t random = state ^ (state >> 29);
    uint64_t bits = i % 3 == 2 ? random : values[(random >> 20) % values.size()];
    if (dtype == DType::kPred) bits &= 1;
    if (dtype == DType::kU4) bits &= 15;
    if (dtype == DType::kS4) bits = static_cast<uint64_t>(static_cast<int64_t>(bits << 60) >> 60);
    std::memcpy(&result[i * bytes], &bits, bytes);
  }
  return result;
}

Status CompareWithHost(const std::vector<OpCase>& cases, unsigned lanes,
                       const cpu::HostTarget& target, int64_t count) {
  llvm::LLVMContext context;
  llvm::Module module("elementwise", context);
  std::vector<std::string> names;
  for (const OpCase& op : cases) {
    names.push_back(absl::StrCat("op", names.size()));
    SWAGE_RETURN_IF_ERROR(EmitKernel(module, names.back(), op, lanes));
  }
  SWAGE_ASSIGN_OR_RETURN(const cpu::EmittedObject object, cpu::EmitObject(module, target));
  SWAGE_ASSIGN_OR_RETURN(cpu::KernelLoader * loader, cpu::KernelLoader::Get());
  SWAGE_ASSIGN_OR_RETURN(const auto kernels, loader->LoadAll(object.object, names));
  for (size_t i = 0; i < cases.size(); ++i) {
    SWAGE_RETURN_IF_ERROR(RunAndCompare(cases[i], lanes, kernels[i]->entry(), count));
  }
  return OkStatus();
}

}  // namespace swage::emit
