// File: tests/emulated_cuda/translator.h
//
// One PTX kernel -> one LLVM function (kernel.h says which). Registers become stack slots, which
// LLVM's SROA turns into values; integer arithmetic wraps (no nsw); an instruction or a modifier
// that is not known is a PtxError that names it.
//
//   Translator(function, symbols, &module, &kernel).Run();
//
// translator.cc has operands and control flow, the translate_*.cc one group of instructions each.
#ifndef SWAGE_TESTS_EMULATED_CUDA_TRANSLATOR_H_
#define SWAGE_TESTS_EMULATED_CUDA_TRANSLATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "tests/emulated_cuda/kernel.h"
#include "tests/emulated_cuda/modifiers.h"
#include "tests/emulated_cuda/ptx_module.h"

namespace swage::emulated_cuda {

// Addresses of module variables (global, const: as kernels see them; shared: offsets in the space).
using SymbolTable = std::map<std::string, uint64_t>;

class Translator {
 public:
  Translator(const Function& function, const SymbolTable& symbols, llvm::Module* module,
             Kernel* kernel);

  // Throws PtxError.
  void Run();

 private:
  using Value = llvm::Value;
  using Handler = void (Translator::*)(const Instruction&, Modifiers&);
  static const std::unordered_map<std::string, Handler>& Handlers();

  // --- translator.cc
  [[noreturn]] void Fail(const std::string& why) const;
  void DeclareRegisters();
  void Translate(size_t index);
  // The labels in front of instruction `index`.
  void PlaceLabels(size_t index);
  void TranslateBody(const Instruction& instruction);
  void Branch(const Instruction& instruction, Modifiers& modifiers);
  void CountBackwardBranch();
  void Return(const Instruction&, Modifiers&);
  void Trap(const Instruction&, Modifiers&);
  llvm::BasicBlock* NewBlock(const char* name);
  llvm::BasicBlock* LabelBlock(const std::string& label);
  // Goes on where `ok` (i1) holds; elsewhere the thread returns 1.
  void ContinueIf(Value* ok);
  const Operand& Arg(size_t index) const;
  void RequireArgs(size_t count) const;
  PtxType RegisterType(const Operand& operand) const;
  // The operand as an integer of `bits`; a wider register gives its low bits.
  Value* Get(const Operand& operand, int bits);
  // As a float or double; f16 and bf16 come as float.
  Value* GetFloat(const Operand& operand, const PtxType& type, bool flush = false);
  Value* GetPredicate(const Operand& operand);
  // Stores an integer; a wider register gets it extended.
  void Set(const Operand& operand, Value* value, bool sign_extend = false);
  void SetFloat(const Operand& operand, Value* value, const PtxType& type);
  Value* SpecialRegister(const std::string& name);
  Value* SymbolAddress(const std::string& name) const;
  Value* Field(size_t offset, llvm::Type* type);
  Value* FieldAddress(size_t offset);
  int AddSite(Site site);
  Value* Call(const char* name, llvm::Type* result, llvm::ArrayRef<Value*> args);
  Value* Int(int bits, uint64_t value) const;
  llvm::Type* IntType(int bits) const;
  llvm::Type* FloatType(const PtxType& type) const;
  Value* Unary(unsigned intrinsic, Value* value);

  // --- translate_integer.cc
  void AddSub(const Instruction&, Modifiers&);
  void CarryAddSub(const PtxType& type, bool subtract, bool carry_in, bool carry_out);
  void Mul(const Instruction&, Modifiers&);
  void Mad(const Instruction&, Modifiers&);
  Value* Product(const PtxType& type, const std::string& part, const Operand& a, const Operand& b);
  void DivRem(const Instruction&, Modifiers&);
  void MinMax(const Instruction&, Modifiers&);
  void AbsNeg(const Instruction&, Modifiers&);
  void Logic(const Instruction&, Modifiers&);
  void Not(const Instruction&, Modifiers&);
  void Shift(const Instruction&, Modifiers&);
  void FunnelShift(const Instruction&, Modifiers&);
  void BitCount(const Instruction&, Modifiers&);
  void BitFieldExtract(const Instruction&, Modifiers&);
  void BitFieldInsert(const Instruction&, Modifiers&);
  void Permute(const Instruction&, Modifiers&);
  void Lop3(const Instruction&, Modifiers&);
  void SetPredicate(const Instruction&, Modifiers&);
  void Select(const Instruction&, Modifiers&);
  Value* Compare(const std::string& comparison, const PtxType& type, bool flush);

  // --- translate_float.cc
  struct FloatMode {
    std::string rounding;  // "" is rn
    bool flush = false, saturate = false;
  };
  FloatMode TakeFloatMode(Modifiers& modifiers, const PtxType& type);
  void FloatBinary(const Instruction&, Modifiers&, const PtxType& type);
  void SmallBinary(const Instruction&, Modifiers&, const PtxType& type);
  void Fma(const Instruction&, Modifiers&);
  void SmallFma(Modifiers&, const PtxType& type);
  void FloatMinMax(const Instruction&, Modifiers&, const PtxType& type);
  void FloatAbsNeg(const Instruction&, Modifiers&, const PtxType& type);
  void FloatDiv(const Instruction&, Modifiers&, const PtxType& type);
  void FloatUnary(const Instruction&, Modifiers&);
  void CopySign(const Instruction&, Modifiers&);
  void TestProperty(const Instruction&, Modifiers&);
  Value* Minimum(Value* a, Value* b, bool maximum, bool propagate_nan);
  Value* Flush(Value* value);
  Value* Saturate(Value* value);
  Value* CanonicalNan(Value* value);
  Value* Finish(Value* value, const FloatMode& mode);
  // One of SoftOp, rounded as `mode` says.
  Value* SoftCall(uint64_t op, const PtxType& type, const FloatMode& mode, Value* a, Value* b,
                  Value* c);
  // f16 and bf16 bits of lane `lane` <-> float.
  Value* Widen(Value* bits, const PtxType& type);
  Value* Narrow(Value* value, const PtxType& type);
  Value* Lane(Value* bits, const PtxType& type, int lane);
  Value* JoinLanes(llvm::ArrayRef<Value*> lanes, int bits);

  // --- translate_convert.cc
  void Convert(const Instruction&, Modifiers&);
  void ConvertIntToInt(Modifiers&, const PtxType& to, const PtxType& from);
  void ConvertIntToFloat(Modifiers&, const PtxType& to, const PtxType& from);
  void ConvertFloatToInt(Modifiers&, const PtxType& to, const PtxType& from);
  void ConvertFloatToFloat(Modifiers&, const PtxType& to, const PtxType& from);
  void ConvertPacked(Modifiers&, const PtxType& to, const PtxType& from);
  Value* RoundToIntegral(Value* value, const std::string& rounding);
  // The bits of f16 or bf16, rounded once from any float.
  Value* NarrowOnce(Value* value, const PtxType& type, bool toward_zero);
  Value* Relu(Value* value);

  // --- translate_memory.cc
  void Move(const Instruction&, Modifiers&);
  void ConvertAddress(const Instruction&, Modifiers&);
  void IsSpace(const Instruction&, Modifiers&);
  void Load(const Instruction&, Modifiers&);
  void Store(const Instruction&, Modifiers&);
  void Atomic(const Instruction&, Modifiers&);
  Value* AtomicResult(const std::string& op, const PtxType& type, Value* old);
  void Prefetch(const Instruction&, Modifiers&);
  void Fence(const Instruction&, Modifiers&);
  // What a load or store says: the place, the type of an element, and a register for each.
  struct Access {
    Site site;
    PtxType type;
    llvm::SmallVector<const Operand*, 8> registers;
  };
  Access TakeAccess(Modifiers& modifiers, const Operand& registers);
  // Element `index` of what lies at `host`.
  Value* ElementAddress(Value* host, const PtxType& type, size_t index);
  Space TakeSpace(Modifiers& modifiers);
  void TakeCacheHints(Modifiers& modifiers);
  bool TakeOrder(Modifiers& modifiers);
  Value* AddressOf(const Operand& operand);
  Value* HostAddress(const Operand& operand, Site site);
  Value* CheckedOffset(Value* address, uint64_t base, int64_t size, Value* host, const Site& site,
                       int id);

  // --- translate_warp.cc
  void Barrier(const Instruction&, Modifiers&);
  void Shuffle(const Instruction&, Modifiers&);
  void Vote(const Instruction&, Modifiers&);
  void Match(const Instruction&, Modifiers&);
  void ReduceWarp(const Instruction&, Modifiers&);
  void CopyAsync(const Instruction&, Modifiers&);
  void LoadMatrix(const Instruction&, Modifiers&);
  void Mma(const Instruction&, Modifiers&);
  void NanoSleep(const Instruction&, Modifiers&);
  // Brings `in`, returns the words that this lane gets.
  llvm::SmallVector<Value*, 4> WarpCall(Site site, Value* mask, llvm::ArrayRef<Value*> in,
                                        int results);

  const Function& function_;
  const SymbolTable& symbols_;
  llvm::Module* module_;
  Kernel* kernel_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::Function* code_ = nullptr;
  Value* thread_ = nullptr;
  Value* words_in_ = nullptr;  // what WarpCall brings and takes
  Value* words_out_ = nullptr;
  Value* carry_ = nullptr;
  llvm::BasicBlock* failed_ = nullptr;
  std::unordered_map<std::string, llvm::AllocaInst*> registers_;
  std::map<std::string, llvm::BasicBlock*> labels_;
  std::map<std::string, uint64_t> local_symbols_;  // shared and local variables, parameters
  const Instruction* current_ = nullptr;
  size_t index_ = 0;
};

}  // namespace swage::emulated_cuda

#endif  // SWAGE_TESTS_EMULATED_CUDA_TRANSLATOR_H_
