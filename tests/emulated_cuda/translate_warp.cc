// Barriers, warp operations, asynchronous copies, matrix instructions.
#include <utility>

#include "tests/emulated_cuda/translator.h"

namespace swage::emulated_cuda {

llvm::SmallVector<llvm::Value*, 4> Translator::WarpCall(Site site, Value* mask,
                                                        llvm::ArrayRef<Value*> in, int results) {
  kernel_->needs_fibers = true;
  llvm::Type* const word = IntType(32);
  for (size_t i = 0; i < in.size(); ++i) {
    builder_.CreateStore(in[i], builder_.CreateConstGEP1_64(word, words_in_, i));
  }
  const int id = AddSite(std::move(site));
  Value* const ok = Call(
      "emu_warp", word, {thread_, Int(32, static_cast<uint64_t>(id)), mask, words_in_, words_out_});
  ContinueIf(builder_.CreateICmpNE(ok, Int(32, 0)));
  llvm::SmallVector<Value*, 4> out;
  for (int i = 0; i < results; ++i) {
    out.push_back(builder_.CreateLoad(
        word, builder_.CreateConstGEP1_64(word, words_out_, static_cast<uint64_t>(i))));
  }
  return out;
}

// bar.sync a[, b]; barrier.sync[.aligned]; bar.warp.sync mask; bar.red is not emulated.
void Translator::Barrier(const Instruction&, Modifiers& modifiers) {
  kernel_->needs_fibers = true;
  if (modifiers.Take("warp")) {
    if (!modifiers.Take("sync")) Fail("expected bar.warp.sync");
    Site site;
    site.op = WarpOp::kSyncWarp;
    WarpCall(site, Get(Arg(0), 32), {}, 0);
    return;
  }
  modifiers.Take("cta");
  modifiers.Take("aligned");
  if (!modifiers.Take("sync")) Fail("only the barrier that waits (.sync) is emulated");
  Value* const count = current_->operands.size() > 1 ? Get(Arg(1), 32) : Int(32, 0);
  Value* const id = Get(Arg(0), 32);
  const int site = AddSite({});
  ContinueIf(builder_.CreateICmpNE(
      Call("emu_barrier", IntType(32), {thread_, Int(32, static_cast<uint64_t>(site)), id, count}),
      Int(32, 0)));
}

// shfl.sync.mode.b32 d[|p], a, b, c, mask
void Translator::Shuffle(const Instruction&, Modifiers& modifiers) {
  RequireArgs(5);
  Site site;
  site.op = WarpOp::kShuffle;
  if (!modifiers.Take("sync")) Fail("only shfl.sync is emulated");
  site.mode = modifiers.TakeOneOf({"up", "down", "bfly", "idx"});
  if (site.mode.empty() || modifiers.TakeType().bits != 32)
    Fail("expected .up, .down, .bfly or .idx, and .b32");
  const auto out =
      WarpCall(site, Get(Arg(4), 32), {Get(Arg(1), 32), Get(Arg(2), 32), Get(Arg(3), 32)}, 2);
  if (Arg(0).kind != Operand::kPair) return Set(Arg(0), out[0]);
  Set(Arg(0).parts[0], out[0]);
  Set(Arg(0).parts[1], builder_.CreateTrunc(out[1], IntType(1)));
}

// vote.sync.mode.pred p, q, mask; vote.sync.ballot.b32 d, q, mask
void Translator::Vote(const Instruction&, Modifiers& modifiers) {
  RequireArgs(3);
  Site site;
  site.op = WarpOp::kVote;
  if (!modifiers.Take("sync")) Fail("only vote.sync is emulated");
  site.mode = modifiers.TakeOneOf({"all", "any", "uni", "ballot"});
  if (site.mode.empty()) Fail("expected .all, .any, .uni or .ballot");
  modifiers.TakeType();
  const auto out =
      WarpCall(site, Get(Arg(2), 32), {builder_.CreateZExt(GetPredicate(Arg(1)), IntType(32))}, 1);
  Set(Arg(0), site.mode == "ballot" ? out[0] : builder_.CreateTrunc(out[0], IntType(1)));
}

// match.any.sync.b32 d, a, mask
void Translator::Match(const Instruction&, Modifiers& modifiers) {
  RequireArgs(3);
  Site site;
  site.op = WarpOp::kMatch;
  if (!modifiers.Take("any") || !modifiers.Take("sync")) Fail("only match.any.sync is emulated");
  const int bits = modifiers.TakeType().bits;
  Value* const value = builder_.CreateZExt(Get(Arg(1), bits), IntType(64));
  Value* const high = builder_.CreateTrunc(builder_.CreateLShr(value, Int(64, 32)), IntType(32));
  Set(Arg(0),
      WarpCall(site, Get(Arg(2), 32), {builder_.CreateTrunc(value, IntType(32)), high}, 1)[0]);
}

// redux.sync.op.type d, a, mask
void Translator::ReduceWarp(const Instruction&, Modifiers& modifiers) {
  RequireArgs(3);
  Site site;
  site.op = WarpOp::kReduce;
  if (!modifiers.Take("sync")) Fail("only redux.sync is emulated");
  site.mode = modifiers.TakeOneOf({"add", "min", "max", "and", "or", "xor"});
  const PtxType type = modifiers.TakeType();
  if (site.mode.empty() || type.bits != 32 || type.is_float()) Fail("this form is not emulated");
  if (type.is_signed()) site.mode += ".s";
  Set(Arg(0), WarpCall(site, Get(Arg(2), 32), {Get(Arg(1), 32)}, 1)[0]);
}

// cp.async.{ca,cg}.shared.global [to], [from], bytes[, source bytes]; commit_group; wait_group n;
// wait_all
void Translator::CopyAsync(const Instruction&, Modifiers& modifiers) {
  if (!modifiers.Take("async")) Fail("only cp.async is emulated");
  if (modifiers.Take("commit_group")) {
    Call("emu_copy_commit", builder_.getVoidTy(), {thread_});
    return;
  }
  const bool wait_all = modifiers.Take("wait_all");
  if (wait_all || modifiers.Take("wait_group")) {
    if (wait_all) Call("emu_copy_commit", builder_.getVoidTy(), {thread_});
    Value* const pending = wait_all ? Int(32, 0) : Get(Arg(0), 32);
    ContinueIf(
        builder_.CreateICmpNE(Call("emu_copy_wait", IntType(32), {thread_, pending}), Int(32, 0)));
    return;
  }
  modifiers.TakeOneOf({"ca", "cg"});
  const bool shared = modifiers.Take("shared") || modifiers.Take("shared::cta");
  if (!shared || !modifiers.Take("global"))
    Fail("only copies from global to shared memory are emulated");
  TakeCacheHints(modifiers);
  if (Arg(2).kind != Operand::kInteger) Fail("the size must be a number");
  Site site;
  site.bytes = static_cast<int>(Arg(2).value);
  if (site.bytes != 4 && site.bytes != 8 && site.bytes != 16) Fail("the size must be 4, 8 or 16");
  site.space = Space::kShared;
  site.store = true;
  Value* const from_bytes =
      current_->operands.size() > 3 ? Get(Arg(3), 32) : Int(32, static_cast<uint64_t>(site.bytes));
  Value* const to = AddressOf(Arg(0));
  Value* const from = AddressOf(Arg(1));
  const int id = AddSite(site);
  ContinueIf(builder_.CreateICmpNE(
      Call("emu_copy_async", IntType(32),
           {thread_, Int(32, static_cast<uint64_t>(id)), to, from, from_bytes}),
      Int(32, 0)));
}

// ldmatrix.sync.aligned.m8n8.x{1,2,4}[.trans].shared.b16 {r...}, [row address]
void Translator::LoadMatrix(const Instruction&, Modifiers& modifiers) {
  RequireArgs(2);
  Site site;
  site.op = WarpOp::kLoadMatrix;
  site.space = Space::kShared;
  site.bytes = 16;
  if (!modifiers.Take("sync") || !modifiers.Take("aligned") || !modifiers.Take("m8n8"))
    Fail("expected .sync.aligned.m8n8");
  const std::string count = modifiers.TakeOneOf({"x1", "x2", "x4"});
  site.mode = modifiers.TakeOneOf({"trans"});
  if (count.empty() || TakeSpace(modifiers) != Space::kShared || modifiers.TakeType().bits != 16) {
    Fail("expected .x1, .x2 or .x4, .shared and .b16");
  }
  site.count = count[1] - '0';
  Value* const address = builder_.CreateTrunc(AddressOf(Arg(1)), IntType(32));
  const auto out = WarpCall(site, Int(32, 0xffffffff), {address}, site.count);
  if (Arg(0).kind != Operand::kVector) {
    if (site.count != 1) Fail("expected a vector of registers");
    return Set(Arg(0), out[0]);
  }
  if (static_cast<int>(Arg(0).parts.size()) != site.count)
    Fail("the vector has another number of registers");
  for (int i = 0; i < site.count; ++i)
    Set(Arg(0).parts[static_cast<size_t>(i)], out[static_cast<size_t>(i)]);
}

// mma.sync.aligned.m16n8k{8,16}.row.col.f32.{bf16,f16}.{bf16,f16}.f32 d, a, b, c
void Translator::Mma(const Instruction&, Modifiers& modifiers) {
  RequireArgs(4);
  Site site;
  site.op = WarpOp::kMma;
  if (!modifiers.Take("sync") || !modifiers.Take("aligned")) Fail("expected .sync.aligned");
  const std::string shape = modifiers.TakeOneOf({"m16n8k16", "m16n8k8"});
  if (shape.empty() || !modifiers.Take("row") || !modifiers.Take("col"))
    Fail("only m16n8k16 and m16n8k8, row.col, are emulated");
  const PtxType d = modifiers.TakeType(), a = modifiers.TakeType(), b = modifiers.TakeType(),
                c = modifiers.TakeType();
  if (d.bits != 32 || !d.is_float() || c.bits != 32 || !c.is_float() || !a.is_small_float() ||
      a.kind != b.kind || !b.is_small_float()) {
    Fail("only bf16 and f16 with f32 sums are emulated");
  }
  const size_t halves = shape == "m16n8k16" ? 2 : 1;
  const size_t sizes[] = {4, 2 * halves, halves, 4};
  for (size_t i = 0; i < 4; ++i) {
    const size_t has = Arg(i).kind == Operand::kVector ? Arg(i).parts.size() : 1;
    if (has != sizes[i])
      Fail("operand " + std::to_string(i) + " has " + std::to_string(has) +
           " registers, expected " + std::to_string(sizes[i]));
  }
  site.mode = a.kind == PtxType::kBfloat ? "bf16" : "f16";
  site.count = static_cast<int>(8 * halves);
  llvm::SmallVector<Value*, 10> in;
  for (size_t i = 1; i < 4; ++i) {
    if (Arg(i).kind != Operand::kVector) in.push_back(Get(Arg(i), 32));
    for (const Operand& part : Arg(i).parts) in.push_back(Get(part, 32));
  }
  const auto out = WarpCall(site, Int(32, 0xffffffff), in, 4);
  for (size_t i = 0; i < 4; ++i) Set(Arg(0).parts[i], out[i]);
}

void Translator::NanoSleep(const Instruction&, Modifiers& modifiers) { modifiers.TakeType(); }

}  // namespace swage::emulated_cuda
