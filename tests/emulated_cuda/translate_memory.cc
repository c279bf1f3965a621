// Moves, address spaces, loads, stores, atomics.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "llvm/IR/Intrinsics.h"
#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {

namespace intrinsic = llvm::Intrinsic;

// mov also packs {a, b} into one register and takes it apart.
void Translator::Move(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  const PtxType type = modifiers.TakeType();
  const int bits = type.total_bits();
  const Operand& to = Arg(0);
  const Operand& from = Arg(1);
  for (const Operand& operand : current_->operands) {
    const size_t parts = std::max<size_t>(operand.parts.size(), 1);
    if (parts != 1 && parts != 2 && parts != 4) Fail("a vector of this size cannot be moved");
  }
  if (from.kind == Operand::kVector) {
    const int part = bits / static_cast<int>(from.parts.size());
    llvm::SmallVector<Value*, 4> lanes;
    for (const Operand& operand : from.parts) lanes.push_back(Get(operand, part));
    return Set(to, JoinLanes(lanes, part));
  }
  if (to.kind == Operand::kVector) {
    const int part = bits / static_cast<int>(to.parts.size());
    Value* const whole = Get(from, bits);
    for (size_t i = 0; i < to.parts.size(); ++i) {
      Value* const shifted = builder_.CreateLShr(whole, Int(bits, static_cast<uint64_t>(part) * i));
      Set(to.parts[i], builder_.CreateTrunc(shifted, IntType(part)));
    }
    return;
  }
  Set(to, type.kind == PtxType::kPred ? GetPredicate(from) : Get(from, bits));
}

// cvta.space gives the generic address, cvta.to.space takes it apart again.
void Translator::ConvertAddress(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  const bool to_space = modifiers.Take("to");
  const Space space = TakeSpace(modifiers);
  if (modifiers.TakeType().bits != 64) Fail("addresses have 64 bits");
  Value* address = Arg(1).kind == Operand::kAddress ? AddressOf(Arg(1)) : Get(Arg(1), 64);
  const uint64_t window = space == Space::kShared  ? kSharedWindow
                          : space == Space::kLocal ? kLocalWindow
                          : space == Space::kParam ? kParamWindow
                                                   : 0;
  if (window != 0) {
    address = to_space ? builder_.CreateAnd(address, Int(64, ~kWindowMask))
                       : builder_.CreateOr(builder_.CreateAnd(address, Int(64, ~kWindowMask)),
                                           Int(64, window));
  }
  Set(Arg(0), address);
}

void Translator::IsSpace(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  const Space space = TakeSpace(modifiers);
  Value* const window = builder_.CreateAnd(Get(Arg(1), 64), Int(64, kWindowMask));
  const auto is = [&](uint64_t value) { return builder_.CreateICmpEQ(window, Int(64, value)); };
  Value* result;
  if (space == Space::kShared) {
    result = is(kSharedWindow);
  } else if (space == Space::kLocal) {
    result = is(kLocalWindow);
  } else if (space == Space::kGlobal) {
    result = builder_.CreateOr(is(kGlobalWindow), is(0));
  } else {
    Fail("isspacep for this space is not emulated");
  }
  Set(Arg(0), result);
}

Space Translator::TakeSpace(Modifiers& modifiers) {
  if (modifiers.Take("global")) return Space::kGlobal;
  if (modifiers.Take("shared") || modifiers.Take("shared::cta")) return Space::kShared;
  if (modifiers.Take("local")) return Space::kLocal;
  if (modifiers.Take("const")) return Space::kConst;
  if (modifiers.Take("param") || modifiers.Take("param::entry")) return Space::kParam;
  return Space::kGeneric;
}

// What speeds an access up on a card and changes no result.
void Translator::TakeCacheHints(Modifiers& modifiers) {
  modifiers.TakeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  modifiers.Take("nc");
  modifiers.TakeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                       "L1::evict_last", "L1::no_allocate"});
  modifiers.TakeOneOf({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  modifiers.TakeOneOf({"L2::64B", "L2::128B", "L2::256B"});
}

// True if other threads may be waited for with this access.
bool Translator::TakeOrder(Modifiers& modifiers) {
  const std::string order =
      modifiers.TakeOneOf({"volatile", "relaxed", "acquire", "release", "acq_rel", "weak"});
  modifiers.TakeOneOf({"cta", "cluster", "gpu", "sys"});
  return !order.empty() && order != "weak";
}

Translator::Value* Translator::AddressOf(const Operand& operand) {
  if (operand.kind != Operand::kAddress) Fail("expected an address in []");
  if (operand.parts.empty()) return Int(64, static_cast<uint64_t>(operand.value));
  const Operand& base = operand.parts[0];
  Value* address;
  if (base.kind == Operand::kRegister) {
    address = builder_.CreateZExt(Get(base, RegisterType(base).bits), IntType(64));
  } else {
    address = SymbolAddress(base.name);
  }
  return builder_.CreateAdd(address, Int(64, static_cast<uint64_t>(operand.value)));
}

// A space that starts at `base`, has `size` bytes and lies at `host`.
Translator::Value* Translator::CheckedOffset(Value* address, uint64_t base, int64_t size,
                                             Value* host, const Site& site, int id) {
  if (site.bytes > size)
    Fail(std::string("an access to space ") + (site.space == Space::kParam ? "param" : "local") +
         ", of which there is none");
  Value* const offset = builder_.CreateSub(address, Int(64, base));
  Value* const inside =
      builder_.CreateICmpULE(offset, Int(64, static_cast<uint64_t>(size - site.bytes)));
  Value* const misplaced =
      builder_.CreateAnd(offset, Int(64, static_cast<uint64_t>(site.bytes - 1)));
  Value* const ok = builder_.CreateAnd(inside, builder_.CreateICmpEQ(misplaced, Int(64, 0)));
  llvm::BasicBlock* const bad = NewBlock("bad");
  llvm::BasicBlock* const good = NewBlock("good");
  builder_.CreateCondBr(ok, good, bad);
  builder_.SetInsertPoint(bad);
  Call("emu_bad_access", builder_.getVoidTy(),
       {thread_, Int(32, static_cast<uint64_t>(id)), address});
  builder_.CreateBr(failed_);
  builder_.SetInsertPoint(good);
  return builder_.CreateGEP(builder_.getInt8Ty(), host, offset);
}

Translator::Value* Translator::HostAddress(const Operand& operand, Site site) {
  Value* const address = AddressOf(operand);
  llvm::Type* const pointer = builder_.getPtrTy();
  const int id = AddSite(site);
  Value* const site_id = Int(32, static_cast<uint64_t>(id));
  if (site.space == Space::kParam) {
    return CheckedOffset(address, 0, function_.param_bytes,
                         Field(offsetof(ThreadState, params), pointer), site, id);
  }
  if (site.space == Space::kLocal) {
    return CheckedOffset(address, kLocalBase, kernel_->local_bytes,
                         Field(offsetof(ThreadState, local), pointer), site, id);
  }
  if (site.space == Space::kShared) {
    Value* const host = Call("emu_shared", pointer, {thread_, site_id, address});
    ContinueIf(builder_.CreateIsNotNull(host));
    return host;
  }
  Value* const sites = Field(offsetof(ThreadState, sites), pointer);
  const auto cached = [&](size_t offset, llvm::Type* type) {
    return builder_.CreateLoad(type, builder_.CreateConstInBoundsGEP1_64(
                                         builder_.getInt8Ty(), sites,
                                         static_cast<uint64_t>(id) * sizeof(SiteCache) + offset));
  };
  Value* const offset =
      builder_.CreateSub(address, cached(offsetof(SiteCache, first), IntType(64)));
  Value* const inside =
      builder_.CreateICmpULE(offset, cached(offsetof(SiteCache, limit), IntType(64)));
  Value* const misplaced =
      builder_.CreateAnd(address, Int(64, static_cast<uint64_t>(site.bytes - 1)));
  Value* const fast = builder_.CreateAnd(inside, builder_.CreateICmpEQ(misplaced, Int(64, 0)));
  llvm::BasicBlock* const quick = NewBlock("quick");
  llvm::BasicBlock* const slow = NewBlock("slow");
  llvm::BasicBlock* const access = NewBlock("access");
  builder_.CreateCondBr(fast, quick, slow);
  builder_.SetInsertPoint(quick);
  Value* const known =
      builder_.CreateGEP(builder_.getInt8Ty(), cached(offsetof(SiteCache, host), pointer), offset);
  builder_.CreateBr(access);
  builder_.SetInsertPoint(slow);
  Value* const found = Call("emu_resolve", pointer, {thread_, site_id, address});
  ContinueIf(builder_.CreateIsNotNull(found));
  llvm::BasicBlock* const resolved = builder_.GetInsertBlock();
  builder_.CreateBr(access);
  builder_.SetInsertPoint(access);
  llvm::PHINode* const host = builder_.CreatePHI(pointer, 2);
  host->addIncoming(known, quick);
  host->addIncoming(found, resolved);
  return host;
}

Translator::Access Translator::TakeAccess(Modifiers& modifiers, const Operand& registers) {
  Access access;
  access.site.space = TakeSpace(modifiers);
  if (TakeOrder(modifiers)) kernel_->needs_fibers = true;
  TakeCacheHints(modifiers);
  const std::string vector = modifiers.TakeOneOf({"v2", "v4", "v8"});
  access.type = modifiers.TakeType();
  const size_t count = vector.empty() ? 1 : static_cast<size_t>(vector[1] - '0');
  if ((registers.kind == Operand::kVector) != (count > 1) ||
      (count > 1 && registers.parts.size() != count)) {
    Fail("the vector has another number of registers");
  }
  if (access.type.kind == PtxType::kPred) Fail("predicates are not in memory");
  access.site.bytes = static_cast<int>(count) * access.type.total_bits() / 8;
  if (count == 1) access.registers.push_back(&registers);
  for (const Operand& part : registers.parts) access.registers.push_back(&part);
  return access;
}

Translator::Value* Translator::ElementAddress(Value* host, const PtxType& type, size_t index) {
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), host,
                                     index * static_cast<size_t>(type.total_bits()) / 8);
}

void Translator::Load(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  const auto& [site, type, registers] = TakeAccess(modifiers, Arg(0));
  Value* const host = HostAddress(Arg(1), site);
  for (size_t i = 0; i < registers.size(); ++i) {
    Value* const value = builder_.CreateAlignedLoad(IntType(type.total_bits()),
                                                    ElementAddress(host, type, i), llvm::Align(1));
    Set(*registers[i], value, type.is_signed());
  }
}

void Translator::Store(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  Access access = TakeAccess(modifiers, Arg(1));
  access.site.store = true;
  if (access.site.space == Space::kConst || access.site.space == Space::kParam)
    Fail("this space cannot be written");
  Value* const host = HostAddress(Arg(0), access.site);
  for (size_t i = 0; i < access.registers.size(); ++i) {
    builder_.CreateAlignedStore(Get(*access.registers[i], access.type.total_bits()),
                                ElementAddress(host, access.type, i), llvm::Align(1));
  }
}

// Threads change hands at barriers, warp operations and backward branches only, so load, compute,
// store is atomic.
void Translator::Atomic(const Instruction& instruction, Modifiers& modifiers) {
  const bool returns = instruction.opcode == "atom";
  Site site;
  site.space = TakeSpace(modifiers);
  site.store = site.atomic = true;
  TakeOrder(modifiers);
  TakeCacheHints(modifiers);
  modifiers.Take("noftz");
  const std::string op =
      modifiers.TakeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  const PtxType type = modifiers.TakeType();
  if (op.empty()) Fail("there is no atomic operation that is known");
  if (op == "cas" || op == "exch") kernel_->needs_fibers = true;
  if (type.kind == PtxType::kPred) Fail("predicates are not in memory");
  site.bytes = type.total_bits() / 8;
  Value* const host = HostAddress(Arg(returns ? 1 : 0), site);
  Value* const old = builder_.CreateAlignedLoad(IntType(type.total_bits()), host, llvm::Align(1));
  builder_.CreateAlignedStore(AtomicResult(op, type, old), host, llvm::Align(1));
  if (returns) Set(Arg(0), old);
}

Translator::Value* Translator::AtomicResult(const std::string& op, const PtxType& type,
                                            Value* old) {
  const size_t first = current_->opcode == "atom" ? 2 : 1;
  const int bits = type.total_bits();
  Value* const operand = Get(Arg(first), bits);
  RequireArgs(first + (op == "cas" ? 2 : 1));
  if (op == "exch") return operand;
  if (op == "cas")
    return builder_.CreateSelect(builder_.CreateICmpEQ(old, operand), Get(Arg(first + 1), bits),
                                 old);
  if (type.is_float()) {
    if (op != "add") Fail("only add is emulated on floats");
    llvm::SmallVector<Value*, 2> lanes;
    for (int lane = 0; lane < type.lanes; ++lane) {
      if (!type.is_small_float()) {
        Value* const sum = builder_.CreateFAdd(builder_.CreateBitCast(old, FloatType(type)),
                                               builder_.CreateBitCast(operand, FloatType(type)));
        return builder_.CreateBitCast(sum, IntType(bits));
      }
      lanes.push_back(Narrow(builder_.CreateFAdd(Widen(Lane(old, type, lane), type),
                                                 Widen(Lane(operand, type, lane), type)),
                             type));
    }
    return JoinLanes(lanes, 16);
  }
  if (op == "add") return builder_.CreateAdd(old, operand);
  if (op == "and") return builder_.CreateAnd(old, operand);
  if (op == "or") return builder_.CreateOr(old, operand);
  if (op == "xor") return builder_.CreateXor(old, operand);
  if (op == "inc") {
    return builder_.CreateSelect(builder_.CreateICmpUGE(old, operand), Int(bits, 0),
                                 builder_.CreateAdd(old, Int(bits, 1)));
  }
  if (op == "dec") {
    Value* const wraps = builder_.CreateOr(builder_.CreateICmpEQ(old, Int(bits, 0)),
                                           builder_.CreateICmpUGT(old, operand));
    return builder_.CreateSelect(wraps, operand, builder_.CreateSub(old, Int(bits, 1)));
  }
  const bool maximum = op == "max";
  return builder_.CreateBinaryIntrinsic(type.is_signed()
                                            ? (maximum ? intrinsic::smax : intrinsic::smin)
                                            : (maximum ? intrinsic::umax : intrinsic::umin),
                                        old, operand);
}

void Translator::Prefetch(const Instruction&, Modifiers& modifiers) {
  TakeSpace(modifiers);
  modifiers.TakeOneOf({"L1", "L2", "L2::evict_last", "L2::evict_normal"});
}

// Every thread sees memory in one order here.
void Translator::Fence(const Instruction&, Modifiers& modifiers) {
  modifiers.TakeOneOf({"sc", "acq_rel"});
  modifiers.TakeOneOf({"cta", "gl", "sys", "gpu", "cluster"});
}

}  // namespace swage::emulated_cuda
