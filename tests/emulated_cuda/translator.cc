#include "tests/emulated_cuda/translator.h"

#include <bit>
#include <cstddef>
#include <utility>

#include "llvm/IR/Intrinsics.h"

namespace swage::emulated_cuda {

using llvm::BasicBlock;

Translator::Translator(const Function& function, const SymbolTable& symbols, llvm::Module* module,
                       Kernel* kernel)
    : function_(function),
      symbols_(symbols),
      module_(module),
      kernel_(kernel),
      context_(module->getContext()),
      builder_(context_) {}

const std::unordered_map<std::string, Translator::Handler>& Translator::Handlers() {
  using T = Translator;
  static const auto* const handlers = new std::unordered_map<std::string, Handler>{
      {"abs", &T::AbsNeg},
      {"add", &T::AddSub},
      {"addc", &T::AddSub},
      {"and", &T::Logic},
      {"atom", &T::Atomic},
      {"bar", &T::Barrier},
      {"barrier", &T::Barrier},
      {"bfe", &T::BitFieldExtract},
      {"bfi", &T::BitFieldInsert},
      {"bfind", &T::BitCount},
      {"bra", &T::Branch},
      {"brev", &T::BitCount},
      {"clz", &T::BitCount},
      {"copysign", &T::CopySign},
      {"cos", &T::FloatUnary},
      {"cp", &T::CopyAsync},
      {"cvt", &T::Convert},
      {"cvta", &T::ConvertAddress},
      {"div", &T::DivRem},
      {"ex2", &T::FloatUnary},
      {"exit", &T::Return},
      {"fence", &T::Fence},
      {"fma", &T::Fma},
      {"isspacep", &T::IsSpace},
      {"ld", &T::Load},
      {"ldmatrix", &T::LoadMatrix},
      {"ldu", &T::Load},
      {"lg2", &T::FloatUnary},
      {"lop3", &T::Lop3},
      {"mad", &T::Mad},
      {"match", &T::Match},
      {"max", &T::MinMax},
      {"membar", &T::Fence},
      {"min", &T::MinMax},
      {"mma", &T::Mma},
      {"mov", &T::Move},
      {"mul", &T::Mul},
      {"nanosleep", &T::NanoSleep},
      {"neg", &T::AbsNeg},
      {"not", &T::Not},
      {"or", &T::Logic},
      {"popc", &T::BitCount},
      {"prefetch", &T::Prefetch},
      {"prmt", &T::Permute},
      {"rcp", &T::FloatUnary},
      {"red", &T::Atomic},
      {"redux", &T::ReduceWarp},
      {"rem", &T::DivRem},
      {"ret", &T::Return},
      {"rsqrt", &T::FloatUnary},
      {"selp", &T::Select},
      {"setp", &T::SetPredicate},
      {"shf", &T::FunnelShift},
      {"shfl", &T::Shuffle},
      {"shl", &T::Shift},
      {"shr", &T::Shift},
      {"sin", &T::FloatUnary},
      {"sqrt", &T::FloatUnary},
      {"st", &T::Store},
      {"sub", &T::AddSub},
      {"subc", &T::AddSub},
      {"tanh", &T::FloatUnary},
      {"testp", &T::TestProperty},
      {"trap", &T::Trap},
      {"vote", &T::Vote},
      {"xor", &T::Logic},
  };
  return *handlers;
}

void Translator::Fail(const std::string& why) const {
  throw PtxError(current_ != nullptr ? current_->line : function_.line,
                 current_ != nullptr ? "`" + current_->text + "`: " + why : why);
}

void Translator::Run() {
  for (const Variable& variable : function_.params)
    local_symbols_[variable.name] = static_cast<uint64_t>(variable.offset);
  for (const Variable& variable : function_.variables)
    local_symbols_[variable.name] = static_cast<uint64_t>(variable.offset);
  llvm::Type* const pointer = llvm::PointerType::get(context_, 0);
  code_ = llvm::Function::Create(llvm::FunctionType::get(IntType(32), {pointer}, false),
                                 llvm::Function::ExternalLinkage, function_.name, module_);
  code_->setDoesNotThrow();
  code_->addFnAttr("no-builtins");
  thread_ = code_->getArg(0);
  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", code_));
  failed_ = BasicBlock::Create(context_, "failed", code_);
  words_in_ = builder_.CreateAlloca(llvm::ArrayType::get(IntType(32), 16));
  words_out_ = builder_.CreateAlloca(llvm::ArrayType::get(IntType(32), 16));
  carry_ = builder_.CreateAlloca(IntType(1));
  DeclareRegisters();
  for (size_t i = 0; i < function_.instructions.size(); ++i) Translate(i);
  index_ = function_.instructions.size();
  PlaceLabels(index_);
  builder_.CreateRet(Int(32, 0));
  builder_.SetInsertPoint(failed_);
  builder_.CreateRet(Int(32, 1));
}

// A register that is read before it is written holds rubbish, but the same in every run.
void Translator::DeclareRegisters() {
  for (const auto& [name, type] : function_.registers) {
    llvm::AllocaInst* const slot = builder_.CreateAlloca(IntType(type.total_bits()));
    builder_.CreateStore(Int(type.total_bits(), 0xCDCDCDCDCDCDCDCD), slot);
    registers_[name] = slot;
  }
}

void Translator::PlaceLabels(size_t index) {
  for (const auto& [label, target] : function_.labels) {
    if (target != index) continue;
    builder_.CreateBr(LabelBlock(label));
    builder_.SetInsertPoint(LabelBlock(label));
  }
}

void Translator::Translate(size_t index) {
  index_ = index;
  PlaceLabels(index);
  const Instruction& instruction = function_.instructions[index];
  current_ = &instruction;
  if (instruction.predicate.empty()) return TranslateBody(instruction);
  Operand predicate;
  predicate.name = instruction.predicate;
  predicate.negated = instruction.predicate_negated;
  BasicBlock* const taken = NewBlock("taken");
  BasicBlock* const next = NewBlock("next");
  builder_.CreateCondBr(GetPredicate(predicate), taken, next);
  builder_.SetInsertPoint(taken);
  TranslateBody(instruction);
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
}

void Translator::TranslateBody(const Instruction& instruction) {
  const auto handler = Handlers().find(instruction.opcode);
  if (handler == Handlers().end()) {
    Fail("the instruction `" + instruction.opcode + "` is not emulated");
  }
  Modifiers modifiers(instruction);
  (this->*handler->second)(instruction, modifiers);
  modifiers.Done();
}

BasicBlock* Translator::NewBlock(const char* name) {
  return BasicBlock::Create(context_, name, code_, failed_);
}

BasicBlock* Translator::LabelBlock(const std::string& label) {
  BasicBlock*& block = labels_[label];
  if (block == nullptr) block = NewBlock("label");
  return block;
}

void Translator::Branch(const Instruction& instruction, Modifiers& modifiers) {
  modifiers.Take("uni");
  RequireArgs(1);
  const auto label = function_.labels.find(Arg(0).name);
  if (label == function_.labels.end()) Fail("there is no such label");
  if (label->second <= index_) CountBackwardBranch();
  builder_.CreateBr(LabelBlock(label->first));
  builder_.SetInsertPoint(NewBlock("after"));
}

// Loops may wait for other threads or never end: now and then the runtime is asked.
void Translator::CountBackwardBranch() {
  Value* const address = FieldAddress(offsetof(ThreadState, budget));
  Value* const left = builder_.CreateSub(builder_.CreateLoad(IntType(64), address), Int(64, 1));
  builder_.CreateStore(left, address);
  BasicBlock* const ask = NewBlock("ask");
  BasicBlock* const go_on = NewBlock("go_on");
  builder_.CreateCondBr(builder_.CreateICmpSGT(left, Int(64, 0)), go_on, ask);
  builder_.SetInsertPoint(ask);
  ContinueIf(builder_.CreateICmpNE(Call("emu_budget", IntType(32), {thread_}), Int(32, 0)));
  builder_.CreateBr(go_on);
  builder_.SetInsertPoint(go_on);
}

void Translator::Return(const Instruction&, Modifiers& modifiers) {
  modifiers.Take("uni");
  builder_.CreateRet(Int(32, 0));
  builder_.SetInsertPoint(NewBlock("after"));
}

void Translator::Trap(const Instruction&, Modifiers&) {
  Call("emu_trap", builder_.getVoidTy(), {thread_, Int(32, static_cast<uint64_t>(AddSite({})))});
  builder_.CreateBr(failed_);
  builder_.SetInsertPoint(NewBlock("after"));
}

void Translator::ContinueIf(Value* ok) {
  BasicBlock* const next = NewBlock("ok");
  builder_.CreateCondBr(ok, next, failed_);
  builder_.SetInsertPoint(next);
}

const Operand& Translator::Arg(size_t index) const {
  if (index >= current_->operands.size()) Fail("it has too few operands");
  return current_->operands[index];
}

void Translator::RequireArgs(size_t count) const {
  if (current_->operands.size() != count) {
    Fail("expected " + std::to_string(count) + " operands, got " +
         std::to_string(current_->operands.size()));
  }
}

PtxType Translator::RegisterType(const Operand& operand) const {
  const auto found = function_.registers.find(operand.name);
  if (operand.kind != Operand::kRegister || found == function_.registers.end())
    Fail("expected a register");
  return found->second;
}

Translator::Value* Translator::Get(const Operand& operand, int bits) {
  switch (operand.kind) {
    case Operand::kRegister: {
      const PtxType type = RegisterType(operand);
      if (operand.negated || type.kind == PtxType::kPred) {
        if (bits != 1) Fail("a predicate where a value is expected");
        return GetPredicate(operand);
      }
      if (type.total_bits() < bits) {
        Fail("register " + operand.name + " has " + std::to_string(type.total_bits()) +
             " bits, expected " + std::to_string(bits));
      }
      Value* const value =
          builder_.CreateLoad(IntType(type.total_bits()), registers_.at(operand.name));
      return builder_.CreateTrunc(value, IntType(bits));
    }
    case Operand::kInteger:
      return Int(bits, static_cast<uint64_t>(operand.value));
    case Operand::kFloat:
      if (bits == operand.float_bits) return Int(bits, static_cast<uint64_t>(operand.value));
      if (bits == 32)
        return Int(
            32, std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value))));
      Fail("a float literal of another size");
    case Operand::kSpecial:
      return builder_.CreateZExtOrTrunc(SpecialRegister(operand.name), IntType(bits));
    case Operand::kSymbol:
      return builder_.CreateZExtOrTrunc(SymbolAddress(operand.name), IntType(bits));
    default:
      Fail("an operand of this kind cannot be read here");
  }
}

Translator::Value* Translator::GetFloat(const Operand& operand, const PtxType& type, bool flush) {
  Value* const bits = Get(operand, type.bits);
  Value* const value =
      type.is_small_float() ? Widen(bits, type) : builder_.CreateBitCast(bits, FloatType(type));
  return flush && type.bits == 32 ? Flush(value) : value;
}

Translator::Value* Translator::GetPredicate(const Operand& operand) {
  if (operand.kind == Operand::kInteger) return Int(1, static_cast<uint64_t>(operand.value));
  if (RegisterType(operand).kind != PtxType::kPred) Fail(operand.name + " is not a predicate");
  Value* const value = builder_.CreateLoad(IntType(1), registers_.at(operand.name));
  return operand.negated ? builder_.CreateNot(value) : value;
}

void Translator::Set(const Operand& operand, Value* value, bool sign_extend) {
  if (operand.kind == Operand::kSink) return;
  const int bits = RegisterType(operand).total_bits();
  const int has = static_cast<int>(value->getType()->getIntegerBitWidth());
  if (has > bits || (has == 1) != (bits == 1)) {
    Fail("a result of " + std::to_string(has) + " bits for register " + operand.name + " of " +
         std::to_string(bits));
  }
  llvm::Type* const type = IntType(bits);
  value = sign_extend ? builder_.CreateSExt(value, type) : builder_.CreateZExt(value, type);
  builder_.CreateStore(value, registers_.at(operand.name));
}

void Translator::SetFloat(const Operand& operand, Value* value, const PtxType& type) {
  Set(operand, type.is_small_float() ? Narrow(value, type)
                                     : builder_.CreateBitCast(value, IntType(type.bits)));
}

Translator::Value* Translator::SpecialRegister(const std::string& name) {
  static const auto* const names = new std::map<std::string, Special>{
      {"%tid.x", kTidX},
      {"%tid.y", kTidY},
      {"%tid.z", kTidZ},
      {"%ntid.x", kNtidX},
      {"%ntid.y", kNtidY},
      {"%ntid.z", kNtidZ},
      {"%ctaid.x", kCtaidX},
      {"%ctaid.y", kCtaidY},
      {"%ctaid.z", kCtaidZ},
      {"%nctaid.x", kNctaidX},
      {"%nctaid.y", kNctaidY},
      {"%nctaid.z", kNctaidZ},
      {"%laneid", kLaneId},
      {"%warpid", kWarpId},
      {"%nwarpid", kNumWarps},
      {"%lanemask_eq", kLaneMaskEq},
      {"%lanemask_le", kLaneMaskLe},
      {"%lanemask_lt", kLaneMaskLt},
      {"%lanemask_ge", kLaneMaskGe},
      {"%lanemask_gt", kLaneMaskGt},
      {"%smid", kSmId},
      {"%nsmid", kNumSms},
      {"%dynamic_smem_size", kDynamicSharedSize},
      {"%total_smem_size", kTotalSharedSize},
  };
  if (name == "WARP_SZ") return Int(32, kWarpSize);
  const auto found = names->find(name);
  if (found == names->end()) Fail("the special register " + name + " is not emulated");
  return Field(offsetof(ThreadState, special) + sizeof(uint32_t) * found->second, IntType(32));
}

Translator::Value* Translator::SymbolAddress(const std::string& name) const {
  if (const auto found = local_symbols_.find(name); found != local_symbols_.end())
    return Int(64, found->second);
  if (const auto found = symbols_.find(name); found != symbols_.end())
    return Int(64, found->second);
  Fail("`" + name + "` is not declared");
}

Translator::Value* Translator::FieldAddress(size_t offset) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), thread_, offset);
}

Translator::Value* Translator::Field(size_t offset, llvm::Type* type) {
  return builder_.CreateLoad(type, FieldAddress(offset));
}

int Translator::AddSite(Site site) {
  site.line = current_->line;
  site.text = current_->text;
  kernel_->sites.push_back(std::move(site));
  return static_cast<int>(kernel_->sites.size()) - 1;
}

Translator::Value* Translator::Call(const char* name, llvm::Type* result,
                                    llvm::ArrayRef<Value*> args) {
  llvm::SmallVector<llvm::Type*, 6> types;
  for (Value* arg : args) types.push_back(arg->getType());
  return builder_.CreateCall(
      module_->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), args);
}

Translator::Value* Translator::Int(int bits, uint64_t value) const {
  return llvm::ConstantInt::get(context_,
                                llvm::APInt(static_cast<unsigned>(bits), value, /*isSigned=*/true));
}

llvm::Type* Translator::IntType(int bits) const {
  return llvm::IntegerType::get(context_, static_cast<unsigned>(bits));
}

llvm::Type* Translator::FloatType(const PtxType& type) const {
  return type.bits == 64 ? llvm::Type::getDoubleTy(context_) : llvm::Type::getFloatTy(context_);
}

Translator::Value* Translator::Unary(unsigned intrinsic, Value* value) {
  return builder_.CreateUnaryIntrinsic(intrinsic, value);
}

}  // namespace swage::emulated_cuda
